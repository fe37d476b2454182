//! The laws of the order, each over all combinations.

use std::sync::atomic::Ordering;

use super::model::{Doubted, Floor, Ruled, Spec, flat, nested};
use super::support::*;
use crate::*;

#[test]
fn every_combination_comes_to_what_the_model_says() {
    let mut count = 0;
    flat(|spec| {
        count += 1;
        assert_eq!(spec.decide().outcome(), spec.expected(), "{spec:?}");
    });
    assert_eq!(count, 2 * 3 * 4 * 2 * 3 * 3 * 6 * 4 * 4 * 2);
}

#[test]
fn every_wrapper_and_inner_unit_come_to_what_the_model_says() {
    let mut count = 0;
    nested(|spec| {
        count += 1;
        let decision = spec.decide();
        assert_eq!(decision.outcome(), spec.expected(), "{spec:?}");
        let doubt = decision.trail().iter().find(|t| t.stage == Stage::Structure);
        assert_eq!(doubt.map(|t| !t.lifted), (spec.doubted != Doubted::No).then(|| spec.doubt_stays()), "{spec:?}");
    });
    assert_eq!(count, 6 * 3 * 2 * 2 * 6 * 6 * 4 * 4);
}

#[test]
fn law_1_a_deny_of_any_stage_is_final() {
    flat(|spec| {
        if spec.denied() && !spec.headless {
            let decision = spec.decide();
            assert_eq!(decision.outcome(), Outcome::Deny, "{spec:?}");
            assert!(decision.asks().is_empty() && decision.review().is_none(), "{spec:?}");
            let stage = if spec.deny { Stage::Deny } else { Stage::Rules };
            assert_eq!(decision.stage(), stage, "{spec:?}");
        }
    });
}

#[test]
fn law_1_no_authority_is_asked_about_a_deny() {
    for stage in [Stage::Deny, Stage::Rules] {
        for answering in Stage::ANSWERING {
            for m in MODES {
                let authority = Fixed::answering(answering, yes(Origin::Human));
                let builder = voting([(stage, vec![vote(Subject::Unit(0), Say::Deny, "deny")])]).authority(authority.clone());
                let decision = decide_with(builder, &call(), &mode(m), script(1));
                assert_eq!((decision.outcome(), authority.asked.load(Ordering::SeqCst)), (Outcome::Deny, 0));
            }
        }
    }
}

#[test]
fn law_2_a_floor_clamps_allow_and_touches_nothing_else() {
    flat(|spec| {
        if spec.headless {
            return; // the model test has those
        }
        let without = Spec { trust: Floor::None, paths: Floor::None, doubted: Doubted::No, ..spec };
        let (with, without) = (spec.decide().outcome(), without.decide().outcome());
        assert!(with >= without, "a floor made it milder: {spec:?}");
        if without == Outcome::Deny {
            assert_eq!(with, Outcome::Deny, "{spec:?}");
        }
        if spec.mode == Mode::Yolo && !spec.kept() {
            assert_eq!(with, without, "yolo grants floors that are not kept: {spec:?}");
        }
    });
}

#[test]
fn law_2_every_floor_stays_in_the_trail_with_its_sentinel() {
    flat(|spec| {
        if spec.headless || spec.mode != Mode::Auto {
            return; // the trail does not depend on who answers
        }
        let sentinels = |d: &Decision| {
            let named = d.trail().iter().filter_map(|t| match &t.vote.say {
                Say::Floor { doubt, .. } => Some(doubt.sentinel.to_string()),
                _ => None,
            });
            named.collect::<Vec<_>>()
        };
        let mut expected = Vec::new();
        expected.extend((spec.trust != Floor::None).then(|| "<floor>".to_owned()));
        expected.extend((spec.doubted != Doubted::No).then(|| "<wrapper>".to_owned()));
        expected.extend((spec.paths != Floor::None).then(|| "<floor>".to_owned()));
        assert_eq!(sentinels(&spec.decide()), expected, "{spec:?}");
    });
}

