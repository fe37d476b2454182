//! Calls that no layer hears of, and the size limit at the limit and one past it.

use serde_json::{Value, json};

use super::support::*;
use crate::*;

fn shell_call(input: Value) -> Call {
    Call { input, ..call() }
}

fn decide(call: &Call, script: Option<Script>) -> Decision {
    let builder = voting([(Stage::Allow, vec![vote(Subject::Call, Say::Allow(Strength::Named), "ok")])]).grant(Grant);
    decide_with(builder, call, &mode(Mode::Yolo), script)
}

fn code(call: &Call, script: Option<Script>) -> (Outcome, String) {
    let decision = decide(call, script);
    (decision.outcome(), decision.reason().code.to_string())
}

fn denied(code: &str) -> (Outcome, String) {
    (Outcome::Deny, code.to_owned())
}

#[test]
fn malformed_calls_are_denied_even_in_yolo_mode() {
    assert_eq!(code(&Call { cancelled: true, ..call() }, script(1)), denied("cancelled"));
    for name in ["", " ", "\t\n"] {
        let call = Call { tool: Tool { name: name.into(), kind: ToolKind::Other }, ..call() };
        assert_eq!(code(&call, None), denied("malformed_call"));
    }
    for input in [
        json!({}),
        json!(null),
        json!("ls"),
        json!({ "command": 7 }),
        json!({ "command": ["ls"] }),
        json!({ "command": null, "cmd": "ls" }),
    ] {
        assert_eq!(code(&shell_call(input.clone()), None), denied("malformed_call"), "{input}");
    }
    // A command that is no text stays malformed, whatever script somebody made of it.
    assert_eq!(code(&shell_call(json!({ "command": ["x"] })), script(1)), denied("malformed_call"));
}

#[test]
fn a_shell_call_is_judged_by_its_own_script_or_not_at_all() {
    assert_eq!(code(&call(), None), denied("gate_error"));
    let other = Some(Script { raw: "ls".into(), ..script(1).unwrap() });
    assert_eq!(code(&shell_call(json!({ "command": "rm -rf /" })), other), denied("gate_error"));
    assert_eq!(code(&call(), script(1)).0, Outcome::Allow);
    // A shell tool of the user's names its field as it likes; the caller found the text.
    assert_eq!(code(&shell_call(json!({ "code": "x" })), script(1)).0, Outcome::Allow);
}

#[test]
fn switched_off_is_the_one_bypass_and_is_logged() {
    use std::sync::{Arc, Mutex};
    struct Codes(Arc<Mutex<Vec<String>>>);
    impl Log for Codes {
        fn record(&self, r: &LogRecord<'_>) {
            self.0.lock().unwrap().push(r.decision.reason().code.to_string());
        }
    }
    let codes = Arc::default();
    let settings = Settings { enabled: false, ..Settings::default() };
    let builder = voting([(Stage::Deny, vec![vote(Subject::Unit(0), Say::Deny, "deny")])]).log(Codes(Arc::clone(&codes)));
    assert_eq!(decide_with(builder, &call(), &settings, script(1)).outcome(), Outcome::Allow);
    assert_eq!(*codes.lock().unwrap(), ["disabled"]);
}

/// An input whose compact JSON has exactly that many bytes, made of this text.
fn input_of(bytes: usize, filler: &str, per: usize) -> Value {
    let frame = r#"{"text":""}"#.len();
    let (times, rest) = ((bytes - frame) / per, (bytes - frame) % per);
    let value = json!({ "text": format!("{}{}", filler.repeat(times), "x".repeat(rest)) });
    assert_eq!(value.to_string().len(), bytes);
    value
}

#[test]
fn call_bytes_at_the_limit_and_one_past_it() {
    for (filler, per) in [("x", 1), ("ä", 2), ("\"", 2), ("\n", 2), ("\u{1}", 6), ("𝄞", 4)] {
        let other = |input| Call { tool: Tool { name: "thing".into(), kind: ToolKind::Other }, input, ..call() };
        assert_eq!(code(&other(input_of(limits::CALL_BYTES, filler, per)), None).0, Outcome::Allow, "{filler:?}");
        assert_eq!(code(&other(input_of(limits::CALL_BYTES + 1, filler, per)), None), denied("oversized_call"), "{filler:?}");
    }
}

#[test]
fn sizes_are_counted_as_serialised() {
    let values = [
        json!(null),
        json!([]),
        json!({}),
        json!([1, -2.5, 1e300, true, false, null]),
        json!({ "a": { "b": [[], {}, "c\\d\"e\u{7f}\u{0}\u{8}"] }, "f": "" }),
    ];
    for value in values {
        let length = value.to_string().len();
        let padded = |total: usize| json!([value, "x".repeat(total - length - 5)]);
        let other = |input| Call { tool: Tool { name: "thing".into(), kind: ToolKind::Other }, input, ..call() };
        assert_eq!(padded(limits::CALL_BYTES).to_string().len(), limits::CALL_BYTES);
        assert_eq!(code(&other(padded(limits::CALL_BYTES)), None).0, Outcome::Allow, "{value}");
        assert_eq!(code(&other(padded(limits::CALL_BYTES + 1)), None), denied("oversized_call"), "{value}");
    }
}

#[test]
fn thousands_of_units_are_combined_in_linear_time() {
    let count = limits::UNITS;
    let each = |say: fn(usize) -> Say| (0..count).map(|i| vote(Subject::Unit(i), say(i), "each")).collect::<Votes>();
    let wrapper = |i: usize| Say::Floor { doubt: doubt("<wrapper>", (i + 1 < limits::UNITS).then(|| vec![i + 1]), true), kept: false };
    let votes = [(Stage::Structure, each(wrapper)), (Stage::Allow, each(|_| Say::Allow(Strength::Named)))];
    let began = std::time::Instant::now();
    let decision = decide_with(voting(votes), &call_of(count, true), &mode(Mode::Auto), script(count));
    assert_eq!(decision.outcome(), Outcome::Allow);
    assert_eq!(decision.units().len(), count);
    // A quadratic combination takes minutes here.
    assert!(began.elapsed().as_secs() < 2, "{:?}", began.elapsed());
}
