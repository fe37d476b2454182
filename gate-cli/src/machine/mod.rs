//! Facts of the real machine. Reads files and folders, starts no process; every look-up is bounded.

mod account;
mod environment;
mod git;
mod resolve;

pub use account::account_home;

use std::collections::HashMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use gate_core::{Facts, GitConfig, PathKind, ProgramAt, Resolved, path};

/// Folders of temporary files, in which anyone may write.
const TEMPORARY: [&str; 4] = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp"];

/// Most folders whose git configuration is read for one call; of further ones nothing is known.
const REPOSITORIES: usize = 64;

/// Most folders that are searched upwards for files of a project.
const FOLDERS: usize = 32;

/// Largest file in bytes of which is said that it does not hold a text.
const LOADED_BYTES: u64 = 256 * 1024;

/// This machine, seen for one user and one project during one call.
pub struct Machine {
    home: String,
    project: String,
    trusted: bool,
    search: Vec<String>,
    repositories: Mutex<HashMap<String, Option<GitConfig>>>,
}

impl Machine {
    /// For this home and project. `trusted`: the host did not take trust away.
    #[must_use]
    pub fn new(home: &str, project: &str, trusted: bool) -> Self {
        let search = std::env::var("PATH").unwrap_or_default().split(':').map(ToOwned::to_owned).collect();
        Self { home: home.to_owned(), project: project.to_owned(), trusted, search, repositories: Mutex::default() }
    }

    /// May a program in this folder be what its name says?
    fn trusts(&self, folder: &str) -> bool {
        let placed = folder.starts_with('/') && !path::within(folder, &self.project) && !TEMPORARY.iter().any(|t| path::within(folder, t));
        let closed = std::fs::metadata(folder)
            .is_ok_and(|m| m.permissions().mode() & 0o022 == 0 || (m.gid() == 0 && m.permissions().mode() & 0o002 == 0));
        placed && closed
    }
}

/// Is the file there, with that text in it? In doubt it is.
fn held(file: &str, text: &str) -> bool {
    let Ok(meta) = std::fs::metadata(file) else { return std::fs::symlink_metadata(file).is_ok() };
    if text.is_empty() {
        return true;
    }
    if !meta.is_file() || meta.len() > LOADED_BYTES {
        return true;
    }
    std::fs::read(file).map_or(true, |bytes| String::from_utf8_lossy(&bytes).contains(text))
}

fn runnable(file: &Path) -> bool {
    std::fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

impl Facts for Machine {
    fn kind(&self, at: &str) -> PathKind {
        match std::fs::symlink_metadata(at) {
            Ok(m) if m.is_dir() => PathKind::Dir,
            Ok(m) if m.is_file() => PathKind::File,
            Ok(_) => PathKind::Unknown,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => PathKind::Missing,
            Err(_) => PathKind::Unknown,
        }
    }
    fn resolve(&self, at: &str) -> Resolved {
        resolve::resolve(at)
    }
    fn program(&self, name: &str) -> ProgramAt {
        for folder in &self.search {
            // What a relative part (or an empty one: the working directory) holds depends on where the command is by then.
            if !folder.starts_with('/') {
                return ProgramAt::Untrusted(format!(
                    "{name} in {} of the search path",
                    if folder.is_empty() { "an empty part" } else { folder }
                ));
            }
            let file = Path::new(folder).join(name);
            if !runnable(&file) {
                continue;
            }
            let real = std::fs::canonicalize(&file).unwrap_or_else(|_| file.clone());
            let real_folder = real.parent().map(|p| p.display().to_string()).unwrap_or_default();
            let good = self.trusts(folder) && self.trusts(&real_folder);
            let at = file.display().to_string();
            return if good { ProgramAt::Trusted(at) } else { ProgramAt::Untrusted(at) };
        }
        ProgramAt::Missing
    }
    fn git_config(&self, dir: &str) -> Option<GitConfig> {
        // One call may start git often.
        let mut known = self.repositories.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(c) = known.get(dir) {
            return c.clone();
        }
        if known.len() >= REPOSITORIES {
            return Some(GitConfig { unreadable: true, ..GitConfig::default() });
        }
        let found = git::config(dir, &self.home);
        known.insert(dir.to_owned(), found.clone());
        found
    }
    fn tracked(&self, at: &str) -> bool {
        git::tracked(&self.project, at)
    }
    fn trusted_project(&self) -> bool {
        self.trusted
    }
    fn foreign_variable(&self, wanted: &dyn Fn(&str) -> bool) -> Option<String> {
        environment::foreign(std::env::vars_os(), wanted, &self.project)
    }
    fn holds(&self, dir: &str, name: &str, text: &str) -> bool {
        // Above the project, and in the home, stands what the person put there.
        let last = |folder: &str| folder == self.project;
        let mut folder = Some(dir.trim_end_matches('/'));
        for _ in 0..FOLDERS {
            let Some(at) = folder.filter(|f| !f.is_empty() && *f != self.home) else { return false };
            if held(&format!("{at}/{name}"), text) {
                return true;
            }
            if last(at) {
                return false;
            }
            folder = at.rsplit_once('/').map(|(parent, _)| parent);
        }
        false
    }
    fn case_insensitive(&self) -> bool {
        cfg!(any(target_os = "macos", target_os = "windows"))
    }
}
