//! Self-protection where the analysis of single paths does not reach: folders that hold a control, code and texts that
//! name one, and the gate's own switching commands inside such texts. All of it is a floor that only a person answers.

use gate_core::{
    Access, AccessMode, Analysis, Assessment, Case, Effect, Nesting, Piece, Place, Reason, RedirectMode, Stdin, Subject, Unit, Votes,
};

use super::floors::floor;
use crate::analysis::cwd_of;
use crate::harddeny::is_switch;
use crate::paths::Paths;

/// Longest text in bytes that is searched; in a longer one everything counts as named.
const TEXT: usize = 64 * 1024;

pub(super) fn floors(case: &Case<'_>, analysis: &Analysis, out: &mut Votes) {
    let paths = Paths::new(case);
    let control = |subject, why: String| floor(subject, "<control-path>", Reason::new("control_path", why), true);
    let held = |x: &Access| control_held(&paths, x, false);
    if let Some(x) = analysis.call.iter().flat_map(|a| &a.accesses).find(|x| held(x)) {
        out.push(control(Subject::Call, format!("{} holds what controls an agent or the gate", x.shown)));
    }
    let Some(script) = &case.script else { return };
    // Most units of a script work in the same folder.
    let mut known: Option<(gate_core::Cwd, bool)> = None;
    let mut among = |unit: &Unit| match &known {
        Some((at, answer)) if *at == unit.cwd => *answer,
        _ => {
            let answer = among(case, &paths, unit);
            known = Some((unit.cwd.clone(), answer));
            answer
        }
    };
    for (i, (unit, a)) in script.units.iter().zip(&analysis.units).enumerate() {
        let moves = unit.program().is_some_and(|p| matches!(gate_core::path::name(p), "mv" | "gmv"));
        if let Some(x) = a.accesses.iter().find(|x| control_held(&paths, x, moves)) {
            out.push(control(Subject::Unit(i), format!("{} holds what controls an agent or the gate", x.shown)));
        } else if !a.accesses.iter().any(written_control) && acts(unit, a) && (among(unit) || named_by_words(case, &paths, unit)) {
            out.push(control(Subject::Unit(i), "this changes something and names what controls an agent or the gate".to_owned()));
        } else if hides(case, unit, a, i) && fed(case, i).any(|text| paths.names_control(text)) {
            let why = "this names what controls an agent or the gate, and what it does with it cannot be seen";
            out.push(control(Subject::Unit(i), why.to_owned()));
        }
    }
    let quiet = analysis.units.iter().all(|a| a.known && crate::analysis::only_reads(a.effects));
    if !quiet && (switches(&script.raw) || script.units.iter().any(switches_unseen)) {
        let why = "this names a command that changes the gate, which only the person does";
        out.push(floor(Subject::Call, "<control-command>", Reason::new("control_command", why), true));
    }
}

/// A write or removal that takes a control with it. `moves`: the whole folder goes elsewhere.
fn control_held(paths: &Paths<'_>, x: &Access, moves: bool) -> bool {
    let above = moves || x.mode == AccessMode::Delete || x.recursive;
    matches!(x.mode, AccessMode::Write | AccessMode::Delete)
        && [x.path.as_deref(), x.resolved.as_deref()].into_iter().flatten().any(|at| {
            let whole_project = !moves && x.mode == AccessMode::Write && paths.is_project_or_above(at);
            // `DIR/*` is what the folder holds.
            let at = at.strip_suffix("/*").filter(|_| x.glob).unwrap_or(at);
            paths.holds_control(at, above && !whole_project)
        })
}

/// A control that is known to be written has a floor by its place.
fn written_control(x: &Access) -> bool {
    x.place == Place::Control && matches!(x.mode, AccessMode::Write | AccessMode::Delete)
}

/// Does the unit, apart from its redirects, do more than read?
fn acts(unit: &Unit, a: &Assessment) -> bool {
    let redirected = unit.redirects.iter().any(|r| r.mode != RedirectMode::Read);
    let mut beyond = a.effects.0 & !(Effect::Reads as u16 | Effect::Reveals as u16);
    if redirected {
        beyond &= !(Effect::Writes as u16);
    }
    !unit.words.is_empty() && (beyond != 0 || !a.known)
}

/// Does it work in a folder of controls?
fn among(case: &Case<'_>, paths: &Paths<'_>, unit: &Unit) -> bool {
    cwd_of(case, unit).is_some_and(|at| paths.control(&at) || paths.holds_control(&at, false))
}

