//! The twelve danger rules on decoded words. Graded, they ask where every target provably lies inside the project or
//! temp, else deny; strict, they always deny. Only a later user-owned rule or a specific allow entry overrides them.

use gate_core::{DangerRules, Mode, Place, Settings, Word, path};

use crate::harddeny::{At, Line, removes_recursively};

/// A danger rule that fired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Danger {
    /// `danger/…`.
    pub code: &'static str,
    /// The old name, `bd-001` to `bd-012`.
    pub alias: &'static str,
    /// Why, for people.
    pub text: &'static str,
    /// What to do instead.
    pub instead: Option<&'static str>,
    /// Every target is known and harmless enough to ask.
    pub asks: bool,
}

/// The sentinel of asks by danger rules.
pub const SENTINEL: &str = "<danger>";

/// Old names and codes, in order.
pub const ALIASES: [(&str, &str); 12] = [
    ("bd-001", "danger/recursive-delete"),
    ("bd-002", "danger/sudo"),
    ("bd-003", "danger/chmod-777"),
    ("bd-004", "danger/device-write"),
    ("bd-005", "danger/force-push"),
    ("bd-006", "danger/hard-reset"),
    ("bd-007", "danger/git-clean"),
    ("bd-008", "danger/git-checkout"),
    ("bd-009", "danger/git-restore"),
    ("bd-010", "danger/download-run"),
    ("bd-011", "danger/gh-repo"),
    ("bd-012", "danger/gh-release"),
];

/// Do the rules always deny?
#[must_use]
pub fn strict(settings: &Settings) -> bool {
    settings.danger_rules == DangerRules::Strict || settings.mode == Mode::Yolo
}

pub(crate) fn fired(number: usize, asks: bool) -> Danger {
    let (text, instead) = match number {
        1 => ("deletes folders with all that is in them", Some("name the single files, or move the folder aside")),
        2 => ("runs with the rights of another user", None),
        3 => ("lets everybody read, change and run it", Some("chmod u+rwx,go-w")),
        4 => ("writes to a device", None),
        5 => ("overwrites commits that other people may have", Some("git push --force-with-lease")),
        6 => ("drops uncommitted changes", Some("git stash")),
        7 => ("deletes files that git does not know", Some("git clean -n")),
        8 => ("overwrites uncommitted changes", Some("git stash")),
        9 => ("overwrites uncommitted changes", Some("git stash")),
        10 => ("runs what comes from the network unseen", Some("save it, read it, then run it")),
        11 => ("changes a repository for everybody", None),
        _ => ("changes a release for everybody", None),
    };
    let (alias, code) = ALIASES.get(number - 1).copied().unwrap_or(("bd-000", "danger"));
    Danger { code, alias, text, instead, asks }
}

/// The first danger rule that one command's words fire. `place`: where an absolute path is, for deletes.
pub(crate) fn check(words: &[Word], at: At<'_>, place: &dyn Fn(&str) -> Place) -> Option<Danger> {
    let line = Line::new(words, at)?;
    match line.program {
        "rm" if removes_recursively(&line) && !line.has(&["--help", "--version"]) => Some(fired(1, inside(&line.operands(), &line, place))),
        "sudo" | "doas" | "pkexec" | "run0" => {
            let reads = line.words.len() == 1 && line.has(&["--help", "--version", "-h", "-V", "-l", "-k", "-K", "-v"]);
            (!reads).then(|| fired(2, false))
        }
        "chmod" => chmod(&line, place),
        "git" => git(&line, place),
        "gh" => {
            let o = line.operands();
            match o.as_slice() {
                ["repo", "create" | "delete" | "rename" | "archive", ..] => Some(fired(11, false)),
                ["release", "create" | "delete" | "edit" | "delete-asset", ..] => Some(fired(12, false)),
                _ => None,
            }
        }
        _ => None,
    }
    .filter(|_| !(line.words.len() == 1 && line.has(&["--help"])))
}

