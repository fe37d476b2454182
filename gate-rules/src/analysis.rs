//! What every part of a call does: the catalogue applied to units and file tools, with the facts of the world.

use std::collections::HashSet;

use gate_core::{
    Access, AccessMode, Analysis, Assessment, Call, Case, Cwd, Effect, Effects, Facts, Nesting, Piece, Place, ProgramAt, RedirectMode,
    Resolved, Script, ToolKind, Unit, Word, WrapperGrammar, limits, path,
};
use serde_json::Value;

use crate::assignments;
use crate::catalogue::{Catalogue, Finding, Known, is_stream};
use crate::programs::{git, search};

/// Most variables that are followed because a secret was put into them.
const HOLDERS: usize = 64;

/// Most parts of the words of one unit that are looked at for names of places.
const HINTS: usize = 1_000;

/// Longest word in bytes that is searched for names of places.
const LONGEST_HINT: usize = 4_096;

/// Says where a path is. Implemented by the path rules.
pub trait Placer {
    /// The place of a word used as path. `cwd`: the absolute folder that relative paths start from, `None`: not known.
    fn access(&self, mode: AccessMode, word: &Word, cwd: Option<&str>, maybe: bool, recursive: bool) -> Access;
}

/// Assesses every part of a call. Call it through `case.analysis(|c| analyse(c, …))`.
#[must_use]
pub fn analyse(case: &Case<'_>, catalogue: &Catalogue, places: &dyn Placer) -> Analysis {
    let Some(script) = &case.script else {
        return Analysis { units: Vec::new(), call: Some(tool(case.call, places)) };
    };
    let away = elsewhere(script, catalogue);
    let eye = Eye { script, call: case.call, facts: case.facts, catalogue, places, holders: secret_holders(script) };
    let units = script.units.iter().enumerate().map(|(i, u)| eye.unit(u, away.get(i).copied().unwrap_or(true))).collect();
    Analysis { units, call: None }
}

/// The absolute working directory of a unit; `None`: not known.
#[must_use]
pub fn cwd_of(case: &Case<'_>, unit: &Unit) -> Option<String> {
    match &unit.cwd {
        Cwd::Moved(to) => Some(path::resolve(&case.call.cwd, to)),
        Cwd::Unknown => None,
    }
}

/// Is there no effect but `reads`?
#[must_use]
pub fn only_reads(effects: Effects) -> bool {
    effects.iter().all(|e| e == Effect::Reads)
}

/// The worst place that a part touches with this mode.
#[must_use]
pub fn worst(part: &Assessment, mode: AccessMode) -> Option<Place> {
    part.accesses.iter().filter(|a| a.mode == mode).map(|a| a.place).max()
}

/// Which units run on another machine or in a container.
fn elsewhere(script: &Script, catalogue: &Catalogue) -> Vec<bool> {
    let mut away: Vec<bool> = Vec::with_capacity(script.units.len());
    // Asked once for each unit that has inner ones.
    let mut sends_away: Vec<Option<bool>> = vec![None; script.units.len()];
    for u in &script.units {
        let parent = u.parent.filter(|_| matches!(u.nesting, Nesting::Wrapped | Nesting::ShellText));
        away.push(parent.is_some_and(|p| {
            let Some((unit, known)) = script.units.get(p).zip(sends_away.get_mut(p)) else { return true };
            let away_there = away.get(p).copied().unwrap_or(true);
            away_there || *known.get_or_insert_with(|| catalogue.unwrap_command(&unit.words).iter().any(|i| i.elsewhere))
        }));
    }
    away
}

struct Eye<'a> {
    script: &'a Script,
    call: &'a Call,
    facts: &'a dyn Facts,
    catalogue: &'a Catalogue,
    places: &'a dyn Placer,
    /// Variables that hold a secret although their name does not say so.
    holders: Vec<&'a str>,
}

