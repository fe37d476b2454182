//! The settings that decide nothing by themselves: the model, prompts, logs, agents. With their defaults.

use gate_core::Entry;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::draft::Val;

/// How the model is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// A quick look, then a review.
    #[default]
    Staged,
    /// One risk assessment.
    Risk,
}

/// How much of the conversation the model sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Context {
    /// User messages and earlier tool calls.
    #[default]
    Full,
    /// User messages only.
    Intent,
    /// The call alone.
    Action,
}

/// What becomes of a question when the model cannot answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnFailure {
    /// A person is asked.
    #[default]
    Ask,
    /// It does not run.
    Deny,
}

/// Texts of one section of the model's rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RuleTexts {
    /// The built-in texts of the section stand before the entries.
    pub defaults: bool,
    /// What the sources add, in order.
    pub entries: Vec<Entry>,
}

impl Default for RuleTexts {
    fn default() -> Self {
        Self { defaults: true, entries: Vec::new() }
    }
}

/// `classifier`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClassifierTuning {
    /// The model may be asked.
    pub enabled: bool,
    /// How.
    pub protocol: Protocol,
    /// `session`, `auto` or `provider/id`.
    pub model: String,
    /// Sent only when set: `minimal`, `low`, `medium`, `high`, `xhigh`, `max`.
    pub reasoning_level: Option<String>,
    /// Token limit of the quick look.
    pub fast_max_tokens: u64,
    /// Token limit of the review.
    pub detailed_max_tokens: u64,
    /// Milliseconds, for each request.
    pub timeout_ms: u64,
    /// Milliseconds, for the risk protocol.
    pub risk_timeout_ms: u64,
    /// Budget of user messages, in approximate tokens.
    pub max_user_transcript_tokens: u64,
    /// Budget of tool calls, in approximate tokens.
    pub max_tool_transcript_tokens: u64,
    /// What the model sees.
    pub context: Context,
    /// When it cannot answer.
    pub on_failure: OnFailure,
    /// Risk protocol: a low-risk allow needs no person.
    pub auto_approve_low_risk: bool,
    /// Risk protocol: a high-risk allow becomes a deny.
    pub auto_deny_high_risk: bool,
    /// What the model is told of the surroundings.
    pub environment: RuleTexts,
    /// Exceptions to `soft_deny`.
    pub allow: RuleTexts,
    /// Blocked unless an exception or the user's own words cover it.
    pub soft_deny: RuleTexts,
    /// Always blocked.
    pub hard_deny: RuleTexts,
}

/// `prompt`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PromptTuning {
    /// Where a person is asked.
    pub place: String,
    /// Milliseconds until an unanswered question is denied.
    pub timeout_ms: u64,
    /// Milliseconds in which a just opened dialog takes no key.
    pub grace_ms: u64,
    /// A yes needs the key twice.
    pub double_press: bool,
    /// The model's answer closes an open dialog.
    pub ai_may_close: bool,
}

/// `log`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LogTuning {
    /// One line for each decision.
    pub decisions: bool,
    /// What is sent to and comes from the model.
    pub classifier_io: bool,
    /// A copy beside the host's session file.
    pub sidecar: bool,
}

/// `agents`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct AgentsTuning {
    /// Run when an agent's state changes.
    pub on_change: Vec<String>,
    /// Track agents that nobody watches too.
    pub headless: bool,
}

/// Settings that decide nothing by themselves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Tuning {
    /// The model.
    pub classifier: ClassifierTuning,
    /// How long yolo mode lasts after it was switched on; `None`: until it is switched off.
    pub yolo_minutes: Option<u64>,
    /// Asking a person.
    pub prompt: PromptTuning,
    /// Logs.
    pub log: LogTuning,
    /// Agent states.
    pub agents: AgentsTuning,
}

impl Default for ClassifierTuning {
    fn default() -> Self {
        Self {
            enabled: true,
            protocol: Protocol::Staged,
            model: "session".to_owned(),
            reasoning_level: None,
            fast_max_tokens: 512,
            detailed_max_tokens: 1200,
            timeout_ms: 20_000,
            risk_timeout_ms: 90_000,
            max_user_transcript_tokens: 4_000,
            max_tool_transcript_tokens: 4_000,
            context: Context::Full,
            on_failure: OnFailure::Ask,
            auto_approve_low_risk: true,
            auto_deny_high_risk: true,
            environment: RuleTexts::default(),
            allow: RuleTexts::default(),
            soft_deny: RuleTexts::default(),
            hard_deny: RuleTexts::default(),
        }
    }
}