/// Is one of its words, or an option's value, the path of a control or of the folder that holds it? git is looked at
/// by its subcommands: what it records or shows of a file does not change the file.
fn named_by_words(case: &Case<'_>, paths: &Paths<'_>, unit: &Unit) -> bool {
    if unit.program().is_none_or(|p| gate_core::path::name(p) == "git") {
        return false;
    }
    let cwd = cwd_of(case, unit);
    let cwd = cwd.as_deref().unwrap_or("/");
    let hit = |text: &str| {
        let at = gate_core::path::resolve(cwd, text);
        paths.control(&at) || paths.holds_control(&at, false)
    };
    // A longer word is no path.
    let short = |t: &&str| t.len() <= gate_core::limits::PATH_BYTES;
    unit.words.iter().skip(1).filter_map(|w| w.literal()).filter(short).filter(|t| t.contains(['/', '.']) || cwd != case.call.project).any(
        |t| {
            let value = t.strip_prefix('-').map(|o| o.split_once('=').map_or_else(|| o.get(1..).unwrap_or_default(), |(_, v)| v));
            let value = value.or_else(|| t.split_once('=').map(|(_, v)| v));
            hit(t) || value.is_some_and(|v| !v.is_empty() && hit(v))
        },
    )
}

/// Does more go on in the unit than its words say? What is in the units inside it is looked at there.
fn hides(case: &Case<'_>, unit: &Unit, a: &Assessment, i: usize) -> bool {
    let units = case.script.as_ref().map(|s| s.units.as_slice()).unwrap_or_default();
    let inner = units.iter().any(|u| u.parent == Some(i) && matches!(u.nesting, Nesting::Wrapped | Nesting::ShellText));
    if inner {
        // A wrapper that reads operands from its input hands on what is not seen.
        return unit.program().is_some_and(|p| matches!(gate_core::path::name(p), "xargs" | "gxargs" | "parallel"));
    }
    // What git does to files is known by its subcommands, hooks or not.
    let git = a.known && unit.program().is_some_and(|p| gate_core::path::name(p) == "git");
    !unit.words.is_empty() && !git && (!a.known || a.effects.has(Effect::Runs))
}

/// The unit's own text, and what flows into it.
fn fed<'c>(case: &'c Case<'_>, i: usize) -> impl Iterator<Item = &'c str> {
    let units = case.script.as_ref().map(|s| s.units.as_slice()).unwrap_or_default();
    let own = units.get(i);
    let pipe = own.and_then(|u| u.pipe);
    let before = move |u: &&Unit| matches!((u.pipe, pipe), (Some(b), Some(p)) if b.pipeline == p.pipeline && b.index < p.index);
    let text = |u: &'c Unit| {
        let stdin = match &u.stdin {
            Stdin::Text(word) => Some(word.raw.as_str()),
            _ => None,
        };
        std::iter::once(u.raw.as_str()).chain(stdin)
    };
    own.into_iter().chain(units.iter().filter(before)).flat_map(text)
}

/// Does a text hold a command that switches the gate, or answers for the person?
fn switches(text: &str) -> bool {
    if !text.contains("gate") {
        return false;
    }
    if text.len() > TEXT {
        return true;
    }
    let plain: String = text.chars().filter(|c| !matches!(c, '"' | '\'' | '\\' | '`')).collect();
    let words: Vec<&str> = plain.split(|c: char| c.is_whitespace() || ",;|&()[]{}<>=".contains(c)).filter(|w| !w.is_empty()).collect();
    let at = |i: usize| words.get(i).copied().unwrap_or_default();
    let program = |i: usize| gate_core::path::name(at(i)) == "gate";
    let switch = |i: usize| is_switch(at(i), at(i + 1));
    if (0..words.len()).any(|i| program(i) && switch(i + 1)) {
        return true;
    }
    // Under another name: a variable, an alias, a copy.
    let renamed = words.contains(&"alias");
    let behind = |i: usize| at(i).contains('$') || at(i).starts_with("./") || renamed;
    (0..words.len()).any(program) && (1..words.len()).any(|i| switch(i) && (needs_more(at(i)) || behind(i - 1)))
}

/// Subcommands that say something only together with the next word.
fn needs_more(sub: &str) -> bool {
    !is_switch(sub, "")
}

/// A program that is not known and may be the gate, with its switching words behind it.
fn switches_unseen(unit: &Unit) -> bool {
    let literal = |i: usize| unit.words.get(i).and_then(|w| w.literal()).unwrap_or_default();
    let Some(program) = unit.words.first().filter(|w| w.literal().is_none()) else { return false };
    if !is_switch(literal(1), literal(2)) {
        return false;
    }
    let known = |p: &Piece| !matches!(p, Piece::Unknown { .. });
    let begins = program.pieces.iter().take_while(|p| known(p)).next().is_some();
    let ends = program.pieces.last().is_some_and(known);
    needs_more(literal(1)) || begins || ends
}
