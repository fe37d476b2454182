//! What every part of a call does: the catalogue's knowledge, redirects, assignments, the real program behind a name,
//! and the git configuration that reads depend on. Owns no opinion.

mod env;
mod git;

use gate_core::{
    Access, AccessMode, Analysis, Assessment, Case, Cwd, Effect, Effects, Piece, Place, ProgramAt, RedirectMode, ToolKind, Unit, Word,
};

use crate::catalogue::{Catalogue, Family, assess, base_name};
use crate::programs;

pub use env::secret_name;

/// Says where a word leads. Implemented by [`crate::paths`].
pub trait Placer {
    /// An access to what the word names. `cwd`: the absolute directory it is relative to, `None`: not known.
    fn access(&self, mode: AccessMode, word: &Word, cwd: Option<&str>, maybe: bool, recursive: bool) -> Access;
}

/// Analyses a case.
pub fn analyse(case: &Case<'_>, catalogue: &Catalogue, placer: &dyn Placer) -> Analysis {
    match &case.script {
        Some(script) => Analysis { units: script.units.iter().map(|u| unit(case, u, catalogue, placer)).collect(), call: None },
        None => Analysis { units: Vec::new(), call: Some(tool(case, placer)) },
    }
}

/// The absolute working directory of a unit; `None`: not known.
#[must_use]
pub fn cwd_of(case: &Case<'_>, unit: &Unit) -> Option<String> {
    match &unit.cwd {
        Cwd::Moved(to) => Some(gate_core::path::resolve(&case.call.cwd, to)),
        Cwd::Unknown => None,
    }
}

fn unit(case: &Case<'_>, unit: &Unit, catalogue: &Catalogue, placer: &dyn Placer) -> Assessment {
    let cwd = cwd_of(case, unit);
    let mut out = if unit.words.is_empty() || unit.calls_function {
        Assessment { known: true, ..Assessment::default() }
    } else {
        program(case, unit, catalogue, placer, cwd.as_deref())
    };
    redirects(unit, cwd.as_deref(), placer, &mut out);
    env::assignments(unit, catalogue, &mut out);
    out
}

fn unknown(out: &mut Assessment, why: impl Into<String>) {
    out.known = false;
    if out.unknown_because.is_none() {
        out.unknown_because = Some(why.into())
    }
}

fn program(case: &Case<'_>, unit: &Unit, catalogue: &Catalogue, placer: &dyn Placer, cwd: Option<&str>) -> Assessment {
    let mut out = Assessment { known: true, ..Assessment::default() };
    let Some(name) = unit.program() else {
        unknown(&mut out, "which program runs, only the shell can know");
        return out;
    };
    let Some(family) = catalogue.family(base_name(name)) else {
        unknown(&mut out, format!("the catalogue does not know {}", base_name(name)));
        // Nothing is known of its operands: they may be anything.
        out.accesses = unit
            .words
            .iter()
            .skip(1)
            .filter(|w| !w.prefix().starts_with('-'))
            .map(|w| placer.access(AccessMode::Write, w, cwd, true, false))
            .collect();
        return out;
    };
    out.family = Some(family.id.into());
    let found = assess(family, &unit.words);
    out.known = found.known;
    out.unknown_because = found.because;
    out.effects = found.effects;
    out.notes = found.notes;
    out.subcommand = found.subcommand;
    out.dry_run = found.dry_run;
    out.runs_stdin = found.runs_stdin;
    out.downloads = family.downloads;
    // What stands behind `-C` moves the others.
    let mut base = cwd.map(ToOwned::to_owned);
    for u in found.uses.iter().filter(|u| u.role == "cwd") {
        base = match (base, u.word.literal()) {
            (Some(b), Some(t)) => Some(gate_core::path::resolve(&b, t)),
            _ => None,
        };
    }
    for u in &found.uses {
        let (mode, recursive) = match u.role {
            "write" => (AccessMode::Write, false),
            "delete" => (AccessMode::Delete, true),
            "run" => (AccessMode::Execute, false),
            "dir" => (AccessMode::Read, true),
            "cwd" | "url" => continue,
            _ => (AccessMode::Read, false),
        };
        if file(&u.word) {
            out.accesses.push(placer.access(mode, &u.word, base.as_deref(), u.maybe, recursive))
        }
    }
    programs::look(family.program, unit, &mut out, placer, base.as_deref());
    real_program(case, unit, name, family, &mut out);
    if family.repo_config == "git" {
        git::config(case, &base, &mut out)
    }
    out
}

/// The bare name must lead to a trusted place.
fn real_program(case: &Case<'_>, unit: &Unit, name: &str, family: &Family, out: &mut Assessment) {
    if unit.raw.starts_with('\\') && name.is_empty() {
        return;
    }
    if name.contains('/') {
        let system = ["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/"]
            .iter()
            .any(|d| name.strip_prefix(d).is_some_and(|r| !r.contains('/')));
        if !system {
            return unknown(out, format!("{name} is reached by a path, so it may be any program"));
        }
        return;
    }
    if family.builtin {
        return;
    }
    if let ProgramAt::Untrusted(at) = case.facts.program(name) {
        unknown(out, format!("{name} would be {at}, a place that the project or others can write"))
    }
}