/// Do all targets provably lie inside the project or temp, without being their root or `.git`?
fn inside(targets: &[&str], line: &Line<'_>, place: &dyn Fn(&str) -> Place) -> bool {
    !targets.is_empty()
        && targets.iter().all(|t| {
            if t.contains('\u{1}') || t.contains("$(") {
                return false;
            }
            let Some(full) = line.at.resolve(t) else { return false };
            let (folder, name) = full.rsplit_once('/').unwrap_or(("", ""));
            let everything = matches!(name, "*" | ".*" | "**" | "?*");
            let full = if everything { folder } else { full.as_str() };
            let root = full == line.at.project || matches!(full, "" | "/" | "/tmp" | "/var/tmp" | "/private/tmp" | "/dev/shm") || full == line.at.home;
            !root && matches!(place(full), Place::Project | Place::Temp)
        })
}

fn chmod(line: &Line<'_>, place: &dyn Fn(&str) -> Place) -> Option<Danger> {
    let o = line.operands();
    let (mode, files) = o.split_first()?;
    let octal = mode.len() >= 3 && mode.bytes().all(|b| (b'0'..=b'7').contains(&b)) && mode.ends_with("777");
    let letters = mode.split(',').any(|m| {
        let Some((who, what)) = m.split_once(['+', '=']) else { return false };
        (who.contains('a') || who.is_empty() && false || (who.contains('o') && who.contains('g') && who.contains('u'))) && ['r', 'w', 'x'].iter().all(|c| what.contains(*c))
    });
    (octal || letters).then(|| fired(3, inside(files, line, place)))
}

/// The words of git after the options before its subcommand.
fn git(line: &Line<'_>, place: &dyn Fn(&str) -> Place) -> Option<Danger> {
    const VALUED: [&str; 8] = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env"];
    let mut i = 0;
    while let Some(w) = line.words.get(i).filter(|w| w.starts_with('-')) {
        i += if VALUED.contains(&w.as_str()) { 2 } else { 1 };
    }
    let sub = line.words.get(i)?;
    let rest = Line { program: "git", words: line.words.get(i + 1..).unwrap_or(&[]).to_vec(), at: line.at };
    let o = rest.operands();
    let moved = i > 0;
    let all = |t: &&str| matches!(t.trim_end_matches('/'), "." | "" | "*" | ":" | "./*" | ":(top)" | "..") || t.starts_with(":/");
    let named = |targets: &[&str]| !targets.is_empty() && !targets.iter().any(all) && !moved && inside(targets, &rest, place);
    match sub.as_str() {
        "push" => {
            let forced = rest.short('f') || rest.has(&["--force"]) || rest.long("--force", 5) && !rest.options().any(|w| w.starts_with("--force-")) || o.iter().any(|r| r.starts_with('+'));
            (forced && !rest.short('n') && !rest.has(&["--dry-run"])).then(|| fired(5, false))
        }
        "reset" => (rest.long("--hard", 4)).then(|| fired(6, false)),
        "clean" => {
            let dry = rest.short('n') || rest.has(&["--dry-run"]);
            ((rest.short('f') || rest.long("--force", 3)) && !dry).then(|| fired(7, named(&o)))
        }
        "checkout" => {
            let force = rest.short('f') || rest.long("--force", 3);
            if force {
                let after = rest.words.iter().position(|w| w == "--").map(|k| rest.words.iter().skip(k + 1).map(String::as_str).collect::<Vec<_>>());
                return Some(fired(8, after.is_some_and(|t| named(&t))));
            }
            let creates = rest.short('b') || rest.short('B') || rest.has(&["--orphan"]);
            (!creates && o.iter().any(all)).then(|| fired(8, false))
        }
        "restore" => {
            let staged = (rest.short('S') || rest.has(&["--staged"])) && !(rest.short('W') || rest.has(&["--worktree"]));
            (!staged).then(|| fired(9, named(&o)))
        }
        "switch" => (rest.short('f') || rest.has(&["--force", "--discard-changes"])).then(|| fired(8, false)),
        _ => None,
    }
}

/// A reason's path for people.
pub(crate) fn shown(words: &[Word]) -> String {
    words.first().map(|w| path::name(&w.shown()).to_owned()).unwrap_or_default()
}
