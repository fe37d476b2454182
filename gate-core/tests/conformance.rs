//! The conformance kit catches layers that overstep, and accepts those that do not.

use async_trait::async_trait;
use gate_core::conformance::check_layer;
use gate_core::{Answer, Case, Doubt, Layer, Lift, Mode, Origin, Question, Reason, Say, Stage, Strength, Subject, Vote, Votes};

/// A layer that says this of the call (or of unit 0) in every case.
struct Says(Stage, &'static str, Option<(Subject, Say)>, fn(&Question<'_>) -> Answer);

#[async_trait]
impl Layer for Says {
    fn stage(&self) -> Stage {
        self.0
    }
    fn name(&self) -> &'static str {
        self.1
    }
    async fn check(&self, _: &Case<'_>) -> Votes {
        let vote = |(subject, say): (Subject, Say)| Vote {
            subject,
            say,
            reason: Reason::new("code", "text"),
            matched: None,
            origin: Origin::BuiltIn,
        };
        self.2.clone().map(vote).into_iter().collect()
    }
    async fn answer(&self, q: &Question<'_>) -> Answer {
        (self.3)(q)
    }
}

fn pass(_: &Question<'_>) -> Answer {
    Answer::Pass
}

fn yes(_: &Question<'_>) -> Answer {
    Answer::Allow { reason: Reason::new("yes", "yes"), origin: Origin::Yolo }
}

fn careful(q: &Question<'_>) -> Answer {
    if q.kept() || q.case().settings.mode != Mode::Yolo { Answer::Pass } else { yes(q) }
}

fn hand_over(_: &Question<'_>) -> Answer {
    Answer::HandOver
}

fn floor() -> Say {
    Say::Floor { doubt: Doubt { sentinel: "<x>".into(), text: String::new(), lift: Lift::default() }, kept: false }
}

#[test]
fn layers_that_keep_to_their_stage_pass() {
    let call = |say| Some((Subject::Call, say));
    for (stage, say) in [
        (Stage::Trust, call(floor())),
        (Stage::Structure, call(floor())),
        (Stage::Deny, call(Say::Deny)),
        (Stage::Ask, call(Say::Ask { kept: true })),
        (Stage::Paths, None),
        (Stage::Rules, call(Say::Deny)),
        (Stage::Allow, call(Say::Allow(Strength::Broad))),
        (Stage::Observe, None),
    ] {
        check_layer(&Says(stage, "good-layer-2", say, pass)).unwrap();
    }
    check_layer(&Says(Stage::Grant, "careful", None, careful)).unwrap();
    check_layer(&Says(Stage::Human, "dialog", None, hand_over)).unwrap();
    check_layer(&Says(Stage::Human, "dialog", None, yes)).unwrap();
}

#[test]
fn layers_that_overstep_are_caught() {
    let caught = |layer: Says| check_layer(&layer).unwrap_err();
    for name in ["", "Upper", "under_score", "trailing-", "-x", "a--b", "2x", "a b"] {
        assert!(caught(Says(Stage::Deny, name, None, pass)).contains("kebab"), "{name}");
    }
    assert!(caught(Says(Stage::Boundary, "x", None, pass)).contains("runner"));
    assert!(caught(Says(Stage::Trust, "x", Some((Subject::Call, Say::Deny)), pass)).contains("may not say deny"));
    assert!(caught(Says(Stage::Allow, "x", Some((Subject::Unit(0), Say::Allow(Strength::Broad))), pass)).contains("unit 0 of 0"));
    assert!(caught(Says(Stage::Observe, "x", Some((Subject::Call, Say::Deny)), pass)).contains("does not vote"));
    assert!(caught(Says(Stage::Grant, "x", None, yes)).contains("only a person may"));
    assert!(caught(Says(Stage::Grant, "x", None, |q| if q.kept() { Answer::Pass } else { yes(q) })).contains("outside of yolo"));
    assert!(caught(Says(Stage::Parent, "x", None, hand_over)).contains("handed over"));
}

#[test]
fn a_layer_that_is_never_ready_is_caught() {
    struct Waits;
    #[async_trait]
    impl Layer for Waits {
        fn stage(&self) -> Stage {
            Stage::Paths
        }
        fn name(&self) -> &'static str {
            "waits"
        }
        async fn check(&self, _: &Case<'_>) -> Votes {
            std::future::pending().await
        }
    }
    assert!(check_layer(&Waits).unwrap_err().contains("never ready"));
}
