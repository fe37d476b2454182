//! The effective git configuration of a repository and its index, read without starting git.

mod find;
mod index;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use find::Repository;
use gate_core::{GitConfig, Resolved};

use super::resolve::resolve;

/// Largest configuration file in bytes.
const FILE: u64 = 256 * 1024;
/// Most bytes of all configuration files together.
const BYTES: usize = 1024 * 1024;
/// Most files, includes and those of nested repositories counted.
const FILES: usize = 256;
/// Deepest nesting of includes, and of repositories in each other.
const DEPTH: usize = 8;
/// Most files of the hooks folder.
const HOOKS: usize = 10_000;

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
    // Attributes may stand in any folder: they are not looked for.
    let mut out = GitConfig { drivers: true, ..GitConfig::default() };
    let dir = match resolve(dir) {
        Resolved::Same => dir.to_owned(),
        Resolved::To(real) => real,
        Resolved::Undecidable => return Some(GitConfig { unreadable: true, ..out }),
    };
    let Ok(repository) = find::repository(Path::new(&dir))? else { return Some(GitConfig { unreadable: true, ..out }) };
    for (name, value) in std::env::vars_os() {
        let (name, value) = (name.to_string_lossy(), value.to_string_lossy());
        match network(&name) {
            Some(key) => out.entries.push((key.to_owned(), value.into_owned())),
            None => out.unreadable |= ambient(&name, &value),
        }
    }
    let mut reader = Reader { home: home.to_owned(), out, seen: HashSet::new(), left: BYTES };
    let user = [Path::new("/etc/gitconfig").to_path_buf(), Path::new(home).join(".config/git/config"), Path::new(home).join(".gitconfig")];
    for file in user {
        reader.file(&file, true, 0)
    }
    // git goes by the environment, which a project may have set.
    let set = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let others = set("HOME").map(|h| [h.join(".config/git/config"), h.join(".gitconfig")]);
    for file in set("XDG_CONFIG_HOME").map(|d| d.join("git/config")).into_iter().chain(others.into_iter().flatten()) {
        reader.file(&file, false, 0)
    }
    reader.whole(&repository, 0);
    Some(reader.out)
}

/// Gathers configuration, within bounds.
struct Reader {
    home: String,
    out: GitConfig,
    seen: HashSet<PathBuf>,
    /// Bytes that may still be read.
    left: usize,
}

impl Reader {
    /// One repository and those nested in it, in which git starts itself to look at them.
    fn whole(&mut self, r: &Repository, depth: usize) {
        let from = self.out.entries.len();
        for file in [r.common.join("config"), r.dir.join("config.worktree")] {
            self.file(&file, false, 0)
        }
        self.out.hooks.extend(hooks(&r.common.join("hooks")));
        let long = self.out.entries.iter().skip(from).any(|(k, v)| k == "extensions.objectformat" && v.eq_ignore_ascii_case("sha256"));
        let mut inner = Vec::new();
        let nested = |mode, path: &[u8]| {
            if index::is_repository(mode) {
                inner.push(r.root.join(OsStr::from_bytes(path)))
            }
        };
        if index::each(&r.dir.join("index"), if long { 32 } else { 20 }, nested).is_none() {
            self.out.unreadable = true;
        }
        for at in inner {
            match find::exactly(&at) {
                None => {}
                Some(Ok(inner)) if depth < DEPTH && self.seen.len() < FILES && !self.out.unreadable => self.whole(&inner, depth + 1),
                Some(_) => self.out.unreadable = true,
            }
        }
    }

    /// One file and its includes; a conditional include counts as if its condition held.
    fn file(&mut self, file: &Path, own: bool, depth: usize) {
        if std::fs::symlink_metadata(file).is_err() {
            return;
        }
        if depth > DEPTH || self.seen.len() >= FILES || !self.seen.insert(file.to_path_buf()) {
            self.out.unreadable |= depth > DEPTH || self.seen.len() >= FILES;
            return;
        }
        let text = small(file).filter(|t| t.len() <= self.left);
        self.left -= text.as_ref().map_or(0, String::len);
        let Some(entries) = text.as_deref().and_then(parse) else {
            self.out.unreadable = true;
            return;
        };
        for (key, value) in entries {
            if key == "include.path" || (key.starts_with("includeif.") && key.ends_with(".path")) {
                let target = value
                    .strip_prefix("~/")
                    .map_or_else(|| file.parent().unwrap_or(Path::new("/")).join(&value), |r| Path::new(&self.home).join(r));
                self.file(&target, own, depth + 1);
                continue;
            }
            let harmless = own
                && (OWN.contains(&key.as_str())
                    || [
                        "pager.",
                        "difftool.",
                        "mergetool.",
                        "credential.",
                        "filter.",
                        "diff.",
                        "merge.",
                        "alias.",
                        "delta.",
                        "sendemail.",
                        "http.",
                        "gpg.",
                    ]
                    .iter()
                    .any(|p| key.starts_with(p)));
            if !harmless {
                self.out.entries.push((key, value))
            }
        }
    }
}

/// The key that a variable stands for which matters only once git uses the network.
fn network(name: &str) -> Option<&'static str> {
    Some(match name {
        "GIT_ASKPASS" => "core.askpass",
        "GIT_SSH" | "GIT_SSH_COMMAND" | "GIT_SSH_VARIANT" => "core.sshcommand",
        "GIT_PROXY_COMMAND" => "core.gitproxy",
        _ if name.starts_with("GIT_SSL_") || name.starts_with("GIT_HTTP_") => "http.sslcainfo",
        _ => return None,
    })
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

/// The text of a plain file of at most [`FILE`] bytes. A pipe or a device would be read for ever.
fn small(file: &Path) -> Option<String> {
    if !std::fs::metadata(file).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let read = std::fs::File::open(file).ok()?.take(FILE + 1).read_to_string(&mut text).ok()?;
    (read as u64 <= FILE).then_some(text)
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

/// Does the index of the repository at `root` hold this absolute path?
pub(super) fn tracked(root: &str, at: &str) -> bool {
    let Some(relative) = at.strip_prefix(root).map(|r| r.trim_start_matches('/')).filter(|r| !r.is_empty()) else { return false };
    let Some(Ok(r)) = find::repository(Path::new(root)) else { return false };
    let mut found = false;
    index::each(&r.dir.join("index"), 20, |_, path| found |= path == relative.as_bytes());
    found
}

#[cfg(test)]
mod tests;
