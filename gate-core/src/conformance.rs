//! A kit for tests of layers: does a layer keep to its stage and survive odd cases? Needs no test framework.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use serde_json::json;

use crate::runner::probe;
use crate::{
    Answer, Assignment, Call, Case, Doubt, Layer, Lift, Mode, NoFacts, Outcome, Pipe, Redirect, RedirectMode, Script, Settings, ShellKind,
    Stage, Tool, ToolKind, Unit, Votes, Word,
};

/// How often a layer may wait before it counts as never ready. The kit's own futures never wait.
const POLLS: usize = 10_000;

/// Drives a layer through odd cases.
///
/// Layers at voting stages must vote only what their stage may say, on units that exist, and be ready without waiting.
/// Layers that answer must not allow what is kept for a person (except a person), must hand over only at
/// [`Stage::Human`]; a grant must pass in every mode but yolo. Every layer needs a stable name in lower-case kebab.
///
/// # Errors
/// Says what the layer did and in which case. A panic of the layer is not caught: it fails the test by itself.
pub fn check_layer(layer: &dyn Layer) -> Result<(), String> {
    let (stage, name) = (layer.stage(), layer.name());
    if !is_kebab(name) {
        return Err(format!("the name `{name}` is not lower-case kebab"));
    }
    if stage == Stage::Boundary {
        return Err("the boundary is the runner's own".to_owned());
    }
    for (label, call, script) in odd_calls() {
        for mode in [Mode::Yolo, Mode::Auto, Mode::Approve, Mode::Strict] {
            let settings = Settings { mode, ..Settings::default() };
            let case = Case::new(&call, &settings, script.clone(), &NoFacts);
            check_case(layer, stage, &case).map_err(|fault| format!("{label}, mode {mode:?}: {fault}"))?;
        }
    }
    if (layer.stage(), layer.name()) == (stage, name) { Ok(()) } else { Err("its stage or name changes".to_owned()) }
}

fn check_case(layer: &dyn Layer, stage: Stage, case: &Case<'_>) -> Result<(), String> {
    let votes = ready(layer.check(case)).ok_or("`check` is never ready")?;
    check_votes(stage, &votes, case)?;
    if Stage::ANSWERING.contains(&stage) {
        for kept in [false, true] {
            let question = probe::question(case, kept);
            // People and models may take their time; what they would say is not the kit's to know.
            let Some(answer) = ready(layer.answer(&question)) else {
                if matches!(stage, Stage::Approval | Stage::Grant) {
                    return Err("`answer` is never ready".to_owned());
                }
                continue;
            };
            check_answer(stage, case.settings.mode, kept, &answer)?;
        }
    }
    for outcome in [Outcome::Allow, Outcome::Ask, Outcome::Deny] {
        let heard = ready(layer.observe(case, &probe::decision(outcome)));
        if stage == Stage::Observe && heard.is_none() {
            return Err("`observe` is never ready".to_owned());
        }
    }
    Ok(())
}

fn check_votes(stage: Stage, votes: &Votes, case: &Case<'_>) -> Result<(), String> {
    if !Stage::VOTING.contains(&stage) && !votes.is_empty() {
        return Err(format!("stage {stage:?} does not vote"));
    }
    for vote in votes {
        if let Some(fault) = probe::fault(stage, vote, case) {
            return Err(fault);
        }
        if vote.reason.code.is_empty() || vote.reason.text.trim().is_empty() {
            return Err(format!("a vote without a reason: {vote:?}"));
        }
    }
    Ok(())
}

fn check_answer(stage: Stage, mode: Mode, kept: bool, answer: &Answer) -> Result<(), String> {
    match answer {
        Answer::HandOver if stage != Stage::Human => Err("handed over, which only stage Human may".to_owned()),
        Answer::Allow { .. } if kept && matches!(stage, Stage::Approval | Stage::Grant | Stage::Classifier) => {
            Err("allowed what only a person may".to_owned())
        }
        Answer::Pass => Ok(()),
        _ if stage == Stage::Grant && mode != Mode::Yolo => Err("the grant answered outside of yolo mode".to_owned()),
        _ => Ok(()),
    }
}

/// A value that is ready within a bounded number of polls.
fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    let mut future = pin!(future);
    let mut cx = Context::from_waker(Waker::noop());
    (0..POLLS).find_map(|_| match future.as_mut().poll(&mut cx) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    })
}

fn is_kebab(name: &str) -> bool {
    !name.is_empty()
        && name.split('-').all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()))
        && name.as_bytes().first().is_some_and(u8::is_ascii_lowercase)
}

