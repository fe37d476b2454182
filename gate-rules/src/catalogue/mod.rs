//! The command catalogue: what programs do, as data. Files in `gate-rules/commands/` are compiled at build time;
//! users add files of the same format. It says nothing of what is thought of an effect (`policy.rs`).

mod assess;
mod check;
mod compile;
mod examples;
mod format;
pub(crate) mod glob;
mod load;
mod matched;
mod model;
mod options;
mod roles;
mod subcommand;
#[cfg(test)]
mod tests;
mod unwrap;

use gate_core::{Inner, Word, WrapperGrammar};

pub(crate) use assess::{Finding, assess, is_stream};
#[cfg(test)]
pub(crate) use examples::analyse_line;
pub use examples::{Failure, check_family, explain, read_line};
pub use format::RawFamily;
pub use load::FamilyError;
pub(crate) use matched::Matched;
use model::Family;

mod built {
    use super::model::{Family, InnerAt, Keyed, List, Sub, When, Wrapper};
    include!(concat!(env!("OUT_DIR"), "/families.rs"));
}

/// Command families: those shipped, and a user's own before them.
#[derive(Clone, Debug, Default)]
pub struct Catalogue {
    own: Vec<&'static Family>,
    bare: bool,
}

static BUILTIN: Catalogue = Catalogue { own: Vec::new(), bare: false };

/// The shipped families.
#[must_use]
pub fn builtin() -> &'static Catalogue {
    &BUILTIN
}

/// The JSON schema of a family file.
#[must_use]
pub fn schema() -> schemars::Schema {
    schemars::schema_for!(RawFamily)
}

/// A family file as it is written, for checks and listings.
///
/// # Errors
/// Every mistake of the file, with its line.
pub fn read(file: &str, text: &str) -> Result<RawFamily, Vec<FamilyError>> {
    let id = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".toml");
    let error = |m: compile::Mistake| FamilyError { file: file.to_owned(), line: m.line, cause: m.cause };
    compile::compile(id, text).map(|(_, raw)| raw).map_err(|m| m.into_iter().map(error).collect())
}

impl Catalogue {
    /// The shipped families and these files of a user (path and text each), which win over shipped ones. A file with
    /// mistakes is left out and reported. Texts that were read once stay in memory for the life of the process.
    #[must_use]
    pub fn with_user(files: &[(String, String)]) -> (Self, Vec<FamilyError>) {
        load::load(files)
    }

    /// The names of all shipped families, for listings.
    pub fn families(&self) -> impl Iterator<Item = &'static str> {
        built::FAMILIES.iter().map(|f| f.id)
    }

    /// The family that knows a program of that base name.
    fn family(&self, name: &str) -> Option<&'static Family> {
        let own = self
            .own
            .iter()
            .copied()
            .find(|f| f.names.iter().any(|n| n == name || glob::is_pattern(n) && name != "[" && glob::matches(n, name)));
        if own.is_some() || self.bare {
            return own;
        }
        let by_name = built::NAMES.binary_search_by(|(n, _)| (*n).cmp(name)).ok().and_then(|i| built::NAMES.get(i));
        let at = by_name.or_else(|| built::GLOBS.iter().find(|(n, _)| glob::matches(n, name)));
        at.and_then(|(_, i)| built::FAMILIES.get(usize::from(*i)))
    }

    /// Does a family know a program of that base name?
    #[must_use]
    pub fn knows(&self, name: &str) -> bool {
        self.family(name).is_some()
    }

    pub(crate) fn find(&self, name: &str) -> Option<Known> {
        self.family(name).map(Known)
    }

    /// Does setting this variable make some program run or load something?
    pub(crate) fn variable_runs(&self, name: &str) -> bool {
        let own = self.own.iter().flat_map(|f| f.env_runs.iter());
        let shipped = built::ENV_RUNS.iter().copied().filter(|_| !self.bare);
        names(own.chain(shipped), name)
    }
}

/// Do the patterns name the variable? `!` takes some out again.
fn names(patterns: impl Iterator<Item = &'static str>, name: &str) -> bool {
    let mut found = false;
    for p in patterns {
        match p.strip_prefix('!') {
            Some(p) if glob::matches(p, name) => return false,
            Some(_) => {}
            None => found |= glob::matches(p, name),
        }
    }
    found
}

/// A family, for the rest of the crate.
#[derive(Clone, Copy)]
pub(crate) struct Known(&'static Family);

impl Known {
    pub(crate) const fn id(self) -> &'static str {
        self.0.id
    }
    pub(crate) const fn builtin(self) -> bool {
        self.0.builtin
    }
    pub(crate) const fn git_config(self) -> bool {
        !self.0.repo_config.is_empty()
    }
    /// Does this variable make the program run or load something?
    pub(crate) fn variable_runs(self, name: &str) -> bool {
        names(self.0.env_runs.iter(), name)
    }
    /// Files of a project by which the program runs or loads something: the name, and the text that makes it so.
    pub(crate) fn loads(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.0.loads.iter().map(|l| l.split_once('=').unwrap_or((l, "")))
    }
    pub(crate) fn assess(self, words: &[Word]) -> Finding {
        assess(self.0, words)
    }
    pub(crate) fn inner(self, words: &[Word]) -> Vec<Inner> {
        unwrap::inner(&matched::matched(self.0, words)).into_iter().map(|(_, i)| i).collect()
    }
}

impl WrapperGrammar for Catalogue {
    fn unwrap_command(&self, words: &[Word]) -> Vec<Inner> {
        // Most programs run no other: nothing is taken apart for them.
        let known = unwrap::base_name(words).and_then(|n| self.find(n)).filter(|k| !k.0.wrappers.is_empty());
        known.map(|k| k.inner(words)).unwrap_or_default()
    }
}
