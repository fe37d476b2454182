//! One line for each decision, in a file of the user's alone. A log that cannot be written changes nothing.

use std::fs::{self, Metadata, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use gate_core::redact::redact;
use gate_core::{Log, LogRecord, limits};
use rustix::fs::OFlags;
use serde_json::json;

use crate::render;

/// Past this size the file is set aside; one older file is kept.
const SIZE: u64 = 8 * 1024 * 1024;
/// Longest command text in a record, in characters.
const COMMAND: usize = 4_000;

/// Appends to `decisions.jsonl` in a folder.
pub struct DecisionLog {
    folder: PathBuf,
}

impl DecisionLog {
    /// `state`: the gate's state folder.
    #[must_use]
    pub fn new(state: &Path) -> Self {
        Self { folder: state.join("log") }
    }
}

fn write(folder: &Path, line: &str) -> std::io::Result<()> {
    private_folder(folder)?;
    let file = folder.join("decisions.jsonl");
    if fs::metadata(&file).is_ok_and(|m| m.len() > SIZE) {
        fs::rename(&file, folder.join("decisions.1.jsonl"))?
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    // A link in its place would write elsewhere.
    let nofollow = i32::try_from(OFlags::NOFOLLOW.bits()).unwrap_or(0);
    options.mode(0o600).custom_flags(nofollow);
    let mut file = options.open(file)?;
    tighten(&file.metadata()?, 0o600, |p| file.set_permissions(p))?;
    file.write_all(line.as_bytes())
}

/// What others may read or write of an older version of the log, they may no longer.
fn tighten(found: &Metadata, mode: u32, set: impl FnOnce(Permissions) -> std::io::Result<()>) -> std::io::Result<()> {
    if found.permissions().mode() & 0o077 == 0 { Ok(()) } else { set(Permissions::from_mode(mode)) }
}

fn private_folder(folder: &Path) -> std::io::Result<()> {
    match fs::metadata(folder) {
        Ok(found) if found.is_dir() => tighten(&found, 0o700, |p| fs::set_permissions(folder, p)),
        _ => fs::DirBuilder::new().recursive(true).mode(0o700).create(folder),
    }
}

impl Log for DecisionLog {
    fn record(&self, record: &LogRecord<'_>) {
        let call = record.case.call;
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis());
        let what = call.command().or_else(|| call.path()).or_else(|| call.url()).unwrap_or_default();
        let what: String = what.chars().take(COMMAND).collect();
        let mut line = render::record(&json!(call.id), record.case, record.decision);
        if let Some(map) = line.as_object_mut() {
            map.insert("time".to_owned(), json!(u64::try_from(time).unwrap_or(u64::MAX)));
            map.insert("host".to_owned(), json!(call.host));
            map.insert("session".to_owned(), json!(call.session));
            map.insert("tool".to_owned(), json!(call.tool.name));
            map.insert("what".to_owned(), json!(redact(&what)));
            map.insert("cwd".to_owned(), json!(call.cwd));
            map.insert("reason".to_owned(), json!(redact(&record.decision.reason().text)));
            map.remove("units");
        }
        // A failing or stalling log never changes a decision, and is not waited for.
        let (text, folder) = (format!("{}\n", render::ascii(&line)), self.folder.clone());
        let (send, done) = std::sync::mpsc::channel();
        let writer = std::thread::Builder::new().spawn(move || {
            let _ = write(&folder, &text);
            let _ = send.send(());
        });
        if writer.is_ok() {
            let _ = done.recv_timeout(Duration::from_millis(limits::OBSERVE_MS));
        }
    }
}
