//! Claude Code: do its settings hold the hook, and does nothing switch it off?

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::Check;
use crate::setup::Setup;

const NAME: &str = "claude-code";
const INSTALL: &str = "gate install claude-code";

/// One settings file of the host.
struct Held {
    path: PathBuf,
    value: Result<Value, String>,
}

/// The host's settings files that are there.
fn held(setup: &Setup) -> Vec<Held> {
    let (home, project) = (Path::new(&setup.home), Path::new(&setup.project));
    let files = [
        PathBuf::from("/etc/claude-code/managed-settings.json"),
        home.join(".claude/settings.json"),
        project.join(".claude/settings.json"),
        project.join(".claude/settings.local.json"),
    ];
    let read = |path: PathBuf| {
        let value = std::fs::read_to_string(&path).ok()?;
        Some(Held { path, value: serde_json::from_str(&value).map_err(|e| e.to_string()) })
    };
    files.into_iter().filter_map(read).collect()
}

/// The entries of an event.
fn entries<'v>(value: &'v Value, event: &str) -> impl Iterator<Item = &'v Value> {
    value.get("hooks").and_then(|h| h.get(event)).and_then(Value::as_array).into_iter().flatten()
}

/// The commands of an entry that ask the gate.
fn commands(entry: &Value) -> Vec<&Value> {
    // A shell text, or a program with its arguments.
    let asks = |h: &&Value| {
        let arguments = h.get("args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let text = h.get("command").and_then(Value::as_str).into_iter().chain(arguments).collect::<Vec<_>>().join(" ");
        text.contains("gate") && text.contains("hook") && text.contains("claude")
    };
    entry.get("hooks").and_then(Value::as_array).into_iter().flatten().filter(asks).collect()
}

/// Does some settings file of the host name the gate before tools run?
pub(super) fn is_wired(setup: &Setup) -> bool {
    held(setup).iter().filter_map(|h| h.value.as_ref().ok()).any(|v| entries(v, "PreToolUse").any(|e| !commands(e).is_empty()))
}

/// The program in a hook's command: its first word that is no assignment, without quotes.
fn program(command: &str) -> Option<&str> {
    let word = command.split_whitespace().find(|w| !w.contains('='))?;
    Some(word.trim_matches(['"', '\'']))
}

/// Every check. Nothing is said when the host is not there.
pub(super) fn checks(setup: &Setup) -> Vec<Check> {
    let held = held(setup);
    if held.is_empty() && !Path::new(&setup.home).join(".claude").is_dir() {
        return Vec::new();
    }
    let mut out = Vec::new();
    for h in &held {
        match &h.value {
            // The host drops the whole file then, its hooks too.
            Err(why) => out.push(Check::bad(
                NAME,
                format!("{} is no JSON, so that the host reads nothing of it: {why}", h.path.display()),
                format!("edit {}", h.path.display()),
            )),
            Ok(v) if v.get("disableAllHooks") == Some(&Value::Bool(true)) => {
                out.push(Check::bad(
                    NAME,
                    format!("{} switches every hook off", h.path.display()),
                    format!("remove disableAllHooks from {}", h.path.display()),
                ));
            }
            Ok(_) => {}
        }
    }
    let values: Vec<&Value> = held.iter().filter_map(|h| h.value.as_ref().ok()).collect();
    if !is_wired(setup) {
        out.push(Check::bad(NAME, "its settings do not hold the gate's hook: every tool runs without it", INSTALL));
        return out;
    }
    out.extend(values.iter().flat_map(|v| entries(v, "PreToolUse")).filter_map(narrow));
    let all = ["PreToolUse", "PermissionRequest", "PreSkillShellCommand"];
    let missing: Vec<&str> =
        all.into_iter().filter(|event| !values.iter().any(|v| entries(v, event).any(|e| !commands(e).is_empty()))).collect();
    if !missing.is_empty() {
        out.push(Check::bad(NAME, format!("the hook does not hear {}", missing.join(", ")), INSTALL));
    }
    let hooks = values.iter().flat_map(|v| entries(v, "PreToolUse")).flat_map(commands);
    out.extend(hooks.filter_map(broken));
    if out.is_empty() {
        out.push(Check::good(NAME, "the hook is in its settings"));
    }
    out
}

/// A matcher leaves tools out.
fn narrow(entry: &Value) -> Option<Check> {
    let matcher = entry.get("matcher").and_then(Value::as_str).filter(|m| !matches!(*m, "" | "*" | ".*"))?;
    (!commands(entry).is_empty())
        .then(|| Check::bad(NAME, format!("the hook hears only the tools {matcher:?}: others run without the gate"), INSTALL))
}

/// A hook that cannot start lets the call run, unless the host is told to block.
fn broken(hook: &Value) -> Option<Check> {
    let command = hook.get("command").and_then(Value::as_str)?;
    let program = program(command)?;
    let path = Path::new(program);
    if path.is_absolute() && !path.is_file() {
        return Some(Check::bad(NAME, format!("the hook's program {program} is not there: every call runs"), INSTALL));
    }
    if !path.is_absolute() && !program.starts_with('$') && !program.starts_with('~') {
        return Some(Check::bad(
            NAME,
            format!("the hook names {program} without its folder: a project can put its own before it"),
            INSTALL,
        ));
    }
    let closed = hook.get("onFailure").and_then(Value::as_str) == Some("block") || command.contains("exit 2");
    (!closed).then(|| Check::bad(NAME, "a hook that breaks or takes too long lets the call run (no onFailure: \"block\")", INSTALL))
}
