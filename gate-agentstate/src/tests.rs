//! Tests of states, events, order and the layer.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gate_core::{Answer, Call, Case, Layer, Mode, NoFacts, Origin, Outcome, Question, Reason, Runner, Settings, Stage, Tool, ToolKind};

use crate::{Activity, AgentState, Change, Event, EventKind, HostEvent, Row, Sink, State, Tracker, age, order, safe_text};

fn blocked(request: &str) -> EventKind {
    EventKind::Blocked { request: request.into(), message: format!("{request} waits") }
}

fn unblocked(request: &str) -> EventKind {
    EventKind::Unblocked { request: request.into() }
}

fn states(events: &[EventKind]) -> Vec<State> {
    let mut tracker = Tracker::new();
    events.iter().map(|e| (tracker.apply(e), tracker.activity().state).1).collect()
}

const SETTLED: EventKind = EventKind::Settled { more_queued: false };

#[test]
fn a_turn_goes_from_idle_to_work_to_done_to_seen() {
    let events = [EventKind::SessionStarted { working: false }, EventKind::Started, SETTLED, EventKind::Seen, EventKind::Started];
    assert_eq!(states(&events), [State::Idle, State::Working, State::Done, State::Idle, State::Working]);
}

#[test]
fn blocked_counts_more_than_working_and_parallel_dialogs_do_not_unblock_each_other() {
    let events = [EventKind::Started, blocked("a"), blocked("b"), unblocked("a"), unblocked("a"), unblocked("b")];
    use State::{Blocked, Working};
    assert_eq!(states(&events), [Working, Blocked, Blocked, Blocked, Blocked, Working]);
    let progress = |r: Option<&str>| EventKind::Progress { request: r.map(Into::into) };
    let events = [EventKind::Started, blocked("a"), blocked("b"), progress(Some("b")), progress(Some("c")), progress(None)];
    assert_eq!(states(&events), [Working, Blocked, Blocked, Blocked, Blocked, Working]);
}

#[test]
fn a_queued_run_is_not_the_end_of_the_turn() {
    let events = [EventKind::Started, EventKind::Settled { more_queued: true }, SETTLED];
    assert_eq!(states(&events), [State::Working, State::Working, State::Done]);
}

#[test]
fn the_same_state_is_published_once_except_at_a_sessions_start() {
    let mut tracker = Tracker::new();
    let set = |state, message: &str| Change::Set(Activity { state, message: message.into() });
    assert_eq!(tracker.apply(&EventKind::Started), set(State::Working, ""));
    assert_eq!(tracker.apply(&EventKind::Progress { request: None }), Change::None);
    assert_eq!(tracker.apply(&blocked("a")), set(State::Blocked, "a waits"));
    assert_eq!(tracker.apply(&blocked("b")), Change::None);
    assert_eq!(tracker.apply(&unblocked("a")), set(State::Blocked, "b waits"), "another message is news");
    assert_eq!(tracker.apply(&SETTLED), set(State::Done, "turn finished"));
    assert_eq!(tracker.apply(&SETTLED), Change::None);
    assert_eq!(tracker.apply(&EventKind::SessionStarted { working: false }), set(State::Idle, ""));
    assert_eq!(tracker.apply(&EventKind::SessionStarted { working: false }), set(State::Idle, ""));
    assert_eq!(tracker.apply(&EventKind::SessionEnded), Change::Clear);
    assert_eq!(tracker.apply(&EventKind::Seen), set(State::Idle, ""));
}

#[test]
fn open_requests_are_bounded() {
    let mut tracker = Tracker::new();
    for i in 0..5_000 {
        tracker.apply(&blocked(&i.to_string()));
    }
    assert_eq!(tracker.activity().state, State::Blocked);
    tracker.apply(&EventKind::Progress { request: None });
    assert_eq!(tracker.activity().state, State::Working);
}

