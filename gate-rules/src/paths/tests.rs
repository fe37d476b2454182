//! The rules' own examples, and that the compiled table is the one of `paths.toml`.

use std::fmt::Write as _;

use gate_core::{AccessMode, Call, Case, NoFacts, Piece, Place, Settings, ShellKind, Tool, ToolKind, Word};
use serde::Deserialize;

use super::Places;
use crate::analysis::Placer;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<Raw>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    id: String,
    place: String,
    why: String,
    hard: Option<String>,
    paths: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
    hits: Vec<String>,
    misses: Vec<String>,
}

const SOURCE: &str = include_str!("../../paths.toml");

fn file() -> File {
    toml::from_str(SOURCE).unwrap()
}

fn render(file: &File) -> String {
    let mut out = String::from(
        "//! Generated from `paths.toml`; a test of `paths` checks it. Not to be edited by hand.\n\n#![cfg_attr(rustfmt, rustfmt_skip)]\n\nuse gate_core::Place;\n\n/// One rule of `paths.toml`.\npub(crate) struct Rule {\n    pub id: &'static str,\n    pub place: Place,\n    pub why: &'static str,\n    pub hard: Option<&'static str>,\n    pub paths: &'static [&'static [&'static str]],\n    pub except: &'static [&'static str],\n}\n\n/// The rules, in the order of the file.\npub(crate) static RULES: &[Rule] = &[\n",
    );
    for r in &file.rule {
        let place = format!("{}{}", r.place[..1].to_uppercase(), &r.place[1..]);
        let paths: Vec<String> = r.paths.iter().map(|p| format!("&{:?}", p.split('/').collect::<Vec<_>>())).collect();
        writeln!(
            out,
            "    Rule {{\n        id: {:?},\n        place: Place::{place},\n        why: {:?},\n        hard: {:?},\n        paths: &[{}],\n        except: &{:?},\n    }},",
            r.id,
            r.why,
            r.hard,
            paths.join(", "),
            r.except
        )
        .unwrap();
    }
    out.push_str("];\n");
    out
}

#[test]
fn the_table_is_that_of_the_file() {
    let want = render(&file());
    if std::env::var_os("UPDATE_TABLE").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/src/paths/table.rs"), &want).unwrap();
        return;
    }
    assert!(include_str!("table.rs") == want, "paths.toml changed: UPDATE_TABLE=1 cargo test -p gate-rules paths");
}

fn call() -> Call {
    Call {
        id: String::new(),
        host: String::new(),
        session: None,
        tool: Tool { name: "bash".into(), kind: ToolKind::Shell(ShellKind::Bash) },
        input: serde_json::Value::Null,
        cwd: "/home/u/proj".into(),
        home: "/home/u".into(),
        project: "/home/u/proj".into(),
        headless: false,
        cancelled: false,
        subagent: false,
    }
}

fn place(mode: AccessMode, word: &Word) -> Place {
    let (call, settings) = (call(), Settings::default());
    let case = Case::new(&call, &settings, None, &NoFacts);
    Places::new(&case).access(mode, word, Some("/home/u/proj"), false, false).place
}

#[test]
fn examples_of_the_rules() {
    let (call, settings) = (call(), Settings::default());
    let case = Case::new(&call, &settings, None, &NoFacts);
    let places = Places::new(&case);
    for r in file().rule {
        let hit = |p: &str| {
            let a = places.access(AccessMode::Read, &Word::text(p), Some("/home/u/proj"), false, false);
            places.special(&a.path.unwrap(), false).any(|s| s.id == r.id)
        };
        for p in &r.hits {
            assert!(hit(p), "{}: {p} must hit", r.id);
        }
        for p in &r.misses {
            assert!(!hit(p), "{}: {p} must miss", r.id);
        }
    }
}

fn glob(parts: &[&str]) -> Word {
    let pieces = parts.iter().map(|p| if p.contains(['*', '?']) { Piece::Glob((*p).into()) } else if let Some(s) = p.strip_prefix('$') { Piece::Unknown { source: format!("${s}"), splits: true } } else { Piece::Text((*p).into()) }).collect();
    Word { raw: parts.concat(), pieces }
}

#[test]
fn places_of_words() {
    use Place::{Home, Outside, Project, Protected, Sensitive, System, Temp};
    for (parts, read, write) in [
        (&["src/a.rs"][..], Project, Project),
        (&["../other/x"], Home, Home),
        (&["../../../etc/hosts"], System, System),
        (&["/tmp/x"], Temp, Temp),
        (&["/opt/x"], Outside, Outside),
        (&["~/.ssh/id_rsa"], Sensitive, Sensitive),
        (&["/dev/null"], Project, Project),
        (&["/home/u/.s", "*", "/id_", "*"], Sensitive, Sensitive),
        (&["*"], Project, Project),
        (&["*", ".json"], Project, Project),
        (&["*", ".pem"], Sensitive, Sensitive),
        (&["$X"], Project, Outside),
        (&["out/", "$X"], Project, Outside),
        (&["$D", "/.ssh/id_rsa"], Sensitive, Sensitive),
        (&["$HOME", "/.aws/credentials"], Sensitive, Sensitive),
        (&["sub/.git/hooks/x"], Protected, Protected),
    ] {
        assert_eq!(place(AccessMode::Read, &glob(parts)), read, "read {parts:?}");
        assert_eq!(place(AccessMode::Write, &glob(parts)), write, "write {parts:?}");
    }
}
