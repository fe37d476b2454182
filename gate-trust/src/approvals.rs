//! Approvals of project files by hash: which version of `.gate/gate.local.json` and `.gate/permissions.json` a person
//! said yes to, for which canonical project root. Session approvals are in `sessions`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::files::{Lock, WriteError, sweep, write_private};

/// Version of the store's format. A store of another version is not read: nothing is approved then.
const VERSION: u32 = 1;
/// Approvals hold for one major version of the gate.
const GATE: &str = env!("CARGO_PKG_VERSION_MAJOR");

/// A file of a project that counts only when approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ProjectFile {
    /// `.gate/gate.local.json`.
    #[serde(rename = "gate.local.json")]
    Local,
    /// `.gate/permissions.json`.
    #[serde(rename = "permissions.json")]
    Permissions,
}

impl ProjectFile {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Local, Self::Permissions];

    /// The name inside `.gate/`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Local => "gate.local.json",
            Self::Permissions => "permissions.json",
        }
    }
}

/// One approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileApproval {
    /// The canonical root of the project.
    pub project: String,
    /// Which file.
    pub file: ProjectFile,
    /// SHA-256 of its bytes, lower-case hexadecimal.
    pub sha256: String,
    /// When, in seconds since 1970.
    pub at: u64,
    /// Major version of the gate.
    pub gate: String,
}

#[derive(Default, Serialize, Deserialize)]
struct Stored {
    version: u32,
    files: Vec<FileApproval>,
    /// Keys of later versions; kept.
    #[serde(flatten)]
    rest: BTreeMap<String, serde_json::Value>,
}

/// The store. Opening it touches nothing; every method reads afresh, so that a change counts for the next call.
#[derive(Clone, Debug)]
pub struct ApprovalStore {
    state_dir: PathBuf,
}

/// How a line differs between two versions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// In both.
    Same(String),
    /// Only in the approved version.
    Removed(String),
    /// Only in the present version.
    Added(String),
}

impl ApprovalStore {
    /// The store in a state folder.
    #[must_use]
    pub fn new(state_dir: &Path) -> Self {
        Self { state_dir: state_dir.to_path_buf() }
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.state_dir.join("approvals.json")
    }

    fn text_path(&self, sha256: &str) -> PathBuf {
        self.state_dir.join("approved").join(format!("{sha256}.json"))
    }

