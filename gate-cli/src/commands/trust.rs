//! `gate trust`: shows the project's files that wait for a yes and takes it; lists and revokes.

use std::io::{BufRead, IsTerminal, Write};

use gate_trust::{ApprovalStore, Change, Pending, pending};

use super::Failure;
use crate::setup::{Around, Setup, now};

/// Arguments of `trust`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Approve the version with this SHA-256, which `gate trust` shows, without a question.
    #[arg(long, value_name = "SHA256")]
    yes: Option<String>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Print what is approved, for every project.
    List,
    /// Take the approvals of this project back.
    Revoke,
}

/// Runs `trust`.
///
/// # Errors
/// Nobody can be asked, the store cannot be read or written, output breaks.
pub fn run(args: &Args) -> Result<u8, Failure> {
    let setup = Setup::new(&Around::default());
    let store = ApprovalStore::new(&setup.places.state_dir);
    let broken = |e: &dyn std::fmt::Display| Failure::new("the approvals could not be printed").because(e);
    let failed = |e: &dyn std::fmt::Display| Failure::new("the approvals could not be changed").because(e);
    let mut out = std::io::stdout();
    match &args.action {
        Some(Action::List) => {
            for a in store.list() {
                writeln!(out, "{}/.gate/{} {}", a.project, a.file.name(), a.sha256).map_err(|e| broken(&e))?;
            }
        }
        Some(Action::Revoke) => {
            let root = setup.places.project_root.as_deref().ok_or_else(super::rules::no_project)?;
            let gone = store.revoke(root, None).map_err(|e| failed(&e))?;
            writeln!(out, "{gone} approvals taken back").map_err(|e| broken(&e))?;
        }
        None => {
            let waiting = pending(&setup.places, &setup.loaded);
            let mut given = 0;
            if waiting.is_empty() {
                writeln!(out, "nothing waits for a yes").map_err(|e| broken(&e))?;
            }
            for file in waiting {
                write!(out, "{}", shown(&file)).map_err(|e| broken(&e))?;
                let approved = match &args.yes {
                    Some(hash) => *hash == file.sha256,
                    None => yes()?,
                };
                if approved {
                    approve(&setup, &store, &file)?;
                    writeln!(out, "approved: {}", file.path).map_err(|e| broken(&e))?;
                    given += 1;
                }
            }
            if let (Some(hash), 0) = (&args.yes, given) {
                return Err(Failure::new(format!("no file that waits has the SHA-256 {hash}")).hint("gate trust shows them"));
            }
        }
    }
    Ok(0)
}

fn shown(file: &Pending) -> String {
    let mut text = format!("{}\n  sha256 {}\n", file.path, file.sha256);
    for w in &file.warnings {
        text.push_str(&format!("  ! {w}\n"))
    }
    for l in &file.lines {
        text.push_str(&format!("    {l}\n"))
    }
    text.push_str(if file.changed { "  changed since it was approved:\n" } else { "  the whole file:\n" });
    for c in &file.diff {
        let (mark, line) = match c {
            Change::Same(l) => (' ', l),
            Change::Removed(l) => ('-', l),
            Change::Added(l) => ('+', l),
        };
        text.push_str(&format!("  {mark} {line}\n"));
    }
    text
}

/// A person at a terminal says yes; a pipe cannot.
fn yes() -> Result<bool, Failure> {
    if !std::io::stdin().is_terminal() {
        return Err(Failure::new("nobody can be asked here").hint("run gate trust in a terminal"));
    }
    eprint!("Approve this version? Type yes: ");
    let mut line = String::new();
    std::io::stdin().lock().read_line(&mut line).map_err(|e| Failure::new("no answer").because(e))?;
    Ok(line.trim() == "yes")
}

/// Approves just what was shown: a file that has changed meanwhile is not approved.
fn approve(setup: &Setup, store: &ApprovalStore, file: &Pending) -> Result<(), Failure> {
    let failed = |e: &dyn std::fmt::Display| Failure::new("it could not be approved").because(e);
    let root = setup.places.project_root.as_deref().ok_or_else(super::rules::no_project)?;
    let bytes = std::fs::read(&file.path).map_err(|e| failed(&e))?;
    if gate_trust::hex_digest(&bytes) != file.sha256 {
        return Err(Failure::new(format!("{} has changed while you read it", file.path)).hint("gate trust"));
    }
    store.approve(root, file.file, &bytes, now()).map_err(|e| failed(&e))
}
