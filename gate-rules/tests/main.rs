//! Decisions of the rules on whole commands.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod common;
mod rules;
mod seeds;
mod trails;
