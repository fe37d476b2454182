//! The shape of the workspace: leaves never depend on each other, gate-core on none of them.

use std::process::Command;

use serde_json::Value;

const LEAVES: &[&str] = &["gate-ast", "gate-rules", "gate-classifier", "gate-trust", "gate-yolo", "gate-agentstate"];

/// Fails when a leaf pulls in another leaf (dependencies of tests do not count).
pub fn check() -> Result<(), String> {
    let out = Command::new("cargo")
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .current_dir(crate::shell::root())
        .output()
        .map_err(|e| e.to_string())?;
    let meta: Value = serde_json::from_slice(&out.stdout).map_err(|e| e.to_string())?;
    let bad = offences(&meta);
    if bad.is_empty() { Ok(()) } else { Err(format!("leaves must not depend on each other: {}", bad.join(", "))) }
}

fn offences(meta: &Value) -> Vec<String> {
    let mut bad = Vec::new();
    for p in meta.get("packages").and_then(Value::as_array).into_iter().flatten() {
        let name = p.get("name").and_then(Value::as_str).unwrap_or_default();
        let leaf = LEAVES.contains(&name);
        if !leaf && name != "gate-core" {
            continue;
        }
        for d in p.get("dependencies").and_then(Value::as_array).into_iter().flatten() {
            let to = d.get("name").and_then(Value::as_str).unwrap_or_default();
            let testing = d.get("kind").and_then(Value::as_str) == Some("dev");
            if !testing && (LEAVES.contains(&to) || to == "gate-cli") {
                bad.push(format!("{name} -> {to}"))
            }
        }
    }
    bad
}

#[cfg(test)]
mod tests {
    use super::offences;

    #[test]
    fn a_leaf_that_pulls_in_a_leaf_is_an_offence() {
        let seeded = serde_json::json!({"packages": [
            {"name": "gate-ast", "dependencies": [{"name": "gate-rules", "kind": null}, {"name": "gate-core", "kind": null}]},
            {"name": "gate-rules", "dependencies": [{"name": "gate-ast", "kind": "dev"}]},
        ]});
        assert_eq!(offences(&seeded), ["gate-ast -> gate-rules"]);
    }
    #[test]
    fn the_workspace_is_a_star() {
        assert_eq!(super::check(), Ok(()));
    }
}
