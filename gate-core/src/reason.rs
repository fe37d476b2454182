//! Why: a stable code, a text that a person understands at a glance, and what to do instead.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

/// Why a layer says what it says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Reason {
    /// Stable code, `family/rule` or a single word: `git/push-force`, `deny_list`, `gate_error`.
    pub code: Cow<'static, str>,
    /// One sentence for a person and the agent.
    pub text: String,
    /// What the agent can do instead, when there is something.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<String>,
}

impl Reason {
    /// A reason without an alternative.
    #[must_use]
    pub fn new(code: impl Into<Cow<'static, str>>, text: impl Into<String>) -> Self {
        Self { code: code.into(), text: text.into(), instead: None }
    }

    /// The same with an alternative.
    #[must_use]
    pub fn or(mut self, instead: impl Into<String>) -> Self {
        self.instead = Some(instead.into());
        self
    }
}

/// Who a vote or an answer goes back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The gate's own built-in knowledge.
    BuiltIn,
    /// Managed settings.
    Managed,
    /// The user's settings.
    User,
    /// The project's shared settings.
    ProjectShared,
    /// The project-local settings in an approved version.
    ProjectLocal,
    /// Inline settings.
    Inline,
    /// A stored approval of the session.
    Session,
    /// Yolo mode.
    Yolo,
    /// The model.
    Classifier,
    /// A person.
    Human,
    /// The parent session.
    Parent,
    /// Nobody could answer.
    Nobody,
    /// The runner itself.
    Gate,
}