impl Eye<'_> {
    fn unit(&self, u: &Unit, away: bool) -> Assessment {
        let mut a = Assessment { known: true, ..Assessment::default() };
        let cwd = match &u.cwd {
            Cwd::Moved(to) => Some(path::resolve(&self.call.cwd, to)),
            Cwd::Unknown => None,
        };
        for s in &u.assignments {
            if let Some(why) = assignments::asks(self.catalogue, &s.name, &s.value) {
                unknown(&mut a, why);
            }
        }
        if u.calls_function {
            // Its body is among the units, but not with the arguments of this call.
            unknown(&mut a, "calls a function that the script defines".to_owned());
        } else if !u.words.is_empty() {
            self.words(u, cwd.as_deref(), away, &mut a);
        }
        let skip = away && u.nesting == Nesting::ShellText;
        for r in &u.redirects {
            self.redirect(&mut a, r.mode, &r.target, cwd.as_deref(), skip);
        }
        if u.pipe.is_some() && matches!(u.program(), Some("echo" | "printf")) && self.feeds_xargs(u) {
            self.handed_on(u, cwd.as_deref(), &mut a);
        }
        if self.reveals(u) {
            a.effects.add(Effect::Reveals);
        }
        a
    }

    /// Does a later stage of its pipeline make arguments of what it prints?
    fn feeds_xargs(&self, u: &Unit) -> bool {
        let later = |v: &&Unit| v.pipe.zip(u.pipe).is_some_and(|(b, a)| b.pipeline == a.pipeline && b.index > a.index);
        let takes = |v: &Unit| matches!(v.program().map(path::name), Some("xargs" | "parallel"));
        self.script.units.iter().filter(later).any(takes)
    }

    /// Words that another command gets as arguments: files, as far as they name a place of secrets or controls.
    fn handed_on(&self, u: &Unit, cwd: Option<&str>, a: &mut Assessment) {
        for text in u.words.iter().skip(1).filter_map(Word::literal).flat_map(|t| t.split([' ', '\n', '\\'])).filter(|t| !t.is_empty()) {
            let access = self.places.access(AccessMode::Read, &tool_word(text, &self.call.home), cwd, true, false);
            if access.place == Place::Sensitive && !a.accesses.contains(&access) {
                a.accesses.push(access);
            }
        }
    }

    /// Do its words hold a variable whose name looks like that of a secret? Only a test keeps it to itself.
    fn reveals(&self, u: &Unit) -> bool {
        let program = u.program().map(path::name);
        let secret = |n: &str| gate_core::redact::secret_name(n) || self.holders.contains(&n);
        let here = |w: &Word| holds_variable(w, &secret);
        let text = matches!(&u.stdin, gate_core::Stdin::Text(w) if here(w));
        let named = || u.words.iter().skip(1).filter_map(Word::literal).any(gate_core::redact::secret_name);
        text || !matches!(program, Some("test" | "[")) && u.words.iter().any(here) || program == Some("printenv") && named()
    }

    fn redirect(&self, a: &mut Assessment, mode: RedirectMode, target: &Word, cwd: Option<&str>, away: bool) {
        if is_stream(target) && target.literal() != Some("-") {
            return;
        }
        let reads = matches!(mode, RedirectMode::Read | RedirectMode::ReadWrite);
        let writes = !matches!(mode, RedirectMode::Read);
        for (wanted, mode, effect) in [(reads, AccessMode::Read, Effect::Reads), (writes, AccessMode::Write, Effect::Writes)] {
            if !wanted {
                continue;
            }
            a.effects.add(effect);
            if network_file(target) {
                a.effects.add(Effect::Sends);
            } else if !away {
                a.accesses.push(self.places.access(mode, target, cwd, false, false));
            }
        }
    }

    fn words(&self, u: &Unit, cwd: Option<&str>, away: bool, a: &mut Assessment) {
        let Some(name) = u.program() else {
            return unknown(a, "the program's name is known only at run time".to_owned());
        };
        let Some(family) = self.catalogue.find(path::name(name)) else {
            // Nothing is known of its operands: they may be anything.
            if !away {
                let operands = u.words.iter().skip(1).filter(|w| !w.prefix().starts_with('-') && !is_stream(w));
                a.accesses.extend(operands.map(|w| self.places.access(AccessMode::Write, w, cwd, true, false)));
            }
            return unknown(a, format!("no family knows {name}"));
        };
        a.family = Some(family.id().into());
        if !away && let Some(why) = self.untrusted(name, family) {
            unknown(a, why);
        }
        if !away && let Some(why) = self.steered(name, family) {
            unknown(a, why);
        }
        let f = family.assess(&u.words);
        if let Some(why) = &f.because {
            unknown(a, why.clone());
        }
        for (name, value) in &f.assignments {
            if let Some(why) = assignments::asks(self.catalogue, name, value) {
                unknown(a, why);
            }
        }
        a.subcommand.clone_from(&f.subcommand);
        a.effects = a.effects.with(f.effects);
        a.notes.extend(f.notes.iter().cloned());
        a.runs_stdin |= f.runs_stdin;
        a.downloads |= f.downloads;
        a.dry_run = f.dry_run;
        let mut here = cwd.map(str::to_owned);
        for to in &f.moves {
            here = here.and_then(|h| to.literal().and_then(|t| self.step(&h, t)));
        }
        if away {
            return;
        }
        self.accesses(&f, here.as_deref(), a);
        self.loads(family, name, here.as_deref(), a);
        if !a.known {
            self.hints(u, here.as_deref(), a)
        }
        if family.git_config() {
            git::check(
                &git::Where { facts: self.facts, unit: u, roots: [&self.call.project, &self.call.home], here: here.as_deref() },
                &f,
                a,
            );
        }
    }

    /// A project brings files by which a program that only reads runs or loads something.
    fn loads(&self, family: Known, name: &str, here: Option<&str>, a: &mut Assessment) {
        if !a.known || !only_reads(a.effects) {
            return;
        }
        let mut loads = family.loads().peekable();
        let found = match here {
            None if loads.peek().is_some() => Some("what stands in a folder that is not known"),
            None => None,
            Some(here) => loads.find(|(file, text)| self.facts.holds(here, file, text)).map(|(file, _)| file),
        };
        if let Some(file) = found {
            unknown(a, format!("{name} loads {file}"));
        }
    }

    /// Where a program that changes its directory arrives: `..` leads out of where a link leads.
    fn step(&self, here: &str, to: &str) -> Option<String> {
        let at = path::resolve(here, to);
        if !to.contains("..") {
            return Some(at);
        }
        match self.facts.resolve(&if to.starts_with('/') { to.to_owned() } else { format!("{here}/{to}") }) {
            Resolved::Same => Some(at),
            Resolved::To(real) => Some(real),
            Resolved::Undecidable => None,
        }
    }

    fn accesses(&self, f: &Finding, cwd: Option<&str>, a: &mut Assessment) {
        for w in &f.wants {
            let access = self.places.access(w.mode, &w.word, cwd, w.maybe, w.recursive);
            if !a.accesses.contains(&access) {
                a.accesses.push(access);
            }
        }
    }

    /// What a call that is not understood may touch: words and values of options that name a place of which nothing
    /// else may be said than that it is not for agents.
    fn hints(&self, u: &Unit, cwd: Option<&str>, a: &mut Assessment) {
        let mut left = HINTS;
        for text in u.words.iter().skip(1).filter_map(Word::literal).filter(|t| t.len() <= LONGEST_HINT) {
            let glued = if text.starts_with('-') && !text.starts_with("--") { text.get(2..) } else { None };
            for part in text.split(['=', ':', ',', '@']).chain(glued).filter(|p| !p.is_empty() && !p.starts_with('-')) {
                left = left.saturating_sub(1);
                if left == 0 {
                    return;
                }
                let access = self.places.access(AccessMode::Write, &tool_word(part, &self.call.home), cwd, true, false);
                if access.place >= Place::Sensitive && access.path.is_some() && !a.accesses.contains(&access) {
                    a.accesses.push(access);
                }
            }
        }
    }

    /// Why the environment that the program inherits may make it run something else.
    fn steered(&self, name: &str, family: Known) -> Option<String> {
        let function = format!("BASH_FUNC_{name}%%");
        // git's are read with its configuration, where it matters which ones count.
        let own = |v: &str| !family.git_config() && family.variable_runs(v);
        let found = self.facts.foreign_variable(&|v| v == function || assignments::loads(v) || own(v))?;
        Some(format!("{found} in the environment names something that the agent may have written"))
    }

    /// Why the program under that name may not be the one that the family means.
    fn untrusted(&self, name: &str, family: Known) -> Option<String> {
        let base = path::name(name);
        if family.builtin() && base == name {
            return None;
        }
        match self.facts.program(base) {
            ProgramAt::Untrusted(at) => Some(format!("{name} is {at}, which others can change")),
            ProgramAt::Missing => Some(format!("{name} is not on the search path")),
            ProgramAt::Trusted(_) if base == name => None,
            ProgramAt::Trusted(at) => {
                const SYSTEM: [&str; 4] = ["/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/"];
                let system = |p: &str| SYSTEM.iter().any(|d| p.strip_prefix(d) == Some(base));
                let same = name == at || system(name) && system(&at);
                (!same).then(|| format!("{name} is not the {base} on the search path"))
            }
        }
    }
}

