//! Who may say what: settings sources and their precedence, project trust, approvals.
//!
//! [`snapshot`] turns the texts of all sources into the settings in force: pure, by the table [`keys::KEYS`].
//! [`Trust`] is the layer that floors calls while a source is rejected. [`files`] reads and writes the real files,
//! [`ApprovalStore`] remembers which version of a project's files a person said yes to.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

mod approval_layer;
mod approvals;
mod counters;
pub mod doctor;
mod draft;
pub mod edit;
pub mod files;
mod finding;
pub mod import;
mod json;
pub mod keys;
mod layer;
mod merge;
mod mode;
mod notation;
mod pending;
mod read;
pub mod schema;
mod sessions;
mod snapshot;
mod suggest;
pub mod tree;
mod tuning;
mod typo;

pub use approval_layer::{Approval, Covers};
pub use approvals::{ApprovalStore, Change, FileApproval, ProjectFile, hex_digest};
pub use counters::{CounterStore, Counters, Denial, sessions};
pub use draft::{BAD_ASK, BAD_DENY, REJECTED};
pub use finding::{Finding, Severity};
pub use json::{FILE_BYTES, FILE_DEPTH};
pub use layer::Trust;
pub use merge::{Setter, State};
pub use mode::{Switch, SwitchStore};
pub use pending::{Pending, SeenVersions, pending};
pub use schema::{permissions_schema, schema};
pub use sessions::{Scope, SessionApproval, SessionStore, call_digest};
pub use snapshot::{Explained, LastGood, Snapshot, SourceText, Sources, snapshot};
pub use suggest::{Suggestion, suggest_call, suggest_unit};
pub use tuning::{AgentsTuning, ClassifierTuning, Context, LogTuning, OnFailure, PromptTuning, Protocol, RuleTexts, Tuning};