#[test]
fn what_the_hooks_of_a_host_mean() {
    let event = |name| HostEvent { name, ..HostEvent::default() };
    let blocks = |message: &str| Some(EventKind::Blocked { request: "host".into(), message: message.into() });
    let table = [
        (event("UserPromptSubmit"), Some(EventKind::Started)),
        (event("PostToolUse"), Some(EventKind::Progress { request: None })),
        (event("PermissionDenied"), Some(EventKind::Progress { request: None })),
        (event("Stop"), Some(SETTLED)),
        (event("SessionEnd"), Some(EventKind::SessionEnded)),
        (event("SubagentStop"), None),
        (event("PreCompact"), None),
        (event("Notification"), None),
        (HostEvent { notification: Some("idle_prompt"), ..event("Notification") }, None),
        (HostEvent { notification: Some("permission_prompt"), ..event("Notification") }, blocks("waiting for input")),
        (HostEvent { notification: Some("permission_prompt"), message: Some("may I?"), ..event("Notification") }, blocks("may I?")),
        (HostEvent { tool: Some("AskUserQuestion"), message: Some(" "), ..event("PreToolUse") }, blocks("waiting for input")),
        (HostEvent { tool: Some("Bash"), ..event("PreToolUse") }, None),
    ];
    for (event, meaning) in table {
        assert_eq!(event.meaning(), meaning, "{event:?}");
        assert_eq!(HostEvent { subagent: true, ..event }.meaning(), None, "sub-agents say nothing: {event:?}");
    }
}

fn row(id: &str, state: State, updated_at: u64, visited_at: Option<u64>) -> Row {
    Row { id: id.into(), state, updated_at, visited_at, cwd: format!("/home/u/{id}/"), message: String::new() }
}

#[test]
fn a_list_is_ordered_by_need() {
    let mut rows = vec![
        row("working-new", State::Working, 90, None),
        row("idle", State::Idle, 10, None),
        row("blocked-seen-early", State::Blocked, 20, Some(40)),
        row("blocked-new", State::Blocked, 60, None),
        row("blocked-old", State::Blocked, 50, None),
        row("blocked-seen-late", State::Blocked, 20, Some(70)),
        row("blocked-again", State::Blocked, 55, Some(54)),
        row("done", State::Done, 5, None),
        row("working-old", State::Working, 1, None),
    ];
    order(&mut rows);
    let ids: Vec<&str> = rows.iter().map(|r| r.id.as_str()).collect();
    let blocked = ["blocked-old", "blocked-again", "blocked-new", "blocked-seen-early", "blocked-seen-late"];
    assert_eq!(ids, [blocked.as_slice(), &["done", "idle", "working-old", "working-new"]].concat());
    let mut back = rows.clone();
    back.reverse();
    order(&mut back);
    assert_eq!(rows, back, "the order does not depend on how the rows came");
}

#[test]
fn a_visit_counts_until_the_state_changes() {
    assert!(!row("a", State::Blocked, 10, None).visited());
    assert!(!row("a", State::Blocked, 10, Some(9)).visited());
    assert!(row("a", State::Blocked, 10, Some(10)).visited());
    assert_eq!(row("a", State::Blocked, 10, None).folder(), "a");
}

#[test]
fn ages_are_short() {
    let table = [(0, "0s"), (59, "59s"), (60, "1m"), (3_599, "59m"), (3_600, "1h00m"), (11_100, "3h05m"), (360_000, "100h00m")];
    for (seconds, text) in table {
        assert_eq!(age(1_000, 1_000 + seconds), text);
    }
    assert_eq!(age(1_000, 1), "0s", "a clock that went back");
}

#[test]
fn names_are_stable() {
    for state in [State::Blocked, State::Done, State::Idle, State::Working] {
        assert_eq!(State::from_name(state.name()), Some(state));
        assert!(["blocked", "idle", "working"].contains(&state.three_state_name()));
    }
    assert_eq!(State::from_name("Blocked"), None);
}

#[test]
fn texts_cannot_break_a_line() {
    assert_eq!(safe_text("a\tb\nc\r\u{1b}[31m\u{202e}d"), "a b c  [31m d");
}

#[derive(Clone, Default)]
struct Events(Arc<Mutex<Vec<Event>>>);
impl Sink for Events {
    fn publish(&self, event: Event) {
        self.0.lock().unwrap().push(event);
    }
}

/// Stands for the stages that must be there, and for the host's dialog.
struct Other(Stage);

