//! The compiled form of a command family: static tables without owned memory. Built by `build.rs` for the shipped
//! families and by the loader for a user's own. What the keys mean stands in `docs/catalogue-format.md`.

/// Several texts in one, separated by line ends; compact, because a catalogue has tens of thousands of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct List(pub &'static str);

impl List {
    /// No text.
    pub const EMPTY: Self = Self("");

    /// The texts.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.split('\n').filter(|s| !s.is_empty())
    }

    /// Is there no text?
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    /// Does the text stand in it, exactly so?
    #[must_use]
    pub fn contains(self, text: &str) -> bool {
        self.iter().any(|t| t == text)
    }
}

/// A list that counts for the subcommands which a pattern matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Keyed {
    /// Pattern of subcommands; empty: the program itself; `*`: all.
    pub sub: &'static str,
    /// The entries.
    pub list: List,
}

/// Subcommands and what they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sub {
    /// Bits of `gate_core::Effects`.
    pub does: u16,
    /// Patterns of subcommands.
    pub patterns: List,
}

/// One `[[when]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct When {
    /// Second half of the reason code.
    pub id: &'static str,
    /// Patterns of subcommands; empty: any.
    pub sub: List,
    /// Any of these adds the effects.
    pub has: List,
    /// The closed list.
    pub only: List,
    /// Is it an `only` rule? (Its list may be empty.)
    pub closed: bool,
    /// At least one of these options must stand there.
    pub needs: List,
    /// Most operands of an `only` rule; negative: any number.
    pub operands: i8,
    /// Danger rules do not apply.
    pub dry_run: bool,
    /// The effects.
    pub does: u16,
    /// For people.
    pub why: &'static str,
    /// For people and agents; may be empty.
    pub instead: &'static str,
}

/// Where a wrapper's command stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InnerAt {
    /// At the first operand after `skip` others.
    Operands,
    /// The text of an option, or with a flag the first operand.
    ScriptOption,
    /// Standard input, when there is no operand.
    Stdin,
    /// The first operand is a script file.
    File,
    /// After an option, up to `;` or `+`.
    Find,
    /// All operands from there, joined by blanks, are one script.
    Joined,
    /// Somewhere that the words do not show.
    Hidden,
}

/// One `[[wrapper]]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wrapper {
    /// Patterns of subcommands; empty: any.
    pub sub: List,
    /// Where the command stands.
    pub inner: InnerAt,
    /// Operands before it.
    pub skip: u8,
    /// For scripts and `find`: the options that bring the command.
    pub options: List,
    /// With one of these options nothing is run.
    pub unless: List,
    /// Only with one of these options.
    pub needs: List,
    /// Options whose value (or else `{}`) stands for what is put in.
    pub placeholder: List,
    /// Which shell reads scripts; empty: none that is understood; `name`: the program itself.
    pub shell: &'static str,
    /// The floor is `<opaque-bash-wrapper>`.
    pub opaque: bool,
    /// The floor is lifted when the inner command is vouched for.
    pub transparent: bool,
    /// The floor is lifted by a specific allow entry.
    pub named: bool,
    /// Unknown arguments are appended.
    pub appends: bool,
    /// It runs on another machine or in a container.
    pub elsewhere: bool,
    /// Operands of the form `NAME=value` come first.
    pub assignments: bool,
    /// What the program itself does when it runs a command this way; `None`: what it does otherwise.
    pub does: Option<u16>,
}

/// One command family.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Family {
    /// Name of its file, first half of its reason codes.
    pub id: &'static str,
    /// Program names; patterns allowed.
    pub names: List,
    /// Effects of a program without subcommands.
    pub does: Option<u16>,
    /// Effects without subcommand.
    pub bare: Option<u16>,
    /// Options with a value that stand before the subcommand, not vouched for.
    pub takes_value: List,
    /// Vouched options before the subcommand.
    pub global: List,
    /// Patterns of subcommands (empty text: the program itself) whose option list is open.
    pub any_option: &'static [&'static str],
    /// `-la` is `-l -a`.
    pub clusters: bool,
    /// Long options may be shortened.
    pub abbreviations: bool,
    /// `--help` alone reads.
    pub help: bool,
    /// The shell itself provides it.
    pub builtin: bool,
    /// Without operands standard input is run.
    pub stdin_runs: bool,
    /// Standard output comes from the network.
    pub downloads: bool,
    /// Options end at the first operand.
    pub options_first: bool,
    /// Variables that make it run or load something.
    pub env_runs: List,
    /// Files of a project that it runs or loads: `NAME`, or `NAME=TEXT` when the file must hold that text.
    pub loads: List,
    /// Which repository configuration its reads depend on.
    pub repo_config: &'static str,
    /// Code that adds what no data can say.
    pub program: &'static str,
    /// Words that are neither options nor operands.
    pub punctuation: List,
    /// Subcommands.
    pub subs: &'static [Sub],
    /// Vouched options.
    pub options: &'static [Keyed],
    /// Roles by position.
    pub operands: &'static [Keyed],
    /// Rules.
    pub whens: &'static [When],
    /// How it runs other commands.
    pub wrappers: &'static [Wrapper],
}
