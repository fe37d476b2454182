//! A case that ended in ask. Only the runner can build one, and never for a denied case.

use crate::{Case, Origin, Reason, Sentinel, Subject};

/// One thing that needs an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// What it is about.
    pub subject: Subject,
    /// Why.
    pub reason: Reason,
    /// The entry that matched.
    pub matched: Option<String>,
    /// The sentinel of the floor or danger rule that asks.
    pub sentinel: Option<Sentinel>,
    /// Nothing said no and nothing vouched: the model may answer it alone.
    pub open: bool,
    /// Only a person may answer; yolo denies.
    pub kept: bool,
}

/// A case that ended in ask. There is no public constructor: a denied case cannot become one.
pub struct Question<'c> {
    case: &'c Case<'c>,
    asks: Vec<Ask>,
    needs_human: bool,
}

impl<'c> Question<'c> {
    pub(crate) const fn new(case: &'c Case<'c>, asks: Vec<Ask>, needs_human: bool) -> Self {
        Self { case, asks, needs_human }
    }
    /// The case.
    #[must_use]
    pub const fn case(&self) -> &Case<'c> {
        self.case
    }
    /// Everything that needs an answer, most restrictive first. Never empty.
    #[must_use]
    pub fn asks(&self) -> &[Ask] {
        &self.asks
    }
    /// The ask list matched, or the mode is strict: a model's yes is not enough.
    #[must_use]
    pub const fn needs_human(&self) -> bool {
        self.needs_human
    }
    /// Is there an ask that only a person may answer?
    #[must_use]
    pub fn kept(&self) -> bool {
        self.asks.iter().any(|a| a.kept)
    }
}

/// What an authority says to a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Not mine to answer, or no opinion; the next authority is asked.
    Pass,
    /// Not settled here, and the next authority should know why: the model would ask, or it failed.
    Defer {
        /// What was found.
        reason: Reason,
        /// Who says so.
        origin: Origin,
    },
    /// It may run.
    Allow {
        /// Why.
        reason: Reason,
        /// Who says so.
        origin: Origin,
    },
    /// It must not run.
    Deny {
        /// Why.
        reason: Reason,
        /// Who says so.
        origin: Origin,
    },
    /// The host's own dialog asks the person (only at `Stage::Human`).
    HandOver,
}