impl Default for Tuning {
    fn default() -> Self {
        Self {
            classifier: ClassifierTuning::default(),
            yolo_minutes: None,
            prompt: PromptTuning { place: "host".to_owned(), timeout_ms: 300_000, grace_ms: 400, double_press: true, ai_may_close: true },
            log: LogTuning { decisions: true, classifier_io: false, sidecar: false },
            agents: AgentsTuning::default(),
        }
    }
}

impl Tuning {
    /// Takes over one checked value. `false`: the key is none of these.
    pub(crate) fn set(&mut self, path: &str, val: &Val) -> bool {
        let c = &mut self.classifier;
        match (path, val) {
            ("classifier.enabled", Val::Bool(b)) => c.enabled = *b,
            ("classifier.protocol", Val::Word(w)) => c.protocol = if w == "risk" { Protocol::Risk } else { Protocol::Staged },
            ("classifier.model", Val::Word(w)) => c.model.clone_from(w),
            ("classifier.reasoningLevel", Val::Word(w)) => c.reasoning_level = Some(w.clone()),
            ("classifier.fastMaxTokens", Val::Int(n)) => c.fast_max_tokens = *n,
            ("classifier.detailedMaxTokens", Val::Int(n)) => c.detailed_max_tokens = *n,
            ("classifier.timeoutMs", Val::Int(n)) => c.timeout_ms = *n,
            ("classifier.riskTimeoutMs", Val::Int(n)) => c.risk_timeout_ms = *n,
            ("classifier.maxUserTranscriptTokens", Val::Int(n)) => c.max_user_transcript_tokens = *n,
            ("classifier.maxToolTranscriptTokens", Val::Int(n)) => c.max_tool_transcript_tokens = *n,
            ("classifier.context", Val::Word(w)) => {
                c.context = match w.as_str() {
                    "intent" => Context::Intent,
                    "action" => Context::Action,
                    _ => Context::Full,
                }
            }
            ("classifier.onFailure", Val::Word(w)) => c.on_failure = if w == "deny" { OnFailure::Deny } else { OnFailure::Ask },
            ("classifier.autoApproveLowRisk", Val::Bool(b)) => c.auto_approve_low_risk = *b,
            ("classifier.autoDenyHighRisk", Val::Bool(b)) => c.auto_deny_high_risk = *b,
            ("yolo.minutes", Val::Int(n)) => self.yolo_minutes = Some(*n),
            ("prompt.where", Val::Word(w)) => self.prompt.place.clone_from(w),
            ("prompt.timeoutMs", Val::Int(n)) => self.prompt.timeout_ms = *n,
            ("prompt.graceMs", Val::Int(n)) => self.prompt.grace_ms = *n,
            ("prompt.doublePress", Val::Bool(b)) => self.prompt.double_press = *b,
            ("prompt.aiMayClose", Val::Bool(b)) => self.prompt.ai_may_close = *b,
            ("log.decisions", Val::Bool(b)) => self.log.decisions = *b,
            ("log.classifierIo", Val::Bool(b)) => self.log.classifier_io = *b,
            ("log.sidecar", Val::Bool(b)) => self.log.sidecar = *b,
            ("agents.onChange", Val::Texts(t)) => self.agents.on_change.clone_from(t),
            ("agents.headless", Val::Bool(b)) => self.agents.headless = *b,
            _ => return false,
        }
        true
    }

    /// The section of rule texts at that key.
    pub(crate) fn texts(&mut self, path: &str) -> Option<&mut RuleTexts> {
        Some(match path {
            "classifier.environment" => &mut self.classifier.environment,
            "classifier.allow" => &mut self.classifier.allow,
            "classifier.softDeny" => &mut self.classifier.soft_deny,
            "classifier.hardDeny" => &mut self.classifier.hard_deny,
            _ => return None,
        })
    }
}
