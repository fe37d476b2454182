//! The effective git configuration of a repository and its index, read without starting git.

use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use gate_core::GitConfig;

/// Largest configuration file in bytes.
const FILE: u64 = 256 * 1024;
/// Most files, includes counted.
const FILES: usize = 32;
/// Largest index in bytes that is looked at.
const INDEX: u64 = 64 * 1024 * 1024;

/// Programs that a user sets up for all repositories and that reads without a terminal do not start, or that only the
/// user's own files can name.
const OWN: &[&str] = &[
    "core.pager",
    "core.editor",
    "sequence.editor",
    "interactive.difffilter",
    "credential.helper",
    "merge.tool",
    "diff.tool",
    "diff.guitool",
    "gpg.program",
    "gpg.format",
    "user.signingkey",
    "commit.template",
    "web.browser",
    "help.browser",
    "core.excludesfile",
    "core.attributesfile",
];

/// The configuration that git would use in this folder; `None`: no repository.
pub(super) fn config(dir: &str, home: &str) -> Option<GitConfig> {
    let (git_dir, common) = repository(Path::new(dir))?;
    let mut out = GitConfig::default();
    let mut seen = HashSet::new();
    let user = [Path::new("/etc/gitconfig").to_path_buf(), Path::new(home).join(".config/git/config"), Path::new(home).join(".gitconfig")];
    for file in user {
        read(&file, home, &mut out, &mut seen, true, 0)
    }
    for file in [common.join("config"), git_dir.join("config.worktree")] {
        read(&file, home, &mut out, &mut seen, false, 0)
    }
    out.hooks = hooks(&common.join("hooks"));
    Some(out)
}

/// The repository's own folder and the one it shares with its worktrees.
fn repository(dir: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut at = Some(dir);
    while let Some(d) = at {
        let dot = d.join(".git");
        if let Ok(m) = std::fs::metadata(&dot) {
            let git_dir = if m.is_dir() {
                dot
            } else {
                let text = small(&dot)?;
                d.join(text.trim().strip_prefix("gitdir:")?.trim())
            };
            let common = small(&git_dir.join("commondir")).map_or_else(|| git_dir.clone(), |c| git_dir.join(c.trim()));
            return Some((git_dir, common));
        }
        // A bare repository.
        if d.join("HEAD").is_file() && d.join("objects").is_dir() && d.join("refs").is_dir() {
            return Some((d.to_path_buf(), d.to_path_buf()));
        }
        at = d.parent();
    }
    None
}

fn small(file: &Path) -> Option<String> {
    if std::fs::metadata(file).ok()?.len() > FILE {
        return None;
    }
    std::fs::read_to_string(file).ok()
}

fn hooks(folder: &Path) -> Vec<String> {
    let Ok(list) = std::fs::read_dir(folder) else { return Vec::new() };
    let runs = |p: &Path| std::fs::metadata(p).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
    list.take(256)
        .flatten()
        .filter(|e| runs(&e.path()))
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .filter(|n| !n.ends_with(".sample"))
        .collect()
}

/// One file and its includes; a conditional include counts as if its condition held.
fn read(file: &Path, home: &str, out: &mut GitConfig, seen: &mut HashSet<PathBuf>, own: bool, depth: usize) {
    if std::fs::symlink_metadata(file).is_err() {
        return;
    }
    if depth > 8 || seen.len() >= FILES || !seen.insert(file.to_path_buf()) {
        out.unreadable |= depth > 8 || seen.len() >= FILES;
        return;
    }
    let Some(text) = small(file) else {
        out.unreadable = true;
        return;
    };
    let Some(entries) = parse(&text) else {
        out.unreadable = true;
        return;
    };
    for (key, value) in entries {
        if key == "include.path" || (key.starts_with("includeif.") && key.ends_with(".path")) {
            let target =
                value.strip_prefix("~/").map_or_else(|| file.parent().unwrap_or(Path::new("/")).join(&value), |r| Path::new(home).join(r));
            read(&target, home, out, seen, own, depth + 1);
            continue;
        }
        let harmless = own
            && (OWN.contains(&key.as_str())
                || ["pager.", "difftool.", "mergetool.", "credential.", "filter.lfs.", "alias.", "delta.", "sendemail.", "http.", "gpg."]
                    .iter()
                    .any(|p| key.starts_with(p)));
        if !harmless {
            out.entries.push((key, value))
        }
    }
}

