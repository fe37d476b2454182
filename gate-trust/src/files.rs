//! The real files: where they are, reading them with their reports, the key of hot reload. Explicit places only: this
//! crate reads no environment.

mod atomic;
mod last_good;
mod look;

use std::path::{Path, PathBuf};

use gate_core::Source;

pub use atomic::{Lock, WriteError, write_private};
pub(crate) use atomic::{sweep, write_scratch};
pub use last_good::{remember, remembered};
pub use look::Stamp;

use crate::approvals::{ApprovalStore, ProjectFile, hex_digest};
use crate::finding::{Finding, Severity};
use crate::mode::SwitchStore;
use crate::snapshot::{LastGood, Snapshot, SourceText, Sources, snapshot};
use look::Look;

/// Where the files of one user and one project are. Every folder is the gate's own (`…/gate`), all paths absolute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    /// The managed settings: `/etc/gate/gate.json`.
    pub managed: PathBuf,
    /// The folder of the user's settings: `$XDG_CONFIG_HOME/gate`.
    pub config_dir: PathBuf,
    /// The folder of state: `$XDG_STATE_HOME/gate`.
    pub state_dir: PathBuf,
    /// The canonical root of the project; `None`: no project.
    pub project_root: Option<PathBuf>,
}

impl Places {
    /// The user's settings.
    #[must_use]
    pub fn user_settings(&self) -> PathBuf {
        self.config_dir.join("gate.json")
    }
    /// `.gate/gate.json` of the project.
    #[must_use]
    pub fn shared_settings(&self) -> Option<PathBuf> {
        self.in_project("gate.json")
    }
    /// `.gate/gate.local.json` of the project.
    #[must_use]
    pub fn local_settings(&self) -> Option<PathBuf> {
        self.in_project("gate.local.json")
    }
    /// `.gate/permissions.json` of the project.
    #[must_use]
    pub fn permissions(&self) -> Option<PathBuf> {
        self.in_project("permissions.json")
    }
    fn in_project(&self, name: &str) -> Option<PathBuf> {
        self.project_root.as_ref().map(|root| root.join(".gate").join(name))
    }
}

/// A file of one session. Names of sessions are free text, so that the file's name is a digest.
pub(crate) fn session_file(state_dir: &Path, host: &str, session: &str, what: &str) -> PathBuf {
    let digest = hex_digest(format!("{host}\0{session}").as_bytes());
    state_dir.join("sessions").join(format!("{}.{what}.json", digest.get(..32).unwrap_or(&digest)))
}

/// Removes a file; one that is not there is removed already.
pub(crate) fn remove(path: &Path) -> Result<(), WriteError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(WriteError::Io { path: path.to_path_buf(), error }),
        _ => Ok(()),
    }
}

/// What the caller knows besides the files.
pub struct Context<'a> {
    /// `GATE_SETTINGS_JSON`, or the text of `--settings`, with the name that findings show.
    pub inline: Option<SourceText>,
    /// Inside a hook: inline settings only tighten.
    pub hook: bool,
    /// The host's trust flag; `false` takes trust away, `true` gives none.
    pub trusted_project: bool,
    /// Seconds since 1970.
    pub now: u64,
    /// The host and its session, when there is one: what was switched for it counts.
    pub session: Option<(&'a str, &'a str)>,
    /// Does the repository track this file? Asked only when the project-local file exists.
    pub tracked: &'a dyn Fn(&Path) -> bool,
}

impl Default for Context<'_> {
    fn default() -> Self {
        Self { inline: None, hook: false, trusted_project: true, now: 0, session: None, tracked: &|_| false }
    }
}

/// The state of all files that settings are made of. Equal keys: nothing has to be read again.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ReloadKey(Vec<Option<Stamp>>);

/// The present state of the files. One `stat` for each. Switches end by time and are read for each call.
#[must_use]
pub fn reload_key(places: &Places) -> ReloadKey {
    let store = ApprovalStore::new(&places.state_dir).path();
    let fixed = [places.managed.clone(), places.user_settings(), store];
    let project = [places.shared_settings(), places.local_settings(), places.permissions()];
    ReloadKey(fixed.into_iter().map(Some).chain(project).map(|p| p.and_then(|p| Stamp::of(&p))).collect())
}

