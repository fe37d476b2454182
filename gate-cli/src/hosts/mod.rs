//! Hosts: what each agent sends and accepts. Data in, data out: no file, clock, variable or process is touched here.

pub mod claude_code;

use gate_core::Tool;
use serde_json::Value;

/// What a host's event asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A tool call to decide.
    Call(Request),
    /// The host's session ends: what was approved for it ends with it.
    Ended(String),
    /// Nothing to decide: no output, success.
    Quiet,
    /// Not understood, and a tool may be behind it: refuse.
    Refuse {
        /// The event's name, when it was readable.
        event: Option<String>,
        /// Why, for people.
        why: String,
    },
}

/// A tool call as the host described it.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The event's name: the reply depends on it.
    pub event: String,
    /// The tool.
    pub tool: Tool,
    /// The tool's input.
    pub input: Value,
    /// Names the call.
    pub id: String,
    /// The host's session.
    pub session: Option<String>,
    /// Where the agent works.
    pub cwd: String,
    /// Nobody can be asked in this mode.
    pub headless: bool,
    /// A sub-agent's call.
    pub subagent: bool,
}

/// What is written back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// Exactly one JSON document, or nothing.
    pub stdout: String,
    /// For people and for hosts that show it.
    pub stderr: String,
    /// The exit code that means the same as the document.
    pub code: u8,
}

/// One agent.
pub trait Host: Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;
    /// Reads an event.
    fn read(&self, payload: &str) -> Event;
    /// Answers a call: outcome word (`allow`, `ask`, `deny`) and reason.
    fn reply(&self, event: &str, outcome: gate_core::Outcome, reason: &str) -> Reply;
    /// Puts a notice for the person into an answer; a host that shows none leaves the answer as it is.
    fn notify(&self, reply: Reply, _text: &str) -> Reply {
        reply
    }
    /// Refuses in its own words; `event`: when it was readable.
    fn refuse(&self, event: Option<&str>, why: &str) -> Reply;
}

/// The host of that name.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Host> {
    match name {
        "claude-code" | "claude" => Some(&claude_code::ClaudeCode),
        _ => None,
    }
}