#[async_trait]
impl Layer for Other {
    fn stage(&self) -> Stage {
        self.0
    }
    fn name(&self) -> &'static str {
        "other"
    }
    async fn answer(&self, q: &Question<'_>) -> Answer {
        let yes = Answer::Allow { reason: Reason::new("yes", "yes"), origin: Origin::Yolo };
        match (self.0, q.case().settings.mode) {
            (Stage::Grant, _) => yes,
            _ => Answer::HandOver,
        }
    }
}

fn decide(sink: impl Sink + 'static, mode: Mode, call: &Call) -> Outcome {
    let runner = [Stage::Structure, Stage::Deny, Stage::Paths, Stage::Grant, Stage::Human]
        .into_iter()
        .fold(Runner::builder(), |b, s| b.layer(Other(s)))
        .layer(AgentState::new(sink))
        .build()
        .unwrap();
    let settings = Settings { mode, ..Settings::default() };
    pollster::block_on(runner.decide(&Case::new(call, &settings, None, &NoFacts))).outcome()
}

fn call(id: &str) -> Call {
    Call {
        id: id.into(),
        host: "pi".into(),
        session: Some("s1".into()),
        tool: Tool { name: "thing".into(), kind: ToolKind::Other },
        input: serde_json::json!({}),
        cwd: "/p".into(),
        home: "/h".into(),
        project: "/p".into(),
        headless: false,
        cancelled: false,
        subagent: false,
    }
}

#[test]
fn conforms() {
    gate_core::conformance::check_layer(&AgentState::new(Events::default())).unwrap();
}

#[test]
fn an_ask_blocks_until_its_call_goes_on() {
    let events = Events::default();
    assert_eq!(decide(events.clone(), Mode::Auto, &call("1")), Outcome::Ask);
    assert_eq!(decide(events.clone(), Mode::Yolo, &call("2")), Outcome::Allow);
    assert_eq!(decide(events.clone(), Mode::Yolo, &Call { cancelled: true, ..call("1") }), Outcome::Deny);
    let events = events.0.lock().unwrap();
    let mut tracker = Tracker::new();
    let states: Vec<State> = events.iter().map(|e| (tracker.apply(&e.what), tracker.activity().state).1).collect();
    assert_eq!(states, [State::Blocked, State::Blocked, State::Working], "another call's answer unblocks nothing");
    assert!(events.iter().all(|e| (e.host.as_str(), e.session.as_deref(), e.cwd.as_str()) == ("pi", Some("s1"), "/p")));
}

#[test]
fn calls_of_sub_agents_say_nothing() {
    let events = Events::default();
    decide(events.clone(), Mode::Auto, &Call { subagent: true, ..call("1") });
    assert!(events.0.lock().unwrap().is_empty());
}

#[test]
fn a_sink_that_panics_changes_nothing() {
    struct Panics;
    impl Sink for Panics {
        fn publish(&self, _: Event) {
            panic!("the sink fails, on purpose")
        }
    }
    assert_eq!(decide(Panics, Mode::Yolo, &call("1")), Outcome::Allow);
    assert_eq!(decide(Panics, Mode::Auto, &call("1")), Outcome::Ask);
}

#[test]
fn an_event_is_stable_data() {
    let event = Event { host: "pi".into(), session: None, cwd: "/p".into(), what: blocked("1") };
    let text = serde_json::to_string(&event).unwrap();
    assert_eq!(text, r#"{"host":"pi","session":null,"cwd":"/p","what":{"kind":"blocked","request":"1","message":"1 waits"}}"#);
    assert_eq!(serde_json::from_str::<Event>(&text).unwrap(), event);
}

/// What the layer tells of decisions, for people to look at.
#[test]
fn the_trail_of_events() {
    let events = Events::default();
    decide(events.clone(), Mode::Auto, &call("1"));
    decide(events.clone(), Mode::Yolo, &call("2"));
    decide(events.clone(), Mode::Yolo, &Call { cancelled: true, ..call("3") });
    let lines: Vec<String> = events.0.lock().unwrap().iter().map(|e| serde_json::to_string(e).unwrap()).collect();
    insta::assert_snapshot!(lines.join("\n"));
}