/// Settings as they stand in the files.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The settings in force with all findings, those about the files themselves included.
    pub snapshot: Snapshot,
    /// What it was made of.
    pub sources: Sources,
    /// The state of the files before they were read.
    pub key: ReloadKey,
}

/// Reads all files and merges them. Never fails: what cannot be read is a rejected source.
#[must_use]
pub fn load(places: &Places, context: &Context<'_>) -> Loaded {
    let key = reload_key(places);
    let mut reports = Vec::new();
    let mut sources = read(places, context, &mut reports);
    let mut snap = snapshot(&sources);
    let needs_last = !snap.rejected.is_empty()
        || (sources.local.is_some() && !(sources.local_approved && !sources.local_tracked && sources.trusted_project));
    if needs_last {
        sources.last_good = last_good::of(places, &sources);
        if sources.last_good != LastGood::default() {
            snap = snapshot(&sources);
        }
    }
    snap.findings.append(&mut reports);
    Loaded { snapshot: snap, sources, key }
}

fn read(places: &Places, context: &Context<'_>, reports: &mut Vec<Finding>) -> Sources {
    let root = places.project_root.as_deref();
    let mut take = |path: Option<PathBuf>, source: Source| -> Option<(SourceText, PathBuf)> {
        let path = path?;
        let look = Look::at(&path, root.filter(|_| matches!(source, Source::ProjectShared | Source::ProjectLocal)))?;
        report(&look, &path, source, reports);
        Some((SourceText { name: path.display().to_string(), text: look.text, changed: look.changed, until: None }, path))
    };
    let managed = take(Some(places.managed.clone()), Source::Managed);
    let user = take(Some(places.user_settings()), Source::User);
    let shared = take(places.shared_settings(), Source::ProjectShared);
    let local = take(places.local_settings(), Source::ProjectLocal);
    let permissions = take(places.permissions(), Source::ProjectShared);
    let user_switch = SwitchStore::of_user(&places.state_dir);
    let session_switch = context.session.map(|(host, session)| SwitchStore::of_session(&places.state_dir, host, session));
    let store = ApprovalStore::new(&places.state_dir);
    let approved = |file: ProjectFile, text: Option<&SourceText>| match (root, text.map(|t| &t.text)) {
        (Some(root), Some(Ok(body))) => store.is_approved(root, file, body.as_bytes()),
        _ => false,
    };
    Sources {
        local_approved: approved(ProjectFile::Local, local.as_ref().map(|l| &l.0)),
        local_tracked: local.as_ref().is_some_and(|(_, path)| (context.tracked)(path)),
        permissions_approved: approved(ProjectFile::Permissions, permissions.as_ref().map(|p| &p.0)),
        managed: managed.map(|m| m.0),
        user: user.map(|u| u.0),
        shared: shared.map(|s| s.0),
        local: local.map(|l| l.0),
        permissions: permissions.map(|p| p.0),
        inline: context.inline.clone(),
        switches: std::iter::once(user_switch).chain(session_switch).filter_map(|s| s.source(context.now)).collect(),
        trusted_project: context.trusted_project,
        hook: context.hook,
        now: context.now,
        last_good: LastGood::default(),
    }
}

fn report(look: &Look, path: &Path, source: Source, reports: &mut Vec<Finding>) {
    let mut say = |severity, code, message: String, hint: String| {
        let (file, key) = (path.display().to_string(), String::new());
        reports.push(Finding { severity, code, source, file, line: 0, column: 0, key, message, hint: Some(hint) });
    };
    let shown = path.display();
    if let Some(target) = &look.link {
        let message = format!("it is a symbolic link to {}", target.display());
        say(Severity::Note, "symlink", message, "whoever can write the target writes these settings".to_owned());
    }
    // A shared file can only tighten, whoever writes it.
    if source == Source::ProjectShared {
        return;
    }
    if look.writable_by_others {
        say(Severity::Error, "writable-by-others", "other users can write it".to_owned(), format!("chmod go-w {shown}"));
    }
    if look.folder_writable_by_others {
        let folder = path.parent().unwrap_or(path).display();
        say(Severity::Error, "folder-writable-by-others", "other users can replace it".to_owned(), format!("chmod go-w {folder}"));
    }
    if let Some(uid) = look.foreign_owner(source) {
        say(Severity::Error, "foreign-owner", format!("it belongs to user id {uid}"), format!("chown it, or remove {shown}"));
    }
}
