//! Lints a settings file with this crate alone: `cargo run -p gate-trust --example lint -- gate.json`.
//! Prints what is wrong, with line and column, and what is in force; exit status 1 when the file would be rejected.

use std::process::ExitCode;

use gate_trust::{Snapshot, SourceText, Sources, snapshot};

/// The settings that one user file gives.
fn lint(name: &str, text: &str) -> Snapshot {
    snapshot(&Sources { user: Some(SourceText::new(name, text)), ..Sources::default() })
}

fn main() -> ExitCode {
    let sample = "{\n  // a typo, and a path that never matches\n  \"deniedPaths\": [\"secrets.txt\"],\n  \"dangerrules\": \"strict\"\n}\n";
    let (name, text) = match std::env::args().nth(1) {
        None => ("sample.json".to_owned(), Ok(sample.to_owned())),
        Some(path) => (path.clone(), std::fs::read_to_string(&path)),
    };
    let text = match text {
        Ok(text) => text,
        Err(error) => {
            eprintln!("error: {name}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let snapshot = lint(&name, &text);
    for finding in &snapshot.findings {
        println!("{finding}");
    }
    for setter in &snapshot.setters {
        println!("{} = {} ({:?})", setter.key, setter.value, setter.state);
    }
    if snapshot.rejected.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
