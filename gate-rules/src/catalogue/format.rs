//! A family file as it is written, and its JSON schema. Compiled into `build.rs` as well.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// One text, or several.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum OneOrMany {
    /// None given.
    #[default]
    #[serde(skip)]
    None,
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl OneOrMany {
    pub fn to_vec(&self) -> Vec<String> {
        match self {
            Self::None => Vec::new(),
            Self::One(s) => vec![s.clone()],
            Self::Many(v) => v.clone(),
        }
    }
}

/// Why a list is open: for the whole program, or by subcommand pattern.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum AnyOption {
    /// Everywhere.
    All(String),
    /// Subcommand pattern -> why.
    BySub(BTreeMap<String, String>),
}

/// A command family: what a program does.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawFamily {
    /// Program base names; patterns allowed (`python3.*`).
    pub names: Vec<String>,
    /// One line on what it is.
    pub about: String,
    /// Address of the official documentation.
    pub docs: Option<String>,
    /// Effects of the program itself, when it has no subcommands.
    pub does: Option<Vec<String>>,
    /// Effects when called without subcommand. Absent: unknown.
    pub bare: Option<Vec<String>>,
    /// Options that take a value before the subcommand; not vouched for by this.
    #[serde(default)]
    pub takes_value: Vec<String>,
    /// Vouched options before the subcommand.
    #[serde(default)]
    pub global: Vec<String>,
    /// Opens the option list and says why that is right.
    pub any_option: Option<AnyOption>,
    /// `-la` is `-l -a`; `false`: long options with one dash.
    pub clusters: Option<bool>,
    /// Long options may be shortened.
    pub abbreviations: Option<bool>,
    /// `NAME [SUB] --help|--version|-h` alone reads.
    pub help: Option<bool>,
    /// The shell itself provides these names.
    #[serde(default)]
    pub builtin: bool,
    /// Options end at the first operand.
    #[serde(default)]
    pub options_first: bool,
    /// Variables that make it run or load something; `!NAME` takes one out again.
    #[serde(default)]
    pub env_runs: Vec<String>,
    /// Files of the working folder, or of one above it, by which it runs or loads what a project brings: `NAME`, or
    /// `NAME=TEXT` when only a file with that text does.
    #[serde(default)]
    pub loads: Vec<String>,
    /// Its reads run programs that the repository's configuration names (`git`).
    pub repo_config: Option<String>,
    /// Code in `gate-rules/src/programs/` adds what no data can say.
    pub program: Option<String>,
    /// Without operands it runs standard input as code.
    #[serde(default)]
    pub stdin_runs: bool,
    /// Standard output is what came from the network.
    #[serde(default)]
    pub downloads: bool,
    /// Words that are neither options nor operands (`(`, `!` of find).
    #[serde(default)]
    pub punctuation: Vec<String>,
    /// Effect (or `nothing`) -> subcommand patterns.
    #[serde(default)]
    pub sub: BTreeMap<String, Vec<String>>,
    /// Subcommand pattern -> closed list of vouched options.
    #[serde(default)]
    pub options: BTreeMap<String, Vec<String>>,
    /// Subcommand pattern -> roles by position.
    #[serde(default)]
    pub operands: BTreeMap<String, Vec<String>>,
    /// Rules.
    #[serde(default)]
    pub when: Vec<RawWhen>,
    /// How it runs other commands.
    #[serde(default)]
    pub wrapper: Vec<RawWrapper>,
    /// Effect, `nothing` or `unknown` -> command lines, run as tests.
    #[serde(default)]
    pub examples: BTreeMap<String, Vec<String>>,
}

/// A rule: `has` adds effects, `only` replaces them.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawWhen {
    /// Second half of the reason code FAMILY/ID.
    pub id: String,
    /// Subcommand patterns; absent: any.
    #[serde(default)]
    pub sub: OneOrMany,
    /// Any of these options or operands adds `does`.
    #[serde(default)]
    pub has: Vec<String>,
    /// Closed list: with no other option the effects are `does`.
    pub only: Option<Vec<String>>,
    /// Only with `only`: at least one of these must stand there.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Only with `only`: at most that many operands.
    pub operands: Option<u8>,
    /// Only with `only`: danger rules do not apply.
    #[serde(default)]
    pub dry_run: bool,
    /// The effects.
    pub does: Vec<String>,
    /// One sentence for people.
    #[serde(default)]
    pub why: String,
    /// What to do instead.
    #[serde(default)]
    pub instead: String,
    /// Command lines that it applies to.
    #[serde(default)]
    pub hits: Vec<String>,
    /// Command lines that it does not apply to.
    #[serde(default)]
    pub misses: Vec<String>,
}

/// Where the command stands that a wrapper runs.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct RawWrapper {
    /// Subcommand patterns; absent: any.
    #[serde(default)]
    pub sub: OneOrMany,
    /// `operands`, `script-option`, `stdin`, `file`, `find`, `joined` or `hidden`.
    pub inner: String,
    /// Operands before the command.
    #[serde(default)]
    pub skip: u8,
    /// Options that bring the command or script.
    #[serde(default)]
    pub options: Vec<String>,
    /// With one of these options nothing is run.
    #[serde(default)]
    pub unless: Vec<String>,
    /// Only with one of these options.
    #[serde(default)]
    pub needs: Vec<String>,
    /// Options whose value stands for what is put in (`xargs -I`).
    #[serde(default)]
    pub placeholder: Vec<String>,
    /// The shell that reads scripts; `name`: the program itself.
    #[serde(default)]
    pub shell: String,
    /// `indirection` (default) or `opaque`.
    pub kind: Option<String>,
    /// The floor is lifted when the inner command is vouched for.
    #[serde(default)]
    pub transparent: bool,
    /// The floor is lifted by a specific allow entry.
    #[serde(default)]
    pub named: bool,
    /// Unknown arguments are appended.
    #[serde(default)]
    pub appends: bool,
    /// Runs on another machine or in a container.
    #[serde(default)]
    pub elsewhere: bool,
    /// Operands `NAME=value` come first.
    #[serde(default)]
    pub assignments: bool,
    /// What the program itself does when it runs a command this way.
    pub does: Option<Vec<String>>,
}
