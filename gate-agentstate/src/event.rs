//! What happens to an agent, and what the events of hosts mean.

use serde::{Deserialize, Serialize};

/// Something that happened to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "kind")]
pub enum EventKind {
    /// A session began or was resumed; its state is derived anew and published in any case.
    SessionStarted {
        /// The host says that it is not idle.
        working: bool,
    },
    /// A turn began.
    Started,
    /// The agent got on with its work.
    Progress {
        /// The request that is answered by that; `None`: whatever was open.
        request: Option<String>,
    },
    /// A person must answer.
    Blocked {
        /// Names the request, so that parallel ones do not unblock each other.
        request: String,
        /// What it waits for.
        message: String,
    },
    /// A request was answered or withdrawn.
    Unblocked {
        /// Which one.
        request: String,
    },
    /// The turn is finished.
    Settled {
        /// Another run, a retry or a compaction is queued: not finished yet.
        more_queued: bool,
    },
    /// A person looked at it.
    Seen,
    /// The session is gone.
    SessionEnded,
}

/// An event with the agent to which it happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The host (`claude-code`, `pi`, …); may be empty.
    pub host: String,
    /// The host's session, when it has one.
    pub session: Option<String>,
    /// Where the agent works.
    pub cwd: String,
    /// What happened.
    pub what: EventKind,
}

/// The event of a host's hook, as far as states need it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HostEvent<'a> {
    /// The event's name: `Stop`, `Notification`, `PreToolUse`, …
    pub name: &'a str,
    /// The kind of a notification.
    pub notification: Option<&'a str>,
    /// The tool, for tool events.
    pub tool: Option<&'a str>,
    /// The id of the call, for tool events.
    pub call: Option<&'a str>,
    /// What the host says to people.
    pub message: Option<&'a str>,
    /// The event comes from a sub-agent.
    pub subagent: bool,
}

impl HostEvent<'_> {
    /// What a hook event means; `None`: nothing for states. Sub-agents never change the state of their session: their
    /// events can arrive after the main turn has ended.
    #[must_use]
    pub fn meaning(&self) -> Option<EventKind> {
        if self.subagent {
            return None;
        }
        let blocked = |default: &str| EventKind::Blocked {
            request: self.call.unwrap_or("host").to_owned(),
            message: self.message.filter(|m| !m.trim().is_empty()).unwrap_or(default).to_owned(),
        };
        match self.name {
            "SessionStart" => Some(EventKind::SessionStarted { working: false }),
            "UserPromptSubmit" => Some(EventKind::Started),
            "PreToolUse" if self.tool == Some("AskUserQuestion") => Some(blocked("waiting for input")),
            "Notification" if self.notification == Some("permission_prompt") => Some(blocked("waiting for input")),
            // The host's notification carries no call id, so anything that was open is answered by progress.
            "PostToolUse" | "PermissionDenied" => Some(EventKind::Progress { request: None }),
            "Stop" => Some(EventKind::Settled { more_queued: false }),
            "SessionEnd" => Some(EventKind::SessionEnded),
            _ => None,
        }
    }
}
