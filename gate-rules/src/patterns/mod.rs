//! Patterns that users write: permission entries in both notations, OpenCode wildcards, paths, domains.
//! Owns how a pattern is read and what it matches; what follows from a match is the layers' business.

mod command;
mod domain;
mod entry;
mod globpath;
mod lint;
#[cfg(test)]
mod tests;
pub(crate) mod view;
pub(crate) mod wild;

pub(crate) use command::Command;
pub use entry::{PatternError, check};
pub(crate) use entry::{Permission, Want};
pub(crate) use globpath::{Hit, PathPattern, Roots};
pub use lint::{Finding, Floored, List, lint};
