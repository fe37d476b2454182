//! What the deciding path may know of the world, through a trait that the caller implements.

use serde::Serialize;

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum PathKind {
    /// Nothing.
    Missing,
    /// A plain file.
    File,
    /// A folder.
    Dir,
    /// Something else, or not known.
    Unknown,
}

/// Where a path leads after every link is followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Resolved {
    /// To itself (or the nearest existing folder above it has no link in it).
    Same,
    /// There.
    To(String),
    /// Not decidable: loops, too many links, no permission.
    Undecidable,
}

/// Where a bare program name leads on the real search path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum ProgramAt {
    /// Outside the project, temp and folders that others can write.
    Trusted(String),
    /// Inside one of those.
    Untrusted(String),
    /// Nowhere.
    Missing,
}

/// The effective git configuration of one repository.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GitConfig {
    /// Keys in lower case (section and name; sub-section as written) with their values, all scopes and includes.
    pub entries: Vec<(String, String)>,
    /// Names of hooks that exist and can run.
    pub hooks: Vec<String>,
    /// Attribute files may assign a driver by `filter=`, `diff=` or `merge=`.
    pub drivers: bool,
    /// It could not be read in full; nothing may vouch by it.
    pub unreadable: bool,
}

/// Facts of the world. Every method is quick and never fails; what cannot be known has a value that says so.
pub trait Facts: Send + Sync {
    /// What stands at this absolute path.
    fn kind(&self, path: &str) -> PathKind;
    /// Where this absolute path leads.
    fn resolve(&self, path: &str) -> Resolved;
    /// Where this bare program name leads.
    fn program(&self, name: &str) -> ProgramAt;
    /// The configuration of the repository that git would use in this absolute directory; `None`: no repository.
    fn git_config(&self, dir: &str) -> Option<GitConfig>;
    /// Does the repository of the project track this absolute path? (The index is read, nothing is run.)
    fn tracked(&self, path: &str) -> bool;
    /// May the project be trusted? A host's flag can only take trust away.
    fn trusted_project(&self) -> bool;
    /// A variable of the environment with such a name whose value names something that the agent may have written:
    /// a place in the project, a relative place or one in a folder of temporary files. A project can inject variables
    /// into hosts, and commands inherit them. `wanted` gets the name; an exported shell function counts always.
    fn foreign_variable(&self, wanted: &dyn Fn(&str) -> bool) -> Option<String> {
        let _ = wanted;
        None
    }
    /// Does a file or folder of that name with that text in it (empty: whatever is in it) stand in this absolute
    /// folder, or in one above it that belongs to the project? What cannot be read counts as held.
    fn holds(&self, dir: &str, name: &str, text: &str) -> bool {
        let _ = (dir, name, text);
        false
    }
    /// Are file names compared without case?
    fn case_insensitive(&self) -> bool {
        false
    }
}

/// Knows a plain machine: every path a plain file that may exist, no links, programs at their system places,
/// a repository with an empty configuration, a trusted project.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoFacts;

impl Facts for NoFacts {
    fn kind(&self, _: &str) -> PathKind {
        PathKind::Unknown
    }
    fn resolve(&self, _: &str) -> Resolved {
        Resolved::Same
    }
    fn program(&self, name: &str) -> ProgramAt {
        ProgramAt::Trusted(format!("/usr/bin/{name}"))
    }
    fn git_config(&self, _: &str) -> Option<GitConfig> {
        Some(GitConfig::default())
    }
    fn tracked(&self, _: &str) -> bool {
        false
    }
    fn trusted_project(&self) -> bool {
        true
    }
}
