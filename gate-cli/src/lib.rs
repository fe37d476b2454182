//! The bundled command line: the only crate that knows hosts' JSON, prints, reads the environment and exits.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub mod batch;
pub mod commands;
pub mod deadline;
pub mod decide;
mod human;
pub mod hosts;
pub mod log;
pub mod machine;
pub mod render;
pub mod setup;
pub mod tools;
