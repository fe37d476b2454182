//! Files that no agent writes: shell profiles, SSH keys, the controls of the gate and the agents, raw devices.

use gate_core::{Access, AccessMode, Case, Reason, path};

use super::deny;
use crate::danger::block_device;
use crate::paths::Paths;

const PROFILES: &[&str] = &[
    ".bashrc",
    ".zshrc",
    ".bash_profile",
    ".profile",
    ".bash_login",
    ".bash_logout",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".direnvrc",
    ".config/fish/config.fish",
    ".config/fish/conf.d",
    ".config/direnv/direnvrc",
    ".config/powershell",
    ".pam_environment",
    ".config/environment.d",
    ".MacOSX/environment.plist",
];
const SYSTEM_PROFILES: &[&str] = &[
    "/etc/profile",
    "/etc/profile.d",
    "/etc/environment",
    "/etc/bash.bashrc",
    "/etc/bashrc",
    "/etc/zsh",
    "/etc/zshrc",
    "/etc/zshenv",
    "/etc/zprofile",
    "/etc/fish",
    "/etc/paths",
    "/etc/paths.d",
    "/etc/security/pam_env.conf",
];

/// Who may become root, and what is started without anybody asking.
const STARTED: &[&str] = &[
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/crontab",
    "/etc/cron.d",
    "/etc/cron.hourly",
    "/etc/cron.daily",
    "/etc/cron.weekly",
    "/etc/cron.monthly",
    "/var/spool/cron",
    "/var/spool/at",
    "/etc/anacrontab",
    "/etc/systemd",
    "/etc/init.d",
    "/etc/rc.local",
    "/etc/ld.so.preload",
    "/etc/pam.d",
    "/lib/systemd",
    "/usr/lib/systemd",
    "/Library/LaunchAgents",
    "/Library/LaunchDaemons",
];
const STARTED_HOME: &[&str] = &[".config/systemd", ".config/autostart", "Library/LaunchAgents", ".local/share/systemd"];

/// Why an access is denied outright.
pub(super) fn access(case: &Case<'_>, x: &Access) -> Option<Reason> {
    if !matches!(x.mode, AccessMode::Write | AccessMode::Delete) {
        return None;
    }
    [x.path.as_deref(), x.resolved.as_deref()].into_iter().flatten().find_map(|at| write(case, at))
}

/// Why writing this absolute path is denied outright.
pub(crate) fn write(case: &Case<'_>, at: &str) -> Option<Reason> {
    let home = &case.call.home;
    let below_home = at.strip_prefix(home.as_str()).and_then(|r| r.strip_prefix('/'));
    let profile = below_home.is_some_and(|r| PROFILES.iter().any(|p| r == *p || r.strip_prefix(p).is_some_and(|t| t.starts_with('/'))))
        || SYSTEM_PROFILES.iter().any(|p| path::within(at, p));
    if profile {
        return Some(deny("hard/shell-profile", "shell profile modification"));
    }
    let ssh = below_home
        .and_then(|r| r.strip_prefix(".ssh/"))
        .is_some_and(|r| matches!(r, "authorized_keys" | "authorized_keys2" | "rc" | "environment"));
    if ssh || at.ends_with("/.ssh/authorized_keys") || at.ends_with("/.ssh/authorized_keys2") {
        return Some(deny("hard/authorized-keys", "SSH authorized_keys modification"));
    }
    let started = STARTED.iter().any(|p| path::within(at, p))
        || below_home.is_some_and(|r| STARTED_HOME.iter().any(|p| r == *p || r.strip_prefix(p).is_some_and(|t| t.starts_with('/'))));
    if started {
        return Some(deny("hard/persistence", "persistence or system service mutation"));
    }
    if block_device(at) {
        return Some(deny("hard/raw-device", "a raw write to a disk"));
    }
    if Paths::new(case).control(at) {
        return Some(deny("hard/control", "auto-mode or permission safety-control modification"));
    }
    None
}
