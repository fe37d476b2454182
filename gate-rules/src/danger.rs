//! The twelve danger rules on decoded words. `graded`: where every target provably lies inside the project or temp they
//! ask; everything else denies. A user's own later rule or specific allow entry overrides them.

use gate_core::{Case, DangerRules, Mode, RedirectMode, Unit, UnitId, Word, path};

use crate::flows::{Flow, FlowKind};
use crate::words::{Target, git, has, operands, options, program, target};

/// The sentinel of an ask by a danger rule.
pub const SENTINEL: &str = "<danger>";

/// A danger rule that fired.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Danger {
    /// The stable code.
    pub code: &'static str,
    /// The old id, kept as an alias.
    pub alias: &'static str,
    /// Why.
    pub why: &'static str,
    /// What to do instead.
    pub instead: Option<&'static str>,
    /// It only asks.
    pub asks: bool,
}

const fn rule(code: &'static str, alias: &'static str, why: &'static str, instead: Option<&'static str>, asks: bool) -> Danger {
    Danger { code, alias, why, instead, asks }
}

/// Is the danger table in its strict form? In yolo mode it is, since no ask remains there.
#[must_use]
pub fn strict(case: &Case<'_>) -> bool {
    case.settings.danger_rules == DangerRules::Strict || case.settings.mode == Mode::Yolo
}

/// The rule that fires for a unit.
pub(crate) fn danger(case: &Case<'_>, id: Option<UnitId>, unit: &Unit, dry: bool, flows: &[Flow]) -> Option<Danger> {
    if let Some(id) = id {
        if flows.iter().any(|f| f.to == id && f.kind == FlowKind::DownloadRun) {
            return Some(rule(
                "danger/download-run",
                "bd-010",
                "runs what was just downloaded",
                Some("save it, read it, then run it"),
                false,
            ));
        }
    }
    if let Some(d) = device(unit) {
        return Some(d);
    }
    if dry {
        return None;
    }
    let words = unit.words.as_slice();
    match program(words) {
        "rm" => remove(case, unit),
        "sudo" => Some(rule(
            "danger/sudo",
            "bd-002",
            "runs a command as another user",
            Some("run it without sudo, or ask the person to run it"),
            false,
        )),
        "chmod" => world_writable(case, unit),
        "git" => git_danger(case, unit),
        "gh" => gh(words),
        "dd" => operands(words)
            .iter()
            .any(|w| w.literal().and_then(|t| t.strip_prefix("of=")).is_some_and(block_device))
            .then(|| rule("danger/raw-device", "bd-004", "writes to a raw device", None, false)),
        _ => None,
    }
}

fn device(unit: &Unit) -> Option<Danger> {
    let writes = unit.redirects.iter().any(|r| r.mode != RedirectMode::Read && block_device(r.target.prefix()));
    writes.then(|| rule("danger/raw-device", "bd-004", "writes to a raw device", None, false))
}

