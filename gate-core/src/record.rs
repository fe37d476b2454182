//! The record of a decision: one stable line of JSON for logs, batches and scripts, and its schema.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::Serialize;

use crate::{Case, Decision, Effect, Origin, Outcome};

/// One decision as data. Fields are only ever added.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(title = "Decision")]
pub struct DecisionRecord<'a> {
    /// Names the call.
    pub id: &'a str,
    /// What becomes of it.
    pub decision: Outcome,
    /// Stable code of the reason.
    pub code: &'a str,
    /// The layer that decided; `runner` for the gate itself.
    pub layer: &'a str,
    /// Whose opinion decided.
    pub origin: Origin,
    /// Why, in a sentence.
    pub reason: &'a str,
    /// What to do instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instead: Option<&'a str>,
    /// The entry, rule or sentinel that matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matched: Option<&'a str>,
    /// One for each unit of the script, in source order, outer before inner.
    pub units: Vec<UnitRecord<'a>>,
}

/// What became of one unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Unit")]
pub struct UnitRecord<'a> {
    /// The decoded words; what only the shell can know stands as its source.
    pub words: Vec<String>,
    /// What it does, as far as is known.
    pub effects: Vec<Effect>,
    /// `allow`, `ask`, `deny`, or `open` when nothing vouched and nothing said no.
    pub vote: &'static str,
    /// The code of the reason that settled it.
    pub code: Cow<'a, str>,
}

impl<'a> DecisionRecord<'a> {
    /// The record of a decision on this case.
    #[must_use]
    pub fn new(case: &'a Case<'_>, decision: &'a Decision) -> Self {
        let reason = decision.reason();
        let units = case.script.as_ref().map(|s| s.units.as_slice()).unwrap_or_default();
        let analysis = case.known_analysis().map(|a| a.units.as_slice()).unwrap_or_default();
        let one = |(i, (unit, outcome)): (usize, (&crate::Unit, &'a crate::UnitOutcome))| UnitRecord {
            words: unit.words.iter().map(crate::Word::shown).collect(),
            effects: analysis.get(i).map(|a| a.effects.iter().collect()).unwrap_or_default(),
            vote: outcome.vote,
            code: Cow::Borrowed(outcome.code.as_str()),
        };
        Self {
            id: &case.call.id,
            decision: decision.outcome(),
            code: &reason.code,
            layer: decision.layer(),
            origin: decision.origin(),
            reason: &reason.text,
            instead: reason.instead.as_deref(),
            matched: decision.matched(),
            units: units.iter().zip(decision.units()).enumerate().map(one).collect(),
        }
    }
}

/// The JSON schema of a [`DecisionRecord`].
#[must_use]
pub fn decision_schema() -> serde_json::Value {
    schemars::schema_for!(DecisionRecord<'static>).to_value()
}
