//! The real binary on real input.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod batch;
mod cli;
mod git;
mod hook;

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs the program with a home of its own.
pub fn gate(args: &[&str], input: &[u8]) -> Output {
    let home = std::env::temp_dir().join(format!("gate-test-{}", std::process::id()));
    std::fs::create_dir_all(&home).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_gate"))
        .args(args)
        .env("HOME", &home)
        .env_remove("GATE_SETTINGS_JSON")
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_STATE_HOME", home.join("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The program may answer before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}
