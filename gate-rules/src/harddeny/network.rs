//! Shells handed to another machine.

use gate_core::{Case, Reason, Redirect, RedirectMode, Unit, Word};

use super::deny;
use crate::words::{operands, options};

const SHELLS: [&str; 9] = ["sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "rbash", "csh"];

/// Interpreters whose inline code is looked at.
const INTERPRETERS: [&str; 12] = ["python", "python2", "python3", "perl", "ruby", "php", "node", "lua", "tclsh", "awk", "gawk", "deno"];

/// Why a unit is denied.
pub(super) fn unit(case: &Case<'_>, unit: &Unit, name: &str) -> Option<Reason> {
    let words = unit.words.as_slice();
    let shell = |t: &str| t.split(|c: char| !c.is_ascii_alphanumeric()).any(|w| SHELLS.contains(&w));
    let texts: Vec<String> = words.iter().skip(1).map(Word::shown).collect();
    let hit = match name {
        "nc" | "ncat" | "netcat" => {
            let runs = |o: &str| matches!(o.split('=').next(), Some("--exec" | "--sh-exec" | "--lua-exec"));
            let short =
                |o: &str| !o.starts_with("--") && o.chars().skip(1).take_while(char::is_ascii_alphabetic).any(|c| c == 'e' || c == 'c');
            let host = operands(words).iter().filter_map(|w| w.literal()).any(|t| !shell(t));
            options(words).any(|o| runs(o) || short(o)) && texts.iter().any(|t| shell(t.trim_start_matches("--sh-exec"))) && host
        }
        "socat" => {
            let lower: Vec<String> = texts.iter().map(|t| t.to_ascii_lowercase()).collect();
            let begins = |t: &String, heads: &[&str]| heads.iter().any(|p| t.starts_with(p));
            lower.iter().any(|t| begins(t, &["exec:", "system:", "shell:"]) && shell(t))
                && lower.iter().any(|t| begins(t, &["tcp", "udp", "openssl", "ssl", "sctp"]))
        }
        n if SHELLS.contains(&n) => {
            let socket = |r: &Redirect| r.target.prefix().starts_with("/dev/tcp/") || r.target.prefix().starts_with("/dev/udp/");
            unit.redirects.iter().any(|r| socket(r) && r.mode != RedirectMode::Read) || answers(case, unit)
        }
        n if INTERPRETERS.contains(&n.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')) || INTERPRETERS.contains(&n) => {
            words.iter().skip(1).any(|w| hands_over(&w.shown()))
        }
        _ => false,
    };
    hit.then(|| deny("hard/remote-shell", "a shell for another machine"))
}

/// A shell that reads what comes in, and of which the output goes to a connection.
fn answers(case: &Case<'_>, unit: &Unit) -> bool {
    let Some((pipe, script)) = unit.pipe.zip(case.script.as_ref()).filter(|(p, _)| p.index > 0) else { return false };
    let bare = unit.words.iter().skip(1).all(|w| w.literal().is_some_and(|t| t.starts_with('-') && !t.contains('c')));
    let connects = |u: &Unit| u.program().is_some_and(|p| ["nc", "ncat", "netcat", "telnet", "socat"].contains(&gate_core::path::name(p)));
    let next = |u: &&Unit| script.stages(u).any(|p| p.pipeline == pipe.pipeline && p.index > pipe.index);
    bare && script.units.iter().filter(next).any(connects)
}

/// Inline code that opens a connection and starts a shell.
fn hands_over(code: &str) -> bool {
    let opens = ["socket", "fsockopen", "TCPSocket", "/inet/tcp"].iter().any(|t| code.contains(t));
    let starts = ["/bin/sh", "/bin/bash", "pty.spawn", "dup2", "IO.popen", "child_process", "cmd.exe"].iter().any(|t| code.contains(t));
    opens && starts
}
