//! The states of one agent, and how events move it between them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::EventKind;

/// What an agent is doing, in the order in which a person wants to see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It waits for a person.
    Blocked,
    /// Its turn is finished and nobody has looked yet.
    Done,
    /// Nothing to do: seen, or it never ran.
    Idle,
    /// It works.
    Working,
}

impl State {
    /// The name in lists and stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Blocked => "blocked",
            Self::Done => "done",
            Self::Idle => "idle",
            Self::Working => "working",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Blocked, Self::Done, Self::Idle, Self::Working].into_iter().find(|s| s.name() == name)
    }

    /// The name for programs that know three states only: `done` is `idle` there.
    #[must_use]
    pub const fn three_state_name(self) -> &'static str {
        match self {
            Self::Done => "idle",
            other => other.name(),
        }
    }

    /// Its place in a list: blocked first, done and idle alike, working last.
    #[must_use]
    pub const fn rank(self) -> u8 {
        match self {
            Self::Blocked => 0,
            Self::Done | Self::Idle => 1,
            Self::Working => 2,
        }
    }
}

/// A state with what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Activity {
    /// The state.
    pub state: State,
    /// For people; may be empty.
    pub message: String,
}

/// What a [`Tracker`] wants published after an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing new.
    None,
    /// This is the state now.
    Set(Activity),
    /// The agent is gone.
    Clear,
}

/// Follows one agent. Blocked counts more than working, working more than done or idle; an agent is blocked as long
/// as any of its open requests is, so parallel dialogs do not unblock each other.
#[derive(Clone, Debug, Default)]
pub struct Tracker {
    working: bool,
    finished: bool,
    open: BTreeMap<String, String>,
    published: Option<Activity>,
}

/// Most open requests that are remembered of one agent; past it the oldest name is forgotten.
const OPEN_REQUESTS: usize = 1_000;

impl Tracker {
    /// An agent that never ran.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// What the agent is doing.
    #[must_use]
    pub fn activity(&self) -> Activity {
        if let Some(label) = self.open.values().next() {
            return Activity { state: State::Blocked, message: label.clone() };
        }
        match (self.working, self.finished) {
            (true, _) => Activity { state: State::Working, message: String::new() },
            (false, true) => Activity { state: State::Done, message: "turn finished".to_owned() },
            (false, false) => Activity { state: State::Idle, message: String::new() },
        }
    }

    /// Takes an event; says what to publish. The same state with the same message is published once, except after
    /// a session's start.
    pub fn apply(&mut self, event: &EventKind) -> Change {
        let mut forced = false;
        match event {
            EventKind::SessionStarted { working } => {
                *self = Self { working: *working, ..Self::default() };
                forced = true;
            }
            EventKind::Started => {
                // A new turn means that nothing of the turn before waits any more.
                self.open.clear();
                self.working = true;
                self.finished = false;
            }
            EventKind::Progress { request } => {
                match request {
                    Some(id) => drop(self.open.remove(id)),
                    None => self.open.clear(),
                }
                self.working = true;
                self.finished = false;
            }
            EventKind::Blocked { request, message } => {
                if self.open.len() >= OPEN_REQUESTS && !self.open.contains_key(request) {
                    self.open.pop_first();
                }
                self.open.insert(request.clone(), message.clone());
            }
            EventKind::Unblocked { request } => drop(self.open.remove(request)),
            EventKind::Settled { more_queued: true } => {}
            EventKind::Settled { more_queued: false } => {
                self.open.clear();
                self.working = false;
                self.finished = true;
            }
            EventKind::Seen => self.finished = false,
            EventKind::SessionEnded => {
                *self = Self::default();
                return Change::Clear;
            }
        }
        let now = self.activity();
        if !forced && self.published.as_ref() == Some(&now) {
            return Change::None;
        }
        self.published = Some(now.clone());
        Change::Set(now)
    }
}
