//! Permission entries: `tool` or `tool(pattern)`. A capital chooses Claude's notation.

use gate_core::{Call, Entry, ShellKind, ToolKind, Unit, limits};
use serde_json::Value;
use thiserror::Error;

use super::domain::{domain_matches, host};
use super::view::View;
use super::wild::{Wild, utf16};
use super::{Command, PathPattern, Roots};

/// Why an entry cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PatternError {
    /// Not `tool` or `tool(pattern)`.
    #[error("`{0}` is not `tool` or `tool(pattern)`")]
    Form(String),
    /// Longer than the limit.
    #[error("the pattern is longer than {} characters", limits::PATTERN_UTF16)]
    Long,
    /// Wildcards in a tool's name are for tools of MCP servers only.
    #[error("`{0}`: wildcards in tool names work for mcp__… only")]
    ToolGlob(String),
    /// Can never match an absolute path.
    #[error("`{0}` can never match an absolute path; write `**/{0}`")]
    NeverMatches(String),
}

/// What an entry is for; wide matching for deny and ask, exact matching for allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Want {
    Tighten,
    Allow,
}

#[derive(Clone, Debug)]
enum ToolPart {
    Any,
    /// Canonical kinds, and the name itself.
    Named {
        name: String,
        glob: Option<Wild>,
    },
}

#[derive(Clone, Debug)]
enum Argument {
    All,
    Command(Command),
    /// Both readings; deny and ask need one, allow needs all.
    Path(Vec<PathPattern>),
    Domain(String),
    Text(String),
}

/// A compiled permission entry.
#[derive(Clone, Debug)]
pub(crate) struct Permission {
    pub entry: Entry,
    tool: ToolPart,
    argument: Argument,
    claude: bool,
}

/// Can this text be read as a permission entry?
///
/// # Errors
/// Why not.
pub fn check(text: &str) -> Result<(), PatternError> {
    split(text).map(|_| ())
}

/// The tool name of a text, even when the rest cannot be read.
pub(crate) fn tool_of(text: &str) -> Option<String> {
    let text = text.trim().trim_start_matches('@');
    let name = text.split('(').next().unwrap_or("").trim();
    (!name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))).then(|| name.to_owned())
}

