//! Files that are never written: shell profiles, login keys, the gate's own controls; and the programs that write.

use gate_core::path;

use super::device::is_block;
use super::{At, Hard, Line};

/// Shell profiles below the home.
const PROFILES: [&str; 16] = [
    ".bashrc", ".zshrc", ".bash_profile", ".profile", ".bash_login", ".bash_logout", ".bash_aliases", ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc",
    ".direnvrc", ".xprofile",
];
/// Folders of profiles below the home.
const PROFILE_FOLDERS: [&str; 3] = [".config/fish", ".config/direnv", ".config/powershell"];
/// Profiles of the machine.
const MACHINE: [&str; 11] = [
    "/etc/profile", "/etc/profile.d", "/etc/environment", "/etc/bash.bashrc", "/etc/bashrc", "/etc/zsh", "/etc/zshrc", "/etc/zshenv", "/etc/zprofile", "/etc/fish", "/etc/zlogin",
];
/// Places where the system starts things by itself.
const STARTS: [&str; 6] = ["/etc/crontab", "/var/spool/cron", "/etc/ld.so.preload", "/etc/sudoers", "/etc/sudoers.d", "/etc/rc.local"];

/// Why an absolute path is never written.
pub(crate) fn target(full: &str, at: &At<'_>) -> Option<Hard> {
    let below_home = full.strip_prefix(at.home.trim_end_matches('/')).and_then(|r| r.strip_prefix('/'));
    let other_home = ["/home/", "/Users/"].iter().find_map(|h| full.strip_prefix(h).and_then(|r| r.split_once('/'))).map(|(_, rest)| rest);
    let rest = below_home.or_else(|| full.strip_prefix("/root/")).or(other_home);
    if rest.is_some_and(|r| PROFILES.contains(&r) || PROFILE_FOLDERS.iter().any(|f| path::within(r, f))) || MACHINE.iter().any(|m| path::within(full, m)) {
        return Some(Hard::new("hard-deny/shell-profile", format!("shell profile modification is hard-denied: {full}")));
    }
    if [".ssh/authorized_keys", ".ssh/authorized_keys2", ".ssh/rc"].iter().any(|k| full.ends_with(&format!("/{k}"))) {
        return Some(Hard::new("hard-deny/authorized-keys", format!("SSH authorized_keys modification is hard-denied: {full}")));
    }
    if control(full, rest) {
        let text = format!("modification of the gate's own controls is hard-denied: {full}");
        return Some(Hard { instead: Some("ask the person to change it"), ..Hard::new("hard-deny/gate-controls", text) });
    }
    if STARTS.iter().any(|s| path::within(full, s)) || full.starts_with("/etc/cron.") || rest.is_some_and(|r| path::within(r, "Library/LaunchAgents")) || full.starts_with("/Library/Launch") {
        return Some(Hard::new("hard-deny/persistence", format!("persistence or system service mutation is hard-denied: {full}")));
    }
    is_block(full).then(|| Hard::new("hard-deny/device", format!("raw writing to a block device is hard-denied: {full}")))
}

/// The gate's settings, approvals, records and program; the rule files of permission gates. Compared without case.
fn control(full: &str, rest: Option<&str>) -> bool {
    let lower = full.to_lowercase();
    let rest = rest.map(str::to_lowercase);
    let below = |folder: &str| rest.as_deref().is_some_and(|r| path::within(r, folder));
    if below(".config/gate") || below(".local/state/gate") || below(".local/bin/gate") || below(".cargo/bin/gate") || path::within(&lower, "/etc/gate") {
        return true;
    }
    let Some((folder, name)) = lower.rsplit_once('/') else { return false };
    let parent = path::name(folder);
    parent == ".gate" && matches!(name, "gate.json" | "gate.local.json" | "permissions.json")
        || name == ".gate"
        || name == "auto-mode.json"
        || parent == ".pi" && (name.starts_with("automode") || name == "permissions.json")
        || lower.contains("/.pi/extensions/") && lower.rsplit("/.pi/extensions/").next().is_some_and(|r| r.contains("auto"))
        || lower.contains("/pi-automode/") && name.ends_with(".json")
        || lower.contains("/.pi/agent/") && (name.starts_with("automode") || matches!(name, "permission-config.json" | "approved-permissions.json"))
}

/// Programs whose operands are written, and those whose last operand is.
pub(super) fn check(line: &Line<'_>) -> Option<Hard> {
    let hit = |t: &str| line.at.resolve(t).filter(|p| !p.contains('\u{1}')).and_then(|p| target(&p, &line.at));
    let o = line.operands();
    match line.program {
        "tee" | "rm" | "unlink" | "truncate" | "shred" | "mv" | "touch" | "chattr" | "sponge" | "ed" | "ex" | "rmdir" => o.iter().find_map(|t| hit(t)),
        "cp" | "install" | "ln" | "rsync" | "scp" => {
            let to = after(line, &["-t", "--target-directory"]).or_else(|| o.last().map(|t| (*t).to_owned()))?;
            let into = || o.iter().find_map(|t| hit(&format!("{}/{}", to.trim_end_matches('/'), path::name(t))));
            hit(&to).or_else(into)
        }
        "dd" => line.words.iter().filter_map(|w| w.strip_prefix("of=")).find_map(hit),
        "sed" | "gsed" if line.short('i') || line.long("--in-place", 4) => o.iter().find_map(|t| hit(t)),
        "perl" | "ruby" if line.short('i') => o.iter().find_map(|t| hit(t)),
        "git" if o.iter().any(|w| matches!(*w, "checkout" | "restore" | "rm" | "mv" | "apply")) => o.iter().skip(1).find_map(|t| hit(t)),
        "curl" | "wget" => after(line, &["-o", "-O", "--output", "--output-document"]).and_then(|t| hit(&t)),
        "python" | "python3" | "node" | "perl" | "ruby" | "php" | "deno" | "bun" => script(line),
        _ => None,
    }
}

/// The value of an option, as next word or glued.
fn after(line: &Line<'_>, names: &[&str]) -> Option<String> {
    line.words.iter().enumerate().find_map(|(i, w)| {
        names.iter().find_map(|n| {
            if w == n {
                return line.words.get(i + 1).cloned();
            }
            w.strip_prefix(n).and_then(|r| if n.starts_with("--") { r.strip_prefix('=') } else { Some(r) }).map(str::to_owned)
        })
    })
}

/// A script text of an interpreter that writes and names a control.
fn script(line: &Line<'_>) -> Option<Hard> {
    const NAMES: [&str; 8] = [".gate/gate", ".gate/permissions", ".config/gate/", "state/gate/", ".pi/automode", ".pi/extensions", "auto-mode.json", "authorized_keys"];
    const WRITES: [&str; 12] = ["write", "'w'", "\"w\"", "'a'", "\"a\"", "unlink", "remove", "rename", "rmSync", "rmtree", "truncate", ">"];
    let text = line.words.iter().find(|w| NAMES.iter().any(|n| w.contains(n)) && WRITES.iter().any(|k| w.contains(k)))?;
    let short: String = text.chars().take(80).collect();
    Some(Hard::new("hard-deny/gate-controls", format!("modification of the gate's own controls is hard-denied: {short}")))
}
