//! The pure crates touch no file, clock, network, process or environment: clippy says so, and this proves that it does.

#![allow(clippy::expect_used, reason = "a test that cannot read the workspace fails")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PURE: [&str; 4] = ["gate-core", "gate-ast", "gate-rules", "gate-yolo"];
/// Nothing but purity counts here.
const DENY: [&str; 8] =
    ["-A", "clippy::all", "-A", "clippy::restriction", "-D", "clippy::disallowed_methods", "-D", "clippy::disallowed_types"];

fn cargo() -> Command {
    Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn every_pure_crate_has_the_same_lists() {
    let lists = |krate: &str| fs::read_to_string(root().join(krate).join("clippy.toml")).expect("a clippy.toml");
    for krate in PURE {
        assert_eq!(lists(krate), lists("gate-core"), "{krate}/clippy.toml differs from gate-core/clippy.toml");
    }
}

#[test]
fn every_pure_crate_is_pure() {
    let mut clippy = cargo();
    clippy.args(["clippy", "--quiet", "--offline", "--lib"]).current_dir(root());
    clippy.args(PURE.iter().flat_map(|krate| ["-p", krate]));
    let run = clippy.arg("--").args(DENY).output().expect("clippy runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
}

#[test]
fn no_pure_crate_allows_what_is_denied() {
    fn sources(dir: &Path, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() { sources(&path, out) } else { out.push(path) }
        }
    }
    for krate in PURE {
        let mut files = Vec::new();
        sources(&root().join(krate).join("src"), &mut files);
        let in_tests = |f: &Path| f.components().any(|c| c.as_os_str() == "tests") || f.ends_with("tests.rs");
        for file in files.iter().filter(|f| f.extension().is_some_and(|e| e == "rs") && !in_tests(f)) {
            let text = fs::read_to_string(file).expect("a source file");
            let allows = |l: &&str| (l.contains("allow(") || l.contains("expect(")) && l.contains("clippy::disallowed");
            assert_eq!(text.lines().find(allows), None, "{}", file.display());
        }
    }
}

/// What a library of a pure crate must not say, one line each.
const SEEDS: [&str; 9] = [
    "pub fn a() -> bool { std::path::Path::new(\"x\").exists() }",
    "pub fn b() -> std::io::Result<String> { std::fs::read_to_string(\"x\") }",
    "pub fn c() -> bool { std::env::var(\"HOME\").is_ok() }",
    "pub fn d() -> std::time::Instant { std::time::Instant::now() }",
    "pub fn e() -> bool { std::time::SystemTime::now().elapsed().is_ok() }",
    "pub fn f() -> bool { std::process::Command::new(\"true\").status().is_ok() }",
    "pub fn g() -> bool { std::net::TcpStream::connect(\"localhost:1\").is_ok() }",
    "pub fn h() -> bool { std::fs::File::open(\"x\").is_ok() }",
    "pub fn i() { std::thread::sleep(std::time::Duration::ZERO) }",
];

/// Runs clippy on a library of these lines, with the lists of the pure crates.
fn clippy(name: &str, lines: &[&str]) -> (bool, String) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::create_dir_all(dir.join("src")).expect("a folder for the seed");
    fs::write(dir.join("Cargo.toml"), format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n[workspace]\n")).expect("written");
    fs::copy(root().join("gate-core/clippy.toml"), dir.join("clippy.toml")).expect("copied");
    fs::write(dir.join("src/lib.rs"), lines.join("\n")).expect("written");
    let run = cargo()
        .args(["clippy", "--quiet", "--offline", "--target-dir"])
        .arg(dir.join("target"))
        .current_dir(&dir)
        .arg("--")
        .args(DENY)
        .output()
        .expect("clippy runs");
    (run.status.success(), String::from_utf8_lossy(&run.stderr).into_owned())
}

#[test]
fn clippy_catches_every_seeded_violation() {
    let (ok, said) = clippy("seeded", &SEEDS);
    assert!(!ok, "clippy accepted the seeds:\n{said}");
    for (i, seed) in SEEDS.iter().enumerate() {
        assert!(said.contains(&format!("src/lib.rs:{}:", i + 1)), "not caught: {seed}\n{said}");
    }
}

#[test]
fn clippy_accepts_a_library_without_violations() {
    let (ok, said) = clippy("clean", &["pub fn a(x: u32) -> u32 { x.saturating_add(1) }"]);
    assert!(ok, "{said}");
}
