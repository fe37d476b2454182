//! The layer that hears decisions and tells a sink what they mean for the agent's state.

use async_trait::async_trait;
use gate_core::{Case, Decision, Layer, Outcome, Stage};

use crate::{Event, EventKind};

/// Takes what happened. Quick and never waiting: anything slow (a database, a socket) is queued behind it. Failures
/// are the sink's own business.
pub trait Sink: Send + Sync {
    /// Takes one event.
    fn publish(&self, event: Event);
}

impl<S: Sink + ?Sized> Sink for std::sync::Arc<S> {
    fn publish(&self, event: Event) {
        (**self).publish(event);
    }
}

/// The layer at [`Stage::Observe`].
#[derive(Clone, Debug)]
pub struct AgentState<S> {
    sink: S,
}

impl<S: Sink> AgentState<S> {
    /// Tells this sink.
    #[must_use]
    pub const fn new(sink: S) -> Self {
        Self { sink }
    }
}

/// What a decision means: an ask blocks the agent until the call of that id is answered, anything else means that it
/// works on. `None` for sub-agents, whose calls say nothing of the session's own state.
#[must_use]
pub fn meaning(case: &Case<'_>, decision: &Decision) -> Option<EventKind> {
    let call = case.call;
    if call.subagent {
        return None;
    }
    let request = call.id.clone();
    Some(match decision.outcome() {
        Outcome::Ask => EventKind::Blocked { request, message: decision.reason().text.clone() },
        Outcome::Allow | Outcome::Deny => EventKind::Progress { request: Some(request) },
    })
}

#[async_trait]
impl<S: Sink> Layer for AgentState<S> {
    fn stage(&self) -> Stage {
        Stage::Observe
    }

    fn name(&self) -> &'static str {
        "agent-state"
    }

    async fn observe(&self, case: &Case<'_>, decision: &Decision) {
        let Some(what) = meaning(case, decision) else { return };
        let call = case.call;
        self.sink.publish(Event { host: call.host.clone(), session: call.session.clone(), cwd: call.cwd.clone(), what });
    }
}
