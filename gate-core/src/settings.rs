//! The settings in force for one call, merged, each entry with its source. Files and precedence are gate-trust's.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Effect, Origin, Place, Reason};

/// Who answers what is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Every ask is granted; denies stand.
    Yolo,
    /// The model, raced with the person.
    #[default]
    Auto,
    /// The person; no model.
    Approve,
    /// The person is asked for all that is not denied; stored approvals are not used.
    Strict,
}

/// What is thought of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Opinion {
    /// It may run.
    Allow,
    /// Somebody must answer.
    Ask,
    /// It must not run.
    Deny,
}

/// How the twelve danger rules speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DangerRules {
    /// Ask where every target provably lies inside the project or temp, else deny.
    #[default]
    Graded,
    /// Always deny.
    Strict,
}

/// How wrappers are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WrapperPolicy {
    /// The floor is lifted when the inner command is known and vouched for.
    #[default]
    Unwrap,
    /// Every wrapper asks.
    Floor,
}

/// A named set of opinions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// Asks more.
    Cautious,
    /// Reads run, everything else asks.
    #[default]
    Standard,
    /// Network reads and writes inside the project run too.
    Relaxed,
}

/// Where an entry came from. Later sources stand above earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Shipped with the gate.
    BuiltIn,
    /// The user's settings.
    User,
    /// `.gate/gate.json`: may only tighten.
    ProjectShared,
    /// `.gate/gate.local.json` in an approved version.
    ProjectLocal,
    /// `GATE_SETTINGS_JSON` or `--settings`.
    Inline,
    /// `/etc/gate/gate.json`: nothing loosens it.
    Managed,
}

impl Source {
    /// May this source loosen anything?
    #[must_use]
    pub const fn user_owned(self) -> bool {
        matches!(self, Self::Managed | Self::User | Self::Inline | Self::ProjectLocal)
    }
    /// The same as an origin of votes.
    #[must_use]
    pub const fn origin(self) -> Origin {
        match self {
            Self::BuiltIn => Origin::BuiltIn,
            Self::User => Origin::User,
            Self::ProjectShared => Origin::ProjectShared,
            Self::ProjectLocal => Origin::ProjectLocal,
            Self::Inline => Origin::Inline,
            Self::Managed => Origin::Managed,
        }
    }
}

/// A text of a list with its source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Entry {
    /// As written.
    pub text: String,
    /// Who wrote it.
    pub source: Source,
}

/// An ordered rule; the last one that matches a unit wins.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Rule {
    /// Names it in the trail.
    pub id: String,
    /// Tool name, an OpenCode wildcard; `*` for all.
    pub tool: String,
    /// OpenCode wildcard on the unit's words (shell) or the path (file tools).
    pub pattern: String,
    /// What it says.
    pub action: Opinion,
    /// For people.
    pub description: Option<String>,
    /// Who wrote it.
    pub source: Source,
}

/// A command tree: which continuations of a command line are allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub enum Tree {
    /// Any further words.
    Any,
    /// One of these next words, then any.
    Words(Vec<String>),
    /// By next word.
    Map(BTreeMap<String, Tree>),
}

/// `external`: what is thought of paths outside the project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct External {
    /// Reads; default allow.
    pub read: Opinion,
    /// Writes; default ask.
    pub write: Opinion,
}

impl Default for External {
    fn default() -> Self {
        Self { read: Opinion::Allow, write: Opinion::Ask }
    }
}

/// One line of `policy`: an effect, in one place or everywhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PolicyEntry {
    /// The effect.
    pub effect: Effect,
    /// Only there; `None`: everywhere.
    pub place: Option<Place>,
    /// What is thought of it.
    pub opinion: Opinion,
    /// Who wrote it.
    pub source: Source,
}

/// A tool that is gated exactly like the shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShellTool {
    /// The tool's name.
    pub tool: String,
    /// The input field with the command.
    pub command_argument: String,
    /// The input field with the working directory.
    pub workdir_argument: Option<String>,
    /// Who wrote it.
    pub source: Source,
}

/// Something that the settings snapshot found and that floors calls until it is mended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SettingsFloor {
    /// Only this tool; `None`: every tool.
    pub tool: Option<String>,
    /// Why.
    pub reason: Reason,
}

/// Everything in force for one call.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Settings {
    /// Who answers what is open.
    pub mode: Mode,
    /// `false`: the one bypass.
    pub enabled: bool,
    /// Absolute denies.
    pub deny: Vec<Entry>,
    /// Absolute asks.
    pub ask: Vec<Entry>,
    /// Allows.
    pub allow: Vec<Entry>,
    /// Ordered rules, in evaluation order (last match wins).
    pub rules: Vec<Rule>,
    /// The merged command tree.
    pub commands: Option<Tree>,
    /// How the danger rules speak.
    pub danger_rules: DangerRules,
    /// Paths that no tool may touch.
    pub denied_paths: Vec<Entry>,
    /// Additional protected paths.
    pub protected_paths: Vec<Entry>,
    /// Where this installation's own files really are (settings, state, program), absolute: controls, whatever the
    /// built-in list says. Never set by a settings file.
    pub control_paths: Vec<String>,
    /// Additional sensitive paths.
    pub sensitive_paths: Vec<Entry>,
    /// Everything inside the project runs, except protected targets.
    pub allow_inside_working_directory: bool,
    /// Read-only tools are not allowed by their kind alone.
    pub classify_read_only_tools: bool,
    /// Outside the project.
    pub external: External,
    /// Opinions per effect and place.
    pub policy: Vec<PolicyEntry>,
    /// The named set that `policy` starts from.
    pub preset: Preset,
    /// How wrappers are treated.
    pub wrappers: WrapperPolicy,
    /// Programs that the user calls transparent wrappers.
    pub transparent_wrappers: Vec<Entry>,
    /// Tools gated like the shell.
    pub shell_tools: Vec<ShellTool>,
    /// Yolo: asks whose code, sentinel or matched entry stands here are kept.
    pub keep_asks: Vec<Entry>,
    /// Floors of the snapshot.
    pub floors: Vec<SettingsFloor>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            mode: Mode::Auto,
            enabled: true,
            deny: Vec::new(),
            ask: Vec::new(),
            allow: Vec::new(),
            rules: Vec::new(),
            commands: None,
            danger_rules: DangerRules::Graded,
            denied_paths: Vec::new(),
            protected_paths: Vec::new(),
            control_paths: Vec::new(),
            sensitive_paths: Vec::new(),
            allow_inside_working_directory: false,
            classify_read_only_tools: false,
            external: External::default(),
            policy: Vec::new(),
            preset: Preset::Standard,
            wrappers: WrapperPolicy::Unwrap,
            transparent_wrappers: Vec::new(),
            shell_tools: Vec::new(),
            keep_asks: Vec::new(),
            floors: Vec::new(),
        }
    }
}