fn call(kind: ToolKind, name: &str, input: serde_json::Value) -> Call {
    Call {
        id: "c".to_owned(),
        host: String::new(),
        session: None,
        tool: Tool { name: name.to_owned(), kind },
        input,
        cwd: "/home/u/proj".to_owned(),
        home: "/home/u".to_owned(),
        project: "/home/u/proj".to_owned(),
        headless: false,
        cancelled: false,
        subagent: false,
    }
}

/// Calls that real agents send rarely, and broken adapters often.
fn odd_calls() -> Vec<(&'static str, Call, Option<Script>)> {
    let shell = |text: &str| call(ToolKind::Shell(ShellKind::Bash), "bash", json!({ "command": text }));
    let script = |text: &str, units: Vec<Unit>| Some(Script { raw: text.to_owned(), units, ..Script::default() });
    let words = |words: Vec<Word>| Unit { words, ..Unit::default() };
    let plain = |text: &str| words(text.split(' ').map(Word::text).collect());
    let mut cases = vec![
        ("an empty script", shell(""), Some(Script { empty: true, ..Script::default() })),
        ("a script of nothing that is not empty", shell("((("), script("(((", Vec::new())),
        ("a unit without words", shell("> f"), script("> f", vec![redirect_only()])),
        ("an empty word", shell("''"), script("''", vec![words(vec![Word::default()])])),
        ("unknown words", shell("$X $Y"), script("$X $Y", vec![words(vec![Word::unknown("$X", true), Word::unknown("$Y", false)])])),
        ("characters beyond ASCII", shell("ls ä\u{202e}𝄞"), script("ls ä\u{202e}𝄞", vec![plain("ls ä\u{202e}𝄞")])),
        ("a NUL", shell("ls a\0b"), script("ls a\0b", vec![plain("ls a\0b")])),
        ("2,000 units", shell("ls"), script("ls", vec![plain("ls -la src"); 2_000])),
        ("a long word", shell("ls"), script("ls", vec![words(vec![Word::text("ls"), Word::text("x/".repeat(30_000))])])),
        ("nested units", shell("timeout 5 ls"), script("timeout 5 ls", nested())),
        ("a doubt", shell("ls"), Some(Script { raw: "ls".to_owned(), doubts: vec![doubt()], ..Script::default() })),
        ("no script", shell("ls"), None),
        ("a command that is no text", call(ToolKind::Shell(ShellKind::Bash), "bash", json!({ "command": 7 })), None),
        ("a nameless tool", call(ToolKind::Other, "", json!({})), None),
        ("an input that is no object", call(ToolKind::Other, "thing", json!([null, 1e300, "x"])), None),
        ("a deep input", call(ToolKind::Other, "thing", deep()), None),
    ];
    let kinds = [
        ToolKind::Read,
        ToolKind::Write,
        ToolKind::Edit,
        ToolKind::List,
        ToolKind::Find,
        ToolKind::Grep,
        ToolKind::Fetch,
        ToolKind::WebSearch,
        ToolKind::Mcp,
        ToolKind::Skill,
        ToolKind::Agent,
        ToolKind::Harmless,
        ToolKind::Own,
        ToolKind::Other,
    ];
    let inputs =
        [json!({}), json!({ "path": "" }), json!({ "path": 7, "url": [] }), json!({ "file_path": "../../../../etc/passwd", "url": "::" })];
    for kind in kinds {
        cases.extend(inputs.iter().map(|input| ("a call without a script", call(kind, "tool", input.clone()), None)));
    }
    cases
}

fn redirect_only() -> Unit {
    let assignments = vec![Assignment { name: "A".to_owned(), value: Word::default(), append: true, exported: true }];
    let redirects = vec![Redirect { mode: RedirectMode::Write, target: Word::unknown("$F", true) }];
    Unit { redirects, assignments, pipe: Some(Pipe { pipeline: 0, index: 0, len: 1 }), ..Unit::default() }
}

fn nested() -> Vec<Unit> {
    let outer = Unit { words: ["timeout", "5", "ls"].map(Word::text).to_vec(), doubts: vec![doubt()], ..Unit::default() };
    // A parent that does not exist: adapters and parsers have been wrong before.
    let inner = Unit { words: vec![Word::text("ls")], parent: Some(99), ..Unit::default() };
    vec![outer, inner]
}

fn doubt() -> Doubt {
    let lift = Lift { vouched: Some(vec![1, 77]), named: true };
    Doubt { sentinel: "<indirection-bash-wrapper>".into(), text: "runs another command".to_owned(), lift }
}

fn deep() -> serde_json::Value {
    (0..100).fold(json!("bottom"), |inner, _| json!({ "x": [inner] }))
}
