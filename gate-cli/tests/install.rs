//! `gate install` and `gate uninstall` on settings of every kind: the right result or a clear refusal, never a lost byte.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;

use crate::Home;

/// A copy of the program in a folder that only its owner writes, outside any build folder.
fn program() -> &'static Path {
    static AT: OnceLock<PathBuf> = OnceLock::new();
    AT.get_or_init(|| {
        let folder = Path::new(&std::env::var_os("HOME").unwrap()).join(".cache/gate-install-test");
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, PermissionsExt::from_mode(0o700)).unwrap();
        let (copy, at) = (folder.join(format!("copy-{}", std::process::id())), folder.join("gate"));
        fs::copy(env!("CARGO_BIN_EXE_gate"), &copy).unwrap();
        fs::set_permissions(&copy, PermissionsExt::from_mode(0o755)).unwrap();
        fs::rename(&copy, &at).unwrap();
        at
    })
}

fn run(home: &Home, args: &[&str]) -> Output {
    Command::new(program()).args(args).arg("--home").arg(home.home()).output().unwrap()
}

fn settings(home: &Home) -> PathBuf {
    home.home().join(".claude/settings.json")
}

fn said(out: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr))
}

/// Settings that are changed and come back to the byte.
const GOOD: &[&str] = &[
    "",
    "{}",
    "{}\n",
    "{\n}\n",
    "{\"model\": \"x\"}",
    "{\r\n  \"model\": \"x\"\r\n}\r\n",
    "{\n\t\"model\": \"x\",\n\t\"env\": {\"A\": \"b\"}\n}\n",
    "{\"hooks\": {}}",
    "{\"hooks\": {\"PreToolUse\": []}}",
    "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [{\"type\": \"command\", \"command\": \"other\"}]}]}, \"x\": 1}",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"bell\"}]}]}}\n",
    "{\"permissions\": {\"allow\": [\"Bash(ls:*)\"]}, \"n\": 1.50, \"u\": \"\\u00e9\"}",
    "// mine\n{\n  // why\n  \"model\": \"x\", /* so */\n}\n",
];

#[test]
fn settings_come_back_to_the_byte() {
    for text in GOOD {
        let home = Home::new();
        if !text.is_empty() {
            home.put(".claude/settings.json", text);
        }
        let installed = run(&home, &["install", "claude-code"]);
        assert!(installed.status.success(), "{text:?}: {}", said(&installed));
        let now = fs::read_to_string(settings(&home)).unwrap();
        for event in ["PreToolUse", "PermissionRequest"] {
            assert!(now.contains(event), "{text:?}: {now}");
        }
        assert!(now.contains("\"claude-code\"") && now.contains("\"block\""), "{now}");
        for part in ["other", "bell", "// why", "Bash(ls:*)", "1.50"] {
            assert_eq!(text.contains(part), now.contains(part), "{part} in {now}");
        }
        // Once more changes nothing.
        assert!(run(&home, &["install", "claude-code"]).status.success());
        assert_eq!(fs::read_to_string(settings(&home)).unwrap(), now);
        let gone = run(&home, &["uninstall", "claude-code"]);
        assert!(gone.status.success(), "{}", said(&gone));
        let after = fs::read_to_string(settings(&home)).unwrap();
        if text.is_empty() {
            assert_eq!(serde_json::from_str::<Value>(&after).unwrap(), serde_json::json!({}));
        } else {
            assert_eq!(after, *text);
        }
    }
}

#[test]
fn what_others_added_meanwhile_stays() {
    let home = Home::new();
    home.put(".claude/settings.json", "{\"model\": \"x\"}\n");
    assert!(run(&home, &["install", "claude-code"]).status.success());
    let now = fs::read_to_string(settings(&home)).unwrap();
    fs::write(settings(&home), now.replacen('{', "{\"new\": true, ", 1)).unwrap();
    assert!(run(&home, &["uninstall", "claude-code"]).status.success());
    let after: Value = serde_json::from_str(&fs::read_to_string(settings(&home)).unwrap()).unwrap();
    assert_eq!(after, serde_json::json!({"new": true, "model": "x"}));
}

#[test]
fn what_cannot_be_changed_is_left_alone() {
    for text in ["{", "[]", "3", "{\"hooks\": []}", "{\"hooks\": {\"PreToolUse\": {}}}", "{\"a\": }", "null"] {
        let home = Home::new();
        home.put(".claude/settings.json", text);
        let out = run(&home, &["install", "claude-code"]);
        assert_eq!(out.status.code(), Some(1), "{text}: {}", said(&out));
        assert!(said(&out).contains("hint:"), "{}", said(&out));
        assert_eq!(fs::read_to_string(settings(&home)).unwrap(), text);
    }
    let home = Home::new();
    home.put("elsewhere.json", "{}");
    fs::create_dir_all(home.home().join(".claude")).unwrap();
    symlink(home.home().join("elsewhere.json"), settings(&home)).unwrap();
    assert!(!run(&home, &["install", "claude-code"]).status.success());
    let home = Home::new();
    home.put(".claude/settings.json", "{}");
    fs::set_permissions(settings(&home), PermissionsExt::from_mode(0o666)).unwrap();
    assert!(!run(&home, &["install", "claude-code"]).status.success());
    assert!(!run(&home, &["install", "nobody"]).status.success());
}

#[test]
fn a_dry_run_shows_and_changes_nothing() {
    let home = Home::new();
    home.put(".claude/settings.json", "{\n  \"model\": \"x\"\n}\n");
    let out = run(&home, &["install", "claude-code", "--dry-run"]);
    assert!(out.status.success() && said(&out).contains("+ "), "{}", said(&out));
    assert_eq!(fs::read_to_string(settings(&home)).unwrap(), "{\n  \"model\": \"x\"\n}\n");
}

/// What a build folder holds, a project can replace.
#[test]
fn a_program_in_a_build_folder_is_not_wired() {
    let home = Home::new();
    let out = Command::new(env!("CARGO_BIN_EXE_gate")).args(["install", "claude-code", "--home"]).arg(home.home()).output().unwrap();
    assert_eq!(out.status.code(), Some(1));
    assert!(said(&out).contains("copy it"), "{}", said(&out));
}
