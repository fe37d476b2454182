//! A case that ended in ask. Only the runner can build one, and never for a denied case.

use std::sync::{Mutex, PoisonError};

use serde::Serialize;

use crate::{Case, Origin, Reason, Sentinel, Subject};

/// One thing that needs an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
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

/// What an authority found that did not answer: the model would ask, or it failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Heard {
    /// Which layer.
    pub layer: &'static str,
    /// What it found.
    pub reason: Reason,
    /// Who says so.
    pub origin: Origin,
}

/// A case that ended in ask. There is no public constructor: a denied case cannot become one.
///
/// Reading one is fine:
/// ```
/// fn may_grant(question: &gate_core::Question<'_>) -> bool { !question.kept() }
/// ```
/// Building one is not:
/// ```compile_fail,E0624
/// fn forge<'c>(case: &'c gate_core::Case<'c>) -> gate_core::Question<'c> { gate_core::Question::new(case, Vec::new(), false) }
/// ```
/// ```compile_fail,E0451
/// fn forge<'c>(case: &'c gate_core::Case<'c>) -> gate_core::Question<'c> {
///     gate_core::Question { case, asks: Vec::new(), needs_human: false, heard: Default::default() }
/// }
/// ```
pub struct Question<'c> {
    case: &'c Case<'c>,
    asks: Vec<Ask>,
    needs_human: bool,
    heard: Mutex<Vec<Heard>>,
}

impl<'c> Question<'c> {
    pub(crate) const fn new(case: &'c Case<'c>, asks: Vec<Ask>, needs_human: bool) -> Self {
        Self { case, asks, needs_human, heard: Mutex::new(Vec::new()) }
    }
    pub(crate) fn hear(&self, heard: Heard) {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).push(heard);
    }
    pub(crate) fn into_parts(self) -> (Vec<Ask>, Vec<Heard>) {
        (self.asks, self.heard.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
    /// What earlier authorities found without answering, for a person's dialog. While the model is raced with the
    /// person this can grow.
    #[must_use]
    pub fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap_or_else(PoisonError::into_inner).clone()
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