#[test]
fn law_3_whatever_a_stage_may_not_say_is_a_fault() {
    let says = [("deny", Say::Deny), ("ask", Say::Ask { kept: false }), ("allow", Say::Allow(Strength::Named)), ("floor", floor(false))];
    let rows = [
        (Stage::Trust, "floor"),
        (Stage::Structure, "floor"),
        (Stage::Deny, "deny"),
        (Stage::Ask, "ask"),
        (Stage::Paths, "floor"),
        (Stage::Rules, "deny ask allow"),
        (Stage::Allow, "allow"),
    ];
    for (stage, row) in rows {
        for (what, say) in says.clone() {
            let builder =
                voting([(stage, vec![vote(Subject::Call, say, "x")])]).authority(Fixed::answering(Stage::Human, yes(Origin::Human)));
            let decision = decide_with(builder, &call_of(0, false), &mode(Mode::Auto), None);
            let fault = decision.reason().code == "gate_error";
            assert_eq!(fault, !row.contains(what), "{stage:?} says {what}");
            assert!(!fault || decision.outcome() == Outcome::Deny);
        }
    }
    assert!(rows.iter().map(|r| r.0).eq(Stage::VOTING));
}

#[test]
fn law_5_the_grant_never_meets_a_denied_case() {
    flat(|spec| {
        if spec.mode == Mode::Yolo && spec.denied() {
            let grant = Fixed::answering(Stage::Grant, yes(Origin::Yolo));
            let decision = decide_with(
                voting(spec.votes()).grant(grant.clone()),
                &call_of(spec.units, spec.headless),
                &mode(Mode::Yolo),
                script(spec.units),
            );
            assert_eq!((decision.outcome(), grant.asked.load(Ordering::SeqCst)), (Outcome::Deny, 0), "{spec:?}");
        }
    });
}

#[test]
fn law_6_a_grant_leaves_one_review_entry_with_yolos_origin_and_what_matched() {
    flat(|spec| {
        if spec.headless {
            return; // nobody is asked in yolo mode anyway
        }
        let decision = spec.decide();
        let granted = spec.mode == Mode::Yolo && spec.expected() == Outcome::Allow && spec.open();
        assert_eq!(decision.review().is_some(), granted, "{spec:?}");
        if let Some(review) = decision.review() {
            assert_eq!((review.resolution, review.origin, decision.origin()), ("auto_approved", Origin::Yolo, Origin::Yolo));
            let first_is_floor =
                spec.ask == Floor::None && spec.rules[0] != Ruled::Ask && (spec.trust, spec.paths) == (Floor::None, Floor::None);
            if first_is_floor && spec.doubt_stays() {
                assert_eq!(review.matched.as_deref(), Some("<wrapper>"), "{spec:?}");
            }
        }
    });
}

#[test]
fn law_6_nobody_is_prompted_in_yolo_mode() {
    flat(|spec| {
        if spec.mode == Mode::Yolo {
            let human = Fixed::answering(Stage::Human, Answer::HandOver);
            let builder = voting(spec.votes()).grant(Grant).authority(human.clone());
            let decision = decide_with(builder, &call_of(spec.units, spec.headless), &mode(Mode::Yolo), script(spec.units));
            assert_eq!(human.asked.load(Ordering::SeqCst), 0, "{spec:?}");
            assert_ne!(decision.outcome(), Outcome::Ask, "{spec:?}");
        }
    });
}

#[test]
fn law_7_mode_and_settings_are_read_for_every_call() {
    let runner = base().grant(Grant).authority(Fixed::answering(Stage::Human, Answer::HandOver)).build().unwrap();
    let call = call();
    let ask = |settings: &Settings| pollster::block_on(runner.decide(&Case::new(&call, settings, script(1), &NoFacts))).outcome();
    let off = Settings { enabled: false, ..Settings::default() };
    let modes = [mode(Mode::Auto), mode(Mode::Yolo), mode(Mode::Auto), off, mode(Mode::Strict), mode(Mode::Yolo), mode(Mode::Approve)];
    let outcomes: Vec<Outcome> = modes.iter().map(ask).collect();
    use Outcome::{Allow, Ask};
    assert_eq!(outcomes, [Ask, Allow, Ask, Allow, Ask, Allow, Ask]);
}

