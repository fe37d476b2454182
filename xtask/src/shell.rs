//! Starting other programs from the top of the repository.

use std::path::PathBuf;
use std::process::Command;

/// The top of the repository.
pub fn root() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    here.parent().map_or(here.clone(), PathBuf::from)
}

/// Runs cargo; an error when it fails.
pub fn cargo(args: &[&str]) -> Result<(), String> {
    run(Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())).args(args))
}

/// Runs a command from the top; an error when it fails.
pub fn run(command: &mut Command) -> Result<(), String> {
    let shown = format!("{command:?}");
    let status = command.current_dir(root()).status().map_err(|e| format!("{shown}: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("{shown} failed: {status}")) }
}