fn unknown(a: &mut Assessment, why: String) {
    a.known = false;
    a.unknown_because.get_or_insert(why);
}

/// `/dev/tcp/HOST/PORT`: bash opens a connection.
fn network_file(word: &Word) -> bool {
    word.prefix().starts_with("/dev/tcp/") || word.prefix().starts_with("/dev/udp/")
}

/// Does the word hold the value of such a variable?
fn holds_variable(w: &Word, wanted: &dyn Fn(&str) -> bool) -> bool {
    w.pieces.iter().any(|p| matches!(p, Piece::Unknown { source, .. } if names(source).any(wanted)))
}

/// Variables of the script that are given the value of one whose name looks like that of a secret.
fn secret_holders(script: &Script) -> Vec<&str> {
    let mut out: Vec<&str> = Vec::new();
    for s in script.units.iter().flat_map(|u| &u.assignments) {
        if !out.contains(&s.name.as_str())
            && out.len() < HOLDERS
            && holds_variable(&s.value, &|n| gate_core::redact::secret_name(n) || out.contains(&n))
        {
            out.push(&s.name)
        }
    }
    out
}

/// Names of variables in the source of an expansion.
fn names(source: &str) -> impl Iterator<Item = &str> {
    source.split('$').skip(1).filter_map(|rest| {
        let rest = rest.trim_start_matches(['{', '!', '#']);
        let name = rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().filter(|n| !n.is_empty())?;
        // `${X:+y}` tells only whether it is set.
        let told = rest.get(name.len()..).is_some_and(|t| t.starts_with(":+") || t.starts_with('+'));
        (!told).then_some(name)
    })
}

