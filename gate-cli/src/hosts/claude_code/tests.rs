use super::*;

fn payload(event: &str, tool: &str, input: Value) -> String {
    json!({"session_id": "s", "transcript_path": "/h/t.jsonl", "cwd": "/h/p", "permission_mode": "default", "hook_event_name": event, "tool_name": tool, "tool_input": input, "tool_use_id": "t1"}).to_string()
}

fn kind_of(tool: &str, input: Value) -> ToolKind {
    match ClaudeCode.read(&payload("PreToolUse", tool, input)) {
        Event::Call(r) => r.tool.kind,
        other => panic!("{other:?}"),
    }
}

#[test]
fn tools_have_their_kinds() {
    assert_eq!(kind_of("Bash", json!({"command": "ls"})), ToolKind::Shell(ShellKind::Bash));
    assert_eq!(kind_of("Monitor", json!({"command": "ls"})), ToolKind::Shell(ShellKind::Bash));
    assert_eq!(kind_of("Monitor", json!({"ws": "x"})), ToolKind::Other);
    assert_eq!(kind_of("Read", json!({})), ToolKind::Read);
    assert_eq!(kind_of("NotebookEdit", json!({})), ToolKind::Edit);
    assert_eq!(kind_of("AskUserQuestion", json!({})), ToolKind::Harmless);
    assert_eq!(kind_of("mcp__a__b", json!({})), ToolKind::Mcp);
    assert_eq!(kind_of("Brandnew", json!({})), ToolKind::Other);
}

#[test]
fn events_that_decide_nothing_are_quiet() {
    assert_eq!(ClaudeCode.read(&payload("PostToolUse", "Bash", json!({}))), Event::Quiet);
    assert_eq!(ClaudeCode.read(r#"{"hook_event_name":"SomethingNew"}"#), Event::Quiet);
}

#[test]
fn what_is_not_understood_is_refused() {
    for bad in [
        "",
        "{",
        "[]",
        "null",
        r#"{"tool_name":"Bash"}"#,
        r#"{"hook_event_name":"PreToolUse"}"#,
        r#"{"hook_event_name":"PreToolUse","tool_name":7}"#,
        r#"{"hook_event_name":"SomethingNew","tool_name":"Bash"}"#,
    ] {
        assert!(matches!(ClaudeCode.read(bad), Event::Refuse { .. }), "{bad}");
    }
}

#[test]
fn a_deny_blocks_in_every_form() {
    let r = ClaudeCode.reply("PreToolUse", Outcome::Deny, "no");
    assert_eq!((r.code, r.stderr.as_str()), (2, "no\n"));
    let v: Value = serde_json::from_str(&r.stdout).unwrap();
    assert_eq!(v["hookSpecificOutput"]["permissionDecision"], "deny");
    let r = ClaudeCode.reply("PermissionRequest", Outcome::Deny, "no");
    assert_eq!((r.code, r.stderr.as_str()), (0, ""));
    let v: Value = serde_json::from_str(&r.stdout).unwrap();
    assert_eq!(v["hookSpecificOutput"]["decision"]["behavior"], "deny");
    assert_eq!(ClaudeCode.reply("PermissionRequest", Outcome::Ask, "?"), Reply::default());
}

#[test]
fn a_refusal_without_a_readable_event_denies_as_before_a_tool() {
    let r = ClaudeCode.refuse(None, "broken");
    assert_eq!(r.code, 2);
    assert!(r.stdout.contains("\"PreToolUse\""));
}
