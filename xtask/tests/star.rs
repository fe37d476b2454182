//! The workspace is a star: leaves never depend on each other, gate-core on none of them.

#![allow(clippy::expect_used, reason = "a test that cannot read the workspace fails")]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const LEAVES: [&str; 6] = ["gate-ast", "gate-rules", "gate-classifier", "gate-trust", "gate-yolo", "gate-agentstate"];

/// The crates of the workspace that a manifest names as dependencies, those for tests alone apart.
fn dependencies(krate: &str) -> BTreeSet<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(krate).join("Cargo.toml");
    let text = fs::read_to_string(file).expect("a manifest");
    let mut found = BTreeSet::new();
    let mut counts = false;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[') {
            counts = section.contains("dependencies") && !section.contains("dev-dependencies");
        }
        // `[dependencies.gate-x]`, `gate-x = …`, `gate-x.workspace = true`, `other = { package = "gate-x" }`
        let names = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
        found.extend(names.filter(|n| counts && n.starts_with("gate-")).map(str::to_owned));
    }
    found
}

#[test]
fn leaves_depend_on_the_core_alone() {
    for leaf in LEAVES {
        assert_eq!(dependencies(leaf), BTreeSet::from(["gate-core".to_owned()]), "{leaf}");
    }
}

#[test]
fn the_core_depends_on_no_leaf() {
    assert_eq!(dependencies("gate-core"), BTreeSet::new());
}
