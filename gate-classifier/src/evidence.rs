//! What a model is told besides the action: project instructions and a transcript, within budgets. Pure functions.
//!
//! Only what the user said and which tools were called with what is ever told. The assistant's prose and the results
//! of tools are dropped: neither authorises anything. Untrusted text cannot forge the marks around it.

mod findings;
mod select;
mod text;

use gate_core::Case;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};

pub use findings::findings;
pub use select::{Selection, select};
pub use text::{approx_tokens, escape, safe_json, truncate_middle, truncate_tokens};

use crate::{Config, Context};

/// A file of project instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextFile {
    /// Where it stands.
    pub path: String,
    /// Its text.
    pub content: String,
}

/// One entry of a conversation, oldest first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "type")]
pub enum TranscriptItem {
    /// What the user wrote.
    User {
        /// The text.
        text: String,
    },
    /// A tool call of the agent.
    ToolCall {
        /// The tool.
        name: String,
        /// Its input.
        arguments: Value,
    },
    /// What the agent wrote: never told.
    Assistant {
        /// The text.
        text: String,
    },
    /// What a tool answered: never told.
    ToolResult {
        /// The text.
        text: String,
    },
}

/// What there is to tell.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Loaded project instructions.
    pub instructions: Vec<ContextFile>,
    /// The conversation, oldest first.
    pub transcript: Vec<TranscriptItem>,
}

/// Knows the conversation of a case. Called only when a model is really asked.
pub trait EvidenceSource: Send + Sync {
    /// What there is to tell of this case.
    fn evidence(&self, case: &Case<'_>) -> Evidence;
}

/// Knows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoEvidence;

impl EvidenceSource for NoEvidence {
    fn evidence(&self, _: &Case<'_>) -> Evidence {
        Evidence::default()
    }
}

/// Longest text of one context file, in UTF-16 units.
const CONTEXT_FILE_UTF16: usize = 4_000;

/// The first message: instructions and transcript, each `(none)` when there is nothing.
#[must_use]
pub fn context_message(evidence: &Evidence, config: &Config) -> String {
    let files = if config.context == Context::Full { instructions(&evidence.instructions) } else { String::new() };
    let budget_tools = if config.context == Context::Full { config.max_tool_transcript_tokens } else { 0 };
    let chosen = match config.context {
        Context::Action => Selection::default(),
        Context::Full | Context::Intent => select(&evidence.transcript, config.max_user_transcript_tokens, budget_tools),
    };
    let or_none = |text: String| if text.is_empty() { "(none)".to_owned() } else { text };
    format!(
        "<loaded-project-instructions>\n{}\n</loaded-project-instructions>\n<classifier-transcript>\n{}\n</classifier-transcript>",
        or_none(files),
        or_none(chosen.text())
    )
}

fn instructions(files: &[ContextFile]) -> String {
    let one = |f: &ContextFile| format!("# {}\n{}", escape(&f.path), escape(&truncate_middle(&f.content, CONTEXT_FILE_UTF16)));
    files.iter().map(one).collect::<Vec<_>>().join("\n\n")
}

/// The name under which a provider may reuse the prefix: stable for a session, different for another. Without a
/// session the working directory stands for it.
#[must_use]
pub fn cache_session(session: Option<&str>, cwd: &str) -> String {
    let digest = Sha256::digest(session.filter(|s| !s.is_empty()).unwrap_or(cwd).as_bytes());
    let hex: String = digest.iter().take(16).map(|b| format!("{b:02x}")).collect();
    format!("gate-{hex}")
}
