//! The seam to a model: what is sent, what comes back. Implemented by the caller.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

/// How hard a model should think.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReasoningLevel {
    /// A little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
    /// More.
    Xhigh,
    /// As much as it can.
    Max,
}

impl ReasoningLevel {
    /// The nearest level that a model supports, the lower one of two equally near. `None`: it does not reason, so no
    /// preference is sent.
    #[must_use]
    pub fn clamped(self, supported: &[Self]) -> Option<Self> {
        let distance = |l: &Self| (*l as i8 - self as i8).unsigned_abs();
        supported.iter().copied().min_by_key(|l| (distance(l), *l))
    }
}

/// Which question of a protocol a request asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// One digit.
    Fast,
    /// The structured review.
    Detailed,
    /// The one question of the risk protocol.
    Risk,
}

/// One request. The system text and all messages but the last are the same bytes in every phase of one decision, so
/// that a provider can reuse them. No temperature is ever sent, and caches are asked to be short-lived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Request {
    /// Which question.
    pub phase: Phase,
    /// The system text.
    pub system: String,
    /// User messages, in order.
    pub messages: Vec<String>,
    /// Most tokens of the reply.
    pub max_tokens: u32,
    /// Stable for one session of the host.
    pub cache_session: String,
    /// As configured, before it is clamped to what the model supports; `None`: no preference is sent.
    pub reasoning: Option<ReasoningLevel>,
    /// Time budget of this request, a stalled stream included, in milliseconds.
    pub timeout_ms: u64,
}

/// Why a model stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum StopReason {
    /// It was done.
    Stop,
    /// The token limit.
    Length,
    /// It wanted to use a tool.
    ToolUse,
    /// The provider reported an error.
    Error,
    /// The request was aborted.
    Aborted,
    /// Anything else.
    Other(String),
}

impl StopReason {
    /// The name for messages and logs.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Stop => "stop",
            Self::Length => "length",
            Self::ToolUse => "toolUse",
            Self::Error => "error",
            Self::Aborted => "aborted",
            Self::Other(name) => name,
        }
    }
}

/// Tokens used, as far as the provider says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Fresh input tokens.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Input tokens read from a cache.
    pub cache_read: u64,
    /// Input tokens written to a cache.
    pub cache_write: u64,
}

/// A reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reply {
    /// All of its text, untrimmed.
    pub text: String,
    /// Why it ended.
    pub stop: StopReason,
    /// What the provider says about an error.
    pub error: Option<String>,
    /// What it cost.
    pub usage: Usage,
}

impl Reply {
    /// A reply that ended by itself.
    #[must_use]
    pub fn stopped(text: impl Into<String>) -> Self {
        Self { text: text.into(), stop: StopReason::Stop, error: None, usage: Usage::default() }
    }
}

/// Why there is no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelError {
    /// No model is configured, or it has no key.
    Unavailable,
    /// It took longer than the request's budget.
    TimedOut,
    /// The turn was cancelled.
    Aborted,
    /// Anything else, in the provider's words; may be empty.
    Failed(String),
}

/// A model that can be asked. Dropping the future aborts the request.
#[async_trait]
pub trait Model: Send + Sync {
    /// Asks it.
    ///
    /// # Errors
    /// When there is no complete reply.
    async fn complete(&self, request: &Request) -> Result<Reply, ModelError>;

    /// Its name for logs, `provider/id`.
    fn id(&self) -> &str;

    /// How many tokens it can take in all, prompt and reply, when that is known.
    fn context_window(&self) -> Option<u64> {
        None
    }

    /// Is there anything to ask at all? `false`: the gate behaves as if there was no classifier.
    fn usable(&self) -> bool {
        true
    }
}

/// There is no model: never asked, never answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoModel;

#[async_trait]
impl Model for NoModel {
    async fn complete(&self, _: &Request) -> Result<Reply, ModelError> {
        Err(ModelError::Unavailable)
    }

    fn id(&self) -> &'static str {
        "none"
    }

    fn usable(&self) -> bool {
        false
    }
}

#[async_trait]
impl<M: Model + ?Sized> Model for std::sync::Arc<M> {
    async fn complete(&self, request: &Request) -> Result<Reply, ModelError> {
        (**self).complete(request).await
    }

    fn id(&self) -> &str {
        (**self).id()
    }

    fn context_window(&self) -> Option<u64> {
        (**self).context_window()
    }

    fn usable(&self) -> bool {
        (**self).usable()
    }
}
