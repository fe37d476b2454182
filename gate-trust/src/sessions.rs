//! Approvals that live as long as a host's session, or for one call. They only ever turn ask into allow.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use gate_core::{Call, Case, ProgramAt};
use serde::{Deserialize, Serialize};

use crate::approvals::hex_digest;
use crate::files::{Lock, WriteError, remove, session_file, sweep, write_private};

const VERSION: u32 = 1;
/// Most approvals of one session.
const MOST: usize = 1_000;

/// How long an approval lasts. Project and user scope are entries of settings files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// For one call.
    Once,
    /// As long as the session.
    Session,
}

/// One approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionApproval {
    /// Names it for `revoke`.
    #[serde(default)]
    pub id: String,
    /// How long it lasts.
    pub scope: Scope,
    /// What it covers, like an allow entry; `None`: only the identical call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// Digest of the call that was approved (see [`call_digest`]): that very call also passes floors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Where the programs of the approved call were. A program that has moved is another program.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub programs: BTreeMap<String, String>,
    /// When it was given, in seconds since 1970.
    pub at: u64,
    /// Until when it counts, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
}

impl SessionApproval {
    /// An approval of this case: `entry` for what it shall cover besides the identical call, `until` for its end.
    #[must_use]
    pub fn of(case: &Case<'_>, scope: Scope, entry: Option<String>, at: u64, until: Option<u64>) -> Self {
        Self { id: String::new(), scope, entry, call: Some(call_digest(case.call)), programs: programs(case), at, until }
    }

    /// An approval of an entry alone.
    #[must_use]
    pub fn of_entry(entry: impl Into<String>, scope: Scope, at: u64, until: Option<u64>) -> Self {
        Self { id: String::new(), scope, entry: Some(entry.into()), call: None, programs: BTreeMap::new(), at, until }
    }
}

/// Digest of everything that makes a call the same: tool, input, folder and project.
#[must_use]
pub fn call_digest(call: &Call) -> String {
    let parts = (&call.tool.name, &call.input, &call.cwd, &call.project);
    // Serialising these types does not fail; if it did, no stored digest would be equal.
    serde_json::to_vec(&parts).map_or_else(|_| String::from("?"), |bytes| hex_digest(&bytes))
}

/// Where the bare program names of a case lead.
pub(crate) fn programs(case: &Case<'_>) -> BTreeMap<String, String> {
    let units = case.script.iter().flat_map(|s| &s.units);
    let names = units.filter_map(|u| u.program()).filter(|p| !p.is_empty() && !p.contains('/'));
    names.map(|name| (name.to_owned(), place(&case.facts.program(name)))).collect()
}

fn place(at: &ProgramAt) -> String {
    match at {
        ProgramAt::Trusted(path) => path.clone(),
        ProgramAt::Untrusted(path) => format!("untrusted:{path}"),
        ProgramAt::Missing => "missing".to_owned(),
    }
}

#[derive(Serialize, Deserialize)]
struct Stored {
    version: u32,
    host: String,
    session: String,
    approvals: Vec<SessionApproval>,
}

/// The approvals of one session of one host, in the state folder.
#[derive(Clone, Debug)]
pub struct SessionStore {
    folder: PathBuf,
    path: PathBuf,
    host: String,
    session: String,
}

impl SessionStore {
    /// The store; nothing is touched.
    #[must_use]
    pub fn new(state_dir: &Path, host: &str, session: &str) -> Self {
        let path = session_file(state_dir, host, session, "approvals");
        Self { folder: state_dir.join("sessions"), path, host: host.to_owned(), session: session.to_owned() }
    }

