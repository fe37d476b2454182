//! Rules of other tools.

use gate_trust::import::{Dialect, import};

fn of(dialect: Dialect, text: &str) -> gate_trust::import::Imported {
    import(dialect, text).unwrap()
}

#[test]
fn claude_code() {
    insta::assert_json_snapshot!(of(
        Dialect::ClaudeCode,
        r#"{"model": "x", "permissions": {"allow": ["Bash(npm test:*)", "*", 3], "deny": ["Read(./secrets/**)", "Bash("], "defaultMode": "acceptEdits"}}"#
    ));
}

#[test]
fn opencode_keeps_the_order() {
    insta::assert_json_snapshot!(of(
        Dialect::OpenCode,
        r#"{"permission": {"edit": "ask", "bash": {"*": "ask", "git *": "allow", "git push *": "deny", "a": 1}, "external_directory": "ask", "doom_loop": "ask"}}"#
    ));
}

#[test]
fn pi_tools() {
    insta::assert_json_snapshot!(of(
        Dialect::PiAutomode,
        r#"{"autoMode": {"enabled": true, "classifierModel": "a/b", "hard_deny": ["$defaults", "x"], "fastClassifierMaxTokens": 8, "odd": 1}, "permissions": {"ask": ["bash(npm publish*)"]}}"#
    ));
    insta::assert_json_snapshot!(of(
        Dialect::PiPermission,
        r#"{"mode": "yolo", "classifier": {"timeout": 30}, "userRules": [{"id": "u1", "pattern": "make *", "action": "allow"}, {"pattern": "x", "action": "maybe"}]}"#
    ));
    insta::assert_json_snapshot!(of(
        Dialect::PiPermissionSystem,
        r#"{"yoloMode": true, "permission": {"*": "ask", "bash": {"rm *": {"action": "deny", "reason": "no"}}, "path": {"~/.ssh/*": "deny", "src/*": "allow"}}}"#
    ));
}

#[test]
fn what_is_imported_is_read_without_loss() {
    let all = [
        (
            Dialect::PiPermissionSystem,
            r#"{"shellTools": {"run": {"command": "x"}, "ok": {"commandArgument": "c"}}, "doublePressToConfirm": "no", "permission": {"bash": {"": "deny", "\u0007": "allow"}}}"#,
        ),
        (Dialect::PiAutomode, r#"{"autoMode": {"deniedPaths": ["x", "/y", 3], "allowInsideWorkingDirectory": "yes"}}"#),
        (Dialect::PiPermission, r#"{"mode": "fast", "classifier": {"timeout": 99999999999999999999, "enabled": 1}}"#),
        (Dialect::OpenCode, r#"{"permission": {"external_directory": "never"}}"#),
    ];
    for (dialect, text) in all {
        let done = of(dialect, text);
        let snap = crate::user(&done.settings.to_string());
        assert!(snap.rejected.is_empty() && snap.settings.floors.is_empty(), "{} {:?}", done.settings, snap.findings);
        assert!(!done.left_out.is_empty());
    }
}

#[test]
fn what_is_no_object_is_an_error() {
    for text in ["", "[", "[]", "{\"a\""] {
        assert!(import(Dialect::ClaudeCode, text).is_err());
    }
}
