//! The risk protocol: one question, one object, no transcript.

use gate_core::{Call, Timer};

use crate::evidence::escape;
use crate::messages::{Failure, RISK_GARBAGE, RISK_UNAVAILABLE};
use crate::policy::RISK_SYSTEM;
use crate::staged::fits;
use crate::timed::complete;
use crate::{Config, Model, Outcome, Phase, Protocol, Request, Risk, StopReason, Verdict, parse};

/// Asks by the risk protocol. Whatever goes wrong is a medium risk that a person should judge.
pub async fn risk<M: Model + ?Sized>(model: &M, config: &Config, call: &Call, session: String, timer: Option<&dyn Timer>) -> Verdict {
    if !model.usable() {
        return fallback(0, RISK_UNAVAILABLE, true);
    }
    let request = Request {
        phase: Phase::Risk,
        system: RISK_SYSTEM.to_owned(),
        messages: vec![description(call)],
        max_tokens: config.detailed_max_tokens,
        cache_session: session,
        reasoning: config.reasoning_level,
        timeout_ms: config.risk_timeout_ms,
    };
    if !fits(&request, model.context_window()) {
        let verdict = fallback(0, &Failure::TooLarge.text(), false);
        return Verdict { outcome: Outcome::Deny, ..verdict };
    }
    let reply = match complete(model, &request, timer).await {
        Ok(reply) if reply.stop == StopReason::Stop => reply,
        Ok(_) | Err(_) => return fallback(1, RISK_UNAVAILABLE, true),
    };
    let Some(r) = parse::risk(&reply.text) else { return fallback(1, RISK_GARBAGE, true) };
    let outcome = overridden(r.outcome, r.risk, config.auto_approve_low_risk, config.auto_deny_high_risk);
    Verdict {
        outcome,
        tier: None,
        risk: Some(r.risk),
        confidence: Some(r.confidence),
        reason: r.reason,
        protocol: Protocol::Risk,
        phase: Phase::Risk,
        attempts: 1,
        failed: false,
        outage: false,
    }
}

/// The two overrides: low risk may be kept for a person, high risk is never allowed by the model alone. Both only
/// tighten.
#[must_use]
pub const fn overridden(outcome: Outcome, risk: Risk, approve_low: bool, deny_high: bool) -> Outcome {
    match (outcome, risk) {
        (Outcome::Allow, Risk::Low) if !approve_low => Outcome::Ask,
        (Outcome::Allow, Risk::High) if deny_high => Outcome::Deny,
        (outcome, _) => outcome,
    }
}

/// The five lines of the question. Values are one line each, so that none can pose as another.
fn description(call: &Call) -> String {
    let line = |v: Option<&str>| v.filter(|v| !v.is_empty()).map_or_else(|| "(none)".to_owned(), |v| escape(v).replace('\n', "\\n"));
    let input = call.command().is_none().then(|| call.input.to_string());
    let mut lines = vec![
        format!("tool: {}", line(Some(&call.tool.name))),
        format!("command: {}", line(call.command())),
        format!("path: {}", line(call.path())),
        format!("cwd: {}", line(Some(&call.cwd))),
    ];
    lines.extend(input.map(|i| format!("input: {}", line(Some(&i)))));
    lines.extend(call.subagent.then(|| "agent: sub-agent".to_owned()));
    lines.join("\n")
}

fn fallback(attempts: u32, reason: &str, outage: bool) -> Verdict {
    Verdict {
        outcome: Outcome::Ask,
        tier: None,
        risk: Some(Risk::Medium),
        confidence: Some(0.0),
        reason: reason.to_owned(),
        protocol: Protocol::Risk,
        phase: Phase::Risk,
        attempts,
        failed: true,
        outage,
    }
}
