//! Tool names as people and hosts write them, and what kind of tool each is. Hosts with names of their own have their
//! own table and fall back to this one.

use gate_core::{Settings, ShellKind, Tool, ToolKind};
use serde_json::Value;

/// The kind of a tool by its name, compared without case.
#[must_use]
pub fn kind_of(name: &str) -> ToolKind {
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "bash" | "shell" | "exec" | "exec_command" | "run_shell_command" | "run_terminal_cmd" | "local_shell" => {
            ToolKind::Shell(ShellKind::Bash)
        }
        "sh" | "dash" => ToolKind::Shell(ShellKind::Sh),
        "zsh" => ToolKind::Shell(ShellKind::Zsh),
        "fish" => ToolKind::Shell(ShellKind::Fish),
        "powershell" | "pwsh" => ToolKind::Shell(ShellKind::PowerShell),
        "cmd" => ToolKind::Shell(ShellKind::Cmd),
        "read" | "read_file" | "view" | "notebookread" => ToolKind::Read,
        "write" | "write_file" | "create" => ToolKind::Write,
        "edit" | "multiedit" | "notebookedit" | "str_replace" | "replace" | "apply_patch" | "patch" => ToolKind::Edit,
        "ls" | "list" | "list_directory" => ToolKind::List,
        "find" | "glob" => ToolKind::Find,
        "grep" | "search_file_content" => ToolKind::Grep,
        "webfetch" | "web_fetch" | "fetch" => ToolKind::Fetch,
        "websearch" | "web_search" | "google_web_search" => ToolKind::WebSearch,
        "skill" => ToolKind::Skill,
        "agent" | "task" => ToolKind::Agent,
        _ if lower.starts_with("mcp__") => ToolKind::Mcp,
        _ => ToolKind::Other,
    }
}

/// A tool called `bash` takes a `command`. With another key in its place nobody knows what would run: an unknown tool.
#[must_use]
pub fn fits(name: &str, input: &Value) -> bool {
    let strange = ["cmd", "script"].iter().any(|k| input.get(k).is_some());
    !(name.eq_ignore_ascii_case("bash") && input.get("command").is_none() && strange)
}

/// A tool, seen through the user's `shellTools`.
#[must_use]
pub fn tool(name: &str, input: &Value, settings: &Settings) -> Tool {
    let alias = settings.shell_tools.iter().any(|s| s.tool == name);
    let kind = match kind_of(name) {
        _ if alias => ToolKind::Shell(ShellKind::Bash),
        _ if !fits(name, input) => ToolKind::Other,
        kind => kind,
    };
    Tool { name: name.to_owned(), kind }
}