/// A call without script.
fn tool(call: &Call, places: &dyn Placer) -> Assessment {
    let mut a = Assessment { known: true, ..Assessment::default() };
    let mut paths = paths(call);
    let many = paths.len() > limits::TOOL_PATHS;
    paths.truncate(limits::TOOL_PATHS);
    let mut all = |mode, effect, recursive, default: bool| {
        a.effects = Effects::of(effect);
        for p in &paths {
            a.accesses.push(places.access(mode, &tool_word(p, &call.home), Some(&call.cwd), false, recursive));
        }
        if paths.is_empty() && default {
            a.accesses.push(places.access(mode, &Word::text(call.cwd.as_str()), Some(&call.cwd), false, recursive));
        }
        if paths.is_empty() && !default {
            a.known = false;
            a.unknown_because = Some("the call names no path".to_owned());
        }
    };
    match call.tool.kind {
        ToolKind::Read => all(AccessMode::Read, Effect::Reads, false, false),
        ToolKind::List => all(AccessMode::Read, Effect::Reads, false, true),
        ToolKind::Find | ToolKind::Grep => all(AccessMode::Read, Effect::Reads, true, true),
        ToolKind::Write | ToolKind::Edit => all(AccessMode::Write, Effect::Writes, false, false),
        ToolKind::Fetch | ToolKind::WebSearch => a.effects = Effects::of(Effect::Fetches),
        ToolKind::Harmless | ToolKind::Own | ToolKind::Skill | ToolKind::Agent => {}
        ToolKind::Mcp | ToolKind::Other | ToolKind::Shell(_) => {
            unknown(&mut a, format!("what the tool {} does is not known", call.tool.name))
        }
    }
    if call.tool.kind == ToolKind::Grep {
        // Files that are picked out by name.
        let given = ["glob", "include", "includes", "file_pattern", "filePattern"].iter().filter_map(|k| call.input.get(*k));
        let texts = given.flat_map(|v| v.as_str().into_iter().chain(v.as_array().into_iter().flatten().filter_map(Value::as_str)));
        for word in texts.take(limits::TOOL_PATHS).flat_map(search::picked_out) {
            a.accesses.push(places.access(AccessMode::Read, &word, Some(&call.cwd), true, false));
        }
    }
    if many {
        // What is not looked at may be the worst.
        unknown(&mut a, "the call names too many files to look at".to_owned());
        let shown = "one of many files".to_owned();
        let mode = if matches!(call.tool.kind, ToolKind::Write | ToolKind::Edit) { AccessMode::Write } else { AccessMode::Read };
        let place = if mode == AccessMode::Write { Place::Control } else { Place::Sensitive };
        a.accesses.push(Access { mode, shown, path: None, resolved: None, glob: false, recursive: false, place, maybe: true });
    }
    a
}

/// Every path that a file tool names: its own, and those of lists of files or edits.
fn paths(call: &Call) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut out: Vec<String> = Vec::new();
    let mut add = |p: &str| {
        if out.len() <= limits::TOOL_PATHS && seen.insert(p.to_owned()) {
            out.push(p.to_owned());
        }
    };
    call.paths().for_each(&mut add);
    for key in ["paths", "files", "edits"] {
        for item in call.input.get(key).and_then(Value::as_array).into_iter().flatten() {
            let named = ["path", "file_path", "filePath"].iter().filter_map(|k| item.get(k)).filter_map(Value::as_str);
            item.as_str().into_iter().chain(named).for_each(&mut add);
        }
    }
    for patch in ["command", "patch", "input"].iter().filter_map(|k| call.input.get(k)).filter_map(Value::as_str) {
        let heads = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
        patch.lines().filter_map(|l| heads.iter().find_map(|h| l.strip_prefix(h))).for_each(|p| add(p.trim()));
    }
    out
}

/// A path of a tool's input: `~` and `$HOME` as people mean them.
fn tool_word(path: &str, home: &str) -> Word {
    let path = path.trim();
    let path = path.strip_prefix('@').unwrap_or(path);
    for lead in ["~", "$HOME", "${HOME}"] {
        if let Some(rest) = path.strip_prefix(lead)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return Word::text(format!("{home}{rest}"));
        }
    }
    if path.starts_with('~') { Word::unknown(path, false) } else { Word::text(path) }
}
