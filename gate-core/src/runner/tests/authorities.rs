//! Who answers in which mode, what an answer is worth, and the race of model and person.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use async_trait::async_trait;

use super::support::*;
use crate::*;

/// What an authority may say, `None`: it is not there.
fn answers(origin: Origin) -> Vec<Option<Answer>> {
    let deferred = Answer::Defer { reason: Reason::new("unsure", "the model is not sure"), origin };
    vec![None, Some(Answer::Pass), Some(deferred), Some(yes(origin)), Some(no(origin))]
}

#[derive(Clone, Debug)]
struct Setup {
    approval: Option<Answer>,
    model: Option<Answer>,
    human: Option<Answer>,
    parent: Option<Answer>,
    listed: bool,
    kept: bool,
    mode: Mode,
    headless: bool,
}

fn is(answer: &Option<Answer>, allow: bool) -> bool {
    match answer {
        Some(Answer::Allow { .. }) => allow,
        Some(Answer::Deny { .. }) => !allow,
        _ => false,
    }
}

impl Setup {
    fn decide(&self) -> Decision {
        let mut builder = base().grant(Grant);
        let mut add = |stage, answer: &Option<Answer>| {
            if let Some(answer) = answer {
                builder = std::mem::take(&mut builder).authority(Fixed::answering(stage, answer.clone()));
            }
        };
        add(Stage::Approval, &self.approval);
        add(Stage::Classifier, &self.model);
        add(Stage::Human, &self.human);
        add(Stage::Parent, &self.parent);
        if self.listed {
            builder = builder.layer(Fixed::voting(Stage::Ask, vec![vote(Subject::Call, Say::Ask { kept: false }, "ask")]));
        }
        if self.kept {
            builder = builder.layer(Fixed::voting(Stage::Trust, vec![vote(Subject::Call, floor(true), "trust")]));
        }
        decide_with(builder, &call_of(1, self.headless), &mode(self.mode), script(1))
    }

    fn expected(&self) -> Outcome {
        use Outcome::{Allow, Ask, Deny};
        let person_needed = self.listed || self.mode == Mode::Strict;
        if self.mode != Mode::Strict && is(&self.approval, false) {
            return Deny;
        }
        if self.mode != Mode::Strict && is(&self.approval, true) {
            return if self.kept { Deny } else { Allow }; // overstepping
        }
        if self.mode == Mode::Yolo {
            return if self.kept { Deny } else { Allow };
        }
        let model = if self.mode == Mode::Auto { self.model.clone() } else { None };
        let human = if self.headless { None } else { self.human.clone() };
        if is(&human, false) {
            return Deny;
        }
        // An immediate yes of the person comes before the model, unless the model must be heard too.
        if is(&human, true) && !person_needed {
            return Allow;
        }
        if is(&model, false) {
            return Deny;
        }
        if is(&model, true) && !person_needed && !self.kept {
            return Allow;
        }
        if is(&human, true) {
            return Allow;
        }
        if matches!(human, Some(Answer::HandOver)) {
            return Ask;
        }
        if is(&self.parent, true) { Allow } else { Deny }
    }
}

#[test]
fn every_combination_of_authorities_comes_to_what_the_model_says() {
    let mut humans = answers(Origin::Human);
    humans.push(Some(Answer::HandOver));
    let mut count = 0;
    for approval in answers(Origin::Session) {
        for model in answers(Origin::Classifier) {
            for human in &humans {
                for parent in answers(Origin::Parent) {
                    for flags in 0..8 {
                        for m in MODES {
                            let (listed, kept, headless) = (flags & 1 != 0, flags & 2 != 0, flags & 4 != 0);
                            let (approval, model, human, parent) = (approval.clone(), model.clone(), human.clone(), parent.clone());
                            let setup = Setup { approval, model, human, parent, listed, kept, mode: m, headless };
                            assert_eq!(setup.decide().outcome(), setup.expected(), "{setup:?}");
                            count += 1;
                        }
                    }
                }
            }
        }
    }
    assert_eq!(count, 5 * 5 * 6 * 5 * 8 * 4);
}

