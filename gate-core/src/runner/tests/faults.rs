//! Layers that panic, never become ready, or overstep; logs and observers that fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;

use super::support::*;
use crate::*;

#[derive(Clone, Copy, Debug, PartialEq)]
enum How {
    PanicsWhenCalled,
    PanicsWhenPolled,
    PanicsWhenDropped,
    NeverReady,
}

/// Fails in every method that its stage has.
struct Broken(Stage, How);

struct Bomb(How);
impl Drop for Bomb {
    fn drop(&mut self) {
        if self.0 == How::PanicsWhenDropped && !std::thread::panicking() {
            panic!("dropped");
        }
    }
}

impl Broken {
    async fn fail<T>(how: How, value: T) -> T {
        let _bomb = Bomb(how);
        match how {
            How::PanicsWhenPolled => panic!("polled"),
            How::NeverReady => std::future::pending().await,
            _ => value,
        }
    }
}

type Boxed<'f, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'f>>;

impl Layer for Broken {
    fn stage(&self) -> Stage {
        self.0
    }
    fn name(&self) -> &'static str {
        "broken"
    }
    fn check<'s, 'c, 'x, 'f>(&'s self, _: &'c Case<'x>) -> Boxed<'f, Votes>
    where
        's: 'f,
        'c: 'f,
        'x: 'f,
    {
        assert!(self.1 != How::PanicsWhenCalled || !Stage::VOTING.contains(&self.0), "called");
        Box::pin(Self::fail(self.1, Vec::new()))
    }
    fn answer<'s, 'c, 'x, 'f>(&'s self, _: &'c Question<'x>) -> Boxed<'f, Answer>
    where
        's: 'f,
        'c: 'f,
        'x: 'f,
    {
        assert!(self.1 != How::PanicsWhenCalled, "called");
        Box::pin(Self::fail(self.1, yes(Origin::Human)))
    }
    fn observe<'s, 'c, 'x, 'd, 'f>(&'s self, _: &'c Case<'x>, _: &'d Decision) -> Boxed<'f, ()>
    where
        's: 'f,
        'c: 'f,
        'x: 'f,
        'd: 'f,
    {
        assert!(self.1 != How::PanicsWhenCalled, "called");
        Box::pin(Self::fail(self.1, ()))
    }
}

/// Counts how often it is started; ends at once.
#[derive(Default)]
struct Instant(AtomicUsize);

#[async_trait]
impl Timer for Instant {
    async fn sleep(&self, _: u64) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

struct BrokenTimer;
impl Timer for BrokenTimer {
    fn sleep<'s, 'f>(&'s self, _: u64) -> Boxed<'f, ()>
    where
        's: 'f,
    {
        panic!("no clock")
    }
}

fn silent<T>(f: impl FnOnce() -> T) -> T {
    static QUIET: std::sync::Once = std::sync::Once::new();
    QUIET.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let text = info.payload().downcast_ref::<&str>().copied().unwrap_or_default();
            if !["called", "polled", "dropped", "no clock", "log"].contains(&text) {
                before(info);
            }
        }));
    });
    f()
}

const HOWS: [How; 4] = [How::PanicsWhenCalled, How::PanicsWhenPolled, How::PanicsWhenDropped, How::NeverReady];

#[test]
fn a_voting_layer_that_fails_denies() {
    for stage in Stage::VOTING {
        for how in HOWS {
            for timer in [None, Some(Arc::new(Instant::default()) as Arc<dyn Timer>), Some(Arc::new(BrokenTimer))] {
                let mut builder = base().layer(Broken(stage, how)).authority(Fixed::answering(Stage::Human, yes(Origin::Human)));
                if let Some(timer) = timer {
                    builder = builder.timer(timer);
                }
                let decision = silent(|| decide_with(builder, &call(), &mode(Mode::Auto), script(1)));
                let facts = (decision.outcome(), &*decision.reason().code, decision.stage(), decision.origin());
                assert_eq!(facts, (Outcome::Deny, "gate_error", Stage::Boundary, Origin::Gate), "{stage:?} {how:?}");
                assert!(decision.reason().text.contains("`broken`"));
            }
        }
    }
}

