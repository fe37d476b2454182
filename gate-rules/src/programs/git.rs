//! git runs programs that its configuration names. A read vouches only where the configuration of the repository that
//! it addresses holds nothing but harmless keys.

use gate_core::{AccessMode, Assessment, Effect, Effects, Facts, GitConfig, Note, Unit, path};

use crate::catalogue::glob::matches;
use crate::catalogue::{Finding, Matched};

/// Where a git command runs.
pub(crate) struct Where<'a> {
    pub facts: &'a dyn Facts,
    pub unit: &'a Unit,
    /// The roots whose repositories are the user's: project and home.
    pub roots: [&'a str; 2],
    /// The unit's folder, moved by `-C`.
    pub here: Option<&'a str>,
}

/// Keys that make git run or reach nothing, whatever their value.
const HARMLESS: [&str; 60] = [
    "advice.*",
    "alias.*",
    "apply.*",
    "author.*",
    "blame.*",
    "branch.*",
    "checkout.*",
    "clean.*",
    "color.*",
    "column.*",
    "commit.cleanup",
    "commit.gpgsign",
    "commit.status",
    "commit.verbose",
    "committer.*",
    "core.abbrev",
    "core.autocrlf",
    "core.bare",
    "core.bigfilethreshold",
    "core.checkstat",
    "core.commentchar",
    "core.commitgraph",
    "core.compression",
    "core.editor",
    "core.eol",
    "core.excludesfile",
    "core.filemode",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.longpaths",
    "core.pager",
    "core.precomposeunicode",
    "core.preloadindex",
    "core.protect*",
    "core.quotepath",
    "core.repositoryformatversion",
    "core.safecrlf",
    "core.sparse*",
    "core.splitindex",
    "core.symlinks",
    "core.trustctime",
    "core.untrackedcache",
    "core.whitespace",
    "credential.*",
    "extensions.objectformat",
    "extensions.worktreeconfig",
    "extensions.refstorage",
    "fetch.*",
    "gc.*",
    "gui.*",
    "help.autocorrect",
    "include.path",
    "includeif.*",
    "index.*",
    "init.*",
    "maintenance.*",
    "merge.conflictstyle",
    "merge.ff",
    "pull.*",
    "push.*",
];
const HARMLESS_MORE: [&str; 30] = [
    "rebase.*",
    "remote.*.fetch",
    "remote.*.prune",
    "remote.*.pushurl",
    "remote.*.tagopt",
    "remote.*.url",
    "rerere.*",
    "safe.*",
    "stash.*",
    "status.*",
    "submodule.*.active",
    "submodule.*.url",
    "submodule.recurse",
    "tag.*",
    "user.*",
    "log.date",
    "log.decorate",
    "log.follow",
    "log.abbrevcommit",
    "diff.algorithm",
    "diff.colormoved*",
    "diff.context",
    "diff.mnemonicprefix",
    "diff.noprefix",
    "diff.renam*",
    "diff.wserrorhighlight",
    "diff.submodule",
    "grep.*",
    "gpg.format",
    "feature.*",
];
/// Keys that matter once git uses the network.
const NETWORK: [&str; 6] = ["core.sshcommand", "core.askpass", "core.gitproxy", "credential.*", "http.*", "url.*"];

const LFS: [&str; 6] = [
    "git-lfs clean -- %f",
    "git-lfs smudge -- %f",
    "git-lfs smudge --skip -- %f",
    "git-lfs filter-process",
    "git-lfs filter-process --skip",
    "true",
];

fn harmless(key: &str, value: &str, drivers: bool) -> bool {
    let listed = HARMLESS.iter().chain(&HARMLESS_MORE).any(|p| matches(p, key));
    let driver = [
        "filter.*",
        "merge.*.driver",
        "merge.*.name",
        "diff.*.textconv",
        "diff.*.command",
        "diff.*.cachetextconv",
        "diff.*.xfuncname",
        "diff.*.binary",
    ];
    let local = matches("remote.*.url", key) && value.contains("::");
    match key {
        "core.fsmonitor" => matches!(value, "" | "false" | "0" | "no" | "off"),
        "log.showsignature" => matches!(value, "false" | "0" | "no" | "off"),
        // What `git lfs install` writes.
        "filter.lfs.clean" | "filter.lfs.smudge" | "filter.lfs.process" | "filter.lfs.required" => LFS.contains(&value),
        _ if driver.iter().any(|p| matches(p, key)) => !drivers,
        _ if NETWORK.iter().any(|p| matches(p, key)) => true,
        _ => listed && !local,
    }
}

/// `-c key=value`: only keys that change how something looks.
pub(super) fn options(m: &Matched, f: &mut Finding) {
    paths(m, f);
    const LOOKS: [&str; 12] = [
        "advice.*",
        "color.*",
        "column.*",
        "core.quotepath",
        "core.abbrev",
        "diff.renam*",
        "diff.algorithm",
        "diff.context",
        "diff.noprefix",
        "log.date",
        "log.decorate",
        "user.*",
    ];
    for o in m.globals.iter().filter(|o| o.name == "-c") {
        let text = o.value.as_ref().and_then(|v| v.literal()).unwrap_or("");
        let key = text.split_once('=').map_or(text, |(k, _)| k);
        let key = key.to_ascii_lowercase();
        if !LOOKS.iter().any(|p| matches(p, &key)) {
            f.note("git/config", Effects::of(Effect::Runs), "a configuration key given by -c can make git run a program");
            f.unknown(format!("the configuration key {key} given by -c is not listed"));
        }
    }
}

