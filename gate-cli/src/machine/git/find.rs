//! Which repository git would use in a folder, found as git finds it.

use std::path::{Path, PathBuf};

/// A repository.
pub(super) struct Repository {
    /// The top of its work tree, or its own folder when it has none.
    pub root: PathBuf,
    /// Its own folder.
    pub dir: PathBuf,
    /// The folder that it shares with its worktrees.
    pub common: PathBuf,
}

/// The repository of a real folder (no links in it); `Err`: something looks like one, and git may read it otherwise.
pub(super) fn repository(dir: &Path) -> Option<Result<Repository, ()>> {
    dir.ancestors().find_map(exactly)
}

/// The repository whose top is this folder.
pub(super) fn exactly(d: &Path) -> Option<Result<Repository, ()>> {
    let dot = d.join(".git");
    let link = std::fs::symlink_metadata(&dot).ok();
    match std::fs::metadata(&dot) {
        Ok(m) if m.is_dir() => Some(if is_repository(&dot) { found(d, dot) } else { Err(()) }),
        Ok(m) if m.is_file() => Some(match pointer(&dot, "gitdir: ") {
            Some(to) => found(d, d.join(to)),
            None => Err(()),
        }),
        _ if link.is_some() => Some(Err(())),
        _ if !exists(&d.join("HEAD")) || !(exists(&d.join("objects")) || exists(&d.join("commondir"))) => None,
        _ => Some(if is_repository(d) { found(d, d.to_path_buf()) } else { Err(()) }),
    }
}

fn found(root: &Path, dir: PathBuf) -> Result<Repository, ()> {
    let file = dir.join("commondir");
    let common = if exists(&file) { dir.join(pointer(&file, "").ok_or(())?) } else { dir.clone() };
    Ok(Repository { root: root.to_path_buf(), dir, common })
}

fn exists(at: &Path) -> bool {
    at.symlink_metadata().is_ok()
}

/// The one line of a file that leads elsewhere.
fn pointer(file: &Path, start: &str) -> Option<String> {
    let text = super::small(file)?;
    text.trim_end_matches(['\n', '\r']).strip_prefix(start).filter(|t| !t.is_empty() && !t.contains('\n')).map(ToOwned::to_owned)
}

/// Would git take this folder for a repository for certain?
fn is_repository(dir: &Path) -> bool {
    let head = super::small(&dir.join("HEAD")).unwrap_or_default();
    let head = head.trim_end();
    let named = head.strip_prefix("ref:").is_some_and(|r| r.trim_start().starts_with("refs/"));
    let detached = matches!(head.len(), 40 | 64) && head.bytes().all(|b| b.is_ascii_hexdigit());
    let plain = dir.join("HEAD").symlink_metadata().is_ok_and(|m| m.is_file());
    plain && (named || detached) && dir.join("objects").is_dir() && dir.join("refs").is_dir() && !exists(&dir.join("commondir"))
}
