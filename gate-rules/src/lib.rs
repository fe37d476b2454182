//! What programs do and what is thought of it: the command catalogue, patterns, paths, danger rules, hard-deny, and the
//! deterministic layers that vote by them. Pure: facts of the world come through `gate_core::Facts`.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub mod analysis;
pub mod catalogue;
pub mod paths;
pub mod policy;
mod programs;
