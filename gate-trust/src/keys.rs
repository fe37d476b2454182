//! The one table of settings keys: shape, default, who may set them, what a bad value does. Everything that reads,
//! merges, explains or documents settings goes by it.

/// What stands at a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `true` or `false`; `strict`: the value that is tighter, when one is.
    Bool {
        /// The tighter value.
        strict: Option<bool>,
    },
    /// A whole number within bounds.
    Int {
        /// Smallest.
        min: u64,
        /// Largest.
        max: u64,
    },
    /// One of these words; `ordered`: mildest first.
    Choice {
        /// The words.
        of: &'static [&'static str],
        /// They are listed from the mildest to the strictest.
        ordered: bool,
    },
    /// Free text that is not blank.
    Text,
    /// `session`, `auto` or `provider/id`.
    Model,
    /// A list of permission entries, `tool` or `tool(pattern)`.
    Entries,
    /// A list of absolute path patterns.
    AbsolutePaths,
    /// A list of path patterns or names.
    Paths,
    /// A list of texts.
    Texts,
    /// A list of rule texts for the model; `$defaults` stands for the built-in ones.
    RuleTexts,
    /// A list of ordered rules.
    Rules,
    /// A command tree.
    Tree,
    /// Opinions per effect, or effect and place.
    Policy,
    /// Tools that are gated like the shell.
    ShellTools,
}

/// What a bad value of a key does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// The whole source is rejected.
    Deciding,
    /// The value is ignored, the lower source's kept.
    Tuning,
}

/// What sources that may only tighten (project-shared; inline inside a hook; last good versions) may do with a key.
/// All other sources may set every key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tightening {
    /// Entries are added: more of them is always tighter.
    Adds,
    /// A value counts when it is stricter than what stands below.
    Stricter,
    /// Only the part that denies counts.
    DeniesOnly,
    /// Nothing: it could loosen, or is the user's own business.
    Nothing,
}

/// One key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Dotted path.
    pub path: &'static str,
    /// What stands there.
    pub shape: Shape,
    /// The default as JSON.
    pub default: &'static str,
    /// What a bad value does.
    pub grade: Grade,
    /// What tighten-only sources may do.
    pub tightening: Tightening,
}

const fn key(path: &'static str, shape: Shape, default: &'static str, grade: Grade, tightening: Tightening) -> Key {
    Key { path, shape, default, grade, tightening }
}
const fn tuning(path: &'static str, shape: Shape, default: &'static str) -> Key {
    key(path, shape, default, Grade::Tuning, Tightening::Nothing)
}
const fn int(path: &'static str, default: &'static str, min: u64) -> Key {
    tuning(path, Shape::Int { min, max: 10_000_000 }, default)
}

const FREE: Shape = Shape::Bool { strict: None };
const OPINION: Shape = Shape::Choice { of: &["allow", "ask", "deny"], ordered: true };

use Grade::Deciding;
use Tightening::{Adds, DeniesOnly, Nothing, Stricter};

