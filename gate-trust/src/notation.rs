//! Is an entry of a list one that can ever match? The meaning of patterns is gate-rules'; here stands only what makes an
//! entry void, so that it is reported instead of being silently without effect.

use gate_core::limits::PATTERN_UTF16;

use crate::json::is_invisible;

/// Why an entry is void.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Void {
    pub message: String,
    pub hint: Option<String>,
    /// The tool that it is about, when that can be read.
    pub tool: Option<String>,
}

fn void(message: impl Into<String>, hint: Option<&str>, tool: Option<&str>) -> Void {
    Void { message: message.into(), hint: hint.map(str::to_owned), tool: tool.map(str::to_owned) }
}

fn too_long(text: &str) -> bool {
    text.len() > PATTERN_UTF16 && text.encode_utf16().nth(PATTERN_UTF16).is_some()
}

fn unprintable(text: &str) -> bool {
    text.chars().any(|c| (c.is_control() && !matches!(c, '\t' | '\n')) || is_invisible(c))
}

const fn is_tool_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '*')
}

/// Checks `tool` or `tool(pattern)`, with an optional `@` before it.
pub(crate) fn entry(text: &str) -> Result<(), Void> {
    let body = text.trim();
    let body = body.strip_prefix('@').unwrap_or(body);
    let end = body.find(|c| !is_tool_char(c)).unwrap_or(body.len());
    let (tool, rest) = body.split_at(end);
    if tool.is_empty() {
        let message = if body.is_empty() { "an empty entry" } else { "no tool name at the start" };
        return Err(void(message, Some("write tool or tool(pattern), for example bash(git push*)"), None));
    }
    let named = Some(tool);
    let server_tool = tool.get(..5).is_some_and(|head| head.eq_ignore_ascii_case("mcp__"));
    if tool.contains('*') && tool != "*" && !server_tool {
        return Err(void("wildcards in tool names work for mcp__… only", Some("name the tool, or write * for every tool"), named));
    }
    if rest.is_empty() {
        return Ok(());
    }
    let Some(inner) = rest.strip_prefix('(') else {
        return Err(void(format!("a tool name holds letters, digits, _ and - only: \"{}\"", crate::json::shown(body)), None, None));
    };
    let Some(pattern) = inner.strip_suffix(')') else {
        let message = if inner.contains(')') { "text after the closing parenthesis" } else { "the closing parenthesis is missing" };
        return Err(void(message, Some("write tool(pattern)"), named));
    };
    if too_long(pattern) {
        return Err(void(format!("the pattern is longer than {PATTERN_UTF16} characters"), None, named));
    }
    if unprintable(pattern) {
        return Err(void("the pattern holds control or invisible characters", None, named));
    }
    let capital = tool.starts_with(|c: char| c.is_ascii_uppercase());
    let of_paths = ["read", "edit", "write", "multiedit", "notebookedit", "glob", "ls"].iter().any(|t| tool.eq_ignore_ascii_case(t));
    if capital && of_paths && unbalanced(pattern) {
        return Err(void("a bracket of the path pattern is not closed", Some("write [[] for a literal ["), named));
    }
    if tool.eq_ignore_ascii_case("webfetch") && pattern.strip_prefix("domain:").is_some_and(|d| d.trim().is_empty()) {
        return Err(void("no domain after domain:", Some("write WebFetch(domain:example.org)"), named));
    }
    Ok(())
}

/// Checks an entry that allows: it must name its tool.
pub(crate) fn allow_entry(text: &str) -> Result<(), Void> {
    entry(text)?;
    let body = text.trim();
    if body.strip_prefix('@').unwrap_or(body).starts_with('*') {
        return Err(void("an entry that allows must name its tool", Some("write Bash, Read or mcp__server"), None));
    }
    Ok(())
}

fn unbalanced(pattern: &str) -> bool {
    let (mut class, mut braces, mut escaped) = (false, 0i32, false);
    for c in pattern.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            ']' => class = false,
            '[' => class = true,
            '{' if !class => braces += 1,
            '}' if !class => braces -= 1,
            _ => {}
        }
        if braces < 0 {
            return true;
        }
    }
    class || braces != 0
}

/// Checks a pattern that is matched against absolute paths.
pub(crate) fn absolute_path(text: &str) -> Result<(), Void> {
    path(text)?;
    let body = text.trim();
    let home = |prefix: &str| body.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    if body.starts_with('/') || body.starts_with('*') || home("~") || home("$HOME") || home("${HOME}") {
        return Ok(());
    }
    let hint = format!("did you mean \"**/{}\"?", crate::json::shown(body.trim_start_matches("./").trim_start_matches('~')));
    Err(void("it can never match: paths are compared as absolute ones", Some(&hint), None))
}

/// Checks any pattern or name of a path.
pub(crate) fn path(text: &str) -> Result<(), Void> {
    plain(text)
}

/// Checks a text that must not be blank, over-long or unprintable.
pub(crate) fn plain(text: &str) -> Result<(), Void> {
    if text.trim().is_empty() {
        return Err(void("an empty entry", None, None));
    }
    if too_long(text) {
        return Err(void(format!("longer than {PATTERN_UTF16} characters"), None, None));
    }
    if unprintable(text) {
        return Err(void("it holds control or invisible characters", None, None));
    }
    Ok(())
}
