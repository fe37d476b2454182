//! Gemini CLI: lists of tools in `settings.json`, and policies (`[[rule]]` in TOML) of which the highest priority wins.

use serde_json::Value;

use super::{Work, each, plain};

/// Names of its tools, and what the gate calls them.
const TOOLS: &[(&str, &str)] = &[
    ("run_shell_command", "bash"),
    ("shelltool", "bash"),
    ("read_file", "read"),
    ("readfiletool", "read"),
    ("read_many_files", "read"),
    ("write_file", "write"),
    ("writefiletool", "write"),
    ("replace", "edit"),
    ("edittool", "edit"),
    ("list_directory", "ls"),
    ("glob", "find"),
    ("search_file_content", "grep"),
    ("grep_search", "grep"),
    ("web_fetch", "webfetch"),
    ("google_web_search", "websearch"),
];

pub(super) fn read(work: &mut Work, text: &str) -> Result<(), String> {
    if text.trim_start().starts_with('{') {
        return settings(work, text);
    }
    policy(work, text)
}

fn tool(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    TOOLS.iter().find(|(n, _)| *n == lower).map_or_else(|| name.to_owned(), |(_, own)| (*own).to_owned())
}

fn settings(work: &mut Work, text: &str) -> Result<(), String> {
    each(text, |p| {
        let value = plain(&p.value);
        match p.name.as_str() {
            "tools" => {
                for (name, list) in [("exclude", "deny"), ("allowed", "allow"), ("core", "core")] {
                    entries(work, list, value.get(name));
                }
            }
            // Names of older versions.
            "excludeTools" => entries(work, "deny", Some(&value)),
            "allowedTools" => entries(work, "allow", Some(&value)),
            "coreTools" => entries(work, "core", Some(&value)),
            // Other settings of a host are no rules.
            _ => {}
        }
    })
}

fn entries(work: &mut Work, list: &str, value: Option<&Value>) {
    for entry in value.and_then(Value::as_array).into_iter().flatten() {
        let Some(text) = entry.as_str() else {
            work.leave(format!("{list}: {entry}"), "it is no text");
            continue;
        };
        if list == "core" {
            work.leave(format!("core: {text}"), "which tools there are is the host's business; the gate decides their calls");
            continue;
        }
        match text.strip_suffix(')').and_then(|t| t.split_once('(')) {
            // A prefix of the command there.
            Some((name, prefix)) if tool(name) == "bash" => work.entry(list, format!("Bash({prefix}:*)")),
            Some((name, argument)) => work.entry(list, format!("{}({argument})", tool(name))),
            None => work.entry(list, tool(text)),
        }
    }
}

fn policy(work: &mut Work, text: &str) -> Result<(), String> {
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| e.message().to_owned())?;
    let rules = match table.get("rule") {
        Some(toml::Value::Array(rules)) => rules.iter().filter_map(toml::Value::as_table).collect(),
        _ => Vec::new(),
    };
    let priority = |r: &toml::Table| r.get("priority").and_then(toml::Value::as_integer).unwrap_or(0);
    let mut ordered: Vec<&toml::Table> = rules;
    // There the highest priority wins, here the last rule.
    ordered.sort_by_key(|r| priority(r));
    ordered.iter().for_each(|r| rule(work, r));
    for name in table.keys().filter(|k| *k != "rule") {
        work.leave(name, super::UNKNOWN);
    }
    Ok(())
}

fn rule(work: &mut Work, rule: &toml::Table) {
    let texts = |key: &str| -> Vec<String> {
        match rule.get(key) {
            Some(toml::Value::String(s)) => vec![s.clone()],
            Some(toml::Value::Array(a)) => a.iter().filter_map(|v| v.as_str().map(ToOwned::to_owned)).collect(),
            _ => Vec::new(),
        }
    };
    let shown = serde_json::to_string(rule).unwrap_or_default();
    let action = match rule.get("decision").and_then(toml::Value::as_str) {
        Some("allow") => "allow",
        Some("deny") => "deny",
        Some("ask_user") => "ask",
        _ => return work.leave(shown, "its decision is neither allow, ask_user nor deny"),
    };
    for key in ["commandRegex", "argsPattern", "mcpName", "modes", "toolAnnotations", "interactive"] {
        if rule.contains_key(key) {
            return work.leave(shown, format!("{key} cannot be said in a rule"));
        }
    }
    let prefixes = texts("commandPrefix");
    for name in texts("toolName") {
        let tool = tool(&name);
        if prefixes.is_empty() {
            work.ordered(&tool, "*", action, None);
        }
        for prefix in &prefixes {
            work.ordered(&tool, &format!("{} *", prefix.trim_end()), action, None);
        }
    }
}
