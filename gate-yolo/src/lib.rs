//! Yolo mode: grants every question that is not kept, denies the kept ones, never prompts.
//!
//! The layer sees only a [`Question`], and the runner builds none for a denied case: yolo cannot lift a deny. Mode,
//! settings and kept asks are read from each question, so a change takes effect on the next call, both ways. How long
//! yolo lasts is data ([`Lease`]); the time is supplied by the caller.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod grant;

pub use gate_core::Lease;
pub use grant::{GRANTED, KEPT, Yolo, verdict};

#[cfg(test)]
mod tests;
