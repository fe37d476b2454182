//! The sentences for everything that goes wrong, word for word stable: people and scripts search for them.

use crate::{ModelError, Phase, Reply, StopReason};

/// There is nothing to ask.
pub const NO_MODEL: &str = "No classifier model/API key available; auto mode fails closed.";
/// The one-digit question said nothing against it.
pub const FAST_ALLOW: &str = "Fast classifier found no policy-relevant risk.";
const FAST_GARBAGE: &str = "Fast classifier response was not 0 or 1 after trimming whitespace; auto mode fails closed.";
const GARBAGE: &str = "Classifier response was not valid decision JSON; auto mode fails closed.";
const TRUNCATED: &str = "Classifier response was truncated before producing valid decision JSON; auto mode fails closed.";
const TOO_LARGE: &str = "The action does not fit the classifier model's context window; auto mode fails closed.";
/// The risk protocol's reply could not be read.
pub(crate) const RISK_GARBAGE: &str = "classifier output parse failed";
/// The risk protocol got no reply.
pub(crate) const RISK_UNAVAILABLE: &str = "classifier unavailable";

/// Why a model gave no usable answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// No model, or no key.
    NoModel,
    /// The exact action does not fit.
    TooLarge,
    /// The one-digit reply is something else.
    FastGarbage,
    /// The review is no decision.
    Garbage,
    /// The review was cut off.
    Truncated,
    /// The request failed, or ended otherwise than by itself.
    Request {
        /// Which question.
        phase: Phase,
        /// What the provider says, or our words for it.
        detail: String,
    },
}

impl Failure {
    /// The failure of a request without a reply.
    #[must_use]
    pub fn of_error(phase: Phase, error: ModelError, timeout_ms: u64) -> Self {
        let detail = match error {
            ModelError::Unavailable => return Self::NoModel,
            ModelError::TimedOut => format!("Classifier model request took longer than {timeout_ms} ms."),
            ModelError::Aborted => aborted(),
            ModelError::Failed(text) => said(Some(text)).unwrap_or_else(error_response),
        };
        Self::Request { phase, detail }
    }

    /// The failure of a reply that ended otherwise than by itself.
    #[must_use]
    pub fn of_stop(phase: Phase, reply: &Reply) -> Self {
        let detail = said(reply.error.clone()).unwrap_or_else(|| match &reply.stop {
            StopReason::Aborted => aborted(),
            StopReason::Error => error_response(),
            other => format!("{} response did not stop cleanly ({}).", label(phase), other.name()),
        });
        Self::Request { phase, detail }
    }

    /// Is it an outage, so that a person may be asked instead? An action that does not fit is none.
    #[must_use]
    pub const fn outage(&self) -> bool {
        !matches!(self, Self::TooLarge)
    }

    /// The sentence.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::NoModel => NO_MODEL.to_owned(),
            Self::TooLarge => TOO_LARGE.to_owned(),
            Self::FastGarbage => FAST_GARBAGE.to_owned(),
            Self::Garbage => GARBAGE.to_owned(),
            Self::Truncated => TRUNCATED.to_owned(),
            Self::Request { phase, detail } => format!("{} failed; auto mode fails closed: {detail}", label(*phase)),
        }
    }
}

const fn label(phase: Phase) -> &'static str {
    match phase {
        Phase::Fast => "Fast classifier",
        Phase::Detailed | Phase::Risk => "Classifier",
    }
}

fn aborted() -> String {
    "Classifier model request was aborted.".to_owned()
}

fn error_response() -> String {
    "Classifier model returned an error response.".to_owned()
}

fn said(text: Option<String>) -> Option<String> {
    text.filter(|t| !t.trim().is_empty())
}
