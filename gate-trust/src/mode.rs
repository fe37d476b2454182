//! The switch: a mode, or on and off, for one session or for a while, set by a person outside the settings files.

use std::fs;
use std::path::{Path, PathBuf};

use gate_core::Mode;
use serde::{Deserialize, Serialize};

use crate::files::{Lock, WriteError, remove, session_file, sweep, write_private};
use crate::snapshot::SourceText;

/// What a person switched to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Switch {
    /// The mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// On or off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// When, in seconds since 1970.
    pub at: u64,
    /// Until when it counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
}

impl Switch {
    /// Does it count at this time? Before it was set it does not: a clock that went back ends it.
    #[must_use]
    pub fn counts(&self, now: u64) -> bool {
        self.until.is_none_or(|until| self.at <= now && now < until)
    }

    /// The same as a settings text.
    fn text(&self) -> String {
        let mut object = serde_json::Map::new();
        if let Some(mode) = self.mode.and_then(|m| serde_json::to_value(m).ok()) {
            object.insert("mode".to_owned(), mode);
        }
        if let Some(enabled) = self.enabled {
            object.insert("enabled".to_owned(), enabled.into());
        }
        serde_json::Value::Object(object).to_string()
    }
}

/// Where a switch is kept: for one session of one host, or for every session of the user.
#[derive(Clone, Debug)]
pub struct SwitchStore {
    path: PathBuf,
}

impl SwitchStore {
    /// The switch of a session.
    #[must_use]
    pub fn of_session(state_dir: &Path, host: &str, session: &str) -> Self {
        Self { path: session_file(state_dir, host, session, "mode") }
    }

    /// The switch of the user.
    #[must_use]
    pub fn of_user(state_dir: &Path) -> Self {
        Self { path: state_dir.join("mode.json") }
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was switched to and still counts. A file that cannot be read switches nothing.
    #[must_use]
    pub fn get(&self, now: u64) -> Option<Switch> {
        let switch: Switch = serde_json::from_str(&fs::read_to_string(&self.path).ok()?).ok()?;
        switch.counts(now).then_some(switch)
    }

    /// The switch as a source, when one counts.
    pub(crate) fn source(&self, now: u64) -> Option<SourceText> {
        self.get(now).map(|s| SourceText::new(self.path.display().to_string(), s.text()).at(Some(s.at), s.until))
    }

    /// Switches.
    ///
    /// # Errors
    /// When the state folder cannot be written.
    pub fn set(&self, switch: &Switch) -> Result<(), WriteError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let _lock = Lock::of(folder)?;
        let text = serde_json::to_vec(switch).map_err(|e| WriteError::Refused { path: self.path.clone(), why: e.to_string() })?;
        sweep(&self.path);
        write_private(&self.path, &text)
    }

    /// Switches back to what the settings say.
    ///
    /// # Errors
    /// When the file is there and cannot be removed.
    pub fn clear(&self) -> Result<(), WriteError> {
        remove(&self.path)
    }
}
