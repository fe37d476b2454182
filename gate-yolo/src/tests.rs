//! Tests of the grant and of its time limit. Questions come from the runner: nobody else can build one.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use gate_core::{
    Answer, Ask, Call, Case, Decision, Doubt, Entry, Layer, Lift, Log, LogRecord, Mode, NoFacts, Origin, Outcome, Question, Reason, Runner,
    Say, Script, Settings, ShellKind, Source, Stage, Strength, Subject, Tool, ToolKind, Unit, Vote, Votes, Word,
};

use crate::{GRANTED, KEPT, Lease, Yolo, verdict};

struct Says(Stage, Votes);

#[async_trait]
impl Layer for Says {
    fn stage(&self) -> Stage {
        self.0
    }
    fn name(&self) -> &'static str {
        "says"
    }
    async fn check(&self, _: &Case<'_>) -> Votes {
        self.1.clone()
    }
}

/// Counts how often somebody would be prompted.
struct Person(Arc<AtomicUsize>);

#[async_trait]
impl Layer for Person {
    fn stage(&self) -> Stage {
        Stage::Human
    }
    fn name(&self) -> &'static str {
        "person"
    }
    async fn answer(&self, _: &Question<'_>) -> Answer {
        self.0.fetch_add(1, Ordering::SeqCst);
        Answer::HandOver
    }
}

