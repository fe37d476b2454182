//! One decision: settings in, runner built, case built, asked. The same path serves hooks, `check`, and the batch.

use std::sync::Arc;

use gate_core::{Call, Case, Decision, Facts, Log, ParseContext, ParseShell, Runner, Settings, Subject};
use gate_rules::RuleBook;
use gate_trust::{Approval, Covers, Scope, SessionApproval, SessionStore};

use crate::human::HostDialog;

/// What was approved for the session of the calls.
pub enum Approvals {
    /// Nothing.
    None,
    /// These entries.
    Entries(Vec<String>),
    /// What the store holds when it is asked; the time in seconds since 1970.
    Store(SessionStore, u64),
}

/// The matcher of the rules, for approvals.
struct ByRules;

impl Covers for ByRules {
    fn covers(&self, entry: &str, case: &Case<'_>, subject: Subject) -> bool {
        gate_rules::approvals::covers(entry, case, subject)
    }
    fn names(&self, entry: &str, case: &Case<'_>) -> bool {
        gate_rules::approvals::is_command(entry, case)
    }
}

impl Approvals {
    fn layer(self) -> Approval<ByRules> {
        match self {
            Self::None => Approval::of(Vec::new(), ByRules, 0),
            Self::Entries(entries) => {
                let all = entries.into_iter().map(|e| SessionApproval::of_entry(e, Scope::Session, 0, None));
                Approval::of(all.collect(), ByRules, 0)
            }
            Self::Store(store, now) => Approval::of_session(store, ByRules, now),
        }
    }
}

/// A runner for one version of the settings.
pub struct Engine {
    settings: Settings,
    book: Arc<RuleBook>,
    runner: Runner,
}

impl Engine {
    /// Builds the layers for these settings.
    ///
    /// # Errors
    /// The layers do not fit together: a fault of this program.
    pub fn new(settings: Settings, approvals: Approvals, log: Option<Box<dyn Log>>) -> Result<Self, gate_core::BuildError> {
        let book = RuleBook::new(&settings);
        let mut builder = Runner::builder().layer(gate_trust::Trust).layer(gate_ast::Structure);
        for layer in gate_rules::layers(&book) {
            builder = builder.boxed(layer)
        }
        builder = builder.authority(approvals.layer()).grant(gate_yolo::Yolo).authority(HostDialog);
        if let Some(log) = log {
            builder = builder.log(BoxLog(log))
        }
        Ok(Self { settings, book, runner: builder.build()? })
    }

    /// Decides a call. Hands the case on, so that callers can show it.
    pub fn decide<T>(&self, call: &Call, facts: &dyn Facts, show: impl FnOnce(&Case<'_>, &Decision) -> T) -> T {
        let script = call.shell().zip(call.command()).map(|(shell, text)| {
            let context = ParseContext { shell, home: Some(&call.home), cwd: Some(&call.cwd), wrappers: self.book.as_ref() };
            gate_ast::Bash.parse(text, &context)
        });
        let case = Case::new(call, &self.settings, script, facts);
        let decision = pollster::block_on(self.runner.decide(&case));
        show(&case, &decision)
    }

    /// The settings in force.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }
}

struct BoxLog(Box<dyn Log>);

impl Log for BoxLog {
    fn record(&self, record: &gate_core::LogRecord<'_>) {
        self.0.record(record);
    }
}
