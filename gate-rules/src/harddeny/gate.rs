//! Commands by which an agent would switch the gate off, answer for the person, or take the gate away.

use gate_core::{Reason, Unit, Word};

use super::deny;
use crate::words::{operands, options};

/// Does this subcommand switch the gate, change what it goes by, or answer in a person's place?
pub(crate) fn is_switch(sub: &str, next: &str) -> bool {
    match sub {
        "mode" => !next.is_empty() && (next.starts_with('-') || matches!(next, "yolo" | "auto" | "approve" | "strict" | "on" | "off")),
        "rules" => matches!(next, "add" | "remove"),
        "config" => next == "edit",
        "trust" => next != "list",
        "status" => next == "--reset",
        "inbox" => matches!(next, "approve" | "deny"),
        "questions" => matches!(next, "answer" | "dismiss"),
        "import" | "install" | "uninstall" | "init" | "hook" => true,
        _ => false,
    }
}

/// Subcommands of the gate that only show something; everything that is not known to be one counts as a switch.
const SHOWS: &[&str] = &[
    "agents",
    "check",
    "completions",
    "config",
    "docs",
    "doctor",
    "explain",
    "inbox",
    "log",
    "mode",
    "questions",
    "rules",
    "schema",
    "status",
    "suggest",
    "test",
    "trust",
    "version",
    "why",
];

/// What switches the gate off, or answers in a person's place.
pub(super) fn switch(words: &[Word]) -> Option<Reason> {
    let all: Vec<&str> = operands(words).iter().filter_map(|w| w.literal()).collect();
    let (sub, next) = (all.first().copied(), all.get(1).copied().unwrap_or_default());
    let reset = options(words).any(|o| o.starts_with("--res"));
    let known = words.iter().all(|w| w.literal().is_some());
    let harmless = match sub {
        None => known,
        // What asks a person is no switch; it stays unknown here.
        Some("confirm") => true,
        Some(sub) => SHOWS.contains(&sub) && known && !reset && !is_switch(sub, next),
    };
    (!harmless).then(control)
}

fn control() -> Reason {
    Reason {
        instead: Some("the person changes this in a terminal of their own".to_owned()),
        ..deny("hard/control", "changing the gate from inside an agent")
    }
}

/// Ends the gate's processes, or takes its program away.
pub(super) fn removed(name: &str, unit: &Unit) -> Option<Reason> {
    let words = || unit.words.iter().skip(1);
    let named = |w: &Word| w.literal().is_some_and(|t| matches!(t, "gate" | "gate-cli"));
    let hit = match name {
        "killall" | "pkill" => words().any(named),
        // Whose processes these are is said by the text inside.
        "kill" => words()
            .any(|w| w.literal().is_none() && w.raw.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_'))).any(|t| t == "gate")),
        _ => {
            let gone = |w: &Word| {
                w.literal().is_some_and(|t| {
                    matches!(t, "uninstall" | "remove" | "purge" | "autoremove" | "erase" | "un" | "rm" | "unlink" | "install" | "i")
                        || t.starts_with("-R")
                })
            };
            words().any(named) && words().any(gone)
        }
    };
    hit.then(control)
}
