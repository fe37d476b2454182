//! The effective git configuration of a repository and its index, read without starting git.

use std::collections::HashSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use gate_core::GitConfig;

/// Largest configuration file in bytes.
const FILE: u64 = 256 * 1024;
/// Most files, includes counted.
const FILES: usize = 32;
/// Most files of the hooks folder.
const HOOKS: usize = 10_000;
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
    let mut out = GitConfig::default();
    let Ok((git_dir, common)) = repository(Path::new(dir))? else { return Some(GitConfig { unreadable: true, ..out }) };
    out.unreadable = std::env::vars_os().any(|(n, v)| ambient(&n.to_string_lossy(), &v.to_string_lossy()));
    let mut seen = HashSet::new();
    let user = [Path::new("/etc/gitconfig").to_path_buf(), Path::new(home).join(".config/git/config"), Path::new(home).join(".gitconfig")];
    // Another configuration home may be in force than the account's own.
    let other = std::env::var_os("XDG_CONFIG_HOME").map(|d| PathBuf::from(d).join("git/config"));
    for file in user.into_iter().chain(other) {
        read(&file, home, &mut out, &mut seen, true, 0)
    }
    for file in [common.join("config"), git_dir.join("config.worktree")] {
        read(&file, home, &mut out, &mut seen, false, 0)
    }
    out.hooks = hooks(&common.join("hooks"));
    Some(out)
}

/// A repository: its own folder and the one it shares with its worktrees; `Err`: there is one, but where is not known.
fn repository(dir: &Path) -> Option<Result<(PathBuf, PathBuf), ()>> {
    let line = |text: String| text.trim_end_matches(['\n', '\r']).to_owned();
    let mut at = Some(dir);
    while let Some(d) = at {
        let dot = d.join(".git");
        if let Ok(m) = std::fs::metadata(&dot) {
            let git_dir = if m.is_dir() {
                dot
            } else {
                let Some(target) = small(&dot).map(line).and_then(|t| t.strip_prefix("gitdir: ").map(ToOwned::to_owned)) else {
                    return Some(Err(()));
                };
                d.join(target)
            };
            let pointer = git_dir.join("commondir");
            let common = match std::fs::symlink_metadata(&pointer) {
                Err(_) => git_dir.clone(),
                Ok(_) => match small(&pointer).map(line) {
                    Some(c) => git_dir.join(c),
                    None => return Some(Err(())),
                },
            };
            return Some(Ok((git_dir, common)));
        }
        if std::fs::symlink_metadata(&dot).is_ok() {
            return Some(Err(()));
        }
        // A bare repository.
        if d.join("HEAD").is_file() && d.join("objects").is_dir() && d.join("refs").is_dir() {
            return Some(Ok((d.to_path_buf(), d.to_path_buf())));
        }
        at = d.parent();
    }
    None
}

/// Variables that change what git reads or runs, whatever the files say.
fn ambient(name: &str, value: &str) -> bool {
    let harmless = ["GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_TERMINAL_PROMPT", "GIT_OPTIONAL_LOCKS", "GIT_MERGE_AUTOEDIT"]
        .iter()
        .any(|p| name.starts_with(p));
    let off = matches!(value, "" | "cat" | "true" | ":" | "/bin/true")
        && (name.ends_with("PAGER") || name.ends_with("EDITOR") || name.ends_with("ASKPASS"));
    name.starts_with("GIT_") && !harmless && !off
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
    list.take(HOOKS)
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

/// Keys (section and name in lower case) with values, read character by character as git does: lines join only inside a
/// value, and never inside a comment. `None`: not in git's format, or something that git might read otherwise.
fn parse(text: &str) -> Option<Vec<(String, String)>> {
    let mut out = Vec::new();
    let mut section = String::new();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => {}
            '#' | ';' => skip_line(&mut chars),
            '[' => section = header(&mut chars)?,
            c if c.is_ascii_alphabetic() && !section.is_empty() => {
                let mut key = c.to_ascii_lowercase().to_string();
                while let Some(c) = chars.next_if(|c| c.is_ascii_alphanumeric() || *c == '-') {
                    key.push(c.to_ascii_lowercase());
                }
                while chars.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
                let value = match chars.next() {
                    None | Some('\n') => "true".to_owned(),
                    Some('=') => value(&mut chars)?,
                    Some('#' | ';') => {
                        skip_line(&mut chars);
                        "true".to_owned()
                    }
                    Some(_) => return None,
                };
                out.push((format!("{section}.{key}"), value));
            }
            _ => return None,
        }
    }
    Some(out)
}

type Chars<'t> = std::iter::Peekable<std::str::Chars<'t>>;

fn skip_line(chars: &mut Chars<'_>) {
    while chars.next().is_some_and(|c| c != '\n') {}
}

/// `section]` or `section "sub"]`, after the bracket.
fn header(chars: &mut Chars<'_>) -> Option<String> {
    let mut name = String::new();
    loop {
        match chars.next()? {
            ']' => return (!name.is_empty()).then_some(name),
            c if c.is_ascii_alphanumeric() || matches!(c, '-' | '.') => name.push(c.to_ascii_lowercase()),
            c if c == ' ' || c == '\t' => break,
            _ => return None,
        }
    }
    while chars.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
    if chars.next()? != '"' {
        return None;
    }
    name.push('.');
    loop {
        match chars.next()? {
            '"' => break,
            '\n' => return None,
            '\\' => name.push(chars.next().filter(|c| *c != '\n')?),
            c => name.push(c),
        }
    }
    (chars.next()? == ']').then_some(name)
}

/// A value up to the end of its line, quotes, escapes, joined lines and comments as git reads them.
fn value(chars: &mut Chars<'_>) -> Option<String> {
    let mut out = String::new();
    let (mut quoted, mut blanks) = (false, String::new());
    while let Some(c) = chars.next() {
        match c {
            '\n' if quoted => return None,
            '\n' => return Some(out),
            c if c.is_whitespace() && !quoted => {
                if !out.is_empty() {
                    blanks.push(c);
                }
                continue;
            }
            '#' | ';' if !quoted => {
                skip_line(chars);
                return Some(out);
            }
            _ => {}
        }
        out.push_str(&std::mem::take(&mut blanks));
        match c {
            '"' => quoted = !quoted,
            '\\' => match chars.next()? {
                '\n' => {}
                't' => out.push('\t'),
                'b' => out.push('\u{8}'),
                'n' => out.push('\n'),
                c @ ('\\' | '"') => out.push(c),
                _ => return None,
            },
            c => out.push(c),
        }
    }
    (!quoted).then_some(out)
}

/// Does the index of the repository at `root` hold this absolute path? (Versions 2 and 3; others: no.)
pub(super) fn tracked(root: &str, at: &str) -> bool {
    let Some(relative) = at.strip_prefix(root).map(|r| r.trim_start_matches('/')).filter(|r| !r.is_empty()) else { return false };
    let Some(Ok((git_dir, _))) = repository(Path::new(root)) else { return false };
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

#[cfg(test)]
mod tests;
