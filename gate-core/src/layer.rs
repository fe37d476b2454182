//! The one trait that everything in the order implements.

use async_trait::async_trait;

use crate::{Answer, Case, Decision, LogRecord, Question, Stage, Votes};

/// Something that stands at a stage. It implements the method of its stage; the others keep their defaults.
/// No method returns an error: a layer that cannot work says ask or deny.
#[async_trait]
pub trait Layer: Send + Sync {
    /// Where it stands.
    fn stage(&self) -> Stage;
    /// Its name in the trail: stable, lower-case.
    fn name(&self) -> &'static str;
    /// Stages `Trust` to `Allow`: votes on units and on the call.
    async fn check(&self, _case: &Case<'_>) -> Votes {
        Votes::new()
    }
    /// Stages `Approval` to `Parent`: answers a question.
    async fn answer(&self, _question: &Question<'_>) -> Answer {
        Answer::Pass
    }
    /// Stage `Observe`: hears the decision, within [`crate::limits::OBSERVE_MS`].
    async fn observe(&self, _case: &Case<'_>, _decision: &Decision) {}
}

/// Bounds how long a layer may take. Implemented by the caller, because this crate reads no clock.
#[async_trait]
pub trait Timer: Send + Sync {
    /// Ends after that many milliseconds.
    async fn sleep(&self, ms: u64);
}

/// Never ends: layers are not bounded. For tests and embedders with their own deadline.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTimer;

#[async_trait]
impl Timer for NoTimer {
    async fn sleep(&self, _: u64) {
        std::future::pending::<()>().await;
    }
}

/// Receives exactly one record for each decision. A failing log never changes a decision.
pub trait Log: Send + Sync {
    /// Writes the record; failures are the log's own business.
    fn record(&self, record: &LogRecord<'_>);
}
