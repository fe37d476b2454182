//! The words of the gate, the [`Layer`] trait and the [`Runner`] that alone decides.
//!
//! A [`Call`] is what an agent wants to do. Layers vote on it, each at its [`Stage`]; the runner combines the
//! votes into exactly one [`Decision`]. This crate is pure: it touches no file, clock, network, process or
//! environment, and knows no host. What it needs of the world comes through [`Facts`] and [`Timer`].
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod analysis;
mod call;
mod case;
pub mod conformance;
mod decision;
mod effect;
mod facts;
mod layer;
mod lease;
pub mod limits;
pub mod path;
mod question;
mod reason;
mod record;
pub mod redact;
mod runner;
mod script;
mod settings;
mod shell;
mod stage;
mod vote;
mod word;

pub use analysis::{Access, AccessMode, Analysis, Assessment, Note};
pub use call::{Call, Tool, ToolKind};
pub use case::Case;
pub use decision::{Decision, LogRecord, Outcome, Review, TrailEntry, UnitOutcome};
pub use effect::{Effect, Effects, Place};
pub use facts::{Facts, GitConfig, NoFacts, PathKind, ProgramAt, Resolved};
pub use layer::{Layer, Log, NoTimer, Timer};
pub use lease::Lease;
pub use question::{Answer, Ask, Heard, Question};
pub use reason::{Origin, Reason};
pub use record::{DecisionRecord, UnitRecord, decision_schema};
pub use runner::{BuildError, Runner, RunnerBuilder};
pub use script::{Assignment, Cwd, Doubt, Lift, Nesting, Pipe, Redirect, RedirectMode, Script, Sentinel, ShellKind, Stdin, Unit, UnitId};
pub use settings::*;
pub use shell::{Inner, InnerCommand, NoWrappers, ParseContext, ParseShell, WrapperGrammar};
pub use stage::{Permit, Stage};
pub use vote::{Say, Strength, Subject, Vote, Votes};
pub use word::{Piece, Word};
