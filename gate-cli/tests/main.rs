//! The real binary on real input.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod batch;
mod cli;
mod commands;
mod control;
mod git;
mod hook;
mod install;
mod kinds;
mod samples;
mod session;
mod spec;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Runs the program with a home of its own.
pub fn gate(args: &[&str], input: &[u8]) -> Output {
    let home = std::env::temp_dir().join(format!("gate-test-{}", std::process::id()));
    std::fs::create_dir_all(&home).unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_gate"));
    child.args(args);
    // A hook looks at no variable for its home.
    if let ["hook", _] = args {
        child.arg("--home").arg(&home);
    }
    let mut child = child
        .env("HOME", &home)
        .env_remove("GATE_SETTINGS_JSON")
        .env("XDG_CONFIG_HOME", home.join("config"))
        .env("XDG_STATE_HOME", home.join("state"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    std::thread::scope(|scope| {
        // The program may answer before it has read everything, and it waits for a reader of its answers.
        scope.spawn(move || drop(stdin.write_all(input)));
        child.wait_with_output().unwrap()
    })
}

/// A person's machine: a home and a project of their own, gone at the end.
pub(crate) struct Home(pub PathBuf);

impl Home {
    #[allow(clippy::new_without_default, reason = "a home of its own each time")]
    pub fn new() -> Self {
        static N: AtomicU32 = AtomicU32::new(0);
        let name = format!("gate-home-{}-{}", std::process::id(), N.fetch_add(1, Ordering::Relaxed));
        let at = std::env::temp_dir().join(name);
        for folder in ["home/.config/gate", "home/project/.gate"] {
            std::fs::create_dir_all(at.join(folder)).unwrap();
        }
        let status = Command::new("chmod").args(["-R", "go-w"]).arg(&at).status().unwrap();
        assert!(status.success());
        Self(std::fs::canonicalize(at).unwrap())
    }

    pub fn home(&self) -> PathBuf {
        self.0.join("home")
    }

    pub fn project(&self) -> PathBuf {
        self.0.join("home/project")
    }

    pub fn state(&self) -> PathBuf {
        self.0.join("home/.local/state/gate")
    }

    pub fn put(&self, file: &str, text: &str) {
        let path = self.home().join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&path, mode).unwrap();
    }

    pub fn settings(&self, text: &str) {
        self.put(".config/gate/gate.json", text)
    }

    pub fn command(&self, args: &[&str], cwd: &Path) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_gate"));
        command.args(args).current_dir(cwd).env_remove("GATE_SETTINGS_JSON").env_remove("CLAUDE_PROJECT_DIR");
        command.env("XDG_CONFIG_HOME", self.home().join(".config")).env("XDG_STATE_HOME", self.home().join(".local/state"));
        command.env("HOME", self.home()).env("NO_COLOR", "1").env_remove("EDITOR").env_remove("VISUAL");
        command
    }

    /// Runs a command of a person in the project.
    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args, &self.project()).stdin(Stdio::null()).output().unwrap()
    }

    /// The same, with everything it says, which must be a success.
    pub fn says(&self, args: &[&str]) -> String {
        let out = self.run(args);
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert!(out.status.success(), "{args:?}: {text}{}", String::from_utf8_lossy(&out.stderr));
        text
    }

    /// A run that fails, with its message.
    pub fn fails(&self, args: &[&str]) -> String {
        let out = self.run(args);
        let text = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(1), "{args:?}: {text}");
        assert!(text.starts_with("error: "), "{args:?}: {text}");
        text
    }

    /// One event of a host, answered: the document.
    pub fn hook(&self, event: &serde_json::Value) -> serde_json::Value {
        let home = self.home().display().to_string();
        let mut child = self
            .command(&["hook", "claude-code", "--home", &home], &self.project())
            .env("CLAUDE_PROJECT_DIR", self.project())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let _ = child.stdin.take().unwrap().write_all(event.to_string().as_bytes());
        let out = child.wait_with_output().unwrap();
        serde_json::from_slice(&out.stdout).unwrap_or(serde_json::Value::Null)
    }

    /// What the gate answers to a shell command of a session.
    pub fn bash(&self, session: &str, command: &str) -> serde_json::Value {
        self.hook(&serde_json::json!({
            "session_id": session, "cwd": self.project(), "permission_mode": "default", "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t-1"
        }))
    }

    /// Only the word: allow, ask, deny.
    pub fn decides(&self, session: &str, command: &str) -> String {
        self.bash(session, command)["hookSpecificOutput"]["permissionDecision"].as_str().unwrap_or("none").to_owned()
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
