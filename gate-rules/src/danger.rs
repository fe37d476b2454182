//! The danger rules on decoded words. `graded`: where every target provably lies inside the project or temp they
//! ask; everything else denies. A user's own later rule or specific allow entry overrides them.

use gate_core::{Case, DangerRules, Mode, Piece, Pipe, RedirectMode, Unit, UnitId, Word, limits, path};

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
        let run =
            |asks| rule("danger/download-run", "bd-010", "runs what was just downloaded", Some("save it, read it, then run it"), asks);
        // Flows come in the order of their ends.
        let here = flows.get(flows.partition_point(|f| f.to < id)..).unwrap_or_default().iter().take_while(|f| f.to == id);
        let mut ways = here.filter(|f| f.kind == FlowKind::DownloadRun).map(|f| f.way.starts_with("file")).peekable();
        // What was saved first could have been read; what goes straight in could not.
        if ways.peek().is_some() {
            return Some(run(ways.all(|saved| saved) && !strict(case)));
        }
        if fed_by_download(case, id, unit) {
            return Some(run(false));
        }
    }
    if let Some(d) = device(unit) {
        return Some(d);
    }
    if unit.redirects.iter().any(|r| r.target.prefix().starts_with("/dev/tcp/") || r.target.prefix().starts_with("/dev/udp/")) {
        return Some(rule("danger/socket", "bd-014", "opens a connection by a redirect", None, !strict(case)));
    }
    if dry {
        return None;
    }
    let words = unit.words.as_slice();
    match program(words) {
        "rm" => remove(case, unit),
        name @ ("mv" | "rsync") => crate::harddeny::loses(case, unit, name)
            .then(|| rule("danger/move-away", "bd-013", "moves or empties a home or a system folder", None, !strict(case))),
        "sudo" if operands(words).iter().all(|w| matches!(w.pieces.as_slice(), [Piece::Unknown { .. }])) => None,
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
                Target::Unknown => return temporary(case, w) || unknown(w),
            };
            let at = match case.facts.resolve(&at) {
                gate_core::Resolved::Same => at,
                gate_core::Resolved::To(real) => real,
                gate_core::Resolved::Undecidable => return false,
            };
            let call = case.call;
            let project = path::within(&at, &call.project) && at != call.project;
            let temp = ["/tmp", "/var/tmp", "/private/tmp", "/dev/shm"].iter().any(|t| path::within(&at, t) && (at != *t || inside));
            let root = at == call.home || path::within(&call.project, &at) || path::within(&call.cwd, &at);
            let git = path::name(&at).eq_ignore_ascii_case(".git");
            let control = crate::paths::Paths::new(case).control(&at)
                || [".gate", ".claude", ".codex", ".pi"].iter().any(|c| at.ends_with(&format!("/{c}")));
            (project || temp) && !root && !git && !control
        })
}

fn remove(case: &Case<'_>, unit: &Unit) -> Option<Danger> {
    let words = unit.words.as_slice();
    if !has(words, "rR", &["recursive"]) {
        return None;
    }
    let all = operands(words);
    // Without operands, or when it only prints its help, nothing is deleted.
    if all.is_empty() || helps(words) {
        return None;
    }
    let found =
        |w: &&&Word| w.pieces.iter().any(|p| matches!(p, Piece::Unknown { source, .. } if source == "{}")) && !w.shown().contains("..");
    let (found, named): (Vec<&Word>, Vec<&Word>) = all.iter().partition(|w| found(w));
    let asks = !strict(case) && (named.is_empty() || contained(case, unit, &named)) && (found.is_empty() || found_inside(case, unit));
    Some(rule(
        "danger/recursive-delete",
        "bd-001",
        "deletes a whole folder for good",
        Some("name the folder inside the project, or list it first"),
        asks,
    ))
}

/// Is it only asked for its help or version?
pub(crate) fn helps(words: &[Word]) -> bool {
    options(words).any(|o| matches!(o, "--help" | "--version"))
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

/// `find ROOT … -exec rm -r {}`: every root is in the project or in temp, and the search is limited.
fn found_inside(case: &Case<'_>, unit: &Unit) -> bool {
    let parent = unit.parent.and_then(|p| case.script.as_ref()?.units.get(p));
    let Some(find) = parent.filter(|p| matches!(program(&p.words), "find" | "fd" | "fdfind")) else { return false };
    let limited = find
        .words
        .iter()
        .skip(1)
        .any(|w| matches!(w.literal(), Some("-name" | "-iname" | "-path" | "-regex" | "-mindepth" | "-empty" | "-mtime")));
    let roots = find.words.iter().skip(1).take_while(|w| !w.prefix().starts_with(['-', '(', '!']));
    // Without a filter the roots themselves go: they must not be the project or a folder of all temporary files.
    let below = |p: &str, root: &str| path::within(p, root) && (limited || p != root);
    roots.into_iter().all(|w| match target(case, find, w) {
        Target::At(p) | Target::Inside(p) => {
            let project = below(&p, &case.call.project) && case.call.project.len() > 1 && (limited || !path::within(&case.call.cwd, &p));
            project || ["/tmp", "/var/tmp", "/private/tmp", "/dev/shm"].iter().any(|t| below(&p, t))
        }
        Target::Unknown => temporary(case, w),
    })
}

/// One value that only the shell can know, with nothing glued to it: it does not trigger the deny by itself. With a tail
/// it would: an empty `$X` makes `$X/` the root.
fn unknown(word: &Word) -> bool {
    matches!(word.pieces.as_slice(), [Piece::Unknown { source, .. }] if source.starts_with(['$', '"', '`']))
}

/// `$TMPDIR/x`, or a variable that the script only ever sets from `mktemp`.
fn temporary(case: &Case<'_>, word: &Word) -> bool {
    let Some((Piece::Unknown { source, .. }, rest)) = word.pieces.split_first() else { return false };
    let name = source.trim_start_matches('$').trim_start_matches('{').trim_end_matches('}');
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return false;
    }
    let mut tail = String::new();
    for p in rest {
        match p {
            Piece::Text(t) | Piece::Glob(t) => tail.push_str(t),
            Piece::Unknown { .. } => return false,
        }
    }
    if !(tail.is_empty() || tail.starts_with('/')) || tail.split('/').any(|c| c == "..") {
        return false;
    }
    let script = case.script.as_ref();
    if script.is_some_and(|s| s.sets.iter().any(|n| n == name)) {
        return false;
    }
    // An assignment in front of a command reaches that command's environment, not the words of the script.
    let stays = |u: &&Unit| u.words.is_empty() || matches!(program(&u.words), "export" | "declare" | "typeset" | "local" | "readonly");
    let mut set = script.iter().flat_map(|s| &s.units).filter(stays).flat_map(|u| &u.assignments).filter(|a| a.name == name).peekable();
    let made = |a: &gate_core::Assignment| matches!(a.value.pieces.as_slice(), [Piece::Unknown { source, .. }] if ["$(mktemp)", "`mktemp`"].contains(&source.as_str()) || source.starts_with("$(mktemp ") && !source.contains([';', '|', '&']));
    match set.peek() {
        None => name == "TMPDIR" && tail.chars().any(|c| c.is_ascii_alphanumeric()),
        Some(_) => set.all(|a| !a.append && made(a)),
    }
}

