//! The runner: the one order, the one choke point. Layers vote; only this file decides.

mod combine;
mod drive;

use std::sync::Arc;

use thiserror::Error;

use crate::decision::Parts;
use crate::{
    Answer, Case, Decision, Layer, Log, LogRecord, Mode, NoTimer, Origin, Outcome, Question, Reason, Review, Stage, Subject, Timer,
    TrailEntry, UnitOutcome, limits,
};

/// Why a runner cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BuildError {
    /// Two layers of one name at one stage.
    #[error("two layers named `{0}` at stage {1:?}")]
    Duplicate(&'static str, Stage),
    /// A stage without which nothing may be decided has no layer.
    #[error("no layer at stage {0:?}; the gate cannot decide without it")]
    Missing(Stage),
    /// A layer claims the runner's own stage.
    #[error("layer `{0}` claims the boundary, which is the runner's own")]
    Boundary(&'static str),
}

/// Collects layers.
#[derive(Default)]
pub struct RunnerBuilder {
    layers: Vec<Box<dyn Layer>>,
    timer: Option<Arc<dyn Timer>>,
    log: Option<Box<dyn Log>>,
}

impl RunnerBuilder {
    /// Adds a layer; its stage says where it stands.
    #[must_use]
    pub fn layer(mut self, layer: impl Layer + 'static) -> Self {
        self.layers.push(Box::new(layer));
        self
    }
    /// Adds a layer that is boxed already.
    #[must_use]
    pub fn boxed(mut self, layer: Box<dyn Layer>) -> Self {
        self.layers.push(layer);
        self
    }
    /// Adds the yolo grant (a layer at [`Stage::Grant`]).
    #[must_use]
    pub fn grant(self, layer: impl Layer + 'static) -> Self {
        self.layer(layer)
    }
    /// Adds somebody who answers questions.
    #[must_use]
    pub fn authority(self, layer: impl Layer + 'static) -> Self {
        self.layer(layer)
    }
    /// Bounds what a layer may take.
    #[must_use]
    pub fn timer(mut self, timer: Arc<dyn Timer>) -> Self {
        self.timer = Some(timer);
        self
    }
    /// Where the one record of each decision goes.
    #[must_use]
    pub fn log(mut self, log: impl Log + 'static) -> Self {
        self.log = Some(Box::new(log));
        self
    }
    /// Builds the runner.
    ///
    /// # Errors
    /// Two layers of one name at one stage, a layer at the boundary, or no layer at `Structure`, `Deny` or `Paths`.
    pub fn build(self) -> Result<Runner, BuildError> {
        let mut layers = self.layers;
        layers.sort_by_key(|l| l.stage());
        for (i, l) in layers.iter().enumerate() {
            if l.stage() == Stage::Boundary {
                return Err(BuildError::Boundary(l.name()));
            }
            if layers.iter().skip(i + 1).any(|o| o.stage() == l.stage() && o.name() == l.name()) {
                return Err(BuildError::Duplicate(l.name(), l.stage()));
            }
        }
        for stage in [Stage::Structure, Stage::Deny, Stage::Paths] {
            if !layers.iter().any(|l| l.stage() == stage) {
                return Err(BuildError::Missing(stage));
            }
        }
        Ok(Runner { layers, timer: self.timer.unwrap_or_else(|| Arc::new(NoTimer)), log: self.log })
    }
}

/// Composes the layers in the one order and decides.
pub struct Runner {
    layers: Vec<Box<dyn Layer>>,
    timer: Arc<dyn Timer>,
    log: Option<Box<dyn Log>>,
}

impl Runner {
    /// Starts a runner.
    #[must_use]
    pub fn builder() -> RunnerBuilder {
        RunnerBuilder::default()
    }

    fn at(&self, stage: Stage) -> impl Iterator<Item = &dyn Layer> {
        self.layers.iter().map(AsRef::as_ref).filter(move |l| l.stage() == stage)
    }

    /// Decides a case. Never fails and never panics, as long as the layers yield; a layer that spins is the
    /// caller's to bound (gate-cli answers from its main thread).
    pub async fn decide(&self, case: &Case<'_>) -> Decision {
        let decision = self.settle(case).await;
        if let Some(log) = &self.log {
            // A failing log never changes a decision.
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| log.record(&LogRecord { case, decision: &decision })));
        }
        for layer in self.at(Stage::Observe) {
            let _ = drive::bounded(layer.observe(case, &decision), self.timer.as_ref(), limits::OBSERVE_MS).await;
        }
        decision
    }

    async fn settle(&self, case: &Case<'_>) -> Decision {
        if let Some(decision) = boundary(case) {
            return decision;
        }
        let mut trail: Vec<TrailEntry> = Vec::new();
        for stage in Stage::VOTING {
            for layer in self.at(stage) {
                let votes = match drive::bounded(layer.check(case), self.timer.as_ref(), limits::DECISION_MS).await {
                    Ok(votes) => votes,
                    Err(fault) => return faulty(layer, trail, &fault),
                };
                for vote in votes {
                    if let Some(fault) = combine::fault(stage, &vote, case) {
                        return faulty(layer, trail, &fault);
                    }
                    trail.push(TrailEntry { stage, layer: layer.name(), vote, lifted: false });
                }
            }
        }
        let combined = combine::combine(case, &mut trail);
        match combined {
            combine::Combined::Settled(p) => Decision::new(Parts { trail, ..p }),
            combine::Combined::Open { asks, needs_human, units } => {
                self.ask(case, Question::new(case, asks, needs_human), units, trail).await
            }
        }
    }

    async fn ask(&self, case: &Case<'_>, question: Question<'_>, units: Vec<UnitOutcome>, trail: Vec<TrailEntry>) -> Decision {
        let first = question.asks().first().cloned();
        let (subject, matched) = first
            .as_ref()
            .map_or((Subject::Call, None), |a| (a.subject, a.matched.clone().or_else(|| a.sentinel.as_ref().map(ToString::to_string))));
        let why = first.map_or_else(|| Reason::new("open", "nothing vouches for this call"), |a| a.reason);
        let parts = |outcome, reason, stage, layer, origin, review| Parts {
            outcome,
            reason,
            stage,
            layer,
            origin,
            matched: matched.clone(),
            subject,
            units: units.clone(),
            trail: trail.clone(),
            review,
        };
        for stage in Stage::ANSWERING {
            if skipped(stage, case.settings.mode) {
                continue;
            }
            for layer in self.at(stage) {
                let answer = match drive::bounded(layer.answer(&question), self.timer.as_ref(), u64::MAX).await {
                    Ok(answer) => answer,
                    Err(fault) => return faulty(layer, trail, &fault),
                };
                match answer {
                    Answer::Pass | Answer::Defer { .. } => {}
                    Answer::HandOver if stage == Stage::Human => {
                        return Decision::new(parts(Outcome::Ask, why, stage, layer.name(), Origin::Human, None));
                    }
                    Answer::HandOver => return faulty(layer, trail, "only a layer at stage Human may hand a question over"),
                    Answer::Allow { .. } if matches!(stage, Stage::Approval | Stage::Grant | Stage::Classifier) && question.kept() => {
                        return faulty(layer, trail, "an ask that only a person may answer was allowed");
                    }
                    Answer::Allow { .. } if stage == Stage::Classifier && question.needs_human() => {} // the person's yes is still needed
                    Answer::Allow { reason, origin } => {
                        let review =
                            (stage == Stage::Grant).then(|| Review { resolution: "auto_approved", matched: matched.clone(), origin });
                        return Decision::new(parts(Outcome::Allow, reason, stage, layer.name(), origin, review));
                    }
                    Answer::Deny { reason, origin } => {
                        return Decision::new(parts(Outcome::Deny, reason, stage, layer.name(), origin, None));
                    }
                }
            }
        }
        let text = format!("{} Nobody can be asked here.", sentence(&why.text));
        let reason = Reason { code: why.code, text, instead: why.instead };
        Decision::new(parts(Outcome::Deny, reason, Stage::Boundary, "runner", Origin::Nobody, None))
    }
}

