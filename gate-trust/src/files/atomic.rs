//! Writing a file so that every reader, and every crash, sees the old or the new one: a temporary file in the same
//! folder, `fsync`, rename, `fsync` of the folder; under a lock that dies with its process.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// How long a lock is waited for.
const LOCK_WAIT: Duration = Duration::from_secs(10);

/// A file could not be written. Nothing has changed.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The system refused.
    #[error("failed to save {}: {error}", path.display())]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// Why.
        #[source]
        error: io::Error,
    },
    /// Another process holds the lock for too long.
    #[error("failed to save {}: another process holds the lock", path.display())]
    Locked {
        /// Which folder.
        path: PathBuf,
    },
    /// What stands there is not what this program writes, and is left alone.
    #[error("failed to save {}: {why}", path.display())]
    Refused {
        /// Which file.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

impl WriteError {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_path_buf();
        move |error| Self::Io { path, error }
    }
}

/// Exclusive use of a folder's files among processes of the gate; ends when dropped, or with the process. It is a lock
/// on the folder itself, so that no lock file is left.
#[derive(Debug)]
pub struct Lock {
    _folder: File,
}

impl Lock {
    /// Waits for the lock on a folder, at most ten seconds. The folder is made when it is missing.
    ///
    /// # Errors
    /// The folder cannot be made or opened, or another process keeps the lock.
    pub fn of(folder: &Path) -> Result<Self, WriteError> {
        Self::within(folder, LOCK_WAIT)
    }

    /// Waits for that long only.
    ///
    /// # Errors
    /// As [`Lock::of`].
    pub fn within(folder: &Path, wait: Duration) -> Result<Self, WriteError> {
        private_folder(folder)?;
        let file = File::open(folder).map_err(WriteError::io(folder))?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _folder: file }),
                Err(fs::TryLockError::WouldBlock) if start.elapsed() < wait => std::thread::sleep(Duration::from_millis(2)),
                Err(fs::TryLockError::WouldBlock) => return Err(WriteError::Locked { path: folder.to_path_buf() }),
                Err(fs::TryLockError::Error(error)) => return Err(WriteError::io(folder)(error)),
            }
        }
    }
}

/// Makes a folder that only its owner can enter, and those above it.
pub(crate) fn private_folder(folder: &Path) -> Result<(), WriteError> {
    if folder.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(WriteError::io(folder))
}

/// Writes a file, 0600, as a whole. The caller holds the [`Lock`] of its folder when it has read the file before.
///
/// # Errors
/// When the file cannot be written; the old one still stands then.
pub fn write_private(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_in_steps(path, bytes, true, &mut |_| Ok(())).map_err(WriteError::io(path))
}

/// The same without waiting for the disk: for what may be lost when the machine stops.
pub(crate) fn write_scratch(path: &Path, bytes: &[u8]) -> Result<(), WriteError> {
    write_in_steps(path, bytes, false, &mut |_| Ok(())).map_err(WriteError::io(path))
}

/// A point at which a write may be interrupted; tests do it at each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Before the temporary file is made.
    Create,
    /// Before the byte at this offset is written.
    Byte(usize),
    /// Before the file reaches the disk.
    Sync,
    /// Before it takes the place of the old one.
    Rename,
    /// Before the folder reaches the disk.
    SyncFolder,
}

/// The writing itself. `interrupt` stands for a crash: after its error nothing more is done, not even tidying.
pub(crate) fn write_in_steps(
    path: &Path,
    bytes: &[u8],
    durable: bool,
    interrupt: &mut dyn FnMut(Step) -> io::Result<()>,
) -> io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no file name"))?.to_string_lossy();
    let unique = COUNTER.fetch_add(1, Ordering::Relaxed);
    let temporary = folder.join(format!(".{name}.{}.{unique}.tmp", std::process::id()));
    interrupt(Step::Create)?;
    let mut crashed = false;
    let mut step = |s: Step| {
        let result = interrupt(s);
        crashed |= result.is_err();
        result
    };
    let result = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
        for (n, chunk) in bytes.chunks(4096).enumerate() {
            step(Step::Byte(n * 4096))?;
            file.write_all(chunk)?;
        }
        step(Step::Sync)?;
        if durable {
            file.sync_all()?;
        }
        step(Step::Rename)?;
        fs::rename(&temporary, path)?;
        step(Step::SyncFolder)?;
        if durable { File::open(folder)?.sync_all() } else { Ok(()) }
    })();
    if result.is_err() && !crashed {
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Removes what crashed writers of a file have left. Only under the lock of its folder.
pub(crate) fn sweep(path: &Path) {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return };
    let head = format!(".{}.", name.to_string_lossy());
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let file = entry.file_name();
        let file = file.to_string_lossy();
        if file.starts_with(&head) && file.ends_with(".tmp") {
            let _ = fs::remove_file(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A crash at every step, and at every chunk of the bytes, leaves the old or the new file.
    #[test]
    fn a_crash_anywhere_leaves_the_old_or_the_new_file() {
        let folder = std::env::temp_dir().join(format!("gate-atomic-{}", std::process::id()));
        private_folder(&folder).unwrap();
        let path = folder.join("file");
        let (old, new) = (vec![b'o'; 9_000], vec![b'n'; 20_000]);
        let mut steps = Vec::new();
        write_in_steps(&path, &new, true, &mut |s| {
            steps.push(s);
            Ok(())
        })
        .unwrap();
        assert!(steps.len() > 8);
        for crash in &steps {
            write_private(&path, &old).unwrap();
            let crashed = write_in_steps(&path, &new, true, &mut |s| if s == *crash { Err(io::Error::other("crash")) } else { Ok(()) });
            assert!(crashed.is_err());
            let now = fs::read(&path).unwrap();
            let expected = if *crash == Step::SyncFolder { &new } else { &old };
            assert!(now == *expected, "{crash:?}");
            sweep(&path);
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "what the crash left is swept");
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_lock_excludes_and_ends() {
        let folder = std::env::temp_dir().join(format!("gate-lock-{}", std::process::id()));
        let lock = Lock::of(&folder).unwrap();
        let other = File::open(&folder).unwrap();
        assert!(other.try_lock().is_err());
        drop(lock);
        assert!(other.try_lock().is_ok());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "no lock file is left");
        fs::remove_dir_all(&folder).unwrap();
    }
}