/// An interpreter without a file of its own, behind a stage that shows what it downloads.
fn fed_by_download(case: &Case<'_>, id: UnitId, unit: &Unit) -> bool {
    let name = program(&unit.words);
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let runs = matches!(
        stem,
        "python"
            | "node"
            | "perl"
            | "ruby"
            | "php"
            | "lua"
            | "deno"
            | "bun"
            | "bash"
            | "sh"
            | "zsh"
            | "dash"
            | "ksh"
            | "fish"
            | "pwsh"
            | "osascript"
    );
    let bare = unit.words.iter().skip(1).all(|w| w.literal().is_some_and(|t| t == "-" || t == "-s"))
        || operands(&unit.words).first().is_some_and(|w| w.literal() == Some("-"));
    let Some((analysis, script)) = case.known_analysis().zip(case.script.as_ref()).filter(|_| runs && bare) else { return false };
    // The stages that a unit stands in, those around its pipelines and around it included.
    let stages = |u: &Unit| {
        let mut out: Vec<Pipe> = Vec::new();
        let mut at = Some(u);
        for _ in 0..limits::DEPTH {
            let Some(u) = at else { break };
            out.extend(script.stages(u));
            at = u.parent.and_then(|p| script.units.get(p));
        }
        out
    };
    // Strictly any such program counts, whatever it writes to its output.
    let by_name = |u: &Unit| strict(case) && matches!(program(&u.words), "curl" | "wget");
    let own = stages(unit);
    script.units.iter().zip(&analysis.units).enumerate().any(|(i, (u, a))| {
        let before = || stages(u).iter().any(|p| own.iter().any(|q| p.pipeline == q.pipeline && p.index < q.index));
        i != id && (a.downloads || by_name(u)) && before()
    })
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
        "push" if options(words).any(|o| o.len() > 3 && "--dry-run".starts_with(o) || !o.starts_with("--") && o.contains('n')) => None,
        // With a lease nothing is lost that was not seen; a plain force beside it wins.
        "push"
            if options(words).any(|o| o.starts_with("--force-with-lease"))
                && !options(words).any(|o| o == "--force" || !o.starts_with("--") && o.contains('f')) =>
        {
            None
        }
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
        "clean" if has(words, "f", &["force"]) && !has(words, "ni", &["dry-run", "interactive"]) => Some(rule(
            "danger/clean",
            "bd-007",
            "deletes files that git does not track",
            Some("git clean -n shows them first"),
            named(&all) || (!strict(case) && temporary_tree(unit)),
        )),
        "checkout" => {
            // `-bNAME`: what follows b or B is a name.
            let force = options(words).any(|o| {
                (!o.starts_with("--") && o.split(['b', 'B']).next().is_some_and(|l| l.contains('f')))
                    || (o.len() > 3 && "--force".starts_with(o))
            });
            let everything = all.iter().any(|w| matches!(w.literal(), Some("." | "./" | ":/" | "*")));
            let at = words.iter().position(|w| w.literal() == Some("--"));
            let files: Vec<&Word> = at.map_or_else(Vec::new, |i| words.iter().skip(i + 1).collect());
            let asks = !everything && named(&files);
            (force || everything)
                .then(|| rule("danger/checkout-discard", "bd-008", "throws away changes that are not committed", Some("git stash"), asks))
        }
        "restore" => {
            let staged = has(words, "S", &["staged"]) && !has(words, "W", &["worktree"]);
            (!staged)
                .then(|| rule("danger/restore", "bd-009", "throws away changes that are not committed", Some("git stash"), named(&all)))
        }
        _ => None,
    }
}

/// `GIT_WORK_TREE=/tmp/…` in front: the tree that is cleaned lies in temp.
fn temporary_tree(unit: &Unit) -> bool {
    let temp = |t: &str| {
        t.starts_with('/') && {
            let at = path::resolve("/", t);
            ["/tmp", "/var/tmp"].iter().any(|r| path::within(&at, r) && at != *r)
        }
    };
    unit.assignments.iter().any(|a| a.name == "GIT_WORK_TREE" && a.value.literal().is_some_and(temp))
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
