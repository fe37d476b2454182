//! One test for each kind of finding, with its place and its hint.

use gate_core::Source;
use gate_trust::{BAD_ASK, BAD_DENY, REJECTED, Severity, snapshot};

use crate::{lines, sources, text, user};

/// The findings and floors of one user file.
fn of(body: &str) -> String {
    let snap = user(body);
    let floors: String =
        snap.settings.floors.iter().map(|f| format!("floor {} {}\n", f.reason.code, f.tool.as_deref().unwrap_or("*"))).collect();
    let rejected = if snap.rejected.is_empty() { "" } else { "rejected\n" };
    lines(&snap) + &floors + rejected
}

/// The same for several files, one after the other.
fn all(bodies: &[&str]) -> String {
    let short = |b: &str| b.chars().take(100).collect::<String>();
    bodies.iter().map(|b| format!("=== {}\n{}\n", short(b), of(b))).collect()
}

#[test]
fn good_file_is_silent() {
    let body = r#"{
        // comments and trailing commas are fine
        "$schema": "x", "mode": "approve",
        "permissions": {"deny": ["bash(git push --force*)", "mcp__db__drop*", "@Read(//etc/**)"], "ask": [], "allow": ["Bash(git push:*)"]},
        "rules": [{"pattern": "ls *", "action": "allow"}],
        "deniedPaths": ["$defaults", "*.env", "**/id_rsa", "~/.ssh/*", "$HOME/x", "${HOME}/y", "/etc/*"],
        "classifier": {"allow": ["$defaults", "deploys to staging are fine"]},
    }"#;
    insta::assert_snapshot!(of(body), @"");
}

#[test]
fn invalid_json_rejects() {
    insta::assert_snapshot!(all(&[
        "{\n  \"mode\": \"auto\",\n  oops\n}",
        "",
        "[]",
        r#"{"mode": "auto", "mode": "yolo"}"#,
        &("[".repeat(65) + &"]".repeat(65)),
        r#"{"classifier": {"allow": "#,
    ]));
}

#[test]
fn depth_at_the_limit_is_read() {
    let deep = |n: usize| format!("{{\"commands\": {}true{}}}", "{\"a\":".repeat(n), "}".repeat(n));
    assert!(user(&deep(63)).rejected.is_empty());
    assert_eq!(user(&deep(64)).rejected, [Source::User]);
}

#[test]
fn unknown_keys() {
    insta::assert_snapshot!(all(&[
        r#"{"colour": 1, "autoMode": {}, "deny": [], "permissions": {}}"#,
        r#"{"denyedPaths": []}"#,
        r#"{"danger_rules": "strict"}"#,
        r#"{"permissions": {"dney": [], "note": 1}}"#,
        r#"{"log": {"decision": true}, "classifier": {"timeout": 5}}"#,
    ]));
}

#[test]
fn bad_deciding_values_reject() {
    insta::assert_snapshot!(all(&[
        r#"{"enabled": "yes"}"#,
        r#"{"mode": "Yolo"}"#,
        r#"{"permissions": {"deny": "bash(rm *)"}}"#,
        r#"{"permissions": []}"#,
        r#"{"deniedPaths": "~/.ssh"}"#,
        r#"{"policy": {"sends": "alow"}}"#,
        r#"{"policy": {"send": "allow"}}"#,
        r#"{"classifier": {"enabled": 1}}"#,
        r#"{"external": {"write": null}}"#,
    ]));
}

#[test]
fn bad_tuning_values_are_ignored() {
    let body = r#"{"classifier": {"timeoutMs": 999, "fastMaxTokens": 8, "maxUserTranscriptTokens": 31, "maxToolTranscriptTokens": 1.5,
        "reasoningLevel": "extreme", "model": "gpt"}, "log": {"decisions": "no"}, "prompt": 3, "agents": {"onChange": "x"}}"#;
    insta::assert_snapshot!(of(body));
    assert_eq!(user(body).tuning, gate_trust::Tuning::default());
}