/// Who is not asked in which mode.
const fn skipped(stage: Stage, mode: Mode) -> bool {
    match mode {
        Mode::Yolo => matches!(stage, Stage::Approval | Stage::Classifier),
        Mode::Auto => matches!(stage, Stage::Grant),
        Mode::Approve => matches!(stage, Stage::Grant | Stage::Classifier),
        Mode::Strict => matches!(stage, Stage::Approval | Stage::Grant | Stage::Classifier),
    }
}

fn sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

fn boundary_deny(code: &'static str, text: impl Into<String>, trail: Vec<TrailEntry>) -> Decision {
    Decision::new(Parts {
        outcome: Outcome::Deny,
        reason: Reason::new(code, text),
        stage: Stage::Boundary,
        layer: "runner",
        origin: Origin::Gate,
        matched: None,
        subject: Subject::Call,
        units: Vec::new(),
        trail,
        review: None,
    })
}

fn faulty(layer: &dyn Layer, trail: Vec<TrailEntry>, fault: &str) -> Decision {
    boundary_deny("gate_error", format!("the gate's layer `{}` failed ({fault}); nothing runs until it works", layer.name()), trail)
}

/// Cancelled turns, calls without a tool name, shell calls without text, the one bypass.
fn boundary(case: &Case<'_>) -> Option<Decision> {
    let call = case.call;
    if !case.settings.enabled {
        return Some(Decision::new(Parts {
            outcome: Outcome::Allow,
            reason: Reason::new("disabled", "the gate is switched off in the user's settings"),
            stage: Stage::Boundary,
            layer: "runner",
            origin: Origin::User,
            matched: None,
            subject: Subject::Call,
            units: Vec::new(),
            trail: Vec::new(),
            review: None,
        }));
    }
    if call.cancelled {
        return Some(boundary_deny("cancelled", "the turn was cancelled", Vec::new()));
    }
    if call.tool.name.trim().is_empty() {
        return Some(boundary_deny("malformed_call", "the call names no tool", Vec::new()));
    }
    if call.shell().is_some() {
        if call.command().is_none() {
            return Some(boundary_deny("malformed_call", "the shell call has no command text", Vec::new()));
        }
        if case.script.is_none() {
            return Some(boundary_deny("gate_error", "the shell call was not parsed", Vec::new()));
        }
    }
    None
}

#[cfg(test)]
mod tests;
