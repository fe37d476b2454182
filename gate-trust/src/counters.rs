//! What happened in a session, for `gate status`: counters and the newest denials. Kept over restarts of the host.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gate_core::{Decision, Origin, Outcome, Stage};
use serde::{Deserialize, Serialize};

use crate::files::{Lock, WriteError, session_file, write_scratch};
use crate::json::shown;

/// How long what a session has left is kept.
const MONTH: Duration = Duration::from_secs(31 * 24 * 3_600);
/// How long a call's count waits for others.
const BRIEFLY: Duration = Duration::from_millis(30);
/// Most denials that are kept.
const DENIALS: usize = 12;

/// One denial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Denial {
    /// Seconds since 1970.
    pub at: u64,
    /// The tool.
    pub tool: String,
    /// The reason's code.
    pub code: String,
    /// The reason, for people.
    pub reason: String,
    /// What was to be done, shortened.
    pub action: String,
    /// Where it was decided.
    pub stage: String,
}

/// Counters of one session.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Counters {
    /// Whose they are.
    pub host: String,
    /// The host's name of the session.
    pub session: String,
    /// The project's root.
    pub project: String,
    /// When the newest call was decided, in seconds since 1970.
    pub at: u64,
    /// Calls that were decided.
    pub checked: u64,
    /// Calls that were denied.
    pub blocked: u64,
    /// Calls that a person was asked about.
    pub asked: u64,
    /// Calls that the model allowed.
    pub classifier_allowed: u64,
    /// Calls that the model denied.
    pub classifier_denied: u64,
    /// Calls that yolo granted.
    pub granted: u64,
    /// The outcome of the newest call.
    pub last_decision: Option<String>,
    /// Its reason.
    pub last_reason: Option<String>,
    /// The newest denials, newest last.
    pub recent_denials: Vec<Denial>,
}

impl Counters {
    /// Says whose they are.
    pub fn of(&mut self, host: &str, session: &str, project: &str) {
        (self.host, self.session, self.project) = (host.to_owned(), session.to_owned(), project.to_owned());
    }

    /// Counts one decision. `action`: what was to be done.
    pub fn count(&mut self, decision: &Decision, tool: &str, action: &str, at: u64) {
        self.checked += 1;
        self.at = at;
        let (outcome, by_model) = (decision.outcome(), decision.stage() == Stage::Classifier);
        match outcome {
            Outcome::Deny => {
                self.blocked += 1;
                self.classifier_denied += u64::from(by_model);
                let (code, reason) = (decision.reason().code.to_string(), shown(&decision.reason().text));
                let stage = format!("{:?}", decision.stage()).to_lowercase();
                self.recent_denials.push(Denial { at, tool: shown(tool), code, reason, action: shown(action), stage });
                let over = self.recent_denials.len().saturating_sub(DENIALS);
                self.recent_denials.drain(..over);
            }
            Outcome::Ask => self.asked += 1,
            Outcome::Allow => {
                self.classifier_allowed += u64::from(by_model);
                self.granted += u64::from(decision.origin() == Origin::Yolo);
            }
        }
        self.last_decision = Some(format!("{outcome:?}").to_lowercase());
        self.last_reason = Some(shown(&decision.reason().text));
    }
}

/// Removes what sessions have left that nobody has used for a month, and what crashed writers have left. A mode that was
/// switched for a session stays: only the person takes it back.
fn forget_old(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let age = entry.metadata().and_then(|m| m.modified()).ok().and_then(|t| t.elapsed().ok()).unwrap_or_default();
        let leftover = name.ends_with(".tmp") && age > Duration::from_secs(3_600);
        if leftover || (age > MONTH && name.ends_with(".json") && !name.ends_with(".mode.json")) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The counters of every session, the newest first.
#[must_use]
pub fn sessions(state_dir: &Path) -> Vec<Counters> {
    let Ok(entries) = fs::read_dir(state_dir.join("sessions")) else { return Vec::new() };
    let counters = |e: fs::DirEntry| {
        let named = e.file_name().to_string_lossy().ends_with(".counters.json");
        named.then(|| CounterStore { path: e.path() }.get()).filter(|c| !c.session.is_empty())
    };
    let mut all: Vec<Counters> = entries.flatten().filter_map(counters).collect();
    all.sort_by_key(|c| std::cmp::Reverse(c.at));
    all
}

/// The counters of one session in the state folder.
#[derive(Clone, Debug)]
pub struct CounterStore {
    path: PathBuf,
}

impl CounterStore {
    /// Those of a session; an empty session name is the command line's own.
    #[must_use]
    pub fn of_session(state_dir: &Path, host: &str, session: &str) -> Self {
        Self { path: session_file(state_dir, host, session, "counters") }
    }

    /// The counters; zeros when there are none or they cannot be read.
    #[must_use]
    pub fn get(&self) -> Counters {
        fs::read_to_string(&self.path).ok().and_then(|t| serde_json::from_str(&t).ok()).unwrap_or_default()
    }

    /// Changes the counters under a lock that is waited for briefly: a count that is lost costs less than a call that waits.
    ///
    /// # Errors
    /// When the state folder cannot be written. It never matters to a decision.
    pub fn update(&self, change: impl FnOnce(&mut Counters)) -> Result<(), WriteError> {
        self.change(BRIEFLY, change)
    }

    fn change(&self, wait: Duration, change: impl FnOnce(&mut Counters)) -> Result<(), WriteError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let _lock = Lock::within(folder, wait)?;
        let mut counters = self.get();
        change(&mut counters);
        let text = serde_json::to_vec(&counters).map_err(|e| WriteError::Refused { path: self.path.clone(), why: e.to_string() })?;
        if !self.path.exists() {
            forget_old(folder);
        }
        write_scratch(&self.path, &text)
    }

    /// Zeroes the counters. What was switched stays switched.
    ///
    /// # Errors
    /// When the state folder cannot be written.
    pub fn reset(&self) -> Result<(), WriteError> {
        self.change(Duration::from_secs(10), |c| {
            *c = Counters { host: c.host.clone(), session: c.session.clone(), project: c.project.clone(), ..Counters::default() }
        })
    }
}
