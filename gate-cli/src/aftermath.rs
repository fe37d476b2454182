//! What is kept of a decision once its answer is out: counters of the session, good versions of settings, which notices
//! were shown. Nothing here changes or delays a decision; what cannot be kept is lost.

use std::sync::mpsc;
use std::time::Duration;

use gate_core::{Call, Decision, limits, redact::redact};
use gate_trust::files::{remember, remembered};
use gate_trust::{CounterStore, Pending, SeenVersions, pending};

use crate::setup::{Setup, now};

/// Longest action of a call that is kept, in characters.
const ACTION: usize = 300;
/// Most lines of a waiting file in a notice.
const LINES: usize = 12;

/// What is to be kept.
pub struct Aftermath {
    setup: Setup,
    tool: String,
    action: String,
    decision: Decision,
    shown: Vec<String>,
}

impl Aftermath {
    /// Of this decision. `shown`: the notices that went out with it.
    #[must_use]
    pub fn of(setup: Setup, call: &Call, decision: &Decision, notice: Option<Notice>) -> Self {
        let action: String =
            call.command().or_else(|| call.path()).or_else(|| call.url()).unwrap_or_default().chars().take(ACTION).collect();
        let shown = notice.map(|n| n.versions).unwrap_or_default();
        Self { setup, tool: call.tool.name.clone(), action: redact(&action).into_owned(), decision: decision.clone(), shown }
    }

    /// Keeps it. What may wait for the disk does so on a thread of its own, not longer than observers may.
    pub fn keep(self) {
        self.count();
        if self.shown.is_empty() && remembered(&self.setup.places, &self.setup.loaded) {
            return;
        }
        let (send, done) = mpsc::channel();
        let worker = std::thread::Builder::new().spawn(move || {
            let state = &self.setup.places.state_dir;
            if let Some((host, session)) = &self.setup.session {
                let seen = SeenVersions::noticed(state, host, session);
                for version in &self.shown {
                    let _ = seen.add(version);
                }
            }
            let _ = remember(&self.setup.places, &self.setup.loaded);
            let _ = send.send(());
        });
        if worker.is_ok() {
            let _ = done.recv_timeout(Duration::from_millis(limits::OBSERVE_MS));
        }
    }

    fn count(&self) {
        let Some((host, session)) = &self.setup.session else { return };
        let (state, project) = (&self.setup.places.state_dir, &self.setup.project);
        let _ = CounterStore::of_session(state, host, session).update(|c| {
            c.of(host, session, project);
            c.count(&self.decision, &self.tool, &self.action, now());
        });
    }
}

/// What a person should hear of, once for each version in each session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// For the person.
    pub text: String,
    versions: Vec<String>,
}

/// Project files that wait for a yes and that this session has not heard of yet.
#[must_use]
pub fn notice(setup: &Setup) -> Option<Notice> {
    let sources = &setup.loaded.sources;
    let waits = sources.local.is_some() && !sources.local_approved || sources.permissions.is_some() && !sources.permissions_approved;
    let (host, session) = setup.session.as_ref().filter(|_| waits)?;
    let state = &setup.places.state_dir;
    let heard = [SeenVersions::noticed(state, host, session), SeenVersions::refused(state, host, session)];
    let mut new = pending(&setup.places, &setup.loaded);
    new.retain(|p| !heard.iter().any(|h| h.has(&p.sha256)));
    if new.is_empty() {
        return None;
    }
    let text = new.iter().map(told).collect::<Vec<_>>().join("\n");
    Some(Notice { text, versions: new.into_iter().map(|p| p.sha256).collect() })
}

fn told(file: &Pending) -> String {
    let why = if file.changed { "has changed since it was approved" } else { "is not approved" };
    let mut text = format!("gate: {} {why} and has no effect. To look at it and approve it, run in a terminal: gate trust", file.path);
    for line in file.warnings.iter().chain(&file.lines).take(LINES) {
        text.push_str(&format!("\n  {line}"));
    }
    let more = (file.warnings.len() + file.lines.len()).saturating_sub(LINES);
    if more > 0 {
        text.push_str(&format!("\n  … and {more} more"));
    }
    text
}

/// A session has ended: what was approved or refused for it goes. What was switched for it stays, since a strict mode
/// must not end by an event that anybody can send.
pub fn ended(host: &str, session: &str, home: Option<String>) {
    let setup = Setup::new(&crate::setup::Around { hook: true, home, ..crate::setup::Around::default() });
    let state = &setup.places.state_dir;
    let _ = gate_trust::SessionStore::new(state, host, session).clear();
    let _ = SeenVersions::refused(state, host, session).clear();
    let _ = SeenVersions::noticed(state, host, session).clear();
}

/// After a person's command: the present settings are the ones to fall back on, when they are good.
pub fn keep_good_settings() {
    let setup = Setup::new(&crate::setup::Around::default());
    // Without it a file that breaks later loses its denies, no more; hooks try again.
    let _ = remember(&setup.places, &setup.loaded);
}