/// A disk or partition.
pub(crate) fn block_device(at: &str) -> bool {
    let Some(name) = at.strip_prefix("/dev/") else { return false };
    ["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "dm-", "md", "mapper/", "disk/", "nbd", "zd"].iter().any(|p| {
        name.strip_prefix(p)
            .is_some_and(|r| !r.is_empty() && (r.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.' | ':'))))
    })
}

/// Every target provably inside the project or temp, and none of their roots, `.git` or a control path.
pub(crate) fn contained(case: &Case<'_>, unit: &Unit, words: &[&Word]) -> bool {
    !words.is_empty()
        && words.iter().all(|w| {
            let (at, inside) = match target(case, unit, w) {
                Target::At(p) => (p, false),
                Target::Inside(p) => (p, true),
                Target::Unknown => return false,
            };
            let at = match case.facts.resolve(&at) {
                gate_core::Resolved::Same => at,
                gate_core::Resolved::To(real) => real,
                gate_core::Resolved::Undecidable => return false,
            };
            let call = case.call;
            let project = path::within(&at, &call.project) && at != call.project;
            let temp = ["/tmp", "/var/tmp", "/private/tmp"].iter().any(|t| path::within(&at, t) && at != *t);
            let root = at == call.home || path::within(&call.project, &at) || path::within(&call.cwd, &at);
            let git = at.split('/').any(|c| c.eq_ignore_ascii_case(".git"));
            let control = crate::paths::Paths::new(case).control(&at)
                || [".gate", ".claude", ".codex", ".pi"].iter().any(|c| at.ends_with(&format!("/{c}")));
            let _ = inside;
            (project || temp) && !root && !git && !control
        })
}

fn remove(case: &Case<'_>, unit: &Unit) -> Option<Danger> {
    let words = unit.words.as_slice();
    if !has(words, "rR", &["recursive"]) {
        return None;
    }
    let asks = !strict(case) && contained(case, unit, &operands(words));
    Some(rule(
        "danger/recursive-delete",
        "bd-001",
        "deletes a whole folder for good",
        Some("name the folder inside the project, or list it first"),
        asks,
    ))
}

fn world_writable(case: &Case<'_>, unit: &Unit) -> Option<Danger> {
    let all = operands(&unit.words);
    let mode = all.first().and_then(|w| w.literal()).unwrap_or_default();
    let open = matches!(mode.trim_start_matches('0'), "777" | "1777" | "2777" | "4777" | "7777")
        || mode
            .split(',')
            .any(|m| matches!(m, "a+rwx" | "ugo+rwx" | "ugo=rwx" | "a=rwx" | "+rwx" | "o+rwx" | "o=rwx" | "a+w" | "o+w" | "ugo+w"));
    if !open {
        return None;
    }
    let asks = !strict(case) && contained(case, unit, all.get(1..).unwrap_or_default());
    Some(rule("danger/world-writable", "bd-003", "lets every user of the machine write", Some("chmod u+rwx, or 755"), asks))
}

fn git_danger(case: &Case<'_>, unit: &Unit) -> Option<Danger> {
    let (sub, words) = git(&unit.words)?;
    let all = operands(words);
    // Named files: each one known, none of them a whole tree.
    let named = |files: &[&Word]| {
        !strict(case)
            && !files.is_empty()
            && files
                .iter()
                .all(|w| w.literal().is_some_and(|t| !matches!(t, "." | "./" | "*" | ":/" | ".." | "/" | ":/*") && !t.contains(['*', '?'])))
    };
    match sub {
        "push"
            if has(words, "f", &["force"])
                && options(words)
                    .any(|o| o == "--force" || (!o.starts_with("--") && o.contains('f')) || (o.len() > 3 && "--force".starts_with(o)))
                || (sub == "push" && all.iter().skip(1).any(|w| w.prefix().starts_with('+'))) =>
        {
            Some(rule(
                "danger/force-push",
                "bd-005",
                "overwrites commits that other people may have",
                Some("git push --force-with-lease"),
                false,
            ))
        }
        "reset" if options(words).any(|o| o.len() > 3 && "--hard".starts_with(o)) => {
            Some(rule("danger/hard-reset", "bd-006", "throws away every change that is not committed", Some("git stash"), false))
        }
        "clean" if has(words, "f", &["force"]) && !has(words, "n", &["dry-run"]) => Some(rule(
            "danger/clean",
            "bd-007",
            "deletes files that git does not track",
            Some("git clean -n shows them first"),
            named(&all),
        )),
        "checkout" => {
            let force = options(words).any(|o| (!o.starts_with("--") && o.contains('f')) || (o.len() > 3 && "--force".starts_with(o)));
            let everything = all.iter().any(|w| matches!(w.literal(), Some("." | "./" | ":/" | "*")));
            (force || everything)
                .then(|| rule("danger/checkout-discard", "bd-008", "throws away changes that are not committed", Some("git stash"), false))
        }
        "restore" => {
            let staged = has(words, "S", &["staged"]) && !has(words, "W", &["worktree"]);
            (!staged)
                .then(|| rule("danger/restore", "bd-009", "throws away changes that are not committed", Some("git stash"), named(&all)))
        }
        _ => None,
    }
}

fn gh(words: &[Word]) -> Option<Danger> {
    let all: Vec<&str> = operands(words).iter().filter_map(|w| w.literal()).collect();
    match all.as_slice() {
        ["repo", "create" | "delete" | "rename" | "archive", ..] => {
            Some(rule("danger/gh-repo", "bd-011", "creates, renames or removes a repository", None, false))
        }
        ["release", "create" | "delete" | "edit", ..] => {
            Some(rule("danger/gh-release", "bd-012", "publishes, changes or removes a release", None, false))
        }
        _ => None,
    }
}
