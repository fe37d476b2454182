//! What settings files may say, who wins, what is reported.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod approvals;
mod diagnostics;
mod durability;
mod files;
mod import;
mod invariants;
mod never_crash;
mod precedence;
mod schema;
mod table;

use gate_trust::{Snapshot, SourceText, Sources, snapshot};

/// Sources of a trusted project whose local file is approved.
fn sources() -> Sources {
    Sources { local_approved: true, permissions_approved: true, ..Sources::default() }
}

fn text(name: &str, text: &str) -> Option<SourceText> {
    Some(SourceText::new(name, text))
}

fn user(body: &str) -> Snapshot {
    snapshot(&Sources { user: text("user.json", body), ..sources() })
}

fn shared(body: &str) -> Snapshot {
    snapshot(&Sources { shared: text("shared.json", body), ..sources() })
}

fn lines(snap: &Snapshot) -> String {
    snap.findings.iter().map(|f| format!("{f}\n")).collect()
}
