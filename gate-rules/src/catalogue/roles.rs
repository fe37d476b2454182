//! What operands and option values are: files that are read or written, folders, addresses, code.

use gate_core::{AccessMode, Effect, Effects, Word};

use super::assess::Finding;
use super::matched::Matched;
use super::model::When;
use super::options::Operand;
use super::subcommand;

/// Adds what the values of options are.
pub(crate) fn options(m: &Matched, f: &mut Finding) {
    for o in m.options() {
        let Some(value) = &o.value else { continue };
        if o.role.is_empty() {
            if looks_like_path(value) {
                f.want(AccessMode::Read, value, true, false);
            }
        } else {
            apply(m, f, o.role, value, false);
        }
    }
}

/// Adds what the operands are, by position.
pub(crate) fn operands(m: &Matched, operands: &[Operand], wrapped: bool, lowered: Option<&When>, f: &mut Finding) {
    let Some(list) = subcommand::best(m.family.operands, &m.sub) else {
        // Nothing is said: anything may be a file that is read.
        if !wrapped {
            for o in operands {
                apply(m, f, "read", &o.word, true);
            }
        }
        return;
    };
    // Behind its own operands a wrapper has a command; and a closed rule says that what is else written is only read.
    let milder = |r: &'static str| match (lowered, r.trim_end_matches("...")) {
        (Some(w), "write") if w.does & Effect::Writes as u16 == 0 => {
            if r.ends_with("...") {
                "read..."
            } else {
                "read"
            }
        }
        (Some(w), "delete") if w.does & Effect::Destroys as u16 == 0 => {
            if r.ends_with("...") {
                "read..."
            } else {
                "read"
            }
        }
        (Some(w), "run") if w.does & Effect::Runs as u16 == 0 => {
            if r.ends_with("...") {
                "read..."
            } else {
                "read"
            }
        }
        _ => r,
    };
    let roles: Vec<&str> = list.iter().filter(|r| !wrapped || !r.starts_with("command")).map(milder).collect();
    let repeats = roles.iter().position(|r| r.ends_with("..."));
    let head = repeats.unwrap_or(roles.len());
    let tail = repeats.map_or(0, |i| roles.len() - i - 1);
    let n = operands.len();
    let splits = |o: &Operand| o.word.may_split();
    let first_split = operands.iter().position(splits).unwrap_or(n);
    let last_split = operands.iter().rposition(splits);
    for (i, o) in operands.iter().enumerate() {
        let from_end = n - 1 - i;
        let certain_left = i <= first_split;
        let certain_right = last_split.is_none_or(|l| i > l);
        let middle = repeats.and_then(|r| roles.get(r)).map(|r| r.trim_end_matches("..."));
        let by_tail = from_end < tail && (i >= head || n <= tail);
        let role = if by_tail {
            roles.get(roles.len() - 1 - from_end).copied()
        } else if i < head {
            roles.get(i).copied()
        } else {
            middle
        };
        let certain = if by_tail { certain_right } else { certain_left && first_split == n || i < first_split };
        match role {
            None if wrapped => {}
            None | Some("none") => f.unknown(format!("an operand {} is not listed here", o.word.shown())),
            Some(role) if certain => apply(m, f, role, &o.word, false),
            Some(role) => {
                // How many words stand before it is not known: it may have each of the roles.
                apply(m, f, role, &o.word, false);
                for other in roles.iter().skip(i.min(head)).map(|r| r.trim_end_matches("...")).filter(|r| *r != role) {
                    if other == "none" {
                        f.unknown("the number of operands is not known");
                    } else {
                        apply(m, f, other, &o.word, true);
                    }
                }
            }
        }
    }
    // A word that may become several stands for more operands than there are roles.
    if repeats.is_none() && first_split < n {
        f.unknown("the number of operands is not known");
    }
}

fn apply(m: &Matched, f: &mut Finding, role: &str, word: &Word, maybe: bool) {
    let analysed = !m.family.program.is_empty();
    match role {
        "read" | "dir" => {
            f.effects.add(Effect::Reads);
            f.want(AccessMode::Read, word, maybe, role == "dir");
        }
        "write" => {
            if !super::assess::is_stream(word) {
                f.effects.add(Effect::Writes);
            }
            f.want(AccessMode::Write, word, maybe, false);
        }
        "delete" => {
            f.effects.add(Effect::Destroys);
            f.want(AccessMode::Delete, word, maybe, false);
        }
        "run" => {
            f.effects.add(Effect::Runs);
            f.want(AccessMode::Execute, word, maybe, false);
        }
        "cwd" => {
            f.want(AccessMode::Read, word, true, false);
            f.moves.push(word.clone());
        }
        "url" => match word.literal().and_then(|t| t.get(..5)) {
            Some(s) if s.eq_ignore_ascii_case("file:") => {
                f.effects.add(Effect::Reads);
                let path = word.without_prefix(5).unwrap_or_default();
                let path = if path.prefix().starts_with("//") { path.without_prefix(2).unwrap_or_default() } else { path };
                f.want(AccessMode::Read, &path, false, false);
            }
            _ => f.effects.add(Effect::Fetches),
        },
        "command" => f.effects.add(Effect::Runs),
        "script" if !analysed => f.effects.add(Effect::Runs),
        "sql" if m.family.program == "sql" => f.sql.push(word.clone()),
        "sql" if !analysed => f.effects = f.effects.with(Effects(Effect::Changes as u16)),
        _ => {}
    }
}

/// Does a value of which nothing is said look like a path that leaves the folder?
fn looks_like_path(word: &Word) -> bool {
    let p = word.prefix();
    let p = p.strip_prefix('@').unwrap_or(p);
    p.starts_with('/') || p.starts_with("~/") || p.starts_with("./") || p.starts_with("../") || p.starts_with(".env")
}
