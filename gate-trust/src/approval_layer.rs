//! The layer of stage `Approval`: what a person has approved for this session answers the question.

use async_trait::async_trait;
use gate_core::{Answer, Ask, Case, Layer, Mode, Origin, Question, Reason, Stage, Subject};

use crate::sessions::{Scope, SessionApproval, SessionStore, call_digest, programs};

/// Does an entry cover a unit, or a call without a script, as an allow entry would? Patterns are not this crate's
/// business: the caller brings the matcher.
pub trait Covers: Send + Sync {
    /// Does it?
    fn covers(&self, entry: &str, case: &Case<'_>, subject: Subject) -> bool;
    /// Does the entry name this very call and nothing else? Then it also answers floors.
    fn names(&self, _entry: &str, _case: &Case<'_>) -> bool {
        false
    }
}

impl<F: Fn(&str, &Case<'_>, Subject) -> bool + Send + Sync> Covers for F {
    fn covers(&self, entry: &str, case: &Case<'_>, subject: Subject) -> bool {
        self(entry, case, subject)
    }
}

/// Answers by stored approvals.
pub struct Approval<C> {
    approvals: Vec<SessionApproval>,
    store: Option<SessionStore>,
    covers: C,
    now: u64,
}

impl<C: Covers> Approval<C> {
    /// The approvals of a session, read when a question is asked. `now`: seconds since 1970.
    #[must_use]
    pub const fn of_session(store: SessionStore, covers: C, now: u64) -> Self {
        Self { approvals: Vec::new(), store: Some(store), covers, now }
    }

    /// Given approvals, without a store; `once` approvals are not used up.
    #[must_use]
    pub const fn of(approvals: Vec<SessionApproval>, covers: C, now: u64) -> Self {
        Self { approvals, store: None, covers, now }
    }

    fn decide(&self, question: &Question<'_>) -> Option<String> {
        let case = question.case();
        // Strict asks anew every time; a kept ask is answered by a person who sees it.
        if case.settings.mode == Mode::Strict || question.kept() || question.asks().is_empty() {
            return None;
        }
        let mut valid = self.approvals.clone();
        valid.extend(self.store.iter().flat_map(|s| s.list(self.now)));
        let present = programs(case);
        valid.retain(|a| {
            a.until.is_none_or(|until| self.now < until) && a.programs.iter().all(|(name, at)| present.get(name).is_none_or(|p| p == at))
        });
        let digest = call_digest(case.call);
        let mut once: Vec<String> = Vec::new();
        let mut matched = None;
        for ask in question.asks() {
            // What lasts is used before what is used up.
            let covering = |scope: Scope| valid.iter().find(|a| a.scope == scope && self.answers(a, ask, case, &digest));
            let a = covering(Scope::Session).or_else(|| covering(Scope::Once))?;
            if a.scope == Scope::Once && !once.contains(&a.id) {
                once.push(a.id.clone());
            }
            matched = Some(a.entry.clone().unwrap_or_else(|| "this very call".to_owned()));
        }
        if let (Some(store), false) = (&self.store, once.is_empty())
            && !store.take(&once)
        {
            return None;
        }
        matched
    }

    /// A floor is lifted for the identical call only; all else also for what the entry covers.
    fn answers(&self, approval: &SessionApproval, ask: &Ask, case: &Case<'_>, digest: &str) -> bool {
        if approval.call.as_deref() == Some(digest) {
            return true;
        }
        let Some(entry) = &approval.entry else { return false };
        self.covers.names(entry, case) || ask.sentinel.is_none() && self.covers.covers(entry, case, ask.subject)
    }
}

#[async_trait]
impl<C: Covers> Layer for Approval<C> {
    fn stage(&self) -> Stage {
        Stage::Approval
    }
    fn name(&self) -> &'static str {
        "approval"
    }
    async fn answer(&self, question: &Question<'_>) -> Answer {
        match self.decide(question) {
            Some(entry) => Answer::Allow {
                reason: Reason::new("session_approval", format!("approved for this session: {entry}")),
                origin: Origin::Session,
            },
            None => Answer::Pass,
        }
    }
}
