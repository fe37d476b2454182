//! Reading one file without being led astray: no pipes, no devices, bounded, with what is odd about it.

use std::fs::{self, Metadata, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use gate_core::Source;

use crate::json::FILE_BYTES;

/// The state of one file: any change of contents changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stamp {
    dev: u64,
    inode: u64,
    modified_ns: i128,
    size: u64,
    changed_ns: i128,
}

impl Stamp {
    /// The state of the file that the path leads to; `None`: there is none.
    #[must_use]
    pub fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|m| Self::from(&m))
    }
}

impl From<&Metadata> for Stamp {
    fn from(m: &Metadata) -> Self {
        let ns = |s: i64, ns: i64| i128::from(s) * 1_000_000_000 + i128::from(ns);
        Self {
            dev: m.dev(),
            inode: m.ino(),
            modified_ns: ns(m.mtime(), m.mtime_nsec()),
            size: m.size(),
            changed_ns: ns(m.ctime(), m.ctime_nsec()),
        }
    }
}

/// One file.
pub(super) struct Look {
    /// Its text, or why it could not be read.
    pub text: Result<String, String>,
    /// Where the path leads, when it is a symbolic link.
    pub link: Option<PathBuf>,
    pub writable_by_others: bool,
    pub folder_writable_by_others: bool,
    /// Last change of its bytes, in seconds since 1970.
    pub changed: Option<u64>,
    owner: u32,
}

impl Look {
    /// Looks at a path; `None`: nothing is there. A file of a project must not lead out of the project.
    pub fn at(path: &Path, inside: Option<&Path>) -> Option<Self> {
        let here = match fs::symlink_metadata(path) {
            Ok(m) => m,
            Err(e) if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => return None,
            Err(e) => return Some(Self::unreadable(e.to_string())),
        };
        let link = here.is_symlink().then(|| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf()));
        let folder = path.parent().and_then(|p| fs::metadata(p).ok());
        let mut look = Self {
            text: Err(String::new()),
            link,
            writable_by_others: false,
            folder_writable_by_others: folder.is_some_and(|m| m.mode() & 0o022 != 0 && m.mode() & 0o1000 == 0 && !own_group(&m)),
            changed: None,
            owner: here.uid(),
        };
        if let Some(root) = inside
            && !leads_inside(path, root)
        {
            look.text = Err("it leads out of the project".to_owned());
            return Some(look);
        }
        look.text = look.read(path);
        Some(look)
    }

    const fn unreadable(why: String) -> Self {
        Self { text: Err(why), link: None, writable_by_others: false, folder_writable_by_others: false, changed: None, owner: 0 }
    }

    fn read(&mut self, path: &Path) -> Result<String, String> {
        // Not blocking: a pipe in place of the file must not stop the gate.
        let nonblocking = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
        let file = OpenOptions::new().read(true).custom_flags(nonblocking).open(path).map_err(|e| e.to_string())?;
        let m = file.metadata().map_err(|e| e.to_string())?;
        self.owner = m.uid();
        self.changed = u64::try_from(m.mtime()).ok();
        self.writable_by_others = m.mode() & 0o022 != 0 && !own_group(&m);
        if !m.is_file() {
            return Err("it is no plain file".to_owned());
        }
        let mut bytes = Vec::with_capacity(usize::try_from(m.len()).unwrap_or(0).min(FILE_BYTES) + 1);
        let limit = u64::try_from(FILE_BYTES).unwrap_or(u64::MAX) + 1;
        file.take(limit).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
        if bytes.len() > FILE_BYTES {
            return Err(format!("larger than {FILE_BYTES} bytes"));
        }
        String::from_utf8(bytes).map_err(|e| format!("it is not UTF-8 (byte {})", e.utf8_error().valid_up_to()))
    }

    /// The owner, when it is neither root nor the user who runs the gate. Managed settings belong to root alone.
    pub fn foreign_owner(&self, source: Source) -> Option<u32> {
        let me = rustix::process::geteuid().as_raw();
        let fine = self.owner == 0 || (source != Source::Managed && self.owner == me);
        (!fine).then_some(self.owner)
    }
}

/// Writable by the group only, where the group is the owner's own (the usual `umask 002`).
fn own_group(m: &Metadata) -> bool {
    m.mode() & 0o002 == 0 && m.gid() == m.uid()
}

fn leads_inside(path: &Path, root: &Path) -> bool {
    match (fs::canonicalize(path), fs::canonicalize(root)) {
        (Ok(path), Ok(root)) => path.starts_with(root),
        _ => false,
    }
}