struct Count(Arc<AtomicUsize>);
impl Log for Count {
    fn record(&self, _: &LogRecord<'_>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

fn call(text: &str) -> Call {
    Call {
        id: "c".into(),
        host: String::new(),
        session: None,
        tool: Tool { name: "bash".into(), kind: ToolKind::Shell(ShellKind::Bash) },
        input: serde_json::json!({ "command": text }),
        cwd: "/p".into(),
        home: "/h".into(),
        project: "/p".into(),
        headless: false,
        cancelled: false,
        subagent: false,
    }
}

fn script(text: &str, units: usize) -> Script {
    let unit = Unit { words: vec![Word::text("x")], ..Unit::default() };
    Script { raw: text.into(), units: vec![unit; units], ..Script::default() }
}

fn vote(subject: Subject, say: Say, matched: Option<&str>) -> Vote {
    Vote { subject, say, reason: Reason::new("because", "it says so"), matched: matched.map(Into::into), origin: Origin::User }
}

fn floor(sentinel: &'static str, kept: bool) -> Say {
    Say::Floor { doubt: Doubt { sentinel: sentinel.into(), text: String::new(), lift: Lift::default() }, kept }
}

struct Run {
    decision: Decision,
    prompts: usize,
    records: usize,
}

fn run(settings: &Settings, text: &str, units: usize, votes: Vec<(Stage, Votes)>) -> Run {
    let (prompts, records) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let mut builder = Runner::builder().grant(Yolo).authority(Person(Arc::clone(&prompts))).log(Count(Arc::clone(&records)));
    for stage in [Stage::Structure, Stage::Deny, Stage::Paths] {
        if votes.iter().all(|(s, _)| *s != stage) {
            builder = builder.layer(Says(stage, Vec::new()));
        }
    }
    for (stage, votes) in votes {
        builder = builder.layer(Says(stage, votes));
    }
    let runner = builder.build().unwrap();
    let call = call(text);
    let decision = pollster::block_on(runner.decide(&Case::new(&call, settings, Some(script(text, units)), &NoFacts)));
    Run { decision, prompts: prompts.load(Ordering::SeqCst), records: records.load(Ordering::SeqCst) }
}

fn mode(mode: Mode) -> Settings {
    Settings { mode, ..Settings::default() }
}

fn all(units: usize, say: &Say) -> Votes {
    (0..units).map(|i| vote(Subject::Unit(i), say.clone(), Some("*"))).collect()
}

#[test]
fn conforms() {
    gate_core::conformance::check_layer(&Yolo).unwrap();
}

#[test]
fn yolo_over_rules_floors_and_denies() {
    let (ask, allow, deny) = (Say::Ask { kept: false }, Say::Allow(Strength::Broad), Say::Deny);
    let wrapper = || (Stage::Structure, vec![vote(Subject::Unit(1), floor("<opaque-bash-wrapper>", false), None)]);
    let redirect = || (Stage::Structure, vec![vote(Subject::Call, floor("<unparseable-bash-command>", false), None)]);
    let (piped, plain, lone) = ("git status | xargs grep foo", "git status | grep foo", "> out.txt");
    let (yolo, auto) = (mode(Mode::Yolo), mode(Mode::Auto));
    let table = [
        // A pipe into a wrapper, everything on ask: granted, nobody prompted, the sentinel kept.
        (&yolo, piped, 3, vec![wrapper(), (Stage::Rules, all(3, &ask))], Outcome::Allow, 0, Some("*")),
        (&yolo, piped, 3, vec![wrapper(), (Stage::Rules, all(3, &allow))], Outcome::Allow, 0, Some("<opaque-bash-wrapper>")),
        (&yolo, plain, 2, vec![(Stage::Rules, all(2, &allow))], Outcome::Allow, 0, None),
        (&auto, plain, 2, vec![(Stage::Rules, all(2, &allow))], Outcome::Allow, 0, None),
        // A text that was not understood.
        (&yolo, lone, 0, vec![redirect()], Outcome::Allow, 0, Some("<unparseable-bash-command>")),
        (&auto, lone, 0, vec![redirect()], Outcome::Ask, 1, None),
        // The whole command is on deny: never approvable, in no mode.
        (&auto, lone, 0, vec![redirect(), (Stage::Deny, vec![vote(Subject::Call, deny.clone(), Some("*"))])], Outcome::Deny, 0, None),
        (&yolo, lone, 0, vec![redirect(), (Stage::Deny, vec![vote(Subject::Call, deny.clone(), Some("*"))])], Outcome::Deny, 0, None),
        // Allow all, but deny the wrapper.
        (
            &yolo,
            piped,
            3,
            vec![wrapper(), (Stage::Deny, vec![vote(Subject::Unit(1), deny, Some("xargs*"))]), (Stage::Rules, all(3, &allow))],
            Outcome::Deny,
            0,
            None,
        ),
    ];
    for (i, (settings, text, units, votes, outcome, prompts, matched)) in table.into_iter().enumerate() {
        let run = run(settings, text, units, votes);
        assert_eq!((run.decision.outcome(), run.prompts, run.records), (outcome, prompts, 1), "row {i}");
        let review = run.decision.review();
        assert_eq!(review.is_some(), matched.is_some(), "row {i}");
        assert_eq!(review.and_then(|r| r.matched.as_deref()), matched, "row {i}");
    }
}

#[test]
fn a_grant_is_stamped_and_reviewed_once() {
    let run = run(&mode(Mode::Yolo), "x", 1, Vec::new());
    let review = run.decision.review().unwrap();
    assert_eq!((run.decision.origin(), run.decision.layer(), run.decision.stage()), (Origin::Yolo, "yolo", Stage::Grant));
    assert_eq!((review.resolution, review.origin, run.records, run.prompts), ("auto_approved", Origin::Yolo, 1, 0));
    assert_eq!(run.decision.reason().code, GRANTED);
}

#[test]
fn a_kept_ask_denies_and_prompts_nobody() {
    let kept = vec![(Stage::Trust, vec![vote(Subject::Call, floor("<rejected-settings>", true), None)])];
    let run = run(&mode(Mode::Yolo), "x", 1, kept);
    assert_eq!((run.decision.outcome(), run.prompts, run.decision.origin()), (Outcome::Deny, 0, Origin::Yolo));
    assert_eq!(run.decision.reason().code, KEPT);
    assert!(run.decision.reason().text.contains("it says so") && run.decision.reason().instead.is_some());
    assert_eq!(run.decision.matched(), Some("<rejected-settings>"));
}

#[test]
fn the_user_can_keep_asks() {
    let keep = |text: &str| Settings { keep_asks: vec![Entry { text: text.into(), source: Source::User }], ..mode(Mode::Yolo) };
    let votes = || vec![(Stage::Structure, vec![vote(Subject::Unit(0), floor("<danger>", false), None)])];
    for (text, outcome) in [("<danger>", Outcome::Deny), ("danger", Outcome::Deny), ("because", Outcome::Deny), ("other", Outcome::Allow)] {
        assert_eq!(run(&keep(text), "x", 1, votes()).decision.outcome(), outcome, "{text}");
    }
}

#[test]
fn switching_takes_effect_on_the_next_call_both_ways() {
    let outcomes: Vec<_> = [Mode::Auto, Mode::Yolo, Mode::Auto, Mode::Yolo, Mode::Strict, Mode::Approve]
        .into_iter()
        .map(|m| run(&mode(m), "x", 1, Vec::new()).decision.outcome())
        .collect();
    assert_eq!(outcomes, [Outcome::Ask, Outcome::Allow, Outcome::Ask, Outcome::Allow, Outcome::Ask, Outcome::Ask]);
}

#[test]
fn asks_of_the_ask_list_are_granted_too() {
    let listed = vec![(Stage::Ask, vec![vote(Subject::Call, Say::Ask { kept: false }, Some("bash(git push*)"))])];
    let run = run(&mode(Mode::Yolo), "x", 1, listed);
    assert_eq!(run.decision.outcome(), Outcome::Allow);
    assert_eq!(run.decision.review().unwrap().matched.as_deref(), Some("bash(git push*)"));
}

#[test]
fn other_modes_get_no_answer() {
    let ask = Ask { subject: Subject::Call, reason: Reason::new("a", "b"), matched: None, sentinel: None, open: true, kept: false };
    for m in [Mode::Auto, Mode::Approve, Mode::Strict] {
        assert_eq!(verdict(m, std::slice::from_ref(&ask)), Answer::Pass);
    }
    assert!(matches!(verdict(Mode::Yolo, &[ask.clone(), ask.clone()]), Answer::Allow { .. }));
    assert!(matches!(verdict(Mode::Yolo, &[ask.clone(), Ask { kept: true, ..ask }]), Answer::Deny { .. }));
}

#[test]
fn a_lease_ends_and_a_clock_that_went_back_ends_it() {
    let lease = Lease { since: 1_000, minutes: Some(2) };
    for (now, active, left) in [(999, false, 0), (1_000, true, 120), (1_119, true, 1), (1_120, false, 0), (u64::MAX, false, 0)] {
        assert_eq!((lease.active(now), lease.remaining(now)), (active, Some(left)), "{now}");
    }
    let endless = Lease { since: 1_000, minutes: None };
    assert_eq!((endless.active(0), endless.remaining(0)), (true, None));
    assert!(!Lease { since: 0, minutes: Some(0) }.active(0));
    let longest = Lease { since: 0, minutes: Some(u32::MAX) };
    assert!(longest.active(u64::from(u32::MAX)));
}

/// What the layer answers, for people to look at: outcome, origin, reason and the sentinel that stays.
#[test]
fn the_trail_of_a_grant() {
    let floored =
        |kept| vec![(Stage::Structure, vec![vote(Subject::Unit(0), floor("<opaque-bash-wrapper>", kept), Some("<opaque-bash-wrapper>"))])];
    let table = [
        ("open", Mode::Yolo, Vec::new()),
        ("floored", Mode::Yolo, floored(false)),
        ("kept", Mode::Yolo, floored(true)),
        ("denied", Mode::Yolo, vec![(Stage::Deny, all(1, &Say::Deny))]),
        ("open, another mode", Mode::Auto, Vec::new()),
    ];
    let mut out = String::new();
    for (what, m, votes) in table {
        let d = run(&mode(m), "x", 1, votes).decision;
        out.push_str(&format!(
            "{what}: {:?} by {:?} [{}] {} {}\n",
            d.outcome(),
            d.origin(),
            d.reason().code,
            d.reason().text,
            d.matched().unwrap_or("")
        ));
    }
    insta::assert_snapshot!(out);
}
