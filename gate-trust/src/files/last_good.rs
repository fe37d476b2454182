//! The last good version of each source, kept so that a file that breaks does not lose its denies.

use std::path::{Path, PathBuf};

use gate_core::Source;

use super::{Loaded, Lock, Places, WriteError, write_private};
use crate::approvals::{ApprovalStore, ProjectFile, hex_digest};
use crate::read::source_word;
use crate::snapshot::{LastGood, SourceText, Sources};

fn path(places: &Places, source: Source, of: &str) -> PathBuf {
    let digest = hex_digest(of.as_bytes());
    places.state_dir.join("last-good").join(format!("{}-{}.json", source_word(source), digest.get(..16).unwrap_or(&digest)))
}

fn read(path: &Path) -> Option<SourceText> {
    std::fs::read_to_string(path).ok().map(|text| SourceText::new(path.display().to_string(), text))
}

/// The last good versions of the sources that are there.
pub(super) fn of(places: &Places, sources: &Sources) -> LastGood {
    let kept = |source, text: &Option<SourceText>| text.as_ref().and_then(|t| read(&path(places, source, &t.name)));
    let store = ApprovalStore::new(&places.state_dir);
    let local = || {
        let last = store.last(places.project_root.as_deref()?, ProjectFile::Local)?;
        Some(SourceText::new("the last approved version", last))
    };
    LastGood {
        managed: kept(Source::Managed, &sources.managed),
        user: kept(Source::User, &sources.user),
        shared: kept(Source::ProjectShared, &sources.shared),
        local: if sources.local.is_some() { local() } else { None },
    }
}

/// The good versions of which no copy is kept yet, with the copy's place.
fn missing<'l>(places: &Places, loaded: &'l Loaded) -> Vec<(PathBuf, &'l str)> {
    let sources = &loaded.sources;
    let all = [(Source::Managed, &sources.managed), (Source::User, &sources.user), (Source::ProjectShared, &sources.shared)];
    let good = |source| !loaded.snapshot.rejected.contains(&source) && !loaded.snapshot.lost_denies.contains(&source);
    let one = |(source, text): (Source, &'l Option<SourceText>)| {
        let Some(SourceText { name, text: Ok(body), .. }) = text else { return None };
        let path = path(places, source, name);
        let kept = || read(&path).is_some_and(|t| t.text.as_ref() == Ok(body));
        (good(source) && !kept()).then(|| (path.clone(), body.as_str()))
    };
    all.into_iter().filter_map(one).collect()
}

/// Is there nothing to [`remember`]?
#[must_use]
pub fn remembered(places: &Places, loaded: &Loaded) -> bool {
    missing(places, loaded).is_empty()
}

/// Keeps the present versions of the sources that are not rejected. Call it after the decision; a hook may.
///
/// # Errors
/// When the state folder cannot be written.
pub fn remember(places: &Places, loaded: &Loaded) -> Result<(), WriteError> {
    for (path, body) in missing(places, loaded) {
        if let Some(folder) = path.parent() {
            let _lock = Lock::of(folder)?;
            write_private(&path, body.as_bytes())?;
        }
    }
    Ok(())
}
