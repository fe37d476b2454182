//! The examples of `paths.toml`, and where words lead.

use gate_core::{
    Access, AccessMode, Call, Case, Facts, GitConfig, NoFacts, PathKind, Piece, Place, ProgramAt, Resolved, Settings, ShellKind, Tool,
    ToolKind, Word,
};

use super::{Paths, data};
use crate::analysis::Placer;

fn call() -> Call {
    Call {
        id: String::new(),
        host: String::new(),
        session: None,
        tool: Tool { name: "bash".to_owned(), kind: ToolKind::Shell(ShellKind::Bash) },
        input: serde_json::Value::Null,
        cwd: "/home/u/proj".to_owned(),
        home: "/home/u".to_owned(),
        project: "/home/u/proj".to_owned(),
        headless: false,
        cancelled: false,
        subagent: false,
    }
}

fn access(facts: &dyn Facts, mode: AccessMode, word: &Word) -> Access {
    let (call, settings) = (call(), Settings::default());
    let case = Case::new(&call, &settings, None, facts);
    Paths::new(&case).access(mode, word, Some("/home/u/proj"), false, false)
}

fn place(mode: AccessMode, text: &str) -> Place {
    access(&NoFacts, mode, &Word::text(text)).place
}

#[test]
fn examples() {
    for p in data::EXAMPLES_SENSITIVE {
        assert_eq!(place(AccessMode::Read, p), Place::Sensitive, "{p}");
    }
    for p in data::EXAMPLES_PROTECTED {
        assert_eq!(place(AccessMode::Write, p), Place::Protected, "{p}");
        assert!(place(AccessMode::Read, p) < Place::Sensitive, "reading {p}");
    }
    for p in data::EXAMPLES_CONTROL {
        assert_eq!(place(AccessMode::Write, p), Place::Control, "{p}");
    }
    for p in data::EXAMPLES_PLAIN {
        assert!(place(AccessMode::Read, p) < Place::Sensitive, "{p}");
        assert!(place(AccessMode::Write, p) < Place::Sensitive || p.contains("/.ssh/"), "{p}");
    }
}

#[test]
fn plain_places() {
    for (p, want) in [
        ("src/a.rs", Place::Project),
        ("../other/a", Place::Home),
        ("/tmp/x", Place::Temp),
        ("/usr/share/x", Place::System),
        ("/data/x", Place::Outside),
        ("/home/u/proj_evil/x", Place::Home),
        ("./../proj/a", Place::Project),
    ] {
        assert_eq!(place(AccessMode::Read, p), want, "{p}");
    }
}

#[test]
fn patterns_count_for_what_they_may_match() {
    let word = |pieces: Vec<Piece>| Word { raw: String::new(), pieces };
    let text = |t: &str| Piece::Text(t.to_owned());
    let glob = |t: &str| Piece::Glob(t.to_owned());
    let read = |w: Word| access(&NoFacts, AccessMode::Read, &w).place;
    assert_eq!(read(word(vec![text("/home/u/.s"), glob("*"), text("/id_"), glob("*")])), Place::Sensitive);
    assert_eq!(read(word(vec![text(".e"), glob("*")])), Place::Sensitive);
    assert_eq!(read(word(vec![glob("*"), text(".rs")])), Place::Project);
    assert_eq!(read(word(vec![glob("*")])), Place::Project);
    let unknown = || Piece::Unknown { source: "$X".to_owned(), splits: false };
    assert_eq!(read(word(vec![unknown()])), Place::Project);
    assert_eq!(access(&NoFacts, AccessMode::Write, &word(vec![unknown()])).place, Place::Outside);
    assert_eq!(read(word(vec![unknown(), text("/.ssh/id_rsa")])), Place::Sensitive);
}

/// A link in the project that leads to a secret.
struct Linked;

impl Facts for Linked {
    fn kind(&self, _: &str) -> PathKind {
        PathKind::Unknown
    }
    fn resolve(&self, path: &str) -> Resolved {
        if path.ends_with("/loop") { Resolved::Undecidable } else { Resolved::To("/home/u/.ssh/id_rsa".to_owned()) }
    }
    fn program(&self, _: &str) -> ProgramAt {
        ProgramAt::Missing
    }
    fn git_config(&self, _: &str) -> Option<GitConfig> {
        None
    }
    fn tracked(&self, _: &str) -> bool {
        false
    }
    fn trusted_project(&self) -> bool {
        true
    }
}

#[test]
fn links_are_followed() {
    assert_eq!(access(&Linked, AccessMode::Read, &Word::text("notes.txt")).place, Place::Sensitive);
    assert_eq!(access(&Linked, AccessMode::Write, &Word::text("loop")).place, Place::Protected);
}