/// Subcommands that show what is in files, now or in an earlier version.
const SHOW: [&str; 15] = [
    "show",
    "log",
    "diff",
    "blame",
    "annotate",
    "cat-file",
    "grep",
    "whatchanged",
    "diff-tree",
    "diff-index",
    "diff-files",
    "range-diff",
    "archive",
    "show-branch",
    "stash show",
];

/// Operands may be paths: as they stand, or behind a revision (`HEAD:path`).
fn paths(m: &Matched, f: &mut Finding) {
    if !SHOW.contains(&m.sub.as_str()) {
        return;
    }
    for o in &m.parsed.operands {
        let text = o.word.prefix();
        let path = text.find(':').and_then(|at| o.word.without_prefix(at + 1));
        f.want(AccessMode::Read, path.as_ref().unwrap_or(&o.word), false, false);
    }
}

/// Hooks that any subcommand may run, also one that only reads.
const ANY_HOOKS: [&str; 4] = ["post-index-change", "fsmonitor-watchman", "reference-transaction", "pre-auto-gc"];

/// Subcommands with the hooks that they run besides, as git's documentation lists them. One that is not here may run
/// every hook.
const HOOKS: &[(&[&str], &[&str])] = &[
    (&["add", "apply", "branch", "clean", "config", "fetch", "init", "mv", "remote", "reset", "restore", "rm", "stash", "tag"], &[]),
    (&["checkout", "clone", "switch", "worktree"], &["post-checkout"]),
    (&["commit"], &["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "post-rewrite", "pre-merge-commit"]),
    (&["push"], &["pre-push", "pre-receive", "update", "proc-receive", "post-receive", "post-update", "push-to-checkout"]),
];

/// The hooks of the repository that this subcommand may run.
fn hooks<'c>(config: &'c GitConfig, sub: &str, only_reads: bool) -> Vec<&'c str> {
    let own = HOOKS.iter().find(|(subs, _)| subs.contains(&sub)).map(|(_, hooks)| *hooks);
    let runs = |h: &&str| ANY_HOOKS.contains(h) && !(only_reads && *h == "pre-auto-gc") || !only_reads && own.is_none_or(|o| o.contains(h));
    let mut all: Vec<&str> = config.hooks.iter().map(String::as_str).filter(runs).collect();
    all.sort_unstable();
    all.dedup();
    all
}

pub(crate) fn check(at: &Where<'_>, f: &Finding, a: &mut Assessment) {
    let addressed = at.unit.words.iter().any(|w| {
        let p = w.prefix();
        p.starts_with("--git-dir") || p.starts_with("--work-tree")
    });
    let by_variable = at.unit.assignments.iter().any(|s| matches!(s.name.as_str(), "GIT_DIR" | "GIT_WORK_TREE" | "GIT_COMMON_DIR"));
    let mut unknown = |why: &str| {
        a.known = false;
        a.unknown_because.get_or_insert_with(|| why.to_owned());
    };
    if f.because.is_none() && f.subcommand.is_none() && a.effects.0 & !(Effect::Reads as u16) == 0 {
        return;
    }
    if !at.facts.trusted_project() {
        return unknown("the project is not trusted, and git runs what its configuration names");
    }
    if addressed || by_variable {
        return unknown("another repository is addressed, whose configuration is not read");
    }
    let Some(dir) = at.here else {
        return unknown("which repository git addresses is not known");
    };
    if !at.roots.iter().any(|r| path::within(dir, r)) {
        return unknown("the repository is outside the project and the home");
    }
    let Some(config) = at.facts.git_config(dir) else { return };
    if config.unreadable {
        return unknown("the git configuration cannot be read in full");
    }
    // A subcommand that the installed git does not have is looked up among the aliases.
    let sub = f.subcommand.as_deref().and_then(|s| s.split(' ').next()).unwrap_or_default();
    if let Some((key, _)) = config.entries.iter().find(|(k, _)| k.strip_prefix("alias.").is_some_and(|a| a.eq_ignore_ascii_case(sub))) {
        return unknown(&format!("the git configuration key {key} may be what runs"));
    }
    if let Some((key, _)) = config.entries.iter().find(|(k, v)| !harmless(k, v, config.drivers)) {
        return unknown(&format!("the git configuration key {key} can make git run something"));
    }
    let hooks = hooks(&config, sub, a.effects.0 & !(Effect::Reads as u16) == 0);
    if !hooks.is_empty() {
        a.effects.add(Effect::Runs);
        let why = format!("runs the repository's hook {}", hooks.join(", "));
        a.notes.push(Note { code: "git/hook".into(), why: why.into(), instead: None, effects: Effects::of(Effect::Runs) });
    } else if network_programs(&config, a.effects) {
        a.effects.add(Effect::Runs);
    }
}

/// Does the configuration name programs that git starts for the network?
fn network_programs(config: &GitConfig, effects: Effects) -> bool {
    let network = effects.has(Effect::Fetches) || effects.has(Effect::Sends);
    let set = |k: &str| NETWORK.iter().any(|p| matches(p, k)) && k != "http.sslverify";
    network && config.entries.iter().any(|(k, _)| set(k))
}
