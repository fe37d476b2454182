//! The staged protocol: one digit, then a structured review. Both requests share their prefix byte for byte.

use gate_core::Timer;

use crate::messages::{FAST_ALLOW, Failure};
use crate::policy::{DETAILED_INSTRUCTION, FAST_INSTRUCTION, system_policy};
use crate::timed::complete;
use crate::{Config, Model, Outcome, Phase, Protocol, Request, StopReason, Tier, Verdict, parse};

/// How often the review is asked for.
const REVIEWS: u32 = 2;

/// What one decision sends: everything but the last message is the same in all its requests.
pub(crate) struct Prompt<'a> {
    config: &'a Config,
    system: String,
    context: String,
    action: String,
    session: String,
}

impl<'a> Prompt<'a> {
    pub(crate) fn new(config: &'a Config, context: String, action: String, session: String) -> Self {
        Self { config, system: system_policy(&config.rules), context, action, session }
    }

    fn request(&self, phase: Phase) -> Request {
        let (instruction, max_tokens) = match phase {
            Phase::Fast => (FAST_INSTRUCTION, self.config.fast_max_tokens),
            Phase::Detailed | Phase::Risk => (DETAILED_INSTRUCTION, self.config.detailed_max_tokens),
        };
        Request {
            phase,
            system: self.system.clone(),
            messages: vec![self.context.clone(), self.action.clone(), instruction.to_owned()],
            max_tokens,
            cache_session: self.session.clone(),
            reasoning: self.config.reasoning_level,
            timeout_ms: self.config.timeout_ms,
        }
    }
}

/// Does the request fit? Counted on the high side: a token for every three bytes.
pub(crate) fn fits(request: &Request, window: Option<u64>) -> bool {
    let bytes = request.system.len() + request.messages.iter().map(String::len).sum::<usize>();
    window.is_none_or(|w| (bytes as u64).div_ceil(3) + u64::from(request.max_tokens) <= w)
}

/// Asks by the staged protocol. `review_only`: the one-digit question may not let this call run, so it is left out.
/// `context` and `action` are sent as they are; see [`crate::evidence::context_message`] and [`crate::action_json`].
pub async fn staged<M: Model + ?Sized>(
    model: &M,
    config: &Config,
    (context, action, session): (String, String, String),
    review_only: bool,
    timer: Option<&dyn Timer>,
) -> Verdict {
    if !model.usable() {
        return failed(Phase::Fast, 0, &Failure::NoModel);
    }
    let prompt = Prompt::new(config, context, action, session);
    if prompt.action.is_empty() || !fits(&prompt.request(Phase::Detailed), model.context_window()) {
        return failed(Phase::Fast, 0, &Failure::TooLarge);
    }
    let mut attempts = 0;
    if !review_only {
        attempts += 1;
        match fast(model, &prompt, timer).await {
            Ok(false) => return verdict(Outcome::Allow, Tier::None, FAST_ALLOW.to_owned(), Phase::Fast, attempts),
            Ok(true) => {}
            Err(failure) => return failed(Phase::Fast, attempts, &failure),
        }
    }
    let mut failure = Failure::Garbage;
    for _ in 0..REVIEWS {
        attempts += 1;
        match review(model, &prompt, timer).await {
            Ok(r) => return verdict(r.outcome, r.tier, r.reason, Phase::Detailed, attempts),
            Err(f @ (Failure::Garbage | Failure::Truncated)) => failure = f,
            Err(f) => return failed(Phase::Detailed, attempts, &f),
        }
    }
    failed(Phase::Detailed, attempts, &failure)
}

async fn fast<M: Model + ?Sized>(model: &M, prompt: &Prompt<'_>, timer: Option<&dyn Timer>) -> Result<bool, Failure> {
    let request = prompt.request(Phase::Fast);
    let reply = complete(model, &request, timer).await.map_err(|e| Failure::of_error(Phase::Fast, e, request.timeout_ms))?;
    if reply.stop != StopReason::Stop {
        return Err(Failure::of_stop(Phase::Fast, &reply));
    }
    parse::fast(&reply.text).ok_or(Failure::FastGarbage)
}

async fn review<M: Model + ?Sized>(model: &M, prompt: &Prompt<'_>, timer: Option<&dyn Timer>) -> Result<parse::Review, Failure> {
    let request = prompt.request(Phase::Detailed);
    let reply = complete(model, &request, timer).await.map_err(|e| Failure::of_error(Phase::Detailed, e, request.timeout_ms))?;
    match reply.stop {
        StopReason::Stop => parse::detailed(&reply.text).ok_or(Failure::Garbage),
        StopReason::Length => Err(Failure::Truncated), // even when what is there looks complete
        _ => Err(Failure::of_stop(Phase::Detailed, &reply)),
    }
}

fn verdict(outcome: Outcome, tier: Tier, reason: String, phase: Phase, attempts: u32) -> Verdict {
    Verdict {
        outcome,
        tier: Some(tier),
        risk: None,
        confidence: None,
        reason,
        protocol: Protocol::Staged,
        phase,
        attempts,
        failed: false,
        outage: false,
    }
}

fn failed(phase: Phase, attempts: u32, failure: &Failure) -> Verdict {
    Verdict { failed: true, outage: failure.outage(), ..verdict(Outcome::Deny, Tier::None, failure.text(), phase, attempts) }
}
