//! Project files that wait for a yes: what they would do, shown before the yes; and a no, remembered for the session.

use std::fs;
use std::path::{Path, PathBuf};

use gate_core::{Opinion, Settings, Tree};
use serde::{Deserialize, Serialize};

use crate::approvals::{ApprovalStore, Change, ProjectFile, hex_digest};
use crate::files::{Loaded, Lock, Places, WriteError, sweep, write_private};
use crate::json::shown_whole as shown;
use crate::snapshot::{Sources, snapshot};
use crate::tree;

/// One file that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pending {
    /// Which.
    pub file: ProjectFile,
    /// Where.
    pub path: String,
    /// SHA-256 of the version that was read, and that a yes is about.
    pub sha256: String,
    /// An earlier version was approved.
    pub changed: bool,
    /// What it says, one line for each command, entry or key; long values of other keys are shortened, the diff is not.
    pub lines: Vec<String>,
    /// The difference to the approved version; everything when there is none.
    pub diff: Vec<Change>,
    /// What a person should not overlook in it.
    pub warnings: Vec<String>,
}

/// The files that wait for a yes, of a trusted project.
#[must_use]
pub fn pending(places: &Places, loaded: &Loaded) -> Vec<Pending> {
    let s = &loaded.sources;
    let Some(root) = places.project_root.as_deref().filter(|_| s.trusted_project) else { return Vec::new() };
    let store = ApprovalStore::new(&places.state_dir);
    let waits = [
        (ProjectFile::Local, s.local.as_ref().filter(|_| !s.local_approved && !s.local_tracked)),
        (ProjectFile::Permissions, s.permissions.as_ref().filter(|_| !s.permissions_approved)),
    ];
    let mut out = Vec::new();
    for (file, text) in waits {
        let Some((path, Ok(body))) = text.map(|t| (t.name.clone(), t.text.as_ref())) else { continue };
        let (lines, warnings) = contents(file, s);
        let changed = store.last(root, file).is_some();
        out.push(Pending { file, path, sha256: hex_digest(body.as_bytes()), changed, lines, diff: store.diff(root, file, body), warnings });
    }
    out
}

/// What a file would do, as if it were the only one and approved.
fn contents(file: ProjectFile, sources: &Sources) -> (Vec<String>, Vec<String>) {
    let mut alone = Sources { local_approved: true, permissions_approved: true, ..Sources::default() };
    match file {
        ProjectFile::Local => alone.local.clone_from(&sources.local),
        ProjectFile::Permissions => alone.permissions.clone_from(&sources.permissions),
    }
    let snap = snapshot(&alone);
    let settings = &snap.settings;
    let mut warnings = warnings(settings);
    warnings.extend(snap.findings.iter().map(ToString::to_string));
    let commands = settings.commands.as_ref().map(tree::leaf_lines).unwrap_or_default();
    if file == ProjectFile::Permissions {
        return (commands, warnings);
    }
    let mut lines: Vec<String> = Vec::new();
    for (word, entries) in [("deny", &settings.deny), ("ask", &settings.ask), ("allow", &settings.allow)] {
        lines.extend(entries.iter().map(|e| format!("{word} {}", shown(&e.text))));
    }
    lines.extend(
        settings.rules.iter().map(|r| format!("rule {}: {} {} -> {}", shown(&r.id), shown(&r.tool), shown(&r.pattern), word(r.action))),
    );
    lines.extend(commands.into_iter().map(|c| format!("allow command {c}")));
    let listed = ["permissions.deny", "permissions.ask", "permissions.allow", "rules", "commands"];
    lines.extend(snap.setters.iter().filter(|s| !listed.contains(&s.key)).map(|s| format!("{} = {}", s.key, s.value)));
    (lines, warnings)
}

const fn word(opinion: Opinion) -> &'static str {
    match opinion {
        Opinion::Allow => "allow",
        Opinion::Ask => "ask",
        Opinion::Deny => "deny",
    }
}

fn warnings(settings: &Settings) -> Vec<String> {
    let mut out = Vec::new();
    if !settings.enabled {
        out.push("it switches the gate off: every call runs".to_owned());
    }
    if settings.mode == gate_core::Mode::Yolo {
        out.push("it switches to yolo mode: nothing asks".to_owned());
    }
    if settings.commands == Some(Tree::Any) {
        out.push("it allows every command".to_owned());
    }
    let rules = settings.rules.iter().filter(|r| r.action == Opinion::Allow).map(|r| format!("{}: {}", shown(&r.id), shown(&r.pattern)));
    out.extend(rules.map(|r| format!("the rule {r} may override danger rules")));
    let shell = |text: &str| text.trim_start_matches('@').get(..5).is_some_and(|h| h.eq_ignore_ascii_case("bash("));
    let entries = settings.allow.iter().filter(|e| shell(&e.text));
    out.extend(entries.map(|e| format!("the entry {} may override danger rules", shown(&e.text))));
    out
}

/// Versions of project files that one session has dealt with.
#[derive(Clone, Debug)]
pub struct SeenVersions {
    path: PathBuf,
}

#[derive(Default, Serialize, Deserialize)]
struct Stored {
    versions: Vec<String>,
}

impl SeenVersions {
    /// Those that a person said no to; the no lasts as long as the session.
    #[must_use]
    pub fn refused(state_dir: &Path, host: &str, session: &str) -> Self {
        Self { path: crate::files::session_file(state_dir, host, session, "refused") }
    }

    /// Those that a person was told of.
    #[must_use]
    pub fn noticed(state_dir: &Path, host: &str, session: &str) -> Self {
        Self { path: crate::files::session_file(state_dir, host, session, "noticed") }
    }

    fn read(&self) -> Stored {
        // What cannot be read is asked again; a no that is lost costs a question, no more.
        fs::read_to_string(&self.path).ok().and_then(|t| serde_json::from_str(&t).ok()).unwrap_or_default()
    }

    /// Is this version among them?
    #[must_use]
    pub fn has(&self, sha256: &str) -> bool {
        self.read().versions.iter().any(|r| r == sha256)
    }

    /// Adds a version.
    ///
    /// # Errors
    /// When the state folder cannot be written.
    pub fn add(&self, sha256: &str) -> Result<(), WriteError> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let _lock = Lock::of(folder)?;
        let mut stored = self.read();
        if !stored.versions.iter().any(|r| r == sha256) {
            stored.versions.push(sha256.to_owned());
        }
        let text = serde_json::to_vec(&stored).map_err(|e| WriteError::Refused { path: self.path.clone(), why: e.to_string() })?;
        sweep(&self.path);
        write_private(&self.path, &text)
    }

    /// Forgets them.
    ///
    /// # Errors
    /// When the file is there and cannot be removed.
    pub fn clear(&self) -> Result<(), WriteError> {
        crate::files::remove(&self.path)
    }
}
