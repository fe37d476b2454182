//! `gate schema`: the JSON schemas of every file the gate reads or writes.

use std::io::Write;

use serde_json::Value;

use super::Failure;

/// Arguments of `schema`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// settings, permissions, family or decision; without a name: what there is.
    name: Option<String>,
}

/// Every schema with its name.
#[must_use]
pub fn all() -> Vec<(&'static str, Value)> {
    vec![
        ("settings", gate_trust::schema().to_value()),
        ("permissions", gate_trust::permissions_schema().to_value()),
        ("family", gate_rules::catalogue::schema().to_value()),
        ("decision", gate_core::decision_schema()),
    ]
}

/// Runs `schema`.
///
/// # Errors
/// A name that there is no schema for; output that breaks.
pub fn run(args: &Args) -> Result<u8, Failure> {
    let all = all();
    let names: Vec<&str> = all.iter().map(|(n, _)| *n).collect();
    let text = match &args.name {
        None => names.join("\n"),
        Some(name) => {
            let (_, schema) = all
                .iter()
                .find(|(n, _)| n == name)
                .ok_or_else(|| Failure::new(format!("there is no schema named {name}")).hint(format!("one of: {}", names.join(", "))))?;
            serde_json::to_string_pretty(schema).map_err(|e| Failure::new("the schema could not be written").because(e))?
        }
    };
    writeln!(std::io::stdout(), "{text}").map_err(|e| Failure::new("the schema could not be printed").because(e))?;
    Ok(0)
}
