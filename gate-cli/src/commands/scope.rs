//! Where a person's choice is written: once, for a session, in the project's or the user's settings.

use gate_trust::{Counters, sessions};

use super::Failure;
use crate::setup::Setup;

/// The session that is meant: `HOST:SESSION`, or the newest one of this project.
///
/// # Errors
/// A name without its host; no session of this project is known.
pub fn session(setup: &Setup, given: &str) -> Result<(String, String), Failure> {
    if let Some((host, session)) = given.split_once(':').filter(|(h, s)| !h.is_empty() && !s.is_empty()) {
        return Ok((host.to_owned(), session.to_owned()));
    }
    if !given.is_empty() {
        return Err(Failure::new(format!("{given} names no session"))
            .hint("write --session HOST:SESSION (gate status lists them), or --session alone, as the last word, for the newest one here"));
    }
    newest(setup).map(|c| (c.host, c.session)).ok_or_else(|| {
        Failure::new("no session of this project is known")
            .because("no agent has asked the gate here yet")
            .hint("name it: --session HOST:SESSION")
    })
}

/// The newest session of this project.
#[must_use]
pub fn newest(setup: &Setup) -> Option<Counters> {
    sessions(&setup.places.state_dir).into_iter().find(|c| c.project == setup.project)
}

/// A time in words: `2h 5m`, `40s`.
#[must_use]
pub fn duration(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds}s"),
        (0, 0, m) => format!("{m}m"),
        (0, h, m) => format!("{h}h {m}m"),
        (d, h, _) => format!("{d}d {h}h"),
    }
}

/// `30m`, `2h`, `1d`, `45s` in seconds.
///
/// # Errors
/// It is none of these.
pub fn seconds(text: &str) -> Result<u64, Failure> {
    let read = || {
        let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        let factor = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 3_600,
            "d" => 86_400,
            _ => return None,
        };
        let digits = number.bytes().all(|b| b.is_ascii_digit());
        number.parse::<u64>().ok().filter(|n| digits && *n > 0)?.checked_mul(factor).filter(|s| *s <= 366 * 86_400)
    };
    read().ok_or_else(|| Failure::new(format!("{text} is no time")).hint("write 45s, 30m, 2h or 1d; at most a year"))
}