#[test]
fn a_failing_layer_denies_in_every_mode() {
    for m in MODES {
        let builder = base().layer(Broken(Stage::Allow, How::PanicsWhenPolled)).grant(Grant);
        let decision = silent(|| decide_with(builder, &call(), &mode(m), script(1)));
        assert_eq!((decision.outcome(), &*decision.reason().code), (Outcome::Deny, "gate_error"));
    }
}

#[test]
fn an_answering_layer_that_fails_denies() {
    for stage in [Stage::Approval, Stage::Grant, Stage::Classifier, Stage::Human, Stage::Parent] {
        for how in HOWS {
            if how == How::NeverReady && matches!(stage, Stage::Human | Stage::Parent) {
                continue; // a person may take their time; the caller bounds that
            }
            let m = if stage == Stage::Grant { Mode::Yolo } else { Mode::Auto };
            let decision = silent(|| decide_with(base().authority(Broken(stage, how)), &call(), &mode(m), script(1)));
            assert_eq!((decision.outcome(), &*decision.reason().code), (Outcome::Deny, "gate_error"), "{stage:?} {how:?}");
        }
    }
}

#[test]
fn observers_that_fail_change_nothing() {
    for how in HOWS {
        for with_timer in [false, true] {
            let mut builder = voting([(Stage::Allow, vec![vote(Subject::Unit(0), Say::Allow(Strength::Narrow), "ok")])]);
            if with_timer {
                builder = builder.timer(Arc::new(Instant::default()));
            }
            let heard = Arc::new(AtomicUsize::new(0));
            struct Hears(Arc<AtomicUsize>);
            #[async_trait]
            impl Layer for Hears {
                fn stage(&self) -> Stage {
                    Stage::Observe
                }
                fn name(&self) -> &'static str {
                    "hears"
                }
                async fn observe(&self, _: &Case<'_>, _: &Decision) {
                    self.0.fetch_add(1, Ordering::SeqCst);
                }
            }
            let plain = voting([(Stage::Allow, vec![vote(Subject::Unit(0), Say::Allow(Strength::Narrow), "ok")])]);
            let expected = decide_with(plain, &call(), &mode(Mode::Auto), script(1));
            let builder = builder.layer(Broken(Stage::Observe, how)).layer(Hears(Arc::clone(&heard)));
            let decision = silent(|| decide_with(builder, &call(), &mode(Mode::Auto), script(1)));
            assert_eq!(decision, expected, "{how:?}");
            assert_eq!(heard.load(Ordering::SeqCst), 1, "one failing observer silences no other: {how:?}");
        }
    }
}

#[test]
fn a_log_that_panics_changes_nothing() {
    struct Panics;
    impl Log for Panics {
        fn record(&self, _: &LogRecord<'_>) {
            panic!("log")
        }
    }
    let decision = silent(|| decide_with(base().grant(Grant).log(Panics), &call(), &mode(Mode::Yolo), script(1)));
    assert_eq!(decision, decide_with(base().grant(Grant), &call(), &mode(Mode::Yolo), script(1)));
}

#[test]
fn a_decision_that_never_waits_starts_no_timer() {
    let timer = Arc::new(Instant::default());
    let builder = base().timer(Arc::clone(&timer) as Arc<dyn Timer>).grant(Grant).layer(Fixed::voting(Stage::Observe, Vec::new()));
    decide_with(builder, &call(), &mode(Mode::Yolo), script(1));
    assert_eq!(timer.0.load(Ordering::SeqCst), 0);
}

