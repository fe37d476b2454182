//! Layers that say what they are told, and the calls they are asked about.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use serde_json::json;

use crate::*;

pub fn call() -> Call {
    Call {
        id: "call-1".into(),
        host: "test".into(),
        session: Some("s".into()),
        tool: Tool { name: "bash".into(), kind: ToolKind::Shell(ShellKind::Bash) },
        input: json!({ "command": "x" }),
        cwd: "/p".into(),
        home: "/h".into(),
        project: "/p".into(),
        headless: false,
        cancelled: false,
        subagent: false,
    }
}

/// The call with so many units; with none it is no shell call.
pub fn call_of(units: usize, headless: bool) -> Call {
    let mut call = Call { headless, ..call() };
    if units == 0 {
        call.tool = Tool { name: "thing".into(), kind: ToolKind::Other };
    }
    call
}

pub fn script(units: usize) -> Option<Script> {
    let unit = |i: usize| Unit { words: vec![Word::text(format!("cmd{i}"))], ..Unit::default() };
    (units > 0).then(|| Script { raw: "x".into(), units: (0..units).map(unit).collect(), ..Script::default() })
}

pub fn doubt(sentinel: &'static str, vouched: Option<Vec<UnitId>>, named: bool) -> Doubt {
    Doubt { sentinel: sentinel.into(), text: "hides what runs".into(), lift: Lift { vouched, named } }
}

pub fn floor(kept: bool) -> Say {
    Say::Floor { doubt: doubt("<floor>", None, false), kept }
}

pub fn vote(subject: Subject, say: Say, code: &'static str) -> Vote {
    Vote { subject, say, reason: Reason::new(code, format!("{code} says so")), matched: None, origin: Origin::BuiltIn }
}

#[derive(Clone)]
pub struct Fixed {
    pub stage: Stage,
    pub name: &'static str,
    pub votes: Votes,
    pub answer: Answer,
    pub asked: Arc<AtomicUsize>,
}

impl Fixed {
    pub fn voting(stage: Stage, votes: Votes) -> Self {
        Self { stage, name: "fixed", votes, answer: Answer::Pass, asked: Arc::default() }
    }
    pub fn answering(stage: Stage, answer: Answer) -> Self {
        Self { answer, ..Self::voting(stage, Vec::new()) }
    }
    pub fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }
}

#[async_trait]
impl Layer for Fixed {
    fn stage(&self) -> Stage {
        self.stage
    }
    fn name(&self) -> &'static str {
        self.name
    }
    async fn check(&self, _: &Case<'_>) -> Votes {
        self.votes.clone()
    }
    async fn answer(&self, _: &Question<'_>) -> Answer {
        self.asked.fetch_add(1, Ordering::SeqCst);
        self.answer.clone()
    }
}

/// Grants what is not kept, denies the rest, in yolo mode.
pub struct Grant;

#[async_trait]
impl Layer for Grant {
    fn stage(&self) -> Stage {
        Stage::Grant
    }
    fn name(&self) -> &'static str {
        "grant"
    }
    async fn answer(&self, q: &Question<'_>) -> Answer {
        let (reason, origin) = (Reason::new("granted", "granted"), Origin::Nobody);
        if q.kept() { Answer::Deny { reason, origin } } else { Answer::Allow { reason, origin } }
    }
}

pub fn yes(origin: Origin) -> Answer {
    Answer::Allow { reason: Reason::new("yes", "yes"), origin }
}

pub fn no(origin: Origin) -> Answer {
    Answer::Deny { reason: Reason::new("no", "no"), origin }
}

/// The mandatory stages, with nothing to say.
pub fn base() -> RunnerBuilder {
    [Stage::Structure, Stage::Deny, Stage::Paths]
        .into_iter()
        .fold(Runner::builder(), |b, stage| b.layer(Fixed::voting(stage, Vec::new()).named("base")))
}

pub fn voting(votes: impl IntoIterator<Item = (Stage, Votes)>) -> RunnerBuilder {
    votes.into_iter().fold(base(), |b, (stage, votes)| b.layer(Fixed::voting(stage, votes)))
}

pub fn decide_with(builder: RunnerBuilder, call: &Call, settings: &Settings, script: Option<Script>) -> Decision {
    let runner = builder.build().unwrap();
    pollster::block_on(runner.decide(&Case::new(call, settings, script, &NoFacts)))
}

pub fn mode(mode: Mode) -> Settings {
    Settings { mode, ..Settings::default() }
}

pub const MODES: [Mode; 4] = [Mode::Yolo, Mode::Auto, Mode::Approve, Mode::Strict];