#[test]
fn bad_entries_are_dropped() {
    insta::assert_snapshot!(all(&[
        r#"{"permissions": {"deny": ["bash(rm *", 42, "", "bash(x) y", "a.b"]}}"#,
        r#"{"permissions": {"ask": ["Edit(src/[a)"], "allow": ["bash(", "WebFetch(domain:)", "*", "ba*"], "deny": ["*", "*(x)", "mcp__db*", "ba*(x)"]}}"#,
        r#"{"deniedPaths": ["config.json", "src/secret.txt", "~foo", "", 7]}"#,
        r#"{"classifier": {"hardDeny": ["$defaults", 42]}}"#,
        r#"{"commands": {"git": ["log", 3], "two words": true, "jj": false}}"#,
        r#"{"shellTools": {"run": {"command": "x"}}}"#,
    ]));
}

#[test]
fn bad_rules_are_dropped() {
    insta::assert_snapshot!(of(r#"{"rules": [
            {"tool": "bash", "patern": "git *", "action": "allow"},
            {"tool": "bash", "pattern": "git *", "action": "dney"},
            {"tool": "bash", "pattern": 3, "action": "ask"},
            {"pattern": "x"},
            7,
            {"pattern": "ok", "action": "deny", "colour": 1}
        ]}"#));
}

#[test]
fn lists_without_defaults_and_wide_allows() {
    insta::assert_snapshot!(of(
        r#"{"classifier": {"allow": ["x"], "hardDeny": []}, "permissions": {"allow": ["Bash"]}, "rules": [{"action": "allow"}]}"#
    ));
}

#[test]
fn ignored_parts_of_project_files() {
    let s = gate_trust::Sources {
        shared: text(
            ".gate/gate.json",
            "{\"mode\": \"yolo\", \"enabled\": false,\n \"permissions\": {\"allow\": [\"bash(x)\"]},\n \"rules\": [{\"action\": \"allow\"}], \"log\": {\"decisions\": false}}",
        ),
        local: text(".gate/gate.local.json", "{}"),
        permissions: text(".gate/permissions.json", r#"{"allow": true}"#),
        ..sources()
    };
    insta::assert_snapshot!(lines(&snapshot(&s)));
    let untrusted = gate_trust::Sources { trusted_project: false, shared: None, ..s.clone() };
    insta::assert_snapshot!(lines(&snapshot(&untrusted)));
    let unapproved = gate_trust::Sources { local_approved: false, permissions_approved: false, shared: None, ..s.clone() };
    insta::assert_snapshot!(lines(&snapshot(&unapproved)));
    let tracked = gate_trust::Sources { local_tracked: true, permissions: None, shared: None, ..s };
    insta::assert_snapshot!(lines(&snapshot(&tracked)));
}

#[test]
fn broken_permissions_file_is_ignored() {
    for body in ["{", "[]", r#"{"alow": {}}"#, r#"{"allow": 3}"#] {
        let snap = snapshot(&gate_trust::Sources { permissions: text("permissions.json", body), ..sources() });
        assert_eq!(snap.settings.commands, None, "{body}");
        assert!(snap.settings.floors.is_empty());
        assert_eq!(snap.findings.len(), 1, "{body}");
        assert_eq!(snap.findings[0].severity, Severity::Warning);
    }
}

#[test]
fn places_count_characters_and_survive_a_byte_order_mark() {
    let snap = user("\u{feff}{\n  /* ä */ \"mode\": \"off\"}");
    assert_eq!((snap.findings[0].line, snap.findings[0].column), (2, 19));
}

#[test]
fn what_is_shown_of_a_file_cannot_deceive() {
    let snap = user("{\"a\\u001b[31m\\u202eb\": 1}");
    let line = lines(&snap);
    assert!(!line.contains('\u{1b}') && !line.contains('\u{202e}'), "{line}");
}

#[test]
fn floors_are_named() {
    assert_eq!((REJECTED, BAD_DENY, BAD_ASK), ("settings_rejected", "settings_bad_deny", "settings_bad_ask"));
}
