//! What the parts of a call do, as far as the catalogue knows. Filled by gate-rules, kept in the case so that every
//! layer sees the same.

use std::borrow::Cow;

use serde::Serialize;

use crate::{Effects, Place};

/// How a path is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum AccessMode {
    /// Contents or a listing are read.
    Read,
    /// Created or changed.
    Write,
    /// Removed.
    Delete,
    /// Executed or loaded as code.
    Execute,
}

/// One path that a unit or a file tool uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Access {
    /// How.
    pub mode: AccessMode,
    /// As written.
    pub shown: String,
    /// Absolute and lexically normal; may end in or hold pattern characters when `glob`. `None`: not known.
    pub path: Option<String>,
    /// Where links lead, when that is another path.
    pub resolved: Option<String>,
    /// The path is a pattern that stands for every file that matches.
    pub glob: bool,
    /// Everything below it is used as well.
    pub recursive: bool,
    /// Where it is (the worst of path and resolved path).
    pub place: Place,
    /// The path is only a possibility (an operand that might be no path, a pattern).
    pub maybe: bool,
}

/// Something that the catalogue has to say about a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Note {
    /// `family/rule`.
    pub code: Cow<'static, str>,
    /// Why it matters, for people.
    pub why: Cow<'static, str>,
    /// What to do instead.
    pub instead: Option<Cow<'static, str>>,
    /// What it adds.
    pub effects: Effects,
}

/// What one unit, or one call without a script, does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Assessment {
    /// Every word was accounted for, so the effects are all there is. Nothing vouches for what is not known.
    pub known: bool,
    /// The family that knows the program.
    pub family: Option<Cow<'static, str>>,
    /// The subcommand, when there is one.
    pub subcommand: Option<String>,
    /// What it does.
    pub effects: Effects,
    /// The paths it uses, redirects included.
    pub accesses: Vec<Access>,
    /// Rules that fired.
    pub notes: Vec<Note>,
    /// Why it is not known.
    pub unknown_because: Option<String>,
    /// Runs what arrives on standard input as code (interpreters, shells).
    pub runs_stdin: bool,
    /// Shows on standard output what came from the network.
    pub downloads: bool,
    /// A dry run: danger rules do not apply.
    pub dry_run: bool,
}

/// What every part of a call does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Analysis {
    /// One for each unit of the script, same indices.
    pub units: Vec<Assessment>,
    /// For calls without a script.
    pub call: Option<Assessment>,
}