    /// What is stored. A store that cannot be read approves nothing.
    fn read(&self) -> Result<Stored, String> {
        let path = self.path();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Stored { version: VERSION, ..Stored::default() }),
            Err(e) => return Err(e.to_string()),
        };
        let stored: Stored = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        if stored.version != VERSION {
            return Err(format!("it has version {}, this program reads {VERSION}", stored.version));
        }
        Ok(stored)
    }

    /// Why the store cannot be read, if so.
    #[must_use]
    pub fn fault(&self) -> Option<String> {
        self.read().err()
    }

    /// Was this very version of the file approved for this very root? Nested projects and work trees have their own.
    #[must_use]
    pub fn is_approved(&self, project: &Path, file: ProjectFile, bytes: &[u8]) -> bool {
        let Some(found) = self.find(project, file) else { return false };
        found.sha256 == hex_digest(bytes)
    }

    fn find(&self, project: &Path, file: ProjectFile) -> Option<FileApproval> {
        let project = project.to_str()?;
        let stored = self.read().ok()?;
        stored.files.into_iter().find(|f| f.project == project && f.file == file && f.gate == GATE)
    }

    /// The text of the last approved version.
    #[must_use]
    pub fn last(&self, project: &Path, file: ProjectFile) -> Option<String> {
        let sha256 = self.find(project, file)?.sha256;
        let text = fs::read_to_string(self.text_path(&sha256)).ok()?;
        (hex_digest(text.as_bytes()) == sha256).then_some(text)
    }

    /// Every approval, by project.
    #[must_use]
    pub fn list(&self) -> Vec<FileApproval> {
        let mut files = self.read().map(|s| s.files).unwrap_or_default();
        files.sort_by(|a, b| (&a.project, a.file).cmp(&(&b.project, b.file)));
        files
    }

    /// Approves this version, instead of an earlier one. `at`: seconds since 1970.
    ///
    /// # Errors
    /// When the root is no UTF-8, or the store cannot be read or written.
    pub fn approve(&self, project: &Path, file: ProjectFile, bytes: &[u8], at: u64) -> Result<(), WriteError> {
        let Some(root) = project.to_str() else { return Err(self.refused("the project's path is not UTF-8")) };
        let sha256 = hex_digest(bytes);
        let text_path = self.text_path(&sha256);
        if let Some(folder) = text_path.parent() {
            let _lock = Lock::of(folder)?;
            write_private(&text_path, bytes)?;
        }
        self.change(|stored| {
            stored.files.retain(|f| f.project != root || f.file != file);
            stored.files.push(FileApproval { project: root.to_owned(), file, sha256, at, gate: GATE.to_owned() });
        })
    }

    /// Takes approvals of a project back, of one file or (`None`) of both. How many there were.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn revoke(&self, project: &Path, file: Option<ProjectFile>) -> Result<usize, WriteError> {
        let mut gone = 0;
        self.change(|stored| {
            let before = stored.files.len();
            stored.files.retain(|f| Path::new(&f.project) != project || file.is_some_and(|x| x != f.file));
            gone = before - stored.files.len();
        })?;
        Ok(gone)
    }

    fn refused(&self, why: &str) -> WriteError {
        WriteError::Refused { path: self.path(), why: why.to_owned() }
    }

    fn change(&self, edit: impl FnOnce(&mut Stored)) -> Result<(), WriteError> {
        let _lock = Lock::of(&self.state_dir)?;
        let mut stored = self.read().map_err(|why| self.refused(&why))?;
        edit(&mut stored);
        let text = serde_json::to_vec_pretty(&stored).map_err(|e| self.refused(&e.to_string()))?;
        sweep(&self.path());
        write_private(&self.path(), &text)
    }

    /// The present version against the last approved one, line by line, safe to print.
    #[must_use]
    pub fn diff(&self, project: &Path, file: ProjectFile, present: &str) -> Vec<Change> {
        diff(&self.last(project, file).unwrap_or_default(), present)
    }
}

/// Lower-case hexadecimal SHA-256.
#[must_use]
pub fn hex_digest(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(64);
    for b in Sha256::digest(bytes) {
        for half in [b >> 4, b & 15] {
            out.push(char::from_digit(u32::from(half), 16).unwrap_or('0'));
        }
    }
    out
}

/// Longest common subsequence by lines; past a size the whole is shown as replaced.
fn diff(old: &str, new: &str) -> Vec<Change> {
    let shown = |s: &&str| crate::json::shown_whole(s);
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    if old.len().saturating_mul(new.len()) > 4_000_000 {
        let removed = old.iter().map(|l| Change::Removed(shown(l)));
        return removed.chain(new.iter().map(|l| Change::Added(shown(l)))).collect();
    }
    let width = new.len() + 1;
    let mut table = vec![0u32; (old.len() + 1) * width];
    let cell = |t: &[u32], i: usize, j: usize| t.get(i * width + j).copied().unwrap_or(0);
    for (i, a) in old.iter().enumerate().rev() {
        for (j, b) in new.iter().enumerate().rev() {
            let best = if a == b { cell(&table, i + 1, j + 1) + 1 } else { cell(&table, i + 1, j).max(cell(&table, i, j + 1)) };
            if let Some(c) = table.get_mut(i * width + j) {
                *c = best;
            }
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    loop {
        match (old.get(i), new.get(j)) {
            (Some(a), Some(b)) if a == b => {
                out.push(Change::Same(shown(a)));
                i += 1;
                j += 1;
            }
            (Some(a), b) if b.is_none() || cell(&table, i + 1, j) >= cell(&table, i, j + 1) => {
                out.push(Change::Removed(shown(a)));
                i += 1;
            }
            (_, Some(b)) => {
                out.push(Change::Added(shown(b)));
                j += 1;
            }
            _ => return out,
        }
    }
}
