//! The one final answer and its record. Only the runner builds a [`Decision`].

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Ask, Case, Heard, Origin, Reason, Stage, Subject, Vote};

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It runs.
    Allow,
    /// The host asks a person.
    Ask,
    /// It does not run.
    Deny,
}

/// One vote, with the layer that cast it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TrailEntry {
    /// Where it was said.
    pub stage: Stage,
    /// Who said it.
    pub layer: &'static str,
    /// What was said.
    pub vote: Vote,
    /// A floor that was lifted; it stays in the trail.
    pub lifted: bool,
}

/// What became of one unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UnitOutcome {
    /// `allow`, `ask`, `deny`, or `open` when nothing vouched and nothing said no.
    pub vote: &'static str,
    /// The code of the reason that settled it.
    pub code: String,
}

/// Who let an ask pass without a person: the review entry `auto_approved`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Review {
    /// `auto_approved`.
    pub resolution: &'static str,
    /// The sentinel or entry that would have asked.
    pub matched: Option<String>,
    /// `yolo`.
    pub origin: Origin,
}

/// The one final answer for a call.
///
/// Reading one is fine:
/// ```
/// fn runs(decision: &gate_core::Decision) -> bool { decision.outcome() == gate_core::Outcome::Allow }
/// ```
/// Building or changing one outside the runner is not:
/// ```compile_fail,E0451
/// fn forge(decision: gate_core::Decision) -> gate_core::Decision {
///     gate_core::Decision { outcome: gate_core::Outcome::Allow, ..decision }
/// }
/// ```
/// ```compile_fail,E0616
/// fn forge(decision: &mut gate_core::Decision) { decision.outcome = gate_core::Outcome::Allow }
/// ```
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Decision {
    outcome: Outcome,
    reason: Reason,
    stage: Stage,
    layer: &'static str,
    origin: Origin,
    matched: Option<String>,
    subject: Subject,
    asks: Vec<Ask>,
    heard: Vec<Heard>,
    units: Vec<UnitOutcome>,
    trail: Vec<TrailEntry>,
    review: Option<Review>,
}

pub(crate) struct Parts {
    pub outcome: Outcome,
    pub reason: Reason,
    pub stage: Stage,
    pub layer: &'static str,
    pub origin: Origin,
    pub matched: Option<String>,
    pub subject: Subject,
    pub asks: Vec<Ask>,
    pub heard: Vec<Heard>,
    pub units: Vec<UnitOutcome>,
    pub trail: Vec<TrailEntry>,
    pub review: Option<Review>,
}

impl Decision {
    pub(crate) fn new(p: Parts) -> Self {
        let Parts { outcome, reason, stage, layer, origin, matched, subject, asks, heard, units, trail, review } = p;
        Self { outcome, reason, stage, layer, origin, matched, subject, asks, heard, units, trail, review }
    }
    /// What becomes of the call.
    #[must_use]
    pub const fn outcome(&self) -> Outcome {
        self.outcome
    }
    /// Why.
    #[must_use]
    pub const fn reason(&self) -> &Reason {
        &self.reason
    }
    /// Where it was decided.
    #[must_use]
    pub const fn stage(&self) -> Stage {
        self.stage
    }
    /// Which layer decided.
    #[must_use]
    pub const fn layer(&self) -> &'static str {
        self.layer
    }
    /// Whose opinion decided.
    #[must_use]
    pub const fn origin(&self) -> Origin {
        self.origin
    }
    /// The entry, rule or sentinel that matched.
    #[must_use]
    pub fn matched(&self) -> Option<&str> {
        self.matched.as_deref()
    }
    /// The unit that decided, or the call.
    #[must_use]
    pub const fn subject(&self) -> Subject {
        self.subject
    }
    /// Everything that needed an answer, most restrictive first; empty when the votes alone settled it. One dialog
    /// lists them all.
    #[must_use]
    pub fn asks(&self) -> &[Ask] {
        &self.asks
    }
    /// What authorities found without answering.
    #[must_use]
    pub fn heard(&self) -> &[Heard] {
        &self.heard
    }
    /// One for each unit of the script.
    #[must_use]
    pub fn units(&self) -> &[UnitOutcome] {
        &self.units
    }
    /// Every vote, in order.
    #[must_use]
    pub fn trail(&self) -> &[TrailEntry] {
        &self.trail
    }
    /// Set when an ask was granted without a person.
    #[must_use]
    pub const fn review(&self) -> Option<&Review> {
        self.review.as_ref()
    }
}

/// What the log gets: exactly one for each call.
pub struct LogRecord<'a> {
    /// The case that was decided.
    pub case: &'a Case<'a>,
    /// The decision.
    pub decision: &'a Decision,
}
