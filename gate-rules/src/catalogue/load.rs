//! Reads a user's own family files. A text is compiled once per process however often settings are read again.

use std::sync::{Mutex, PoisonError};

use super::Catalogue;
use super::compile::{Mistake, compile};
use super::model::Family;

/// A mistake in a user's file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {cause}")]
pub struct FamilyError {
    /// The path as it was given.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub cause: String,
}

type Compiled = Result<&'static Family, Vec<Mistake>>;

/// Every text that was compiled, so that reading it again costs no memory.
static SEEN: Mutex<Vec<(String, String, Compiled)>> = Mutex::new(Vec::new());

fn cached(id: &str, text: &str) -> Compiled {
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, _, result)) = seen.iter().find(|(i, t, _)| i == id && t == text) {
        return result.clone();
    }
    let result: Compiled = compile(id, text).map(|(f, _)| &*Box::leak(Box::new(f)));
    seen.push((id.to_owned(), text.to_owned(), result.clone()));
    result
}

pub(super) fn load(files: &[(String, String)]) -> (Catalogue, Vec<FamilyError>) {
    let mut catalogue = Catalogue::default();
    let mut problems = Vec::new();
    for (path, text) in files {
        let id = path.rsplit('/').next().unwrap_or(path).trim_end_matches(".toml");
        match cached(id, text) {
            Ok(family) => {
                let twice = family.names.iter().find(|n| catalogue.own.iter().any(|f| f.names.contains(n)));
                if let Some(name) = twice {
                    problems.push(FamilyError { file: path.clone(), line: 1, cause: format!("{name} is also in another file") });
                } else {
                    catalogue.own.push(family);
                }
            }
            Err(mistakes) => {
                problems.extend(mistakes.into_iter().map(|m| FamilyError { file: path.clone(), line: m.line, cause: m.cause }));
            }
        }
    }
    (catalogue, problems)
}
