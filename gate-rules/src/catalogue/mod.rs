//! The catalogue: which family knows a program, and what a call of it does. Format: `docs/catalogue-format.md`.

mod assess;
mod check;
mod compile;
mod format;
pub(crate) mod glob;
mod model;
mod options;
mod subcommand;
#[cfg(test)]
mod tests;
mod wrap;

use std::sync::OnceLock;

use gate_core::{Inner, Word, WrapperGrammar};
use thiserror::Error;

pub(crate) use assess::assess;
pub(crate) use compile::ROLES;
pub use format::RawFamily;
pub(crate) use model::Family;

mod built {
    use super::model::{Family, InnerAt, Keyed, List, Sub, When, Wrapper};
    include!(concat!(env!("OUT_DIR"), "/families.rs"));
}

/// A mistake in a user's family file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{file}:{line}: {cause}")]
pub struct FamilyError {
    /// The file as it was named by the caller.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub cause: String,
}

/// All families: the shipped ones and a user's own, which are looked at first.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    own: Vec<&'static Family>,
}

/// The shipped catalogue.
#[must_use]
pub fn builtin() -> &'static Catalogue {
    static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
    CATALOGUE.get_or_init(Catalogue::default)
}

/// The JSON schema of a family file.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(RawFamily)
}

/// A family file with its examples, for checks: file id, examples by kind, rules with hits and misses.
///
/// # Errors
/// Every mistake of the file, with its line.
pub fn read(file: &str, text: &str) -> Result<RawFamily, Vec<FamilyError>> {
    let id = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".toml");
    compile::compile(id, text).map(|(_, raw)| raw).map_err(|m| errors(file, m))
}

fn errors(file: &str, mistakes: Vec<compile::Mistake>) -> Vec<FamilyError> {
    mistakes.into_iter().map(|m| FamilyError { file: file.to_owned(), line: m.line, cause: m.cause }).collect()
}

impl Catalogue {
    /// The shipped families and these files of a user (name and text each), which win over shipped ones. A file with
    /// mistakes is left out and reported. The tables of a loaded file stay in memory for the life of the process.
    #[must_use]
    pub fn with_user(files: &[(String, String)]) -> (Self, Vec<FamilyError>) {
        let (mut own, mut bad) = (Vec::new(), Vec::new());
        for (file, text) in files {
            let id = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".toml");
            match compile::compile(id, text) {
                Ok((family, _)) => {
                    let kept: &'static Family = Box::leak(Box::new(family));
                    own.push(kept);
                }
                Err(mistakes) => bad.extend(errors(file, mistakes)),
            }
        }
        (Self { own }, bad)
    }

    /// The family that knows a program by its base name.
    pub(crate) fn family(&self, name: &str) -> Option<&'static Family> {
        if let Some(f) = self.own.iter().find(|f| f.names.iter().any(|n| glob::matches(n, name))) {
            return Some(*f);
        }
        let at = built::NAMES.binary_search_by(|(n, _)| (*n).cmp(name)).ok().and_then(|i| built::NAMES.get(i));
        let at = at.or_else(|| built::GLOBS.iter().find(|(n, _)| glob::matches(n, name)));
        at.and_then(|(_, i)| built::FAMILIES.get(usize::from(*i)))
    }

    /// The names of all shipped families, for listings.
    pub fn families(&self) -> impl Iterator<Item = &'static str> {
        built::FAMILIES.iter().map(|f| f.id)
    }

    /// May this variable make some program run or load something?
    pub(crate) fn env_runs(&self, name: &str) -> bool {
        let own = self.own.iter().flat_map(|f| f.env_runs.iter());
        let all: Vec<&str> = built::ENV_RUNS.iter().copied().chain(own).collect();
        !all.iter().any(|p| p.strip_prefix('!') == Some(name)) && all.iter().any(|p| glob::matches(p, name))
    }
}

/// The base name of a program word: a bare name, or one reached by a path.
pub(crate) fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

impl WrapperGrammar for Catalogue {
    fn unwrap_command(&self, words: &[Word]) -> Vec<Inner> {
        let Some(name) = words.first().and_then(Word::literal) else { return Vec::new() };
        self.family(base_name(name)).map(|f| wrap::unwrap(f, words)).unwrap_or_default()
    }
}
