//! The bundled command line: the only crate that knows hosts' JSON, prints, reads the environment and exits.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub mod aftermath;
pub mod batch;
pub mod commands;
pub mod deadline;
pub mod decide;
pub mod hosts;
mod human;
pub mod log;
pub mod machine;
pub mod render;
pub mod setup;
pub mod tools;

/// The example command lines of a family file, for generators of test scripts.
///
/// # Errors
/// The mistakes of the file, one a line.
pub fn family_examples(file: &str, text: &str) -> Result<Vec<String>, String> {
    let family = gate_rules::catalogue::read(file, text).map_err(|e| e.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    let rules = family.when.iter().flat_map(|w| w.hits.iter().chain(&w.misses));
    Ok(family.examples.values().flatten().chain(rules).cloned().collect())
}
