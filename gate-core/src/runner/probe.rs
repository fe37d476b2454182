//! Sample questions and decisions for the conformance kit. Nothing of it can leave this crate.

use super::combine;
use crate::decision::Parts;
use crate::{Ask, Case, Decision, Origin, Outcome, Question, Reason, Stage, Subject, Vote};

/// A question with one ask.
pub(crate) fn question<'c>(case: &'c Case<'c>, kept: bool) -> Question<'c> {
    let reason = Reason::new("open", "nothing vouches for this call");
    Question::new(case, vec![Ask { subject: Subject::Call, reason, matched: None, sentinel: None, open: !kept, kept }], false)
}

/// A decision of that outcome.
pub(crate) fn decision(outcome: Outcome) -> Decision {
    Decision::new(Parts {
        outcome,
        reason: Reason::new("open", "nothing vouches for this call"),
        stage: Stage::Boundary,
        layer: "runner",
        origin: Origin::Gate,
        matched: None,
        subject: Subject::Call,
        asks: Vec::new(),
        heard: Vec::new(),
        units: Vec::new(),
        trail: Vec::new(),
        review: None,
    })
}

/// Why a vote oversteps its stage.
pub(crate) fn fault(stage: Stage, vote: &Vote, case: &Case<'_>) -> Option<String> {
    combine::fault(stage, vote, case)
}
