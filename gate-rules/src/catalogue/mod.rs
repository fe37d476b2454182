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
pub(crate) use matched::Matched;
pub use examples::{Failure, check_family, explain, read_line};
pub use format::RawFamily;
pub use load::Problem;
use model::{Family, InnerAt};

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

impl Catalogue {
    /// The shipped families and a user's own, `(path, text)` each; a program that both name is the user's.
    ///
    /// # Errors
    /// Every mistake with file and line, and the catalogue without the files that have one.
    pub fn with_user(files: &[(&str, &str)]) -> Result<Self, (Self, Vec<Problem>)> {
        load::load(files)
    }

    /// The family that knows a program of that base name.
    fn family(&self, name: &str) -> Option<&'static Family> {
        let own = self.own.iter().copied().find(|f| f.names.iter().any(|n| n == name || glob::is_pattern(n) && name != "[" && glob::matches(n, name)));
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
        let hit = |p: &str| glob::matches(p, name);
        let taken_out = |p: &&str| p.strip_prefix('!').is_some_and(hit);
        let own = || self.own.iter().flat_map(|f| f.env_runs.iter());
        let shipped = || built::ENV_RUNS.iter().copied().filter(|_| !self.bare);
        !own().chain(shipped()).any(|p| taken_out(&p)) && own().chain(shipped()).any(hit)
    }
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
    pub(crate) fn assess(self, words: &[Word]) -> Finding {
        assess(self.0, words)
    }
    pub(crate) fn inner(self, words: &[Word]) -> Vec<Inner> {
        unwrap::inner(&matched::matched(self.0, words)).into_iter().map(|(_, i)| i).collect()
    }
    /// A shell: what it runs is analysed as units of its own.
    pub(crate) fn shell(self) -> bool {
        self.0.wrappers.iter().any(|w| w.inner == InnerAt::Stdin && !w.shell.is_empty())
    }
}

impl WrapperGrammar for Catalogue {
    fn unwrap_command(&self, words: &[Word]) -> Vec<Inner> {
        unwrap::base_name(words).and_then(|n| self.find(n)).map(|k| k.inner(words)).unwrap_or_default()
    }
}
