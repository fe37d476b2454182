//! The layer: which questions the model gets, and what its verdict means for the call.

use std::sync::Arc;

use async_trait::async_trait;
use gate_core::{Answer, Layer, Mode, Origin, Question, Reason, Stage, Timer};

use crate::evidence::{cache_session, context_message, findings};
use crate::messages::NO_MODEL;
use crate::{Config, EvidenceSource, Model, NoEvidence, OnFailure, Outcome, Protocol, Tier, Verdict, action_json, risk, staged};

/// The layer at [`Stage::Classifier`].
pub struct Classifier<M> {
    model: M,
    config: Config,
    evidence: Box<dyn EvidenceSource>,
    timer: Option<Arc<dyn Timer>>,
}

impl<M: Model> Classifier<M> {
    /// Asks this model.
    #[must_use]
    pub fn new(model: M, config: Config) -> Self {
        Self { model, config, evidence: Box::new(NoEvidence), timer: None }
    }

    /// With what is known of the conversation.
    #[must_use]
    pub fn evidence(mut self, source: impl EvidenceSource + 'static) -> Self {
        self.evidence = Box::new(source);
        self
    }

    /// Keeps the time budgets with this timer; without one the model must keep them itself.
    #[must_use]
    pub fn timer(mut self, timer: Arc<dyn Timer>) -> Self {
        self.timer = Some(timer);
        self
    }

    /// What the model says of the call of a question.
    pub async fn verdict(&self, question: &Question<'_>) -> Verdict {
        let case = question.case();
        let call = case.call;
        let session = cache_session(call.session.as_deref(), &call.cwd);
        let timer = self.timer.as_deref();
        match self.config.protocol {
            Protocol::Risk => risk(&self.model, &self.config, call, session, timer).await,
            Protocol::Staged => {
                let told = context_message(&self.evidence.evidence(case), &self.config);
                let context = format!("{told}{}", findings(case, question.asks()));
                // One digit is too little for what was not understood or what a rule asks about.
                let review_only = question.asks().iter().any(|a| !a.open);
                staged(&self.model, &self.config, (context, action_json(call), session), review_only, timer).await
            }
        }
    }
}

#[async_trait]
impl<M: Model> Layer for Classifier<M> {
    fn stage(&self) -> Stage {
        Stage::Classifier
    }

    fn name(&self) -> &'static str {
        "classifier"
    }

    async fn answer(&self, question: &Question<'_>) -> Answer {
        if question.case().settings.mode != Mode::Auto || !self.config.enabled {
            return Answer::Pass;
        }
        // A kept ask is a person's alone; after an ask rule the model is heard all the same, since its no counts.
        if question.kept() && !question.needs_human() {
            return Answer::Pass;
        }
        if !self.model.usable() {
            // Without a model auto behaves as approve: the person alone answers, and nobody means deny.
            return Answer::Defer { reason: Reason::new("classifier_failed", NO_MODEL), origin: Origin::Classifier };
        }
        meaning(&self.verdict(question).await, self.config.on_failure, question.needs_human())
    }
}

/// What a verdict means. A failure denies after an ask rule, and whenever the settings or its kind say so; otherwise
/// the next authority answers, and if there is none the runner denies.
#[must_use]
pub fn meaning(verdict: &Verdict, on_failure: OnFailure, needs_human: bool) -> Answer {
    let origin = Origin::Classifier;
    if verdict.failed {
        let reason = Reason::new("classifier_failed", verdict.reason.clone());
        let ask = verdict.outage && on_failure == OnFailure::Ask && !needs_human;
        return if ask { Answer::Defer { reason, origin } } else { Answer::Deny { reason, origin } };
    }
    match (verdict.outcome, verdict.tier) {
        (Outcome::Allow, _) => Answer::Allow { reason: Reason::new("classifier_allow", verdict.reason.clone()), origin },
        (Outcome::Ask, _) => Answer::Defer { reason: Reason::new("classifier_ask", verdict.reason.clone()), origin },
        (Outcome::Deny, Some(Tier::HardDeny)) => Answer::Deny {
            reason: Reason::new("classifier_hard_deny", verdict.reason.clone())
                .or("nothing said in chat lifts this rule; the user can do it outside the agent"),
            origin,
        },
        (Outcome::Deny, Some(Tier::SoftDeny)) => Answer::Deny {
            reason: Reason::new("classifier_soft_deny", verdict.reason.clone())
                .or("ask the user to authorise exactly this action in a chat message of their own, then try again"),
            origin,
        },
        (Outcome::Deny, _) => Answer::Deny { reason: Reason::new("classifier_deny", verdict.reason.clone()), origin },
    }
}
