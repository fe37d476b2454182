//! Which agent is working, blocked or done: states, their priority and the layer that hears decisions.
//!
//! This crate decides nothing. What becomes of a state (a database, a status line, a socket) is the business of the
//! [`Sink`] that the caller gives; a sink that fails never changes a decision.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod event;
mod layer;
mod list;
mod state;

pub use event::{Event, EventKind, HostEvent};
pub use layer::{AgentState, Sink, meaning};
pub use list::{Row, age, order, safe_text};
pub use state::{Activity, Change, State, Tracker};

#[cfg(test)]
mod tests;
