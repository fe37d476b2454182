//! What a layer says of one unit or of the whole call.

use serde::Serialize;

use crate::{Doubt, Origin, Reason, UnitId};

/// What a vote is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// The call as a whole.
    Call,
    /// One unit of its script.
    Unit(UnitId),
}

/// How much an allow stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Strength {
    /// A bare `*`: covers the unit, lifts nothing.
    Broad,
    /// The catalogue, or a rule narrower than `*`: lifts the floor of transparent wrappers around it.
    Narrow,
    /// A specific entry that names a wrapper with at least one literal operand, or an interpreter: lifts the
    /// wrapper's own floor where the doubt says `named`.
    Named,
}

/// What is said.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Say {
    /// It may run.
    Allow(Strength),
    /// Somebody must answer. `kept`: only a person, and in yolo mode it denies.
    Ask {
        /// Only a person may answer; yolo denies.
        kept: bool,
    },
    /// It must not run.
    Deny,
    /// An allow of the later stages becomes an ask. `kept` as above.
    Floor {
        /// Why, and what lifts it.
        doubt: Doubt,
        /// Only a person may answer; yolo denies.
        kept: bool,
    },
}

/// One vote.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Vote {
    /// What it is about.
    pub subject: Subject,
    /// What is said.
    pub say: Say,
    /// Why.
    pub reason: Reason,
    /// The pattern, entry or rule that matched, as its owner wrote it; sentinels of asks by danger rules too.
    pub matched: Option<String>,
    /// Whose opinion it is.
    pub origin: Origin,
}

/// Everything that a layer says of one case.
pub type Votes = Vec<Vote>;
