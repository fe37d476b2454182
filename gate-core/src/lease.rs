//! For how long yolo was switched on.

use serde::{Deserialize, Serialize};

/// A time limit of yolo mode: switched on at a moment, for some minutes or until it is switched off. Times are
/// seconds since the Unix epoch, supplied by the caller: this crate reads no clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// When it was switched on.
    pub since: u64,
    /// For how many minutes; `None`: until it is switched off.
    pub minutes: Option<u32>,
}

impl Lease {
    /// Is yolo on at that moment? A clock that went back behind the start ends it: fail closed.
    #[must_use]
    pub const fn active(self, now: u64) -> bool {
        match self.minutes {
            None => true,
            Some(minutes) => now >= self.since && now - self.since < minutes as u64 * 60,
        }
    }

    /// When it ends, in seconds since the Unix epoch; `None`: it does not.
    #[must_use]
    pub const fn ends(self) -> Option<u64> {
        match self.minutes {
            None => None,
            Some(minutes) => Some(self.since.saturating_add(minutes as u64 * 60)),
        }
    }

    /// Seconds left, rounded down; `None` when there is no limit.
    #[must_use]
    pub const fn remaining(self, now: u64) -> Option<u64> {
        match self.minutes {
            None => None,
            Some(_) if !self.active(now) => Some(0),
            Some(minutes) => Some(minutes as u64 * 60 - (now - self.since)),
        }
    }
}
