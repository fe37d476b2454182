//! What an agent wants to do.

use serde::Serialize;
use serde_json::Value;

use crate::ShellKind;

/// What kind of tool a call uses. The host's adapter says so; unknown tools are [`ToolKind::Other`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToolKind {
    /// Runs a shell text.
    Shell(ShellKind),
    /// Reads one file.
    Read,
    /// Writes one whole file.
    Write,
    /// Changes one or more files.
    Edit,
    /// Lists a folder.
    List,
    /// Finds files by name below a folder.
    Find,
    /// Searches contents below a folder.
    Grep,
    /// Fetches a URL.
    Fetch,
    /// Searches the web.
    WebSearch,
    /// A tool of an MCP server.
    Mcp,
    /// Loads a skill.
    Skill,
    /// Starts a sub-agent.
    Agent,
    /// A tool of the host without effect on the machine (questions, plans, to-do lists, tool search).
    Harmless,
    /// The gate's own tool, known by its registration source, never by its name.
    Own,
    /// Anything else.
    Other,
}

/// The tool of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tool {
    /// The name as the host sent it.
    pub name: String,
    /// What kind of tool it is.
    pub kind: ToolKind,
}

/// A call. Paths are absolute and lexically normal.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Call {
    /// Names the call in logs and replies.
    pub id: String,
    /// The agent's host (`claude-code`, `pi`, …), empty when there is none.
    pub host: String,
    /// The host's session, when it has one.
    pub session: Option<String>,
    /// The tool.
    pub tool: Tool,
    /// The tool's input as the host sent it.
    pub input: Value,
    /// Where relative paths start.
    pub cwd: String,
    /// The user's home.
    pub home: String,
    /// The project's root, fixed when the session started.
    pub project: String,
    /// Nobody can be asked.
    pub headless: bool,
    /// The turn was cancelled.
    pub cancelled: bool,
    /// The call comes from a sub-agent.
    pub subagent: bool,
}

impl Call {
    /// The command of a shell call: the input's `command`, `cmd` or `script` when it is text. When several are there
    /// and differ, it is not known which of them the host's tool runs, and there is none.
    #[must_use]
    pub fn command(&self) -> Option<&str> {
        let mut given = ["command", "cmd", "script"].iter().filter_map(|k| self.input.get(k));
        let first = given.next()?;
        first.as_str().filter(|_| given.all(|other| other == first))
    }

    /// The shell that would read the command, for shell calls.
    #[must_use]
    pub const fn shell(&self) -> Option<ShellKind> {
        match self.tool.kind {
            ToolKind::Shell(kind) => Some(kind),
            _ => None,
        }
    }

    /// The path of a file tool: the first of [`Call::paths`].
    #[must_use]
    pub fn path(&self) -> Option<&str> {
        self.paths().next()
    }

    /// Every path that an input may give under one of the keys in use. Which of them the host's tool reads is not
    /// known here, so all of them count.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        const KEYS: [&str; 7] = ["path", "file_path", "filePath", "notebook_path", "notebookPath", "absolute_path", "absolutePath"];
        KEYS.iter().filter_map(|k| self.input.get(k)).filter_map(Value::as_str)
    }

    /// The URL of a fetch tool.
    #[must_use]
    pub fn url(&self) -> Option<&str> {
        self.input.get("url").and_then(Value::as_str)
    }
}
