//! Generated files: JSON schemas of every settings file and of the decision record, the pages of the reference.

use std::fs;
use std::path::PathBuf;

use crate::shell::root;

/// Path below the top, and text.
fn files() -> Result<Vec<(String, String)>, String> {
    let mut out = Vec::new();
    for (name, schema) in gate_cli::commands::schema::all() {
        let text = serde_json::to_string_pretty(&schema).map_err(|e| e.to_string())?;
        out.push((format!("schemas/{name}.schema.json"), format!("{text}\n")));
    }
    out.extend(gate_cli::commands::reference::pages().into_iter().map(|(name, text)| (format!("docs/reference/{name}"), text)));
    Ok(out)
}

/// Writes them, or with `check` fails when one is out of step.
pub fn run(check: bool) -> Result<(), String> {
    let mut stale = Vec::new();
    for (path, text) in files()? {
        let file: PathBuf = root().join(&path);
        if fs::read_to_string(&file).ok().as_deref() == Some(&text) {
            continue;
        }
        if check {
            stale.push(path);
            continue;
        }
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).map_err(|e| format!("{path}: {e}"))?
        }
        fs::write(&file, text).map_err(|e| format!("{path}: {e}"))?;
        println!("wrote {path}");
    }
    if stale.is_empty() { Ok(()) } else { Err(format!("out of step: {}; run `cargo xtask codegen`", stale.join(", "))) }
}