fn split(text: &str) -> Result<(&str, Option<&str>), PatternError> {
    let form = || PatternError::Form(text.to_owned());
    if utf16(text, limits::PATTERN_UTF16) > limits::PATTERN_UTF16 {
        return Err(PatternError::Long);
    }
    let text = text.trim();
    let body = text.strip_prefix('@').unwrap_or(text);
    let (name, argument) = match body.split_once('(') {
        Some((name, rest)) => (name, Some(rest.strip_suffix(')').ok_or_else(form)?)),
        None => (body, None),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || !name.chars().all(|c| plain(c) || c == '*') {
        return Err(form());
    }
    if name.contains('*') && name != "*" && !name.to_ascii_lowercase().starts_with("mcp__") {
        return Err(PatternError::ToolGlob(name.to_owned()));
    }
    Ok((name, argument))
}

impl Permission {
    /// Compiles an entry.
    pub(crate) fn new(entry: &Entry, want: Want) -> Result<Self, PatternError> {
        let (name, argument) = split(&entry.text)?;
        let claude = name.starts_with(|c: char| c.is_ascii_uppercase());
        let lower = name.to_ascii_lowercase();
        let tool = if name == "*" {
            if want == Want::Allow {
                return Err(PatternError::ToolGlob(name.to_owned()));
            }
            ToolPart::Any
        } else {
            ToolPart::Named { glob: lower.contains('*').then(|| Wild::new(&lower, false, true)), name: lower.clone() }
        };
        let argument = match argument.map(str::trim) {
            None | Some("" | "*") => Argument::All,
            Some(text) => compile(&lower, text, claude, want),
        };
        Ok(Self { entry: entry.clone(), tool, argument, claude })
    }

    /// Every call of the tool.
    pub(crate) fn broad(&self) -> bool {
        match &self.argument {
            Argument::All => true,
            Argument::Command(c) => c.all,
            Argument::Path(p) => !p.iter().any(PathPattern::names_something),
            Argument::Domain(d) => d == "*",
            Argument::Text(t) => t.chars().all(|c| c == '*'),
        }
    }

    /// Is it about this tool?
    pub(crate) fn for_tool(&self, call: &Call, want: Want) -> bool {
        let ToolPart::Named { name, glob } = &self.tool else { return true };
        let host_name = call.tool.name.to_ascii_lowercase();
        if let Some(glob) = glob {
            return glob.matches(&host_name);
        }
        if *name == host_name {
            return true;
        }
        // `mcp__server` stands for every tool of the server.
        if name.starts_with("mcp__") && name.matches("__").count() == 1 {
            return host_name.strip_prefix(name.as_str()).is_some_and(|r| r.starts_with("__"));
        }
        kinds(name, call.tool.kind, self.claude, want)
    }

    /// Is it about shell commands?
    pub(crate) fn for_shell(&self, kind: ShellKind, want: Want) -> bool {
        match &self.tool {
            ToolPart::Any => true,
            ToolPart::Named { name, glob } => glob.is_none() && kinds(name, ToolKind::Shell(kind), self.claude, want),
        }
    }

    pub(crate) const fn command(&self) -> Option<&Command> {
        match &self.argument {
            Argument::Command(c) => Some(c),
            _ => None,
        }
    }

    /// Does a deny or ask entry match this spelling of a unit?
    pub(crate) fn hits(&self, view: &View) -> bool {
        match &self.argument {
            Argument::All => true,
            Argument::Command(c) => c.hits(view),
            _ => false,
        }
    }

    /// Does an allow entry cover this unit?
    pub(crate) fn covers(&self, unit: &Unit) -> bool {
        match &self.argument {
            Argument::All => true,
            Argument::Command(c) => c.covers(unit),
            _ => false,
        }
    }

    /// Is its pattern exactly this text, without wildcard?
    pub(crate) fn is_exactly(&self, text: &str) -> bool {
        matches!(&self.argument, Argument::Command(c) if c.is_exactly(text))
    }

    /// The patterns on paths that read, write or both; `None` when the entry is not about files.
    pub(crate) fn paths(&self, writes: bool, want: Want) -> Option<&[PathPattern]> {
        let ToolPart::Named { name, .. } = &self.tool else { return None };
        let about = match name.as_str() {
            "read" => !writes,
            "edit" | "write" | "multiedit" | "notebookedit" => writes,
            "grep" | "glob" | "find" | "ls" | "list" => want == Want::Tighten && !writes && !self.claude,
            _ => false,
        };
        // In the automode notation an allow entry is about the one tool that it names.
        match &self.argument {
            Argument::Path(p) if about && (self.claude || want == Want::Tighten) => Some(p),
            _ => None,
        }
    }

    /// Is it a bare `Read` or `Edit`: every path of that use?
    pub(crate) fn every_path(&self, writes: bool) -> bool {
        let ToolPart::Named { name, .. } = &self.tool else { return false };
        let about = if writes { matches!(name.as_str(), "edit" | "write") } else { name == "read" };
        about && matches!(self.argument, Argument::All)
    }

    /// Does it match a call that is no shell call? `paths` are those that the call uses, links followed as well.
    pub(crate) fn matches_call(&self, call: &Call, paths: &[String], roots: &Roots<'_>, want: Want) -> bool {
        if !self.for_tool(call, want) {
            return false;
        }
        let wide = want == Want::Tighten;
        match &self.argument {
            Argument::All => true,
            Argument::Command(_) => false,
            Argument::Domain(d) => match (call.url().and_then(host), wide) {
                (Some(h), _) => domain_matches(d, &h),
                (None, wide) => wide && call.url().is_some(),
            },
            Argument::Path(p) => {
                let one = |p: &PathPattern, at: &String| p.matches(at, roots, wide);
                let grep = || call.tool.kind == ToolKind::Grep && self.grep_pattern(call, wide);
                if wide {
                    paths.iter().any(|at| p.iter().any(|p| one(p, at))) || grep()
                } else {
                    let by_path = !paths.is_empty() && paths.iter().all(|at| p.iter().all(|p| one(p, at)));
                    by_path && (call.tool.kind != ToolKind::Grep || self.claude || grep())
                }
            }
            Argument::Text(t) => self.text_matches(t, call, wide),
        }
    }

    fn grep_pattern(&self, call: &Call, wide: bool) -> bool {
        let text = self.entry.text.split_once('(').and_then(|(_, r)| r.strip_suffix(')')).unwrap_or("");
        call.input.get("pattern").and_then(Value::as_str).is_some_and(|p| Wild::new(text.trim(), false, wide).matches(p))
    }

    fn text_matches(&self, pattern: &str, call: &Call, wide: bool) -> bool {
        let field = match call.tool.kind {
            ToolKind::Skill => ["skill", "name", "command"].as_slice(),
            ToolKind::Agent => ["subagent_type", "agent", "name"].as_slice(),
            ToolKind::Fetch => ["url"].as_slice(),
            ToolKind::WebSearch => ["query"].as_slice(),
            _ => &[],
        };
        let wild = Wild::new(pattern, false, wide);
        let matches = |text: &str| {
            if utf16(text, limits::ARGUMENT_UTF16) > limits::ARGUMENT_UTF16 {
                return wide;
            }
            wild.matches(text)
        };
        let named = field.iter().find_map(|f| call.input.get(f)).and_then(Value::as_str);
        let serialised = || matches(&call.input.to_string());
        match named {
            Some(text) => matches(text) || wide && serialised(),
            None => serialised(),
        }
    }
}

fn compile(tool: &str, text: &str, claude: bool, want: Want) -> Argument {
    match tool {
        "*" | "bash" | "shell" | "sh" | "powershell" | "pwsh" => Argument::Command(Command::new(text, claude)),
        "read" | "write" | "edit" | "multiedit" | "notebookedit" | "find" | "ls" | "list" | "glob" | "grep" => {
            let mut readings = vec![PathPattern::automode(text)];
            if claude {
                readings = vec![PathPattern::claude(text, false)];
                if want == Want::Tighten {
                    readings.push(PathPattern::claude(text, true));
                    readings.push(PathPattern::automode(text));
                } else if text.starts_with('/') && !text.starts_with("//") {
                    readings.push(PathPattern::claude(text, true));
                }
            }
            Argument::Path(readings)
        }
        "webfetch" | "fetch" => match text.strip_prefix("domain:") {
            Some(d) => Argument::Domain(d.trim().to_owned()),
            None => Argument::Text(text.to_owned()),
        },
        _ => Argument::Text(text.to_owned()),
    }
}

/// Does a canonical tool name cover a kind of tool?
fn kinds(name: &str, kind: ToolKind, claude: bool, want: Want) -> bool {
    let wide = claude || want == Want::Tighten;
    match (name, kind) {
        ("bash" | "shell" | "sh", ToolKind::Shell(s)) => {
            want == Want::Tighten || !matches!(s, ShellKind::PowerShell | ShellKind::Cmd | ShellKind::Fish)
        }
        ("powershell" | "pwsh", ToolKind::Shell(ShellKind::PowerShell)) => true,
        ("read", ToolKind::Read) | ("write", ToolKind::Write) => true,
        ("read", ToolKind::List | ToolKind::Find | ToolKind::Grep) => wide,
        ("edit" | "multiedit" | "notebookedit", ToolKind::Edit) => true,
        ("edit" | "write", ToolKind::Write | ToolKind::Edit) => wide,
        ("find" | "glob", ToolKind::Find) | ("grep", ToolKind::Grep) | ("ls" | "list", ToolKind::List) => true,
        ("webfetch" | "fetch", ToolKind::Fetch) | ("websearch", ToolKind::WebSearch) => true,
        ("skill", ToolKind::Skill) | ("agent" | "task", ToolKind::Agent) => true,
        _ => false,
    }
}
