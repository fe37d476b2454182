//! What nothing allows: no rule, mode, approval, model or person lifts it. Owns the triggers; every one names its reason.

mod files;
mod gate;
mod network;
mod programs;

use gate_core::{Assessment, Case, Reason, Unit};

pub(crate) use files::write as file_write;
pub(crate) use gate::is_switch;
pub(crate) use programs::loses;

fn deny(code: &'static str, what: &str) -> Reason {
    Reason::new(code, format!("{what} is hard-denied"))
}

/// Why a unit is denied outright.
pub(crate) fn unit(case: &Case<'_>, unit: &Unit, assessment: Option<&Assessment>) -> Option<Reason> {
    if let Some(a) = assessment {
        let hit = a.accesses.iter().filter(|x| !x.maybe || x.place == gate_core::Place::Control).find_map(|x| files::access(case, x));
        if hit.is_some() {
            return hit;
        }
    }
    programs::unit(case, unit)
}

/// Why a raw text is denied outright, whatever was understood of it.
pub(crate) fn raw(text: &str) -> Option<Reason> {
    fork_bomb(text).then(|| deny("hard/fork-bomb", "a fork bomb"))
}

/// A function that pipes itself into itself in the background.
fn fork_bomb(text: &str) -> bool {
    let bare: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    bare.match_indices("(){").any(|(at, _)| {
        let head = bare.get(..at).unwrap_or_default();
        let start = head.rfind([';', '&', '|', '(', '{']).map_or(0, |i| i + 1);
        let name = head.get(start..).unwrap_or_default().trim_start_matches("function");
        !name.is_empty() && bare.get(at..).is_some_and(|rest| rest.contains(&format!("{name}|{name}&")))
    })
}
