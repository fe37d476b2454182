use serde_json::{Value, json};

use crate::gate;

fn event(name: &str, tool: &str, input: &Value) -> String {
    json!({"session_id": "s-1", "transcript_path": "/home/u/t.jsonl", "cwd": "/home/u/p", "permission_mode": "default", "hook_event_name": name, "tool_name": tool, "tool_input": input, "tool_use_id": "t-1"}).to_string()
}

fn one_document(stdout: &[u8]) -> Value {
    serde_json::from_slice(stdout).unwrap_or_else(|e| panic!("not one JSON document ({e}): {}", String::from_utf8_lossy(stdout)))
}

#[test]
fn each_decision_has_its_form() {
    let out = gate(&["hook", "claude-code"], event("PreToolUse", "Bash", &json!({"command": "ls"})).as_bytes());
    assert_eq!(out.status.code(), Some(0));
    assert_eq!(one_document(&out.stdout)["hookSpecificOutput"]["permissionDecision"], "allow");
    let out = gate(&["hook", "claude-code"], event("PreToolUse", "Bash", &json!({"command": "npm publish"})).as_bytes());
    assert_eq!(one_document(&out.stdout)["hookSpecificOutput"]["permissionDecision"], "ask");
    assert_eq!(out.status.code(), Some(0));
    let out = gate(&["hook", "claude-code"], event("PreToolUse", "Bash", &json!({"command": "rm -rf /"})).as_bytes());
    assert_eq!(one_document(&out.stdout)["hookSpecificOutput"]["permissionDecision"], "deny");
    assert_eq!(out.status.code(), Some(2));
    assert!(!out.stderr.is_empty());
    let out = gate(&["hook", "claude-code"], event("PermissionRequest", "Bash", &json!({"command": "rm -rf /"})).as_bytes());
    assert_eq!(one_document(&out.stdout)["hookSpecificOutput"]["decision"]["behavior"], "deny");
    assert_eq!(out.status.code(), Some(0));
    let out = gate(&["hook", "claude-code"], event("PostToolUse", "Bash", &json!({"command": "rm -rf /"})).as_bytes());
    assert_eq!((out.status.code(), out.stdout.len()), (Some(0), 0));
}

#[test]
fn what_is_broken_is_denied() {
    let huge = event("PreToolUse", "Bash", &json!({"command": "x".repeat(5 * 1024 * 1024)}));
    for bad in [
        &b""[..],
        b"{",
        b"\xff\xfe",
        b"[1]",
        br#"{"hook_event_name":"PreToolUse"}"#,
        br#"{"hook_event_name":"NewEvent","tool_name":"Bash"}"#,
        huge.as_bytes(),
    ] {
        let out = gate(&["hook", "claude-code"], bad);
        assert_eq!(one_document(&out.stdout)["hookSpecificOutput"]["permissionDecision"], "deny");
        assert_eq!(out.status.code(), Some(2));
    }
    // The event's own form, also when the call is too large to read.
    let huge = event("PermissionRequest", "Bash", &json!({"command": "x".repeat(5 * 1024 * 1024)}));
    let out = gate(&["hook", "claude-code"], huge.as_bytes());
    assert_eq!(one_document(&out.stdout)["hookSpecificOutput"]["decision"]["behavior"], "deny");
    assert_eq!(out.status.code(), Some(0));
    let out = gate(&["hook", "no-such-host"], b"{}");
    assert_eq!(out.status.code(), Some(2));
}

/// Every recorded payload gets an answer in the form of its event.
#[test]
fn recorded_payloads() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/hosts/claude/stdin");
    let Ok(files) = std::fs::read_dir(&folder) else {
        println!("skipped: recorded payloads (there is no ../shared here)");
        return;
    };
    let mut seen = 0;
    for file in files.flatten() {
        let bytes = std::fs::read(file.path()).unwrap();
        let value: Value = serde_json::from_slice(&bytes).unwrap();
        let out = gate(&["hook", "claude-code"], &bytes);
        let name = value["hook_event_name"].as_str().unwrap();
        match name {
            "PreToolUse" | "PreSkillShellCommand" => {
                let decision = one_document(&out.stdout)["hookSpecificOutput"]["permissionDecision"].as_str().unwrap().to_owned();
                assert_eq!(out.status.code(), Some(if decision == "deny" { 2 } else { 0 }), "{:?}", file.path());
            }
            "PermissionRequest" => assert!(
                out.status.code() == Some(0)
                    && (out.stdout.is_empty() || one_document(&out.stdout)["hookSpecificOutput"]["decision"]["behavior"].is_string())
            ),
            _ => assert!(out.stdout.is_empty() && out.status.code() == Some(0), "{:?}", file.path()),
        }
        seen += 1;
    }
    assert!(seen > 20);
}
