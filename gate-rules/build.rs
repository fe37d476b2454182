//! Compiles the command families to static tables. A mistake in a file fails the build with file, line and cause.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used, dead_code, missing_docs, unreachable_pub)]
#![allow(clippy::disallowed_methods, reason = "a build script reads and writes files; the library does not")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

#[path = "src/catalogue/check.rs"]
mod check;
#[path = "src/catalogue/compile.rs"]
mod compile;
#[path = "src/catalogue/format.rs"]
mod format;
#[path = "src/catalogue/model.rs"]
mod model;

fn main() {
    println!("cargo::rerun-if-changed=commands");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=paths.toml");
    for f in ["check", "compile", "format", "model"] {
        println!("cargo::rerun-if-changed=src/catalogue/{f}.rs");
    }
    let root = std::env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let out = std::env::var("OUT_DIR").expect("cargo sets it");
    std::fs::write(Path::new(&out).join("paths.rs"), paths(&root)).expect("writable");
    let mut files: Vec<_> = std::fs::read_dir(Path::new(&root).join("commands"))
        .map(|d| d.filter_map(Result::ok).map(|e| e.path()).filter(|p| p.extension().is_some_and(|e| e == "toml")).collect())
        .unwrap_or_default();
    files.sort();
    let mut families = Vec::new();
    let mut failed = false;
    for file in &files {
        let id = file.file_stem().and_then(|s| s.to_str()).expect("a name").to_owned();
        let text = std::fs::read_to_string(file).expect("readable");
        match compile::compile(&id, &text) {
            Ok((family, _)) => families.push(family),
            Err(mistakes) => {
                failed = true;
                for m in mistakes {
                    println!("cargo::error=commands/{id}.toml:{}: {}", m.line, m.cause);
                }
            }
        }
    }
    let names = index(&families, &mut failed);
    if failed {
        std::process::exit(1);
    }
    std::fs::write(Path::new(&out).join("families.rs"), emit(&families, &names)).expect("writable");
}

/// Name -> number of the family; the same name in two files is a mistake.
fn index(families: &[model::Family], failed: &mut bool) -> BTreeMap<&'static str, usize> {
    let mut names = BTreeMap::new();
    for (i, f) in families.iter().enumerate() {
        for name in f.names.iter() {
            if let Some(other) = names.insert(name, i) {
                *failed = true;
                println!("cargo::error=commands/{}.toml: {name} is also in {}.toml", f.id, families[other].id);
            }
        }
    }
    names
}

fn emit(families: &[model::Family], names: &BTreeMap<&'static str, usize>) -> String {
    let mut s = String::from("pub(super) static FAMILIES: &[Family] = &[\n");
    for f in families {
        // Debug output is Rust source but for slices; those are the only brackets outside texts.
        let debug = format!("{f:?}");
        s.push_str(&slices(&debug));
        s.push_str(",\n");
    }
    s.push_str("];\n/// Names without pattern, sorted.\npub(super) static NAMES: &[(&str, u16)] = &[");
    let pattern = |n: &str| n.contains(['*', '?', '[']) && n != "[" && n != "[[";
    for (n, i) in names.iter().filter(|(n, _)| !pattern(n)) {
        let _ = write!(s, "({n:?},{i}),");
    }
    s.push_str("];\n/// Names with patterns.\npub(super) static GLOBS: &[(&str, u16)] = &[");
    for (n, i) in names.iter().filter(|(n, _)| pattern(n)) {
        let _ = write!(s, "({n:?},{i}),");
    }
    s.push_str("];\n/// Variables that make some program run or load something.\npub(super) static ENV_RUNS: &[&str] = &[");
    let env: std::collections::BTreeSet<_> = families.iter().flat_map(|f| f.env_runs.iter()).collect();
    for v in env {
        let _ = write!(s, "{v:?},");
    }
    s.push_str("];\n");
    s
}

/// Puts `&` before each `[` that stands outside texts, and the module before names of the nested enum.
fn slices(debug: &str) -> String {
    let mut out = String::with_capacity(debug.len() + 64);
    let (mut inside, mut escaped) = (false, false);
    for c in debug.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if inside => escaped = true,
            '"' => inside = !inside,
            '[' if !inside => out.push('&'),
            _ => {}
        }
        out.push(c);
    }
    for v in ["Operands", "ScriptOption", "Stdin", "File", "Find", "Joined", "Hidden"] {
        out = out.replace(&format!("inner: {v},"), &format!("inner: InnerAt::{v},"));
    }
    out
}

/// `paths.toml` as static lists; `[examples]` are for tests only.
fn paths(root: &str) -> String {
    let text = std::fs::read_to_string(Path::new(root).join("paths.toml")).expect("paths.toml is readable");
    let table: toml::Table = text.parse().unwrap_or_else(|e| panic!("paths.toml: {e}"));
    let mut s = String::new();
    for (section, lists) in &table {
        for (name, list) in lists.as_table().expect("a section") {
            let items: Vec<&str> = list.as_array().expect("a list").iter().map(|v| v.as_str().expect("a text")).collect();
            let gate = if section == "examples" { "#[cfg(test)]\n" } else { "" };
            let _ = writeln!(s, "{gate}pub(super) static {}_{}: &[&str] = &{items:?};", section.to_uppercase(), name.to_uppercase());
        }
    }
    s
}
