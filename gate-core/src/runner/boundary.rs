//! What is settled before any layer is heard: the one bypass, cancelled turns, malformed and oversized calls; and what
//! becomes of a call when a layer is at fault.

use std::fmt::Write;

use serde_json::Value;

use crate::decision::Parts;
use crate::{Case, Decision, Origin, Outcome, Reason, Stage, Subject, TrailEntry, limits};

/// The decision of the boundary, when it has one.
pub(super) fn check(case: &Case<'_>) -> Option<Decision> {
    let call = case.call;
    if !case.settings.enabled {
        let reason = Reason::new("disabled", "the gate is switched off in the user's settings");
        return Some(decision(Outcome::Allow, reason, Origin::User, Vec::new()));
    }
    if call.cancelled {
        return Some(deny("cancelled", "the turn was cancelled"));
    }
    if call.tool.name.trim().is_empty() {
        return Some(deny("malformed_call", "the call names no tool"));
    }
    if [&call.cwd, &call.home, &call.project].iter().any(|p| p.len() > limits::PATH_BYTES) {
        return Some(deny("malformed_call", "the call names a folder that no system has"));
    }
    if exceeds(&call.input, limits::CALL_BYTES) {
        return Some(deny("oversized_call", format!("the call's input is larger than {} bytes", limits::CALL_BYTES)));
    }
    call.shell().and_then(|_| shell(case))
}

/// Shell calls without text, without a script, or with the script of another text.
fn shell(case: &Case<'_>) -> Option<Decision> {
    let call = case.call;
    let has_field = ["command", "cmd", "script"].iter().any(|k| call.input.get(k).is_some());
    match (call.command(), &case.script) {
        (None, _) if has_field => Some(deny("malformed_call", "the command of the shell call is not a text")),
        (None, None) => Some(deny("malformed_call", "the shell call has no command text")),
        (Some(_), None) => Some(deny("gate_error", "the shell call was not parsed")),
        (Some(text), Some(script)) if script.raw != text => Some(deny("gate_error", "what was parsed is not the command of the call")),
        (_, Some(_)) => None, // a shell tool of the user's may name its command field as it likes
    }
}

/// Is the value larger than that as compact JSON? Counts without building the text, and stops as soon as it is.
fn exceeds(value: &Value, limit: usize) -> bool {
    let mut room = Room(Some(limit));
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Null | Value::Bool(true) => room.take(4),
            Value::Bool(false) => room.take(5),
            // The counting writer never fails.
            Value::Number(n) => drop(write!(room, "{n}")),
            Value::String(s) => room.take_string(s),
            Value::Array(items) => {
                room.take(2 + items.len().saturating_sub(1));
                open.extend(items);
            }
            Value::Object(fields) => {
                room.take(2 + fields.len().saturating_sub(1));
                for (key, value) in fields {
                    room.take_string(key);
                    room.take(1);
                    open.push(value);
                }
            }
        }
        if room.0.is_none() {
            return true;
        }
    }
    false
}

/// Bytes left; `None` once they did not suffice.
struct Room(Option<usize>);

impl Room {
    fn take(&mut self, bytes: usize) {
        self.0 = self.0.and_then(|left| left.checked_sub(bytes));
    }

    /// A quoted string with its escapes.
    fn take_string(&mut self, text: &str) {
        let escapes: usize = text
            .bytes()
            .map(|b| match b {
                b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 0x08 | 0x0c => 1,
                0..0x20 => 5,
                _ => 0,
            })
            .sum();
        self.take(text.len() + 2 + escapes);
    }
}

impl Write for Room {
    fn write_str(&mut self, s: &str) -> std::fmt::Result {
        self.take(s.len());
        Ok(())
    }
}

fn deny(code: &'static str, text: impl Into<String>) -> Decision {
    decision(Outcome::Deny, Reason::new(code, text), Origin::Gate, Vec::new())
}

/// The deny for a layer at fault. The trail so far stays.
pub(super) fn faulty(layer: &str, trail: Vec<TrailEntry>, fault: &str) -> Decision {
    let text = format!("the gate's layer `{layer}` failed ({fault}); nothing runs until it works");
    decision(Outcome::Deny, Reason::new("gate_error", text), Origin::Gate, trail)
}

fn decision(outcome: Outcome, reason: Reason, origin: Origin, trail: Vec<TrailEntry>) -> Decision {
    Decision::new(Parts {
        outcome,
        reason,
        stage: Stage::Boundary,
        layer: "runner",
        origin,
        matched: None,
        subject: Subject::Call,
        asks: Vec::new(),
        heard: Vec::new(),
        units: Vec::new(),
        trail,
        review: None,
    })
}