#[test]
fn law_8_an_approval_turns_ask_into_allow_and_nothing_else() {
    let approval = || Fixed::answering(Stage::Approval, yes(Origin::Session));
    let open = decide_with(base().authority(approval()), &call(), &mode(Mode::Auto), script(1));
    assert_eq!((open.outcome(), open.origin(), open.review()), (Outcome::Allow, Origin::Session, None));
    let denied = voting([(Stage::Deny, vec![vote(Subject::Unit(0), Say::Deny, "deny")])]).authority(approval());
    assert_eq!(decide_with(denied, &call(), &mode(Mode::Auto), script(1)).outcome(), Outcome::Deny);
    let strict = decide_with(base().authority(approval()), &call(), &mode(Mode::Strict), script(1));
    assert_eq!(strict.outcome(), Outcome::Deny);
}

#[test]
fn an_approval_stands_before_yolo() {
    let builder = base().grant(Grant).authority(Fixed::answering(Stage::Approval, yes(Origin::Session)));
    let decision = decide_with(builder, &call(), &mode(Mode::Yolo), script(1));
    assert_eq!((decision.origin(), decision.review()), (Origin::Session, None));
}

#[test]
fn only_stage_human_may_hand_over() {
    for stage in [Stage::Approval, Stage::Grant, Stage::Classifier, Stage::Parent] {
        let m = if stage == Stage::Grant { Mode::Yolo } else { Mode::Auto };
        let decision = decide_with(base().authority(Fixed::answering(stage, Answer::HandOver)), &call(), &mode(m), script(1));
        assert_eq!((decision.outcome(), &*decision.reason().code), (Outcome::Deny, "gate_error"), "{stage:?}");
    }
}

#[test]
fn a_kept_ask_by_name_is_a_persons_alone() {
    let entry = |text: &str| vec![Entry { text: text.into(), source: Source::User }];
    let wrapper = Say::Floor { doubt: doubt("<wrapper>", None, false), kept: false };
    let mut matched = vote(Subject::Unit(0), Say::Ask { kept: false }, "rule");
    matched.matched = Some("git push *".into());
    let votes = [(Stage::Structure, vec![vote(Subject::Unit(0), wrapper, "opaque")]), (Stage::Rules, vec![matched])];
    for (text, kept) in
        [("opaque", true), ("<wrapper>", true), ("wrapper", true), ("git push *", true), ("RULE", true), ("push", false), ("", false)]
    {
        let settings = Settings { keep_asks: entry(text), ..mode(Mode::Yolo) };
        let decision = decide_with(voting(votes.clone()).grant(Grant), &call(), &settings, script(1));
        assert_eq!(decision.outcome() == Outcome::Deny, kept, "{text}");
    }
}

#[test]
fn an_open_ask_is_kept_by_any_of_its_notes() {
    let note = |code: &'static str| Note { code: code.into(), why: "why".into(), instead: None, effects: Effects::NONE };
    let assessment = Assessment { notes: vec![note("git/a"), note("git/b")], ..Assessment::default() };
    for (text, expected) in [("git/a", Outcome::Deny), ("git/b", Outcome::Deny), ("git/c", Outcome::Allow)] {
        let settings = Settings { keep_asks: vec![Entry { text: text.into(), source: Source::User }], ..mode(Mode::Yolo) };
        let call = call();
        let case = Case::new(&call, &settings, script(1), &NoFacts);
        case.analysis(|_| Analysis { units: vec![assessment.clone()], call: None });
        let decision = pollster::block_on(base().grant(Grant).build().unwrap().decide(&case));
        assert_eq!(decision.outcome(), expected, "{text}");
    }
}

