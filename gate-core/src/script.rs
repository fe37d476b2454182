//! A parsed shell text: units in the order in which they stand, nested ones included, and what was not understood.

use std::borrow::Cow;

use serde::Serialize;

use crate::Word;

/// Index of a unit in [`Script::units`]. An inner unit has a larger index than the unit around it.
pub type UnitId = usize;

/// Which shell reads the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ShellKind {
    /// GNU bash, the default.
    #[default]
    Bash,
    /// A POSIX shell (`sh`, `dash`).
    Sh,
    /// zsh.
    Zsh,
    /// ksh.
    Ksh,
    /// fish: not analysed, everything asks.
    Fish,
    /// PowerShell: not analysed, everything asks.
    PowerShell,
    /// cmd.exe: not analysed, everything asks.
    Cmd,
}

/// Stable names for why something was floored; they stay in the trail.
pub type Sentinel = Cow<'static, str>;

/// What lifts a doubt. A doubt that nothing lifts stays for a person or the classifier's structured review.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Lift {
    /// Dropped when each of these units is vouched for by the catalogue or a rule narrower than `*`.
    pub vouched: Option<Vec<UnitId>>,
    /// Dropped when a specific allow entry names the unit (`Strength::Named`).
    pub named: bool,
}

/// Something that was not understood, or that hides what runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Doubt {
    /// Why, as a stable name: `<unparseable-bash-command>`, `<opaque-bash-wrapper>`, …
    pub sentinel: Sentinel,
    /// Why, for people.
    pub text: String,
    /// What lifts it.
    pub lift: Lift,
}

/// How a unit is nested in the script.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Nesting {
    /// A command of the script itself.
    #[default]
    TopLevel,
    /// Inside `$(…)` or backticks.
    CommandSubstitution,
    /// Inside `<(…)` or `>(…)`.
    ProcessSubstitution,
    /// Inside `( … )`.
    Subshell,
    /// Inside a loop, branch, group or condition.
    Control,
    /// The body of a function of the script.
    Function,
    /// The command that a wrapper runs (`timeout 5 CMD`, `xargs CMD`).
    Wrapped,
    /// A command of a literal script text (`bash -c '…'`, `eval '…'`, a here-document into a shell).
    ShellText,
}

/// The working directory of a unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cwd {
    /// The call's own, moved by this literal path (empty: not moved; absolute or relative to the call's).
    Moved(String),
    /// Not known (`cd "$D"`, `cd -`).
    Unknown,
}

impl Default for Cwd {
    fn default() -> Self {
        Self::Moved(String::new())
    }
}

/// Where a unit stands in a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Pipe {
    /// Which pipeline of the script.
    pub pipeline: usize,
    /// Which stage of it, from 0.
    pub index: usize,
    /// How many stages it has.
    pub len: usize,
}

/// What a unit gets on standard input, if that is known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Stdin {
    /// Whatever the script has.
    #[default]
    Inherited,
    /// The stage before it in a pipeline.
    Pipe,
    /// A file (the redirect is in [`Unit::redirects`]).
    File,
    /// A here-document or here-string.
    Text(Word),
}

/// How a redirect opens its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RedirectMode {
    /// `<`
    Read,
    /// `>`, `>|`, `&>`
    Write,
    /// `>>`, `&>>`
    Append,
    /// `<>`
    ReadWrite,
}

/// A redirect from or to a file. Duplicated descriptors (`2>&1`), here-documents and here-strings are none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Redirect {
    /// How it opens.
    pub mode: RedirectMode,
    /// What it opens.
    pub target: Word,
}

/// `NAME=value` before a command, alone, or as operand of `export`, `declare`, `local`, `readonly`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assignment {
    /// The variable, subscript excluded.
    pub name: String,
    /// The value.
    pub value: Word,
    /// `+=`
    pub append: bool,
    /// Reaches the environment of programs: a prefix of a command, or exported.
    pub exported: bool,
}

/// One simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Unit {
    /// Decoded words, program first. Empty for redirects or assignments alone.
    pub words: Vec<Word>,
    /// Assignments before it, alone, or of a declaration command.
    pub assignments: Vec<Assignment>,
    /// Files it reads from or writes to through redirects (those of the groups around it included).
    pub redirects: Vec<Redirect>,
    /// The source text.
    pub raw: String,
    /// How it is nested.
    pub nesting: Nesting,
    /// The unit around it (the wrapper, or the unit in whose words the substitution stands).
    pub parent: Option<UnitId>,
    /// Where it stands in its pipeline, when it is in one.
    pub pipe: Option<Pipe>,
    /// Its working directory.
    pub cwd: Cwd,
    /// Its standard input.
    pub stdin: Stdin,
    /// Calls a function that the script itself defines (whose body is among the units).
    pub calls_function: bool,
    /// What was not understood of it.
    pub doubts: Vec<Doubt>,
}

impl Unit {
    /// The exact program name as written, when it is known.
    #[must_use]
    pub fn program(&self) -> Option<&str> {
        self.words.first().and_then(Word::literal)
    }

    /// The words joined by one blank.
    #[must_use]
    pub fn shown(&self) -> String {
        self.words.iter().map(Word::shown).collect::<Vec<_>>().join(" ")
    }
}

/// A parsed shell text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Script {
    /// The text as the agent sent it.
    pub raw: String,
    /// Every simple command, nested ones included, in source order, outer before inner.
    pub units: Vec<Unit>,
    /// What was not understood of the script as a whole.
    pub doubts: Vec<Doubt>,
    /// Which shell reads it.
    pub shell: ShellKind,
    /// Further candidates for what might run in a text that was not understood: pieces that either parser saw and
    /// pieces of the raw text with quotes removed and lines joined. Denies look at them; nothing vouches by them.
    pub suspects: Vec<Vec<Word>>,
    /// Names of variables that are set in other ways than the assignments of units: by builtins that are given the
    /// name (`read X`, `printf -v X`, `unset X`), loops, `${X:=…}` and arithmetic. Their values are not known.
    pub sets: Vec<String>,
    /// By pipeline: the stage of another pipeline in which it stands (`{ a | b; } | c`).
    pub within: Vec<Option<Pipe>>,
    /// Nothing runs: blank, or comments only.
    pub empty: bool,
}

impl Script {
    /// The stages of pipelines in which a unit stands, the innermost first.
    pub fn stages(&self, unit: &Unit) -> impl Iterator<Item = Pipe> + use<'_> {
        std::iter::successors(unit.pipe, |p| self.within.get(p.pipeline).copied().flatten().filter(|o| o.pipeline < p.pipeline))
    }

    /// Was the script understood as a whole? (Single units may still carry doubts.)
    #[must_use]
    pub fn understood(&self) -> bool {
        self.doubts.is_empty()
    }
}
