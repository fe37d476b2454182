//! What `gate doctor` and `gate status` say of settings, trust and state: facts with the command that mends each.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use gate_core::{Mode, Source};
use serde::Serialize;

use crate::approvals::{ApprovalStore, ProjectFile};
use crate::files::{Loaded, Places};
use crate::finding::Severity;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Check {
    /// Stable name.
    pub name: &'static str,
    /// It is as it should be.
    pub ok: bool,
    /// What was found.
    pub message: String,
    /// What mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mend: Option<String>,
}

/// How much each source contributes, for `gate status`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Deny entries in force.
    pub deny: usize,
    /// Ask entries.
    pub ask: usize,
    /// Allow entries.
    pub allow: usize,
    /// Ordered rules.
    pub rules: usize,
    /// Denied paths.
    pub denied_paths: usize,
}

/// The numbers of entries in force.
#[must_use]
pub const fn counts(loaded: &Loaded) -> Counts {
    let s = &loaded.snapshot.settings;
    Counts { deny: s.deny.len(), ask: s.ask.len(), allow: s.allow.len(), rules: s.rules.len(), denied_paths: s.denied_paths.len() }
}

impl Check {
    /// As it should be.
    #[must_use]
    pub fn good(name: &'static str, message: impl Into<String>) -> Self {
        Self { name, ok: true, message: message.into(), mend: None }
    }

    /// Wrong, with the command or act that mends it.
    #[must_use]
    pub fn bad(name: &'static str, message: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { name, ok: false, message: message.into(), mend: Some(mend.into()) }
    }
}

fn good(name: &'static str, message: impl Into<String>) -> Check {
    Check::good(name, message)
}

fn bad(name: &'static str, message: impl Into<String>, mend: impl Into<String>) -> Check {
    Check::bad(name, message, mend)
}

/// Everything that this crate can say about the set-up. Reads only.
#[must_use]
pub fn checks(places: &Places, loaded: &Loaded) -> Vec<Check> {
    let mut out = vec![sources(loaded)];
    out.extend(findings(loaded));
    out.push(state_folder(&places.state_dir));
    out.push(approvals(places));
    out.extend(pending(places, loaded));
    out.push(switch(loaded));
    out
}

fn sources(loaded: &Loaded) -> Check {
    let s = &loaded.sources;
    let all =
        [("managed", &s.managed), ("user", &s.user), ("project-shared", &s.shared), ("project-local", &s.local), ("inline", &s.inline)];
    let there: Vec<&str> = all.iter().filter(|(_, t)| t.is_some()).map(|(n, _)| *n).collect();
    let text = if there.is_empty() {
        "no settings files; the defaults are in force".to_owned()
    } else {
        format!("settings from: {}", there.join(", "))
    };
    good("sources", text)
}

/// Findings that are more than notes; unapproved files have a check of their own.
fn findings(loaded: &Loaded) -> Vec<Check> {
    let own = |code: &str| matches!(code, "unapproved");
    let worth = loaded.snapshot.findings.iter().filter(|f| f.severity >= Severity::Warning && !own(f.code));
    let out: Vec<Check> = worth
        .map(|f| {
            let line = if f.line > 0 { format!(":{}", f.line) } else { String::new() };
            let key = if f.key.is_empty() { String::new() } else { format!("{}: ", f.key) };
            let edit = || format!("edit {}{line}", f.file);
            bad("settings", format!("{}{line}: {key}{}", f.file, f.message), f.hint.clone().unwrap_or_else(edit))
        })
        .collect();
    if out.is_empty() { vec![good("settings", "every settings file is read in full")] } else { out }
}

fn state_folder(state: &Path) -> Check {
    let Ok(m) = fs::metadata(state) else { return good("state-folder", "not made yet") };
    let me = rustix::process::geteuid().as_raw();
    let shown = state.display();
    if !m.is_dir() {
        return bad("state-folder", format!("{shown} is no folder"), format!("mv {shown} {shown}.old"));
    }
    if m.uid() != me {
        return bad("state-folder", format!("{shown} belongs to user id {}", m.uid()), format!("sudo chown -R \"$(id -u)\" {shown}"));
    }
    if m.mode() & 0o077 != 0 {
        return bad("state-folder", format!("other users can look into {shown}"), format!("chmod 700 {shown}"));
    }
    if rustix::fs::access(state, rustix::fs::Access::WRITE_OK).is_err() {
        return bad("state-folder", format!("{shown} cannot be written"), format!("chmod u+w {shown}"));
    }
    good("state-folder", format!("{shown} is private"))
}

fn approvals(places: &Places) -> Check {
    let store = ApprovalStore::new(&places.state_dir);
    match store.fault() {
        Some(why) => {
            let path = store.path().display().to_string();
            bad(
                "approvals",
                format!("{path} cannot be read, so nothing is approved: {why}"),
                format!("mv {path} {path}.old, then gate trust"),
            )
        }
        None => good("approvals", format!("{} project files are approved", store.list().len())),
    }
}

/// Project files that wait for a yes.
fn pending(places: &Places, loaded: &Loaded) -> Vec<Check> {
    let s = &loaded.sources;
    let waits = [
        (ProjectFile::Local, s.local.is_some() && !s.local_approved),
        (ProjectFile::Permissions, s.permissions.is_some() && !s.permissions_approved),
    ];
    let store = ApprovalStore::new(&places.state_dir);
    let one = |(file, _): (ProjectFile, bool)| {
        let known = places.project_root.as_deref().is_some_and(|root| store.last(root, file).is_some());
        let why = if known { "has changed since it was approved" } else { "was never approved" };
        bad("trust", format!(".gate/{} {why}; it has no effect", file.name()), "gate trust")
    };
    waits.into_iter().filter(|(_, w)| *w).map(one).collect()
}

fn switch(loaded: &Loaded) -> Check {
    let set = &loaded.snapshot.settings;
    if !set.enabled {
        return bad("enabled", "the gate is switched off: every call runs", "gate mode on");
    }
    let by = |key: &str| {
        let e = loaded.snapshot.setters.iter().rev().find(|s| s.key == key && s.state == crate::State::InForce);
        e.map_or_else(|| "the default".to_owned(), |s| if s.source == Source::BuiltIn { String::new() } else { s.file.clone() })
    };
    let mode = match set.mode {
        Mode::Yolo => "yolo: nothing asks, denies stand",
        Mode::Auto => "auto",
        Mode::Approve => "approve",
        Mode::Strict => "strict",
    };
    good("mode", format!("{mode} (set by {})", by("mode")))
}
