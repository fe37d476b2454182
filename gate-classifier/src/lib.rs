//! Asks a model about calls that rules do not settle: what it is told, how it is asked and how its reply is read.
//!
//! The model itself is injected ([`Model`]): this crate opens no connection. Everything that is not a clean, complete
//! answer ends in ask or deny. Two protocols have one normal form, the [`Verdict`].
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod action;
mod config;
pub mod evidence;
mod layer;
mod messages;
mod model;
pub mod parse;
mod policy;
mod risk;
mod staged;
mod timed;
mod verdict;

pub use action::{Action, action_json};
pub use config::{Config, Context, OnFailure, Protocol, RuleTexts};
pub use evidence::{ContextFile, Evidence, EvidenceSource, NoEvidence, TranscriptItem};
pub use layer::{Classifier, meaning};
pub use messages::{Failure, NO_MODEL};
pub use model::{Model, ModelError, NoModel, Phase, ReasoningLevel, Reply, Request, StopReason, Usage};
pub use policy::system_policy;
pub use risk::{overridden, risk};
pub use staged::staged;
pub use verdict::{Outcome, Risk, Tier, Verdict};

#[cfg(test)]
mod tests;
