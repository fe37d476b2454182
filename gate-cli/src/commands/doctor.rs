//! `gate doctor`: what is wrong with the set-up, and the command that mends it.

use std::io::Write;

use gate_trust::doctor::checks;

use super::Failure;
use crate::setup::{Around, Setup};

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print every check as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs `doctor`. Status 1 when something is wrong.
///
/// # Errors
/// Output that breaks.
pub fn run(args: &Args) -> Result<u8, Failure> {
    let setup = Setup::new(&Around::default());
    let all = checks(&setup.places, &setup.loaded);
    let bad: Vec<_> = all.iter().filter(|c| !c.ok).collect();
    let text = if args.json {
        serde_json::to_string_pretty(&all).map_err(|e| Failure::new("the checks could not be written").because(e))? + "\n"
    } else if bad.is_empty() {
        let mode = all.iter().find(|c| c.name == "mode").map_or("", |c| c.message.as_str());
        format!("all is well; mode {mode}\n")
    } else {
        bad.iter()
            .map(|c| format!("{}: {}\n  mend: {}\n", c.name, c.message, c.mend.as_deref().unwrap_or("see the documentation")))
            .collect()
    };
    write!(std::io::stdout(), "{text}").map_err(|e| Failure::new("the checks could not be printed").because(e))?;
    Ok(u8::from(!bad.is_empty()))
}
