//! From this machine to a decision: places of files, the settings snapshot, the call's paths, the engine.
//!
//! Environment variables that a project can inject never weaken the gate: the home is the one of the account unless the
//! caller says otherwise, XDG variables count outside of hooks only.

use std::path::{Path, PathBuf};

use gate_core::{Call, Log, limits, path};
use gate_trust::files::{self, Loaded, Places};
use gate_trust::{SessionStore, SourceText};

use crate::decide::{Approvals, Engine};
use crate::machine::{self, Machine};

/// Where the call comes from.
#[derive(Clone, Debug, Default)]
pub struct Around {
    /// Relative paths start here; empty: the process's own directory.
    pub cwd: String,
    /// The user's home; `None`: the account's.
    pub home: Option<String>,
    /// The host's project folder, when it names one.
    pub project: Option<String>,
    /// Inside a hook.
    pub hook: bool,
    /// `--settings FILE`: its text counts instead of the user's file.
    pub settings: Option<SourceText>,
    /// The host and its session, when there is one.
    pub session: Option<(String, String)>,
    /// The host says that the project is not trusted.
    pub untrusted: bool,
}

/// Everything for decisions in one place.
pub struct Setup {
    /// Absolute working directory.
    pub cwd: String,
    /// Absolute home.
    pub home: String,
    /// Absolute project root.
    pub project: String,
    /// Where the gate's files are.
    pub places: Places,
    /// The settings with their findings.
    pub loaded: Loaded,
    /// Facts of this machine.
    pub machine: Machine,
    /// The host and its session, when there is one.
    pub session: Option<(String, String)>,
}

impl Setup {
    /// Reads what stands on this machine.
    #[must_use]
    pub fn new(around: &Around) -> Self {
        let home = around.home.as_ref().map_or_else(machine::account_home, |h| path::resolve("/", h));
        let here = std::env::current_dir().map_or_else(|_| "/".to_owned(), |d| d.display().to_string());
        let cwd = path::resolve(&here, &around.cwd);
        let project = project_root(&cwd, around.project.as_deref(), &home);
        let places = places(&home, &project, around.hook);
        let machine = Machine::new(&home, &project, !around.untrusted);
        let inline = if around.hook {
            std::env::var("GATE_SETTINGS_JSON").ok().map(|t| SourceText::new("GATE_SETTINGS_JSON", t))
        } else {
            around.settings.clone().or_else(|| std::env::var("GATE_SETTINGS_JSON").ok().map(|t| SourceText::new("GATE_SETTINGS_JSON", t)))
        };
        let context = files::Context {
            inline,
            hook: around.hook,
            trusted_project: !around.untrusted,
            tracked: &|p| gate_core::Facts::tracked(&machine, &p.display().to_string()),
            now: now(),
            session: around.session.as_ref().map(|(h, s)| (h.as_str(), s.as_str())),
        };
        let mut loaded = files::load(&places, &context);
        loaded.snapshot.settings.control_paths = own_files(&places);
        Self { cwd, home, project, places, loaded, machine, session: around.session.clone() }
    }

    /// The engine for these settings.
    ///
    /// # Errors
    /// The layers do not fit together: a fault of this program.
    pub fn engine(&self, log: Option<Box<dyn Log>>) -> Result<Engine, gate_core::BuildError> {
        let store = |(host, session): &(String, String)| SessionStore::new(&self.places.state_dir, host, session);
        let approvals = self.session.as_ref().map_or(Approvals::None, |s| Approvals::Store(store(s), now()));
        Engine::new(self.loaded.snapshot.settings.clone(), approvals, log)
    }

    /// A call at this place.
    #[must_use]
    pub fn call(&self, tool: gate_core::Tool, input: serde_json::Value) -> Call {
        Call {
            id: String::new(),
            host: String::new(),
            session: None,
            tool,
            input,
            cwd: self.cwd.clone(),
            home: self.home.clone(),
            project: self.project.clone(),
            headless: false,
            cancelled: false,
            subagent: false,
        }
    }
}

/// Seconds since 1970.
#[must_use]
pub fn now() -> u64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(0, |d| d.as_secs())
}

/// The project of a session that has none: nothing is inside it.
const NOWHERE: &str = "/dev/null";

/// The canonical root of the project: the host's folder, else the top of the git work tree; never `/`, home or temp.
fn project_root(cwd: &str, host: Option<&str>, home: &str) -> String {
    let real = |p: &str| std::fs::canonicalize(p).map_or_else(|_| p.to_owned(), |c| c.display().to_string());
    let home = real(home);
    // A folder that holds the home, or everybody's files, is no project.
    let fits = |p: &str| !path::within(&home, p) && !["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp"].contains(&p);
    if let Some(host) = host.map(|h| real(&path::resolve(cwd, h))).filter(|h| fits(h)) {
        return host;
    }
    if cwd.len() > limits::PATH_BYTES {
        // No folder has such a path; the call is denied later.
        return NOWHERE.to_owned();
    }
    let start = real(cwd);
    let mut at: Option<&Path> = Some(Path::new(&start));
    while let Some(dir) = at.filter(|d| fits(&d.display().to_string())) {
        if dir.join(".git").symlink_metadata().is_ok() {
            return dir.display().to_string();
        }
        at = dir.parent();
    }
    if fits(&start) { start } else { NOWHERE.to_owned() }
}

/// The gate's own files: as they are named, and where links lead. What they are called here no list can know.
fn own_files(places: &Places) -> Vec<String> {
    let named = [places.config_dir.clone(), places.state_dir.clone()];
    let user = places.user_settings();
    let linked = named.iter().chain([&user, &places.managed]).filter_map(|p| std::fs::canonicalize(p).ok());
    let program = std::env::current_exe().ok().and_then(|p| std::fs::canonicalize(p).ok());
    let mut all: Vec<String> = named.iter().cloned().chain(linked).chain(program).map(|p| p.display().to_string()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn places(home: &str, project: &str, hook: bool) -> Places {
    let xdg = |name: &str, default: &str| -> PathBuf {
        let installed = Path::new(home).join(default);
        if hook {
            return installed;
        }
        std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute()).unwrap_or(installed)
    };
    Places {
        managed: PathBuf::from("/etc/gate/gate.json"),
        config_dir: xdg("XDG_CONFIG_HOME", ".config").join("gate"),
        state_dir: xdg("XDG_STATE_HOME", ".local/state").join("gate"),
        project_root: Some(project).filter(|p| *p != NOWHERE).map(PathBuf::from),
    }
}