/// Keys (section and name in lower case) with values. `None`: not in git's format.
fn parse(text: &str) -> Option<Vec<(String, String)>> {
    let mut out = Vec::new();
    let mut section = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim().to_owned();
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        while line.ends_with('\\') {
            line.pop();
            line.push_str(lines.next()?.trim());
        }
        let mut rest = line.as_str();
        if let Some(head) = line.strip_prefix('[') {
            let end = closing(head)?;
            section = name(head.get(..end)?)?;
            rest = head.get(end + 1..)?.trim();
            if rest.is_empty() || rest.starts_with(['#', ';']) {
                continue;
            }
        }
        let (key, value) = rest.split_once('=').unwrap_or((rest, "true"));
        let key = key.trim().to_ascii_lowercase();
        if section.is_empty() || key.is_empty() || !key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            return None;
        }
        out.push((format!("{section}.{key}"), unquote(value.trim())));
    }
    Some(out)
}

/// Where the section's bracket closes, quotes considered.
fn closing(head: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    head.char_indices()
        .find(|(_, c)| {
            if escaped {
                escaped = false;
                return false;
            }
            match c {
                '\\' => escaped = true,
                '"' => quoted = !quoted,
                _ => {}
            }
            *c == ']' && !quoted
        })
        .map(|(i, _)| i)
}

fn name(head: &str) -> Option<String> {
    match head.split_once('"') {
        None => Some(head.trim().to_ascii_lowercase()),
        Some((section, sub)) => Some(format!(
            "{}.{}",
            section.trim().to_ascii_lowercase(),
            sub.trim_end().strip_suffix('"')?.replace("\\\"", "\"").replace("\\\\", "\\")
        )),
    }
}

fn unquote(value: &str) -> String {
    let mut out = String::new();
    let (mut quoted, mut chars) = (false, value.chars());
    while let Some(c) = chars.next() {
        match c {
            '"' => quoted = !quoted,
            '\\' => out.extend(chars.next()),
            '#' | ';' if !quoted => break,
            c => out.push(c),
        }
    }
    out.trim_end().to_owned()
}

/// Does the index of the repository at `root` hold this absolute path? (Versions 2 and 3; others: no.)
pub(super) fn tracked(root: &str, at: &str) -> bool {
    let Some(relative) = at.strip_prefix(root).map(|r| r.trim_start_matches('/')).filter(|r| !r.is_empty()) else { return false };
    let Some((git_dir, _)) = repository(Path::new(root)) else { return false };
    let file = git_dir.join("index");
    if !std::fs::metadata(&file).is_ok_and(|m| m.len() <= INDEX) {
        return false;
    }
    std::fs::read(file).is_ok_and(|bytes| in_index(&bytes, relative.as_bytes()).unwrap_or(false))
}

fn in_index(bytes: &[u8], path: &[u8]) -> Option<bool> {
    let word = |at: usize| -> Option<usize> { Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize) };
    if bytes.get(..4)? != b"DIRC" || !matches!(word(4)?, 2 | 3) {
        return None;
    }
    let mut at = 12;
    for _ in 0..word(8)? {
        let flags = u16::from_be_bytes(bytes.get(at + 60..at + 62)?.try_into().ok()?);
        let start = at + if flags & 0x4000 != 0 { 64 } else { 62 };
        let len = bytes.get(start..)?.iter().position(|b| *b == 0)?;
        if bytes.get(start..start + len)? == path {
            return Some(true);
        }
        at += (start + len - at + 8) / 8 * 8;
    }
    Some(false)
}
