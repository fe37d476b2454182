//! What programs do and what is thought of it: the command catalogue, patterns, paths, danger rules and the layers of
//! the stages Deny, Ask, Paths, Rules and Allow. Pure: no file, clock, network, process or environment.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub mod analysis;
mod assignments;
pub mod catalogue;
mod flows;
pub mod paths;
pub mod policy;
mod programs;

pub use analysis::{Placer, analyse};
pub use flows::{Flow, FlowKind, flows};
pub use policy::Policy;
