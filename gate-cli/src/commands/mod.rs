//! Subcommands, one file each: help, arguments and code stand together. Exit statuses are constants here.

pub mod check;
pub mod config;
pub mod doctor;
pub mod explain;
pub mod hook;
pub mod import;
pub mod install;
pub mod mode;
pub mod reference;
pub mod rules;
pub mod schema;
mod scope;
pub mod status;
pub mod trust;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::aftermath;

/// The call may run.
pub const ALLOW: u8 = 0;
/// The program could not do its job.
pub const FAILED: u8 = 1;
/// The call must not run.
pub const DENY: u8 = 2;
/// Somebody must be asked.
pub const ASK: u8 = 3;

/// Decides tool calls of coding agents: allow, ask or deny, with a reason.
#[derive(Debug, Parser)]
#[command(name = "gate", version, about, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Decide one call, or many with --batch. Exit status: 0 allow, 3 ask, 2 deny, 1 failure.
    Check(check::Args),
    /// Show how a call is decided: part by part, what it does, who said what.
    Explain(explain::Args),
    /// Answer a host's hook event on standard input: `gate hook claude-code`.
    Hook {
        /// The host.
        host: String,
    },
    /// Print the JSON schema of a file: settings, permissions, family, decision.
    Schema(schema::Args),
    /// Show or switch who answers what is open: yolo, auto, approve, strict, on, off.
    Mode(mode::Args),
    /// List, add and remove permission entries; lint the settings.
    Rules(rules::Args),
    /// Show the settings in force, and why.
    Config(config::Args),
    /// Say the rules of another tool as settings, with what cannot be said and why.
    Import(import::Args),
    /// Put the hook into an agent's settings; everything else in them stays.
    Install(install::Args),
    /// Take the hook out of an agent's settings.
    Uninstall(install::Args),
    /// Show the project's files that wait for a yes, and take it.
    Trust(trust::Args),
    /// Show the mode, the settings in force, and what happened in the newest session.
    Status(status::Args),
    /// Show what is wrong with the set-up, and what mends it.
    Doctor(doctor::Args),
}

/// What went wrong, and what helps.
#[derive(Debug)]
pub struct Failure {
    /// What could not be done.
    pub error: String,
    /// Why.
    pub cause: Option<String>,
    /// What to do.
    pub hint: Option<String>,
}

impl Failure {
    /// Only what could not be done.
    #[must_use]
    pub fn new(error: impl Into<String>) -> Self {
        Self { error: error.into(), cause: None, hint: None }
    }
    /// With the cause.
    #[must_use]
    pub fn because(mut self, cause: impl ToString) -> Self {
        self.cause = Some(cause.to_string());
        self
    }
    /// With a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Runs the program with these arguments.
#[must_use]
pub fn main(args: &[OsString]) -> ExitCode {
    let cli = match Cli::try_parse_from(args) {
        Ok(cli) => cli,
        Err(e) => {
            let shows = e.kind() == clap::error::ErrorKind::DisplayHelp || e.kind() == clap::error::ErrorKind::DisplayVersion;
            // Nothing helps when the message cannot be printed.
            let _ = e.print();
            return ExitCode::from(if shows { 0 } else { FAILED });
        }
    };
    let changes = matches!(cli.command, Command::Mode(_) | Command::Rules(_) | Command::Config(_) | Command::Import(_) | Command::Trust(_));
    let done = match cli.command {
        Command::Check(a) => check::run(&a),
        Command::Explain(a) => explain::run(&a),
        Command::Schema(a) => schema::run(&a),
        Command::Mode(a) => mode::run(&a),
        Command::Rules(a) => rules::run(&a),
        Command::Config(a) => config::run(&a),
        Command::Import(a) => import::run(&a),
        Command::Install(a) => install::install(&a),
        Command::Uninstall(a) => install::uninstall(&a),
        Command::Trust(a) => trust::run(&a),
        Command::Status(a) => status::run(&a),
        Command::Doctor(a) => doctor::run(&a),
        Command::Hook { .. } => return hook::main(args),
    };
    match done {
        Ok(code) => {
            if changes {
                aftermath::keep_good_settings();
            }
            ExitCode::from(code)
        }
        Err(f) => {
            eprintln!("error: {}", f.error);
            if let Some(c) = f.cause {
                eprintln!("caused by: {c}")
            }
            if let Some(h) = f.hint {
                eprintln!("hint: {h}")
            }
            ExitCode::from(FAILED)
        }
    }
}

/// The exit status of an outcome.
#[must_use]
pub const fn status(outcome: gate_core::Outcome) -> u8 {
    match outcome {
        gate_core::Outcome::Allow => ALLOW,
        gate_core::Outcome::Ask => ASK,
        gate_core::Outcome::Deny => DENY,
    }
}
