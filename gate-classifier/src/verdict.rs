//! The one normal form of what a model said, whatever the protocol.

use serde::Serialize;

use crate::{Phase, Protocol};

/// What is to become of the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It may run.
    Allow,
    /// A person should answer.
    Ask,
    /// It must not run.
    Deny,
}

/// Which part of the policy decided (staged protocol).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Tier {
    /// A hard rule: nothing the user says in chat lifts it.
    HardDeny,
    /// A soft rule: a direct, specific instruction of the user lifts it.
    SoftDeny,
    /// An exception to the soft rules.
    Allow,
    /// The user asked for exactly this.
    ExplicitIntent,
    /// No rule.
    None,
}

/// How risky the call is (risk protocol).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Risk {
    /// Little.
    Low,
    /// Some.
    Medium,
    /// Much.
    High,
}

/// What a model said, or why it said nothing usable.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Verdict {
    /// What is to become of the call.
    pub outcome: Outcome,
    /// Which part of the policy decided; staged protocol only.
    pub tier: Option<Tier>,
    /// How risky it is; risk protocol only.
    pub risk: Option<Risk>,
    /// How sure the model is, 0 to 1; risk protocol only.
    pub confidence: Option<f64>,
    /// Why.
    pub reason: String,
    /// How it was asked.
    pub protocol: Protocol,
    /// The question that settled it.
    pub phase: Phase,
    /// How many requests were sent.
    pub attempts: u32,
    /// There is no usable answer; the outcome is what failing closed means here.
    pub failed: bool,
    /// The failure is an outage (no model, network, time-out, garbage): with `onFailure: ask`, a person may answer.
    pub outage: bool,
}
