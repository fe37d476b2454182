//! What can be configured. Files, sources and checks of the values are gate-trust's.

use serde::{Deserialize, Serialize};

use crate::ReasoningLevel;

/// How a model is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// One digit, then a structured review.
    #[default]
    Staged,
    /// One question about risk.
    Risk,
}

/// How much a model is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Context {
    /// Project instructions and transcript.
    #[default]
    Full,
    /// What the user said, nothing else.
    Intent,
    /// The action alone.
    Action,
}

/// What becomes of a call when the model fails and a person can be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// The person answers.
    #[default]
    Ask,
    /// It does not run.
    Deny,
}

/// The rule texts of the policy, complete (built-in ones included where they apply).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RuleTexts {
    /// What is trusted.
    pub environment: Vec<String>,
    /// Exceptions to the soft rules.
    pub allow: Vec<String>,
    /// Rules that a direct, specific instruction of the user lifts.
    pub soft_deny: Vec<String>,
    /// Rules that nothing lifts.
    pub hard_deny: Vec<String>,
}

impl Default for RuleTexts {
    fn default() -> Self {
        crate::policy::built_in()
    }
}

/// Everything in force for one call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Config {
    /// `false`: no model is asked.
    pub enabled: bool,
    /// How it is asked.
    pub protocol: Protocol,
    /// How hard it should think; `None`: no preference is sent.
    pub reasoning_level: Option<ReasoningLevel>,
    /// Most tokens of the one-digit reply; at least 16.
    pub fast_max_tokens: u32,
    /// Most tokens of the review.
    pub detailed_max_tokens: u32,
    /// Time budget of each request of the staged protocol, in milliseconds; at least 1,000.
    pub timeout_ms: u64,
    /// Time budget of the request of the risk protocol, in milliseconds.
    pub risk_timeout_ms: u64,
    /// Budget for what the user said, in approximate tokens; at least 32.
    pub max_user_transcript_tokens: usize,
    /// Budget for tool calls, in approximate tokens; at least 32.
    pub max_tool_transcript_tokens: usize,
    /// How much it is told.
    pub context: Context,
    /// What becomes of a call when it fails.
    pub on_failure: OnFailure,
    /// Risk protocol: low risk may run by the model's word alone.
    pub auto_approve_low_risk: bool,
    /// Risk protocol: high risk does not run even when the model would allow it.
    pub auto_deny_high_risk: bool,
    /// The rule texts.
    #[serde(flatten)]
    pub rules: RuleTexts,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            enabled: true,
            protocol: Protocol::Staged,
            reasoning_level: None,
            fast_max_tokens: 512,
            detailed_max_tokens: 1_200,
            timeout_ms: 20_000,
            risk_timeout_ms: 90_000,
            max_user_transcript_tokens: 4_000,
            max_tool_transcript_tokens: 4_000,
            context: Context::Full,
            on_failure: OnFailure::Ask,
            auto_approve_low_risk: true,
            auto_deny_high_risk: true,
            rules: RuleTexts::default(),
        }
    }
}