#[test]
fn voting_layers_share_one_budget() {
    /// Ends when it was polled that often since it was started.
    struct Polls(Arc<AtomicUsize>);
    #[async_trait]
    impl Timer for Polls {
        async fn sleep(&self, _: u64) {
            self.0.fetch_add(1, Ordering::SeqCst);
            waiting(10).await;
        }
    }
    async fn waiting(polls: usize) {
        let mut left = polls;
        std::future::poll_fn(|cx| {
            cx.waker().wake_by_ref();
            left = left.saturating_sub(1);
            if left == 0 { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
    }
    struct Waits(&'static str, usize);
    #[async_trait]
    impl Layer for Waits {
        fn stage(&self) -> Stage {
            Stage::Allow
        }
        fn name(&self) -> &'static str {
            self.0
        }
        async fn check(&self, _: &Case<'_>) -> Votes {
            waiting(self.1).await;
            Vec::new()
        }
    }
    let decide = |names: &[&'static str]| {
        let started = Arc::new(AtomicUsize::new(0));
        let layers = names.iter().fold(base(), |b, n| b.layer(Waits(n, 5)));
        let decision = decide_with(layers.timer(Arc::new(Polls(Arc::clone(&started)))).grant(Grant), &call(), &mode(Mode::Yolo), script(1));
        (decision.outcome(), started.load(Ordering::SeqCst))
    };
    assert_eq!(decide(&["a"]), (Outcome::Allow, 1));
    assert_eq!(decide(&["a", "b", "c"]), (Outcome::Deny, 1), "each is quick enough, all together are not");
}

#[test]
fn votes_on_units_that_do_not_exist_are_a_fault() {
    for (units, unit, fault) in [(0, 0, true), (1, 0, false), (1, 1, true), (2, 1, false), (2, usize::MAX, true)] {
        let votes = vec![vote(Subject::Unit(unit), Say::Allow(Strength::Narrow), "ok")];
        let decision = decide_with(voting([(Stage::Allow, votes)]), &call_of(units, true), &mode(Mode::Auto), script(units));
        assert_eq!(decision.reason().code == "gate_error", fault, "unit {unit} of {units}");
    }
}

#[test]
fn a_runner_that_could_not_decide_is_not_built() {
    let fixed = |stage| Fixed::voting(stage, Vec::new());
    let missing = |e| match e {
        BuildError::Missing(stage) => stage,
        other => panic!("{other}"),
    };
    assert_eq!(missing(Runner::builder().build().err().unwrap()), Stage::Structure);
    assert_eq!(missing(Runner::builder().layer(fixed(Stage::Structure)).build().err().unwrap()), Stage::Deny);
    assert_eq!(missing(Runner::builder().layer(fixed(Stage::Structure)).layer(fixed(Stage::Deny)).build().err().unwrap()), Stage::Paths);
    let twice = base().layer(fixed(Stage::Rules)).layer(fixed(Stage::Rules)).build().err().unwrap();
    assert_eq!(twice, BuildError::Duplicate("fixed", Stage::Rules));
    assert!(base().layer(fixed(Stage::Rules)).layer(fixed(Stage::Allow)).build().is_ok());
    assert_eq!(base().layer(fixed(Stage::Boundary)).build().err().unwrap(), BuildError::Boundary("fixed"));
}

#[test]
fn the_order_is_the_stages_not_the_registrations() {
    let votes = [
        (Stage::Trust, vec![vote(Subject::Call, floor(false), "trust")]),
        (Stage::Paths, vec![vote(Subject::Unit(0), floor(false), "paths")]),
        (Stage::Rules, vec![vote(Subject::Unit(0), Say::Allow(Strength::Broad), "rules")]),
        (Stage::Allow, vec![vote(Subject::Unit(0), Say::Allow(Strength::Named), "allow")]),
    ];
    let forth = decide_with(voting(votes.clone()), &call(), &mode(Mode::Auto), script(1));
    let back = decide_with(voting(votes.into_iter().rev()), &call(), &mode(Mode::Auto), script(1));
    assert_eq!(forth, back);
    assert!(forth.trail().is_sorted_by_key(|t| t.stage));
}
