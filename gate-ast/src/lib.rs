//! Shell analysis: what a shell text contains, as bash would read it.
//!
//! A text is first normalised by a small scanner of our own (comments and line continuations gone, here-documents
//! taken out, backticks as `$(…)`), then parsed by tree-sitter-bash; guards reject trees that are known to be wrong;
//! a second, independent parser must see the same commands and redirects in the original text. What is not understood
//! is a [`gate_core::Doubt`] and is never vouched for; denies still look at every piece that either parser saw.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod builtins;
mod decode;
mod dialects;
mod guards;
mod layer;
mod scan;
mod second;
mod signature;
mod suspects;
mod tree;
mod units;

use gate_core::{NoWrappers, ParseContext, ParseShell, Script, ShellKind, limits};

pub use layer::Structure;

/// The sentinel of a script that was not understood.
pub const UNPARSEABLE: &str = "<unparseable-bash-command>";
/// The sentinel of a wrapper whose payload is a script text.
pub const OPAQUE: &str = "<opaque-bash-wrapper>";
/// The sentinel of a wrapper whose payload is a command.
pub const INDIRECTION: &str = "<indirection-bash-wrapper>";
/// The sentinel of data that the shell evaluates as code.
pub const EVALUATED: &str = "<evaluated-expression>";
/// The sentinel of a command whose name is known only at run time.
pub const DYNAMIC: &str = "<dynamic-command-name>";
/// The sentinel of an option that is spelled to be overlooked.
pub const OBFUSCATED: &str = "<obfuscated-word>";
/// The sentinel of a shell that is not analysed.
pub const UNANALYSED: &str = "<unanalysed-shell>";

/// Bounds of one parse. The defaults are those of [`gate_core::limits`].
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest text in bytes.
    pub bytes: usize,
    /// Most units.
    pub units: usize,
    /// Deepest syntax tree.
    pub depth: usize,
    /// How often a script inside a script is parsed.
    pub nested: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { bytes: limits::COMMAND_BYTES, units: limits::UNITS, depth: limits::DEPTH, nested: limits::NESTED_SCRIPTS }
    }
}

/// Parses a bash text that stands alone: no wrapper is known, home and working directory are not.
#[must_use]
pub fn parse(text: &str, limits: Limits) -> Script {
    parse_in(text, limits, &ParseContext { shell: ShellKind::Bash, home: None, cwd: None, wrappers: &NoWrappers })
}

/// Parses a shell text with everything that is known around it.
#[must_use]
pub fn parse_in(text: &str, limits: Limits, context: &ParseContext<'_>) -> Script {
    units::script(text, limits, context)
}

/// The parser as the runner's callers use it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bash;

impl ParseShell for Bash {
    fn parse(&self, text: &str, context: &ParseContext<'_>) -> Script {
        parse_in(text, Limits::default(), context)
    }
}

#[cfg(test)]
mod tests;
