//! Deletion and re-permission of root, home and system folders.

use gate_core::path;

use super::{At, Hard, Line};

const CODE: &str = "hard-deny/delete";
/// Folders of the system, with what is below them.
const SYSTEM: [&str; 17] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/private", "/proc", "/sbin", "/sys", "/usr", "/var", "/System", "/Library", "/Applications", "/nix",
];
/// Folders that count themselves, not what is below them.
const ROOTS: [&str; 10] = ["/home", "/opt", "/Users", "/root", "/srv", "/mnt", "/media", "/Volumes", "/run", "/snap"];
/// Folders inside system folders where deleting is an everyday thing.
const EXEMPT: [&str; 7] = ["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm", "/var/folders", "/private/var/folders"];

/// Would losing this path, or all that a pattern in it stands for, ruin the machine or the person's home?
pub(crate) fn place_of_ruin(text: &str, at: &At<'_>) -> bool {
    if text.contains('\u{1}') {
        return false;
    }
    let Some(full) = at.resolve(text) else { return false };
    // `/*`, `~/*`, `~/.*`: everything in the folder.
    let everything = |s: &str| matches!(s, "*" | ".*" | "{*,.*}" | ".[!.]*" | "**" | ".??*" | "?*");
    let (folder, name) = full.rsplit_once('/').unwrap_or(("", ""));
    let full = if everything(name) { if folder.is_empty() { "/" } else { folder } } else { full.as_str() };
    let home = at.home.trim_end_matches('/');
    let below = |root: &str| path::within(full, root) && full != root;
    if full == "/" || (!home.is_empty() && full == home) {
        return true;
    }
    if !home.is_empty() && below(home) || at.project.len() > 1 && below(at.project) {
        return false;
    }
    // Above the home or the project: both go with it.
    if !home.is_empty() && path::within(home, full) || at.project.len() > 1 && path::within(at.project, full) && full != at.project {
        return true;
    }
    if EXEMPT.iter().any(|e| below(e) || full == *e) {
        return false;
    }
    let person = ["/home/", "/Users/"].iter().any(|h| full.strip_prefix(h).is_some_and(|rest| !rest.contains('/')));
    let trimmed = full.trim_end_matches(['*', '?']);
    person || ROOTS.contains(&full) || SYSTEM.iter().any(|s| path::within(full, s)) || trimmed.len() < full.len() && trimmed == "/"
}

/// `rm` with a recursive option.
pub(crate) fn removes_recursively(line: &Line<'_>) -> bool {
    line.program == "rm" && (line.short('r') || line.short('R') || line.long("--recursive", 3))
}

pub(super) fn check(line: &Line<'_>) -> Option<Hard> {
    let deny = |what: &str| Some(Hard::new(CODE, format!("irreversible deletion of home, root or system paths is hard-denied: {what}")));
    if removes_recursively(line) {
        if let Some(t) = line.operands().into_iter().find(|t| place_of_ruin(t, &line.at)) {
            return deny(t);
        }
        if line.has(&["--no-preserve-root"]) {
            return deny("--no-preserve-root");
        }
    }
    match line.program {
        "find" | "gfind" => find(line).and_then(|t| deny(&t)),
        "mv" => {
            let operands = line.operands();
            let gone = operands.last().is_some_and(|t| *t == "/dev/null");
            let sources = operands.len().saturating_sub(1);
            operands.iter().take(sources).find(|t| place_of_ruin(t, &line.at) && (gone || whole(t, &line.at))).and_then(|t| deny(t))
        }
        "chmod" | "chown" | "chgrp" => permissions(line),
        "rsync" if line.has(&["--delete", "--delete-after", "--delete-before", "--delete-excluded"]) => {
            line.operands().last().filter(|t| place_of_ruin(t, &line.at)).and_then(|t| deny(t))
        }
        _ => None,
    }
}

/// Root or home as a whole.
fn whole(text: &str, at: &At<'_>) -> bool {
    at.resolve(text).is_some_and(|p| p == "/" || p == at.home || p == "/*" || p == format!("{}/*", at.home))
}

/// `find ROOT … -delete` or `-exec rm`: the root that it ruins.
fn find(line: &Line<'_>) -> Option<String> {
    let w = &line.words;
    let start = w.iter().position(|x| !matches!(x.as_str(), "-L" | "-H" | "-P") && !x.starts_with("-O") && x != "-D").unwrap_or(w.len());
    let roots: Vec<&String> = w.iter().skip(start).take_while(|x| !x.starts_with('-') && *x != "(" && *x != "!").collect();
    let removes = w.iter().any(|x| x == "-delete")
        || w.iter().enumerate().any(|(i, x)| {
            matches!(x.as_str(), "-exec" | "-execdir" | "-ok" | "-okdir")
                && w.get(i + 1).is_some_and(|p| matches!(path::name(p), "rm" | "shred" | "unlink" | "rmdir"))
        });
    // Named files below the home are a clean-up; the home as a whole is not.
    let filtered = w.iter().any(|x| matches!(x.as_str(), "-name" | "-iname" | "-path" | "-ipath" | "-wholename" | "-regex" | "-empty"));
    let home = |t: &str| line.at.resolve(t).is_some_and(|p| p == line.at.home);
    roots.into_iter().find(|t| removes && place_of_ruin(t, &line.at) && !(filtered && home(t))).cloned()
}

fn permissions(line: &Line<'_>) -> Option<Hard> {
    let operands = line.operands();
    // `chmod -x file`: the mode looks like an option.
    let by_option = line.program == "chmod" && operands.len() == 1 && line.options().any(|o| o.chars().skip(1).all(|c| "rwxXst".contains(c)));
    let (mode, files) = if by_option || line.has(&["--reference"]) { ("", operands.as_slice()) } else { operands.split_first().map_or(("", &[][..]), |(m, f)| (*m, f)) };
    let system = |p: &str| {
        let temp = EXEMPT.iter().any(|e| path::within(p, e));
        let mine = path::within(p, line.at.home) && p != line.at.home && line.at.home != "/" || path::within(p, line.at.project) && line.at.project != "/";
        !temp && !mine && (p == "/" || p == line.at.home || SYSTEM.iter().any(|s| path::within(p, s)) || ROOTS.contains(&p))
    };
    let keys = |p: &str| path::within(p, &format!("{}/.ssh", line.at.home)) && !(line.program == "chmod" && tightens(mode));
    let hit = files.iter().find(|f| {
        let text = f.trim_end_matches("/*");
        line.at.resolve(if text.is_empty() { "/" } else { text }).is_some_and(|p| system(&p) && (p != line.at.home || recursive(line)) || keys(&p))
    })?;
    Some(Hard::new("hard-deny/permissions", format!("changing permissions of system or SSH paths is hard-denied: {hit}")))
}

fn recursive(line: &Line<'_>) -> bool {
    line.short('R') || line.long("--recursive", 5)
}

/// Modes that give nobody else anything.
fn tightens(mode: &str) -> bool {
    let octal = !mode.is_empty() && mode.bytes().all(|b| (b'0'..=b'7').contains(&b));
    if octal {
        return mode.ends_with("00") || matches!(mode, "644" | "0644");
    }
    !mode.is_empty() && mode.split(',').all(|m| m.starts_with("u+") || m.starts_with("u=") || m.contains('-') && !m.contains('+') && !m.contains('=') || m.ends_with('=') && !m.starts_with('a'))
}
