//! What programs do and what is thought of it: the command catalogue, patterns, paths, danger rules and the layers of
//! the stages Deny, Ask, Paths, Rules and Allow. Pure: no file, clock, network, process or environment.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub mod analysis;
pub mod approvals;
mod assignments;
mod book;
pub mod catalogue;
mod danger;
mod flows;
mod harddeny;
mod layers;
pub mod paths;
pub mod patterns;
pub mod policy;
mod programs;
mod tree;
mod words;

pub use analysis::{Placer, analyse};
pub use book::RuleBook;
pub use flows::{Flow, FlowKind, flows};
pub use layers::{AllowLayer, AskLayer, DenyLayer, PathsLayer, RulesLayer, layers};
pub use policy::Policy;
