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

#[test]
fn codex_rules() {
    insta::assert_json_snapshot!(of(
        Dialect::Codex,
        "# mine\nprefix_rule(pattern = [\"git\", [\"push\", 'fetch']], decision = \"prompt\", match = [[\"git\", \"push\"]])\nprefix_rule(pattern=[\"ls\"],)\nprefix_rule(\n  pattern = [\"rm\", \"-rf\"],\n  decision = \"forbidden\",\n  justification = \"use \\\"trash\\\"\",\n)\nprefix_rule(pattern = [\"bash\", \"-c\", \"a b\"])\nprefix_rule(pattern = [\"x\"], decision = \"maybe\")\nhost_executable(name = \"git\", paths = [\"/usr/bin/git\"])\n"
    ));
    for text in [
        "prefix_rule",
        "prefix_rule(",
        "prefix_rule(pattern)",
        "prefix_rule(pattern = [\"a\"",
        "prefix_rule(pattern = ])",
        "prefix_rule(pattern = \"a)",
        "=",
        "prefix_rule(pattern = [[[[\"a\"]]]] x)",
    ] {
        assert!(import(Dialect::Codex, text).is_err(), "{text}");
    }
}

#[test]
fn gemini_settings_and_policies() {
    insta::assert_json_snapshot!(of(
        Dialect::Gemini,
        r#"{"theme": "x", "tools": {"allowed": ["run_shell_command(git status)", "read_file", 3], "exclude": ["ShellTool(rm)", "web_fetch"], "core": ["glob"]}}"#
    ));
    insta::assert_json_snapshot!(of(
        Dialect::Gemini,
        "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\"git push\", \"npm publish\"]\ndecision = \"deny\"\npriority = 200\n\n[[rule]]\ntoolName = [\"run_shell_command\", \"glob\"]\ndecision = \"allow\"\npriority = 10\n\n[[rule]]\ntoolName = \"run_shell_command\"\ncommandRegex = \"^a\"\ndecision = \"allow\"\n\n[[rule]]\ntoolName = \"x\"\ndecision = \"perhaps\"\n"
    ));
}

#[test]
fn lines_trees_and_blocked_arguments() {
    insta::assert_json_snapshot!(of(
        Dialect::Dippy,
        "# mine\nallow make *\nask npm publish \"say why\"\ndeny rm *\ndeny-redirect /etc/**\ndeny-redirect .env*\npermit y\nallow-redirect /tmp/*\nallow x[ab]\nset log full\nallow-mcp mcp__github__get_*\n"
    ));
    assert!(import(Dialect::Dippy, "permit x").unwrap_err().contains("line 1"));
    insta::assert_json_snapshot!(of(Dialect::PiPermissionGate, r#"{"allow": {"git": ["log", "diff"], "jj": {"show": true}}}"#));
    insta::assert_json_snapshot!(of(Dialect::PiPermissionGate, r#"{"allow": true}"#));
    insta::assert_json_snapshot!(of(
        Dialect::CcSafetyNet,
        r#"{"version": 1, "rules": [{"name": "add", "command": "git", "subcommand": "add", "block_args": ["-A", "."], "reason": "name files"}, {"name": "odd", "command": "a b", "block_args": ["x"]}, {"name": "none", "command": "x", "block_args": []}]}"#
    ));
}

/// What is there stays: comments, order, values that say something else.
#[test]
fn merged_into_what_is_there() {
    let mine = "{\n  // mine\n  \"mode\": \"auto\",\n  \"permissions\": {\"deny\": [\"bash(a)\"]},\n  \"commands\": {\"git\": [\"log\"]},\n  \"rules\": [{\"pattern\": \"x\", \"action\": \"ask\"}]\n}\n";
    let new = serde_json::json!({
        "mode": "strict",
        "permissions": {"deny": ["bash(a)", "bash(b)"], "allow": ["bash(c)"]},
        "commands": {"git": ["show"], "make": true},
        "rules": [{"pattern": "x", "action": "ask"}, {"pattern": "y", "action": "deny"}],
        "external": {"write": "deny"}
    });
    let (text, kept) = gate_trust::edit::merge(mine, &new).unwrap();
    assert_eq!(kept, ["mode"]);
    assert!(text.contains("// mine"));
    let snap = crate::user(&text);
    assert!(snap.findings.is_empty(), "{:?}", snap.findings);
    let set = &snap.settings;
    assert_eq!((set.deny.len(), set.allow.len(), set.rules.len(), set.mode), (2, 1, 2, gate_core::Mode::Auto));
    assert_eq!((set.rules[1].pattern.as_str(), set.external.write), ("y", gate_core::Opinion::Deny));
    let (again, _) = gate_trust::edit::merge(&text, &new).unwrap();
    assert_eq!(again, text, "once");
    assert!(gate_trust::edit::merge("[]", &new).is_err() && gate_trust::edit::merge(r#"{"permissions": {"deny": 3}}"#, &new).is_err());
}
