//! Does an entry that a person approved cover what is open? Where approvals are kept, and when they answer, is not
//! this crate's business.

use gate_core::{Case, Entry, Source, Subject};

use crate::book::RuleBook;
use crate::patterns::{Permission, Want};

fn read(entry: &str) -> Option<Permission> {
    // What cannot be read approves nothing.
    Permission::new(&Entry { text: entry.to_owned(), source: Source::User }, Want::Allow).ok()
}

/// Does the entry cover this unit, or this call without a script, as an allow entry would?
#[must_use]
pub fn covers(entry: &str, case: &Case<'_>, subject: Subject) -> bool {
    let Some(e) = read(entry) else { return false };
    match (subject, &case.script) {
        (Subject::Unit(i), Some(s)) => {
            case.call.shell().is_some_and(|k| e.for_shell(k, Want::Allow)) && s.units.get(i).is_some_and(|u| e.covers(u))
        }
        (Subject::Call, None) => {
            let paths: Vec<String> = case
                .known_analysis()
                .and_then(|a| a.call.as_ref())
                .map(|a| a.accesses.iter().filter_map(|x| x.path.clone()).collect())
                .unwrap_or_default();
            e.matches_call(case.call, &paths, &RuleBook::roots(case), Want::Allow)
        }
        _ => false,
    }
}

/// Is the entry's pattern the command itself, letter for letter?
#[must_use]
pub fn is_command(entry: &str, case: &Case<'_>) -> bool {
    let shell = case.call.shell();
    read(entry).is_some_and(|e| {
        e.command().is_some()
            && case.call.command().is_some_and(|whole| e.is_exactly(whole))
            && shell.is_some_and(|k| e.for_shell(k, Want::Allow))
    })
}
