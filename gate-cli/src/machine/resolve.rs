//! Where a path leads: links followed as the kernel does, also through names that do not exist yet.

use std::collections::VecDeque;
use std::path::{Component, Path, PathBuf};

use gate_core::Resolved;

/// Most links that are followed; the kernel's own bound.
const LINKS: usize = 40;
/// Most components of a path.
const PARTS: usize = 512;

/// The path after every link, the missing tail kept.
pub(super) fn resolve(at: &str) -> Resolved {
    let mut todo: VecDeque<std::ffi::OsString> = Path::new(at).components().filter_map(part).collect();
    let mut done = PathBuf::from("/");
    let (mut links, mut parts) = (0, 0);
    while let Some(next) = todo.pop_front() {
        parts += 1;
        if parts > PARTS {
            return Resolved::Undecidable;
        }
        if next == ".." {
            done.pop();
            continue;
        }
        let here = done.join(&next);
        match std::fs::symlink_metadata(&here) {
            Ok(m) if m.file_type().is_symlink() => {
                links += 1;
                if links > LINKS {
                    return Resolved::Undecidable;
                }
                let Ok(target) = std::fs::read_link(&here) else { return Resolved::Undecidable };
                if target.is_absolute() {
                    done = PathBuf::from("/")
                }
                for p in target.components().filter_map(part).collect::<Vec<_>>().into_iter().rev() {
                    todo.push_front(p)
                }
            }
            Ok(_) => done = here,
            Err(e) if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => done = here,
            Err(_) => return Resolved::Undecidable,
        }
    }
    let done = done.display().to_string();
    if done == at { Resolved::Same } else { Resolved::To(done) }
}

fn part(c: Component<'_>) -> Option<std::ffi::OsString> {
    match c {
        Component::Normal(n) => Some(n.to_owned()),
        Component::ParentDir => Some("..".into()),
        _ => None,
    }
}
