//! The runner: the one order, the one choke point. Layers vote; only this file decides.

mod ask;
mod boundary;
mod build;
mod combine;
mod drive;
mod index;
pub(crate) mod probe;

use std::sync::Arc;

pub use build::{BuildError, RunnerBuilder};

use crate::decision::Parts;
use crate::{Case, Decision, Layer, Log, LogRecord, Question, Stage, Timer, TrailEntry, limits};

/// A layer with the stage and the name that it had when the runner was built: neither can change later.
struct Placed {
    stage: Stage,
    name: &'static str,
    layer: Box<dyn Layer>,
}

/// Composes the layers in the one order and decides.
pub struct Runner {
    layers: Vec<Placed>,
    timer: Option<Arc<dyn Timer>>,
    log: Option<Box<dyn Log>>,
}

impl Runner {
    /// Starts a runner.
    #[must_use]
    pub fn builder() -> RunnerBuilder {
        RunnerBuilder::default()
    }

    fn at(&self, stage: Stage) -> impl Iterator<Item = &Placed> {
        self.layers.iter().filter(move |l| l.stage == stage)
    }

    /// Decides a case. Never fails and never panics, as long as the layers yield; a layer that spins is the caller's to
    /// bound (gate-cli answers from its main thread). Exactly one log record is written, after the decision is fixed.
    ///
    /// All voting layers share [`limits::DECISION_MS`], all observers share [`limits::OBSERVE_MS`], the approvals and
    /// the grant share [`limits::DECISION_MS`], the model has [`limits::MODEL_MS`]; people and the parent session may
    /// take as long as the caller waits. Without a timer none of the bounded ones may wait at all.
    pub async fn decide(&self, case: &Case<'_>) -> Decision {
        let decision = self.settle(case).await;
        if let Some(log) = &self.log {
            // A failing log never changes a decision.
            let _ = drive::quietly(|| log.record(&LogRecord { case, decision: &decision }));
        }
        let mut budget = drive::Budget::of(limits::OBSERVE_MS, self.timer.as_deref());
        for placed in self.at(Stage::Observe) {
            let _ = drive::bounded(|| placed.layer.observe(case, &decision), &mut budget).await;
        }
        decision
    }

    async fn settle(&self, case: &Case<'_>) -> Decision {
        if let Some(decision) = boundary::check(case) {
            return decision;
        }
        let mut trail: Vec<TrailEntry> = Vec::new();
        let mut budget = drive::Budget::of(limits::DECISION_MS, self.timer.as_deref());
        for placed in Stage::VOTING.into_iter().flat_map(|stage| self.at(stage)) {
            let votes = match drive::bounded(|| placed.layer.check(case), &mut budget).await {
                Ok(votes) => votes,
                Err(fault) => return boundary::faulty(placed.name, trail, &fault),
            };
            for vote in votes {
                if let Some(fault) = combine::fault(placed.stage, &vote, case) {
                    return boundary::faulty(placed.name, trail, &fault);
                }
                trail.push(TrailEntry { stage: placed.stage, layer: placed.name, vote, lifted: false });
            }
        }
        match combine::combine(case, &mut trail) {
            combine::Combined::Settled(p) => Decision::new(Parts { trail, ..*p }),
            combine::Combined::Open { asks, needs_human, units } => {
                let answered = self.ask(Question::new(case, asks, needs_human)).await;
                ask::decision(answered, case.settings.mode, units, trail)
            }
        }
    }
}

#[cfg(test)]
mod tests;
