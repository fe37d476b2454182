//! The index of a repository: which paths it tracks, and which of them are repositories of their own.

use std::path::Path;

/// Largest index in bytes that is looked at.
const INDEX: u64 = 64 * 1024 * 1024;
/// Type bits of an entry that stands for a repository of its own.
const LINK: u32 = 0xE000;

/// Goes over every entry of an index file with its mode and path; an absent file has none. `None`: it cannot be read in
/// full. `hash`: bytes of an object name.
pub(super) fn each(file: &Path, hash: usize, entry: impl FnMut(u32, &[u8])) -> Option<()> {
    match std::fs::symlink_metadata(file) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Some(()),
        Ok(m) if m.is_file() && m.len() <= INDEX => {}
        _ => return None,
    }
    parse(&std::fs::read(file).ok()?, hash, entry)
}

/// Does the entry stand for a repository of its own: a submodule, or one that was added as it stands?
pub(super) const fn is_repository(mode: u32) -> bool {
    mode & 0xF000 == LINK
}

fn parse(bytes: &[u8], hash: usize, mut entry: impl FnMut(u32, &[u8])) -> Option<()> {
    let word = |at: usize| -> Option<u32> { Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?)) };
    let version = word(4)?;
    if bytes.get(..4)? != b"DIRC" || !matches!(version, 2..=4) {
        return None;
    }
    let mut at = 12;
    let mut path = Vec::new();
    for _ in 0..word(8)? {
        let (mode, flags) = (word(at + 24)?, word(at + 38 + hash)? & 0xFFFF);
        let mut name = at + 42 + hash + if flags & 0x4000 != 0 { 2 } else { 0 };
        if version == 4 {
            // The path before, without this many bytes at its end.
            let (strip, used) = varint(bytes.get(name..)?)?;
            name += used;
            path.truncate(path.len().checked_sub(strip)?);
        } else {
            path.clear();
        }
        let len = bytes.get(name..)?.iter().position(|b| *b == 0)?;
        path.extend_from_slice(bytes.get(name..name + len)?);
        at = if version == 4 { name + len + 1 } else { at + (name + len - at + 8) / 8 * 8 };
        entry(mode, &path);
    }
    // A split index holds its other entries elsewhere.
    while at + hash < bytes.len() {
        if bytes.get(at..at + 4)? == b"link" {
            return None;
        }
        at = at.checked_add(8)?.checked_add(word(at + 4)? as usize)?;
    }
    Some(())
}

/// A number in git's own variable length.
fn varint(bytes: &[u8]) -> Option<(usize, usize)> {
    let mut value = 0_usize;
    for (i, b) in bytes.iter().take(8).enumerate() {
        value = (if i == 0 { 0 } else { (value + 1) << 7 }) | usize::from(b & 0x7F);
        if b & 0x80 == 0 {
            return Some((value, i + 1));
        }
    }
    None
}