#[test]
fn nobody_left_is_a_deny_that_says_why() {
    let deferring = Answer::Defer { reason: Reason::new("unsure", "the model is not sure"), origin: Origin::Classifier };
    let headless = |builder| decide_with(builder, &call_of(1, true), &mode(Mode::Auto), script(1));
    let without = headless(base());
    assert_eq!((without.outcome(), without.origin()), (Outcome::Deny, Origin::Nobody));
    let seeds = "No classifier model/API key available; auto mode fails closed.";
    assert!(without.reason().text.contains(seeds), "{}", without.reason().text);
    let with = headless(base().authority(Fixed::answering(Stage::Classifier, deferring.clone())));
    assert!(with.reason().text.contains("the model is not sure.") && !with.reason().text.contains(seeds));
    assert_eq!(with.heard()[0].layer, "fixed");
    // Where a person is at hand the same goes to the person.
    let asked =
        base().authority(Fixed::answering(Stage::Classifier, deferring)).authority(Fixed::answering(Stage::Human, Answer::HandOver));
    let asked = decide_with(asked, &call(), &mode(Mode::Auto), script(1));
    assert_eq!((asked.outcome(), asked.heard().len(), asked.asks().len()), (Outcome::Ask, 1, 1));
}

/// Answers when it has been polled so often; says when it is dropped.
struct Slow(u32, Answer, Arc<AtomicBool>);
struct Guard(Arc<AtomicBool>);
impl Drop for Guard {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

struct After(u32);
impl Future for After {
    type Output = ();
    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        cx.waker().wake_by_ref();
        self.0 = self.0.saturating_sub(1);
        if self.0 == 0 { Poll::Ready(()) } else { Poll::Pending }
    }
}

struct At(Stage, Slow);
#[async_trait]
impl Layer for At {
    fn stage(&self) -> Stage {
        self.0
    }
    fn name(&self) -> &'static str {
        "slow"
    }
    async fn answer(&self, _: &Question<'_>) -> Answer {
        let _guard = Guard(Arc::clone(&self.1.2));
        After(self.1.0).await;
        self.1.1.clone()
    }
}

fn raced(model: (u32, Answer), human: (u32, Answer), listed: bool) -> (Decision, bool, bool) {
    let (m, h): (Arc<AtomicBool>, Arc<AtomicBool>) = Default::default();
    let mut builder = base()
        .timer(Arc::new(NoTimer))
        .authority(At(Stage::Classifier, Slow(model.0, model.1, Arc::clone(&m))))
        .authority(At(Stage::Human, Slow(human.0, human.1, Arc::clone(&h))));
    if listed {
        builder = builder.layer(Fixed::voting(Stage::Ask, vec![vote(Subject::Call, Say::Ask { kept: false }, "ask")]));
    }
    let decision = decide_with(builder, &call(), &mode(Mode::Auto), script(1));
    (decision, m.load(Ordering::SeqCst), h.load(Ordering::SeqCst))
}

#[test]
fn the_first_who_settles_it_wins_and_the_other_is_dropped() {
    let (m, h) = (|| yes(Origin::Classifier), || yes(Origin::Human));
    let (nm, nh) = (|| no(Origin::Classifier), || no(Origin::Human));
    let cases = [
        ((3, m()), (900, nh()), false, Origin::Classifier, Outcome::Allow),
        ((3, nm()), (900, h()), false, Origin::Classifier, Outcome::Deny),
        ((900, m()), (3, nh()), false, Origin::Human, Outcome::Deny),
        ((900, nm()), (3, h()), false, Origin::Human, Outcome::Allow),
        // At the same moment the person's word counts.
        ((5, m()), (5, nh()), false, Origin::Human, Outcome::Deny),
        // After an ask rule both must agree.
        ((3, m()), (900, nh()), true, Origin::Human, Outcome::Deny),
        ((900, nm()), (3, h()), true, Origin::Classifier, Outcome::Deny),
        ((900, m()), (3, h()), true, Origin::Human, Outcome::Allow),
        // A dialog of the host's own waits for the model.
        ((900, m()), (1, Answer::HandOver), false, Origin::Classifier, Outcome::Allow),
        ((900, Answer::Pass), (1, Answer::HandOver), false, Origin::Human, Outcome::Ask),
        ((3, Answer::Pass), (900, h()), false, Origin::Human, Outcome::Allow),
    ];
    for (i, (model, human, listed, origin, outcome)) in cases.into_iter().enumerate() {
        let (decision, model_gone, human_gone) = raced(model, human, listed);
        assert_eq!((decision.origin(), decision.outcome()), (origin, outcome), "case {i}");
        assert!(model_gone && human_gone, "case {i}: something was left behind");
    }
}
