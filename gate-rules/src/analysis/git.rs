//! The repository's git configuration: reads vouch only when it holds nothing that makes git run a program.

use gate_core::{Assessment, Case};

use crate::catalogue::glob;

/// Keys that make git run nothing and read nothing elsewhere.
const HARMLESS: &[&str] = &[
    "advice.*",
    "am.*",
    "apply.*",
    "branch.*.merge",
    "branch.*.rebase",
    "branch.*.remote",
    "branch.*.description",
    "branch.*.pushremote",
    "branch.autosetup*",
    "branch.sort",
    "blame.*",
    "checkout.*",
    "clean.*",
    "color.*",
    "column.*",
    "commit.gpgsign",
    "commit.status",
    "commit.verbose",
    "core.abbrev",
    "core.autocrlf",
    "core.bare",
    "core.bigfilethreshold",
    "core.checkstat",
    "core.commentchar",
    "core.compression",
    "core.eol",
    "core.excludesfile",
    "core.filemode",
    "core.ignorecase",
    "core.logallrefupdates",
    "core.longpaths",
    "core.precomposeunicode",
    "core.preloadindex",
    "core.protectntfs",
    "core.protecthfs",
    "core.quotepath",
    "core.repositoryformatversion",
    "core.safecrlf",
    "core.sharedrepository",
    "core.symlinks",
    "core.trustctime",
    "core.untrackedcache",
    "core.whitespace",
    "core.worktree",
    "core.usereplacerefs",
    "core.multipackindex",
    "core.commitgraph",
    "credential.username",
    "diff.algorithm",
    "diff.colormoved*",
    "diff.context",
    "diff.mnemonicprefix",
    "diff.noprefix",
    "diff.renamelimit",
    "diff.renames",
    "diff.submodule",
    "diff.wserrorhighlight",
    "extensions.*",
    "feature.*",
    "fetch.*",
    "format.pretty",
    "gc.*",
    "gitflow.*",
    "grep.linenumber",
    "grep.patterntype",
    "grep.fullname",
    "help.autocorrect",
    "http.postbuffer",
    "http.version",
    "index.*",
    "init.*",
    "log.*",
    "maintenance.*",
    "merge.conflictstyle",
    "merge.ff",
    "merge.log",
    "merge.renames",
    "merge.stat",
    "pack.*",
    "pull.*",
    "push.*",
    "rebase.*",
    "receive.*",
    "remote.*.fetch",
    "remote.*.mirror",
    "remote.*.prune",
    "remote.*.pushurl",
    "remote.*.tagopt",
    "remote.*.url",
    "remote.*.promisor",
    "remote.*.partialclonefilter",
    "remote.*.skip*",
    "remote.pushdefault",
    "rerere.*",
    "safe.directory",
    "show.*",
    "stash.*",
    "status.*",
    "submodule.*.active",
    "submodule.*.branch",
    "submodule.*.ignore",
    "submodule.*.path",
    "submodule.*.url",
    "submodule.active",
    "submodule.recurse",
    "tag.gpgsign",
    "tag.sort",
    "transfer.*",
    "url.*",
    "user.*",
    "versionsort.*",
    "worktree.*",
    "lfs.repositoryformatversion",
    "alias.*",
];

/// Settings that are harmless with some values.
fn harmless(key: &str, value: &str) -> bool {
    let off = matches!(value.trim().to_ascii_lowercase().as_str(), "false" | "no" | "off" | "0" | "" | "cat");
    match key {
        "core.pager" | "core.fsmonitor" | "core.editor" | "diff.external" | "core.attributesfile" | "core.hookspath" => off,
        _ if key.starts_with("pager.") => off,
        "commit.gpgsign" | "tag.gpgsign" | "log.showsignature" => off || value.is_empty() || key != "log.showsignature",
        _ => HARMLESS.iter().any(|p| glob::matches(p, key)),
    }
}

/// Makes the part unknown when the configuration could make git run something.
pub(super) fn config(case: &Case<'_>, base: &Option<String>, out: &mut Assessment) {
    if !case.facts.trusted_project() {
        return super::unknown(out, "the project is not trusted, and its git configuration can make git run programs");
    }
    let Some(dir) = base else { return super::unknown(out, "which repository git reads is not known") };
    let Some(config) = case.facts.git_config(dir) else { return };
    if config.unreadable {
        return super::unknown(out, "the git configuration could not be read in full");
    }
    if let Some((key, _)) = config.entries.iter().find(|(k, v)| !harmless(k, v)) {
        return super::unknown(out, format!("the git configuration sets {key}, which can make git run a program"));
    }
    let runs = ["post-index-change", "fsmonitor-watchman", "query-watchman", "reference-transaction"];
    if let Some(hook) = config.hooks.iter().find(|h| runs.contains(&h.as_str())) {
        super::unknown(out, format!("the repository has a {hook} hook"))
    }
}