#[test]
fn law_9_exactly_one_record_per_call() {
    use std::sync::{Arc, Mutex};
    struct Counting(Arc<Mutex<Vec<(String, Outcome)>>>);
    impl Log for Counting {
        fn record(&self, r: &LogRecord<'_>) {
            self.0.lock().unwrap().push((r.case.call.id.clone(), r.decision.outcome()));
        }
    }
    let mut total = 0;
    flat(|spec| {
        if spec.trust == Floor::None && spec.paths == Floor::None {
            let records = Arc::default();
            let builder = voting(spec.votes()).grant(Grant).log(Counting(Arc::clone(&records)));
            let decision = decide_with(builder, &call_of(spec.units, spec.headless), &mode(spec.mode), script(spec.units));
            assert_eq!(*records.lock().unwrap(), [("call-1".to_owned(), decision.outcome())], "{spec:?}");
            total += 1;
        }
    });
    assert!(total > 1_000);
}

#[test]
fn law_10_one_more_unit_never_makes_it_milder() {
    nested(|spec| {
        // The inner unit alone, with everything that is said of it.
        let alone = Spec { units: 1, doubted: Doubted::No, rules: [spec.rules[1], Ruled::No], allow: [spec.allow[1], None], ..spec };
        assert!(spec.expected() >= alone.expected(), "{spec:?}");
        assert!(spec.decide().outcome() >= alone.decide().outcome(), "{spec:?}");
    });
}

#[test]
fn law_10_one_more_vote_against_never_makes_it_milder() {
    let against: [(Stage, Say); 6] = [
        (Stage::Trust, floor(false)),
        (Stage::Deny, Say::Deny),
        (Stage::Ask, Say::Ask { kept: false }),
        (Stage::Paths, floor(true)),
        (Stage::Rules, Say::Ask { kept: false }),
        (Stage::Rules, Say::Deny),
    ];
    flat(|spec| {
        if spec.units == 1 && spec.headless && spec.trust == Floor::None {
            let before = spec.decide().outcome();
            for (stage, say) in &against {
                for subject in [Subject::Call, Subject::Unit(0)] {
                    let more = Fixed::voting(*stage, vec![vote(subject, say.clone(), "more")]).named("more");
                    let builder = voting(spec.votes()).layer(more).grant(Grant).authority(Fixed::answering(Stage::Human, Answer::HandOver));
                    let after = decide_with(builder, &call_of(1, true), &mode(spec.mode), script(1)).outcome();
                    assert!(after >= before, "{stage:?} {say:?} {subject:?}: {spec:?}");
                }
            }
        }
    });
}

#[test]
fn votes_on_the_call_count_for_all_its_units() {
    let allowed = || (Stage::Allow, (0..2).map(|i| vote(Subject::Unit(i), Say::Allow(Strength::Named), "allow")).collect::<Votes>());
    let wrapper = || {
        let say = Say::Floor { doubt: doubt("<wrapper>", Some(vec![1]), true), kept: false };
        (Stage::Structure, vec![vote(Subject::Unit(0), say, "wrapper")])
    };
    let decide = |more: Option<(Stage, Say)>| {
        let more = more.map(|(stage, say)| (stage, vec![vote(Subject::Call, say, "call")]));
        let builder = voting([wrapper(), allowed()].into_iter().chain(more)).authority(Fixed::answering(Stage::Human, Answer::HandOver));
        decide_with(builder, &call(), &mode(Mode::Auto), script(2))
    };
    let lifted = |d: &Decision| d.trail().iter().any(|t| t.lifted);
    let plain = decide(None);
    assert_eq!((plain.outcome(), lifted(&plain)), (Outcome::Allow, true));
    let against = [
        (Stage::Trust, floor(false), Outcome::Ask),
        (Stage::Ask, Say::Ask { kept: false }, Outcome::Ask),
        (Stage::Rules, Say::Ask { kept: false }, Outcome::Ask),
        (Stage::Deny, Say::Deny, Outcome::Deny),
        (Stage::Rules, Say::Deny, Outcome::Deny),
    ];
    for (stage, say, outcome) in against {
        let decision = decide(Some((stage, say)));
        assert_eq!(decision.outcome(), outcome, "{stage:?}");
        // A floor of the wrapper's own may be lifted by its name; what is said of the call stands all the same.
        assert!(!lifted(&decision) || stage == Stage::Trust, "{stage:?}");
    }
    // An allow of the call covers no unit.
    let call_only = voting([(Stage::Allow, vec![vote(Subject::Call, Say::Allow(Strength::Named), "allow")])]);
    assert_eq!(decide_with(call_only, &call(), &mode(Mode::Auto), script(1)).outcome(), Outcome::Deny);
}
