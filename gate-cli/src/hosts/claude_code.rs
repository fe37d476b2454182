//! Claude Code: hook events in, decisions out.
//!
//! Facts: the host runs the call when a hook crashes, times out or prints anything but one JSON document, so every path
//! here ends in one. A deny is JSON on standard output, the reason on standard error and exit code 2; for
//! `PermissionRequest` exit code 2 means nothing and the document alone counts.

use gate_core::{Outcome, ShellKind, Tool, ToolKind};
use serde_json::{Value, json};

use super::{Event, Host, Reply, Request};
use crate::tools;

/// The host.
pub struct ClaudeCode;

/// Events that decide a call.
const DECIDING: &[&str] = &["PreToolUse", "PermissionRequest", "PreSkillShellCommand"];

/// Events that are known to decide nothing here, though some carry a tool.
const QUIET: &[&str] = &[
    "PostToolUse",
    "PostToolUseFailure",
    "PostToolBatch",
    "Notification",
    "UserPromptSubmit",
    "UserPromptExpansion",
    "SessionStart",
    "SessionEnd",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "PreCompact",
    "PostCompact",
    "PreModelSwitch",
    "PostModelSwitch",
    "PermissionDenied",
    "Setup",
    "TeammateIdle",
    "TaskCreated",
    "TaskCompleted",
    "Elicitation",
    "ElicitationResult",
    "ConfigChange",
    "WorktreeCreate",
    "WorktreeRemove",
    "InstructionsLoaded",
    "CwdChanged",
    "FileChanged",
    "DirectoryAdded",
    "MessageDisplay",
];

/// Tools without effect on the machine.
const HARMLESS: &[&str] = &[
    "AskUserQuestion",
    "TodoWrite",
    "TodoRead",
    "ToolSearch",
    "EnterPlanMode",
    "ExitPlanMode",
    "Task",
    "Agent",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskUpdate",
    "TaskOutput",
    "TaskStop",
    "BashOutput",
    "KillShell",
    "KillBash",
    "ListMcpResourcesTool",
    "SendMessage",
];

fn kind(name: &str, input: &Value) -> ToolKind {
    if HARMLESS.contains(&name) {
        return ToolKind::Harmless;
    }
    match name {
        "Bash" if tools::fits(name, input) => ToolKind::Shell(ShellKind::Bash),
        "Bash" => ToolKind::Other,
        // A monitor runs a command, or listens to a socket.
        "Monitor" if input.get("command").is_some() => ToolKind::Shell(ShellKind::Bash),
        "PowerShell" => ToolKind::Shell(ShellKind::PowerShell),
        "LS" => ToolKind::List,
        "Glob" => ToolKind::Find,
        _ => tools::kind_of(name),
    }
}

impl Host for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn read(&self, payload: &str) -> Event {
        let value: Value = match serde_json::from_str(payload) {
            Ok(v) => v,
            Err(e) => return Event::Refuse { event: None, why: format!("the hook's input is no JSON: {e}") },
        };
        let Some(event) = value.get("hook_event_name").and_then(Value::as_str) else {
            return Event::Refuse { event: None, why: "the hook's input names no event".to_owned() };
        };
        if let ("SessionEnd", Some(session)) = (event, value.get("session_id").and_then(Value::as_str)) {
            return Event::Ended(session.to_owned());
        }
        if QUIET.contains(&event) {
            return Event::Quiet;
        }
        let tool = value.get("tool_name");
        if !DECIDING.contains(&event) {
            return if tool.is_some() || value.get("tool_input").is_some() {
                Event::Refuse { event: Some(event.to_owned()), why: format!("the event {event} is not known, and it carries a tool") }
            } else {
                Event::Quiet
            };
        }
        let Some(name) = tool.and_then(Value::as_str) else {
            return Event::Refuse { event: Some(event.to_owned()), why: "the call names no tool".to_owned() };
        };
        let input = value.get("tool_input").cloned().unwrap_or(Value::Null);
        let text = |key: &str| value.get(key).and_then(Value::as_str).map(ToOwned::to_owned);
        let mode = text("permission_mode").unwrap_or_default();
        Event::Call(Request {
            event: event.to_owned(),
            tool: Tool { name: name.to_owned(), kind: kind(name, &input) },
            input,
            id: text("tool_use_id").unwrap_or_default(),
            session: text("session_id"),
            cwd: text("cwd").unwrap_or_default(),
            headless: mode == "dontAsk",
            subagent: value.get("agent_id").is_some(),
        })
    }

    fn reply(&self, event: &str, outcome: Outcome, reason: &str) -> Reply {
        if event == "PermissionRequest" {
            return match outcome {
                Outcome::Allow => document(json!({"hookEventName": event, "decision": {"behavior": "allow"}})),
                // The host's dialog is open already: it asks.
                Outcome::Ask => Reply::default(),
                Outcome::Deny => document(json!({"hookEventName": event, "decision": {"behavior": "deny", "message": reason}})),
            };
        }
        let word = match outcome {
            Outcome::Allow => "allow",
            Outcome::Ask => "ask",
            Outcome::Deny => "deny",
        };
        let mut reply = document(json!({"hookEventName": event, "permissionDecision": word, "permissionDecisionReason": reason}));
        if outcome == Outcome::Deny {
            reply.stderr = format!("{reason}\n");
            reply.code = 2;
        }
        reply
    }

    fn notify(&self, mut reply: Reply, text: &str) -> Reply {
        // No document means that the host's own dialog is open: nothing is added to that.
        if let Ok(Value::Object(mut document)) = serde_json::from_str(&reply.stdout) {
            document.insert("systemMessage".to_owned(), text.into());
            reply.stdout = format!("{}\n", Value::Object(document));
        }
        reply
    }

    fn refuse(&self, event: Option<&str>, why: &str) -> Reply {
        let event = event.filter(|e| DECIDING.contains(e)).unwrap_or("PreToolUse");
        self.reply(event, Outcome::Deny, &format!("gate: {why}. Nothing runs until this is mended."))
    }
}

fn document(inner: Value) -> Reply {
    Reply { stdout: format!("{}\n", json!({"hookSpecificOutput": inner})), ..Reply::default() }
}

#[cfg(test)]
mod tests;