/// Standard streams and the null device are no files.
fn file(word: &Word) -> bool {
    !matches!(
        word.literal(),
        Some(
            "-" | "/dev/null"
                | "/dev/stdin"
                | "/dev/stdout"
                | "/dev/stderr"
                | "/dev/tty"
                | "/dev/fd/0"
                | "/dev/fd/1"
                | "/dev/fd/2"
                | "/dev/zero"
                | "/dev/urandom"
                | "/dev/random"
        )
    )
}

fn redirects(unit: &Unit, cwd: Option<&str>, placer: &dyn Placer, out: &mut Assessment) {
    for r in &unit.redirects {
        if !file(&r.target) {
            continue;
        }
        if r.target.prefix().starts_with("/dev/tcp/") || r.target.prefix().starts_with("/dev/udp/") {
            out.effects.add(Effect::Sends);
            continue;
        }
        let modes: &[AccessMode] = match r.mode {
            RedirectMode::Read => &[AccessMode::Read],
            RedirectMode::Write | RedirectMode::Append => &[AccessMode::Write],
            RedirectMode::ReadWrite => &[AccessMode::Read, AccessMode::Write],
        };
        for mode in modes {
            out.accesses.push(placer.access(*mode, &r.target, cwd, false, false));
            out.effects.add(if *mode == AccessMode::Read { Effect::Reads } else { Effect::Writes });
        }
    }
}

/// What a call of a file tool, or of another tool, does.
fn tool(case: &Case<'_>, placer: &dyn Placer) -> Assessment {
    let call = case.call;
    let mut out = Assessment { known: true, ..Assessment::default() };
    let cwd = Some(call.cwd.as_str());
    let mut touch = |out: &mut Assessment, mode, path: &str, recursive| {
        out.accesses.push(placer.access(mode, &tool_word(path, &call.home), cwd, false, recursive))
    };
    match call.tool.kind {
        ToolKind::Read | ToolKind::List => {
            out.effects.add(Effect::Reads);
            touch(&mut out, AccessMode::Read, call.path().unwrap_or("."), false);
            if call.path().is_none() && call.tool.kind == ToolKind::Read {
                unknown(&mut out, "the call names no path")
            }
        }
        ToolKind::Find | ToolKind::Grep => {
            out.effects.add(Effect::Reads);
            touch(&mut out, AccessMode::Read, call.path().unwrap_or("."), true);
        }
        ToolKind::Write | ToolKind::Edit => {
            out.effects.add(Effect::Writes);
            match call.path() {
                Some(p) => touch(&mut out, AccessMode::Write, p, false),
                None => {
                    let paths = patch_paths(
                        call.input.get("command").or_else(|| call.input.get("patch")).and_then(|v| v.as_str()).unwrap_or_default(),
                    );
                    if paths.is_empty() {
                        unknown(&mut out, "the call names no path")
                    }
                    for p in paths {
                        touch(&mut out, AccessMode::Write, &p, false)
                    }
                }
            }
        }
        ToolKind::Fetch | ToolKind::WebSearch => out.effects.add(Effect::Fetches),
        ToolKind::Harmless | ToolKind::Own => {}
        _ => unknown(&mut out, format!("what the tool {} does is not known", call.tool.name)),
    }
    out
}

/// A path of a tool's input: `~` and `$HOME` as people mean them.
fn tool_word(path: &str, home: &str) -> Word {
    let path = path.trim();
    let path = path.strip_prefix('@').unwrap_or(path);
    for lead in ["~", "$HOME", "${HOME}"] {
        if let Some(rest) = path.strip_prefix(lead) {
            if rest.is_empty() || rest.starts_with('/') {
                return Word::text(format!("{home}{rest}"));
            }
        }
    }
    if path.starts_with('~') {
        return Word { pieces: vec![Piece::Unknown { source: path.to_owned(), splits: false }], raw: path.to_owned() };
    }
    Word::text(path)
}

/// Files that a patch text names.
fn patch_paths(patch: &str) -> Vec<String> {
    let heads = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    patch.lines().filter_map(|l| heads.iter().find_map(|h| l.strip_prefix(h))).map(|p| p.trim().to_owned()).collect()
}

/// Is every effect in the list a mild one? Used by layers that ask for "reads only".
#[must_use]
pub fn only_reads(effects: Effects) -> bool {
    effects.iter().all(|e| e == Effect::Reads)
}

/// The worst place that a part touches with this mode.
#[must_use]
pub fn worst(out: &Assessment, mode: AccessMode) -> Option<Place> {
    out.accesses.iter().filter(|a| a.mode == mode).map(|a| a.place).max()
}