/// Every key of a settings file except `$schema`, in the order in which people read about them.
pub const KEYS: &[Key] = &[
    key("mode", Shape::Choice { of: &["yolo", "auto", "approve", "strict"], ordered: true }, "\"auto\"", Deciding, Stricter),
    key("enabled", Shape::Bool { strict: Some(true) }, "true", Deciding, Nothing),
    key("permissions.deny", Shape::Entries, "[]", Deciding, Adds),
    key("permissions.ask", Shape::Entries, "[]", Deciding, Adds),
    key("permissions.allow", Shape::Entries, "[]", Deciding, Nothing),
    key("rules", Shape::Rules, "[]", Deciding, DeniesOnly),
    key("commands", Shape::Tree, "{}", Deciding, Nothing),
    key("dangerRules", Shape::Choice { of: &["graded", "strict"], ordered: true }, "\"graded\"", Deciding, Stricter),
    key("deniedPaths", Shape::AbsolutePaths, "[]", Deciding, Adds),
    key("protectedPaths", Shape::Paths, "[]", Deciding, Adds),
    key("sensitivePaths", Shape::Paths, "[]", Deciding, Adds),
    key("allowInsideWorkingDirectory", Shape::Bool { strict: Some(false) }, "false", Deciding, Stricter),
    key("classifyReadOnlyTools", Shape::Bool { strict: Some(true) }, "false", Deciding, Stricter),
    key("external.read", OPINION, "\"allow\"", Deciding, Stricter),
    key("external.write", OPINION, "\"ask\"", Deciding, Stricter),
    key("policy", Shape::Policy, "{}", Deciding, Stricter),
    key("preset", Shape::Choice { of: &["relaxed", "standard", "cautious"], ordered: true }, "\"standard\"", Deciding, Stricter),
    key("wrappers", Shape::Choice { of: &["unwrap", "floor"], ordered: true }, "\"unwrap\"", Deciding, Stricter),
    key("transparentWrappers", Shape::Texts, "[]", Deciding, Nothing),
    key("shellTools", Shape::ShellTools, "{}", Deciding, Nothing),
    key("classifier.enabled", FREE, "true", Deciding, Nothing),
    key("classifier.protocol", Shape::Choice { of: &["staged", "risk"], ordered: false }, "\"staged\"", Deciding, Nothing),
    tuning("classifier.model", Shape::Model, "\"session\""),
    tuning(
        "classifier.reasoningLevel",
        Shape::Choice { of: &["minimal", "low", "medium", "high", "xhigh", "max"], ordered: false },
        "null",
    ),
    int("classifier.fastMaxTokens", "512", 16),
    int("classifier.detailedMaxTokens", "1200", 16),
    int("classifier.timeoutMs", "20000", 1000),
    int("classifier.riskTimeoutMs", "90000", 1000),
    int("classifier.maxUserTranscriptTokens", "4000", 32),
    int("classifier.maxToolTranscriptTokens", "4000", 32),
    key("classifier.context", Shape::Choice { of: &["full", "intent", "action"], ordered: false }, "\"full\"", Deciding, Nothing),
    key("classifier.onFailure", Shape::Choice { of: &["ask", "deny"], ordered: true }, "\"ask\"", Deciding, Nothing),
    key("classifier.autoApproveLowRisk", FREE, "true", Deciding, Nothing),
    key("classifier.autoDenyHighRisk", FREE, "true", Deciding, Nothing),
    tuning("classifier.environment", Shape::RuleTexts, "[\"$defaults\"]"),
    tuning("classifier.allow", Shape::RuleTexts, "[\"$defaults\"]"),
    key("classifier.softDeny", Shape::RuleTexts, "[\"$defaults\"]", Deciding, Nothing),
    key("classifier.hardDeny", Shape::RuleTexts, "[\"$defaults\"]", Deciding, Nothing),
    key("classifier.replaceDefaults", FREE, "false", Deciding, Nothing),
    key("yolo.keepAsks", Shape::Texts, "[]", Deciding, Adds),
    key("yolo.minutes", Shape::Int { min: 1, max: 525_600 }, "null", Deciding, Nothing),
    tuning("prompt.where", Shape::Text, "\"host\""),
    int("prompt.timeoutMs", "300000", 1000),
    int("prompt.graceMs", "400", 0),
    tuning("prompt.doublePress", FREE, "true"),
    tuning("prompt.aiMayClose", FREE, "true"),
    tuning("log.decisions", FREE, "true"),
    tuning("log.classifierIo", FREE, "false"),
    tuning("log.sidecar", FREE, "false"),
    tuning("agents.onChange", Shape::Texts, "[]"),
    tuning("agents.headless", FREE, "false"),
];

/// The key of that path.
#[must_use]
pub fn find(path: &str) -> Option<&'static Key> {
    KEYS.iter().find(|k| k.path == path)
}

/// The key that was probably meant.
#[must_use]
pub fn nearest(path: &str) -> Option<&'static str> {
    crate::typo::nearest(path, KEYS.iter().map(|k| k.path)).map(|(k, _)| k)
}

/// The names that may stand directly in an object: `""` is the top level, `"classifier"` a group.
pub(crate) fn names(group: &str) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for k in KEYS {
        let name = match (group, k.path.split_once('.')) {
            ("", Some((head, _))) => head,
            ("", None) => k.path,
            (_, Some((head, tail))) if head == group => tail,
            _ => continue,
        };
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// Is the name, in that group, a group of keys?
pub(crate) fn is_group(name: &str) -> bool {
    KEYS.iter().any(|k| k.path.split_once('.').is_some_and(|(head, _)| head == name))
}

/// Does the key, or a key of the group, decide?
pub(crate) fn decides(path: &str) -> bool {
    let inside = |k: &&Key| k.path.split_once('.').is_some_and(|(head, _)| head == path);
    find(path).map_or_else(|| KEYS.iter().filter(inside).any(|k| k.grade == Deciding), |k| k.grade == Deciding)
}
