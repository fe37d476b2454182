//! Self-protection where the analysis of single paths does not reach: folders that hold a control, code and texts that
//! name one, and the gate's own switching commands inside such texts. All of it is a floor that only a person answers.

use gate_core::{Access, AccessMode, Analysis, Case, Effect, Nesting, Reason, Stdin, Subject, Unit, Votes};

use super::floors::floor;
use crate::analysis::cwd_of;
use crate::paths::Paths;

/// Longest text in bytes that is searched; in a longer one everything counts as named.
const TEXT: usize = 64 * 1024;

pub(super) fn floors(case: &Case<'_>, analysis: &Analysis, out: &mut Votes) {
    let paths = Paths::new(case);
    let parts =
        analysis.call.iter().map(|a| (Subject::Call, a)).chain(analysis.units.iter().enumerate().map(|(i, a)| (Subject::Unit(i), a)));
    for (subject, a) in parts {
        if let Some(x) = a.accesses.iter().find(|x| holds(&paths, x)) {
            let why = format!("{} holds what controls an agent or the gate", x.shown);
            out.push(floor(subject, "<control-path>", Reason::new("control_path", why), true));
        }
    }
    let Some(script) = &case.script else { return };
    let hidden = |i: usize| hides(case, analysis, i);
    for (i, unit) in script.units.iter().enumerate().filter(|(i, _)| hidden(*i)) {
        let there = cwd_of(case, unit).is_some_and(|at| paths.control(&at) || paths.holds_control(&at, false));
        if there || fed(case, i).any(|text| paths.names_control(text)) {
            let why = "this names what controls an agent or the gate, and what it does with it cannot be seen";
            out.push(floor(Subject::Unit(i), "<control-path>", Reason::new("control_path", why), true));
        }
    }
    let quiet = |i: usize| analysis.units.get(i).is_some_and(|a| a.known && crate::analysis::only_reads(a.effects));
    if !(0..script.units.len()).all(quiet) && switches(&script.raw) {
        let why = "this names a command that changes the gate, which only the person does";
        out.push(floor(Subject::Call, "<control-command>", Reason::new("control_command", why), true));
    }
}

/// A write or removal that takes a control with it.
fn holds(paths: &Paths<'_>, x: &Access) -> bool {
    let above = x.mode == AccessMode::Delete || x.recursive;
    matches!(x.mode, AccessMode::Write | AccessMode::Delete)
        && [x.path.as_deref(), x.resolved.as_deref()].into_iter().flatten().any(|at| {
            let whole_project = x.mode == AccessMode::Write && paths.is_project_or_above(at);
            paths.holds_control(at, above && !whole_project)
        })
}

/// Does more go on in the unit than its accesses say? What is in the units inside it is looked at there.
fn hides(case: &Case<'_>, analysis: &Analysis, i: usize) -> bool {
    let units = case.script.as_ref().map(|s| s.units.as_slice()).unwrap_or_default();
    let Some((unit, a)) = units.get(i).zip(analysis.units.get(i)) else { return true };
    let inner = units.iter().any(|u| u.parent == Some(i) && matches!(u.nesting, Nesting::Wrapped | Nesting::ShellText));
    if inner {
        // A wrapper that reads operands from its input hands on what is not seen.
        return unit.program().is_some_and(|p| matches!(gate_core::path::name(p), "xargs" | "gxargs" | "parallel"));
    }
    !unit.words.is_empty() && (!a.known || a.effects.has(Effect::Runs))
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
    let words: Vec<&str> = plain.split(|c: char| c.is_whitespace() || ",;|&()[]{}<>".contains(c)).filter(|w| !w.is_empty()).collect();
    words.iter().enumerate().filter(|(_, w)| gate_core::path::name(w) == "gate").any(|(i, _)| {
        let next = |n: usize| words.get(i + n).copied().unwrap_or_default();
        crate::harddeny::is_switch(next(1), next(2))
    })
}
