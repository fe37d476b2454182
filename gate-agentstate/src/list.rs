//! How agents are listed: order, age and safe texts. Pure; the time is supplied by the caller.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::State;

/// One agent of a list. Times are seconds since the Unix epoch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// Names the agent: a pane, a terminal, a session.
    pub id: String,
    /// What it does.
    pub state: State,
    /// Since when.
    pub updated_at: u64,
    /// When a person last looked at it.
    pub visited_at: Option<u64>,
    /// Where it works.
    pub cwd: String,
    /// For people.
    pub message: String,
}

impl Row {
    /// Has a person looked since the state last changed?
    #[must_use]
    pub fn visited(&self) -> bool {
        self.visited_at.is_some_and(|at| at >= self.updated_at)
    }

    fn touched(&self) -> u64 {
        self.visited_at.unwrap_or(0).max(self.updated_at)
    }

    /// The last component of the folder.
    #[must_use]
    pub fn folder(&self) -> &str {
        gate_core::path::name(self.cwd.trim_end_matches('/'))
    }
}

/// Sorts a list: blocked, then done and idle, then working; within those what nobody has looked at first, then the
/// oldest; the id settles ties, so that a list never jumps.
pub fn order(rows: &mut [Row]) {
    rows.sort_by(|a, b| {
        let key = |r: &Row| (r.state.rank(), Reverse(!r.visited()), r.touched());
        key(a).cmp(&key(b)).then_with(|| a.id.cmp(&b.id))
    });
}

/// How long ago, for people: `42s`, `7m`, `3h05m`. A moment in the future is `0s`.
#[must_use]
pub fn age(since: u64, now: u64) -> String {
    let seconds = now.saturating_sub(since);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m", seconds / 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// A text that cannot break a line, a column or a terminal: control characters become blanks.
#[must_use]
pub fn safe_text(text: &str) -> String {
    text.chars().map(|c| if c.is_control() || is_invisible(c) { ' ' } else { c }).collect()
}

/// Characters that change how the text around them is shown.
const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
}
