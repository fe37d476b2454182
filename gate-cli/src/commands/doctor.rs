//! `gate doctor`: what is wrong with the set-up, and the command that mends it. Every check is a small function of its
//! own; checks of one agent stand in a file of their own.

mod claude_code;
mod hosts;
mod log;
mod model;

use std::io::Write;

pub use gate_trust::doctor::Check;
pub(crate) use hosts::foreign_files;

use super::Failure;
use crate::setup::{Around, Setup};

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print every check as JSON.
    #[arg(long)]
    json: bool,
    /// Look at this home instead of the account's.
    #[arg(long, value_name = "DIR")]
    home: Option<String>,
}

/// Every check, in the order in which they are shown.
const CHECKS: &[fn(&Setup) -> Vec<Check>] =
    &[settings, log::private, hosts::wired, claude_code::checks, hosts::foreign_rules, model::usable];

/// Settings, trust and state: gate-trust knows them.
fn settings(setup: &Setup) -> Vec<Check> {
    gate_trust::doctor::checks(&setup.places, &setup.loaded)
}

/// Runs `doctor`. Status 1 when something is wrong.
///
/// # Errors
/// Output that breaks.
pub fn run(args: &Args) -> Result<u8, Failure> {
    let setup = Setup::new(&Around { home: args.home.clone(), ..Around::default() });
    let all: Vec<Check> = CHECKS.iter().flat_map(|check| check(&setup)).collect();
    let bad: Vec<_> = all.iter().filter(|c| !c.ok).collect();
    let text = if args.json {
        serde_json::to_string_pretty(&all).map_err(|e| Failure::new("the checks could not be written").because(e))? + "\n"
    } else if bad.is_empty() {
        let mode = all.iter().find(|c| c.name == "mode").map_or("", |c| c.message.as_str());
        format!("all is well ({} checks); mode {mode}\n", all.len())
    } else {
        bad.iter()
            .map(|c| format!("{}: {}\n  mend: {}\n", c.name, c.message, c.mend.as_deref().unwrap_or("see the documentation")))
            .collect()
    };
    write!(std::io::stdout(), "{text}").map_err(|e| Failure::new("the checks could not be printed").because(e))?;
    Ok(u8::from(!bad.is_empty()))
}