    /// The stores of every session.
    #[must_use]
    pub fn all(state_dir: &Path) -> Vec<Self> {
        let Ok(entries) = fs::read_dir(state_dir.join("sessions")) else { return Vec::new() };
        let files = entries.flatten().map(|e| e.path()).filter(|p| p.to_string_lossy().ends_with(".approvals.json"));
        let read = |p: PathBuf| -> Option<Self> {
            let stored: Stored = serde_json::from_str(&fs::read_to_string(&p).ok()?).ok()?;
            Some(Self::new(state_dir, &stored.host, &stored.session)).filter(|s| s.path == p)
        };
        let mut all: Vec<Self> = files.filter_map(read).collect();
        all.sort_by(|a, b| a.path.cmp(&b.path));
        all
    }

    /// The host.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The host's name of the session.
    #[must_use]
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        self.path.clone()
    }

    fn read(&self) -> Result<Vec<SessionApproval>, String> {
        let text = match fs::read_to_string(self.path()) {
            Ok(text) => text,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(e.to_string()),
        };
        let stored: Stored = serde_json::from_str(&text).map_err(|e| e.to_string())?;
        let same = stored.version == VERSION && stored.host == self.host && stored.session == self.session;
        if same { Ok(stored.approvals) } else { Err("it is of another version or session".to_owned()) }
    }

    /// What counts at this time. A store that cannot be read approves nothing.
    #[must_use]
    pub fn list(&self, now: u64) -> Vec<SessionApproval> {
        let mut all = self.read().unwrap_or_default();
        all.retain(|a| a.until.is_none_or(|until| now < until));
        all
    }

    /// Adds an approval; its id.
    ///
    /// # Errors
    /// When the store cannot be read or written, or is full.
    pub fn add(&self, mut approval: SessionApproval) -> Result<String, WriteError> {
        let mut id = String::new();
        self.change(|all| {
            let taken = |id: &str| all.iter().any(|a| a.id == id);
            let mut n = all.len();
            loop {
                let digest =
                    hex_digest(format!("{}\0{}\0{n}\0{:?}\0{:?}", self.session, approval.at, approval.entry, approval.call).as_bytes());
                id = digest.get(..10).unwrap_or(&digest).to_owned();
                if !taken(&id) {
                    break;
                }
                n += 1;
            }
            approval.id.clone_from(&id);
            if all.len() >= MOST {
                return Err(format!("the session has {MOST} approvals already"));
            }
            all.push(approval);
            Ok(())
        })?;
        Ok(id)
    }

    /// Takes one approval back. `false`: there is none of that id.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn revoke(&self, id: &str) -> Result<bool, WriteError> {
        let mut found = false;
        self.change(|all| {
            let before = all.len();
            all.retain(|a| a.id != id);
            found = all.len() < before;
            Ok(())
        })?;
        Ok(found)
    }

    /// Uses up approvals for one call: all of them, or none (`false`) when one is gone already.
    #[must_use]
    pub fn take(&self, ids: &[String]) -> bool {
        let all_there = |all: &[SessionApproval]| ids.iter().all(|id| all.iter().any(|a| a.id == *id));
        let result = self.change(|all| {
            if !all_there(all) {
                return Err("used already".to_owned());
            }
            all.retain(|a| !ids.contains(&a.id));
            Ok(())
        });
        result.is_ok()
    }

    /// Forgets the session.
    ///
    /// # Errors
    /// When the file is there and cannot be removed.
    pub fn clear(&self) -> Result<(), WriteError> {
        let path = self.path();
        if !path.exists() {
            return Ok(());
        }
        let _lock = Lock::of(&self.folder)?;
        remove(&path)
    }

    fn change(&self, edit: impl FnOnce(&mut Vec<SessionApproval>) -> Result<(), String>) -> Result<(), WriteError> {
        let path = self.path();
        let refused = |why: String| WriteError::Refused { path: path.clone(), why };
        let _lock = Lock::of(&self.folder)?;
        let mut approvals = self.read().map_err(refused)?;
        edit(&mut approvals).map_err(refused)?;
        let stored = Stored { version: VERSION, host: self.host.clone(), session: self.session.clone(), approvals };
        let text = serde_json::to_vec_pretty(&stored).map_err(|e| refused(e.to_string()))?;
        sweep(&path);
        write_private(&path, &text)
    }
}
