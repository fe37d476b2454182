//! Who answers a question, and what an answer is worth. In auto mode the model and the person are asked at once.

use std::future::poll_fn;
use std::task::Poll;

use super::drive::{Boxed, Budget, bounded};
use super::{Placed, Runner, boundary};
use crate::decision::Parts;
use crate::{
    Answer, Ask, Decision, Heard, Mode, Origin, Outcome, Question, Reason, Review, Stage, Subject, TrailEntry, UnitOutcome, limits,
};

/// What the authorities made of a question.
pub(super) struct Answered {
    end: End,
    asks: Vec<Ask>,
    heard: Vec<Heard>,
    /// A model could have been asked.
    model: bool,
}

enum End {
    Allow(By, Reason),
    Deny(By, Reason),
    HandOver(By),
    Fault(&'static str, String),
    Nobody,
}

/// Who answered.
#[derive(Clone, Copy)]
struct By {
    stage: Stage,
    layer: &'static str,
    origin: Origin,
}

/// Who is not asked: by mode, and people when nobody can be asked.
const fn skipped(stage: Stage, mode: Mode, headless: bool) -> bool {
    match (stage, mode) {
        (Stage::Human, _) => headless,
        (Stage::Grant, Mode::Yolo) | (Stage::Classifier, Mode::Auto) => false,
        (Stage::Grant | Stage::Classifier, _) => true,
        (Stage::Approval, mode) => matches!(mode, Mode::Strict),
        _ => false,
    }
}

impl Runner {
    /// Asks the authorities in their order.
    pub(super) async fn ask(&self, question: Question<'_>) -> Answered {
        let model = self.at(Stage::Classifier).next().is_some();
        let end = self.first(&question).await;
        let (asks, heard) = question.into_parts();
        Answered { end, asks, heard, model }
    }

    async fn first(&self, question: &Question<'_>) -> End {
        let (mode, headless) = (question.case().settings.mode, question.case().call.headless);
        let asked = |stage| !skipped(stage, mode, headless) && self.at(stage).next().is_some();
        if asked(Stage::Classifier) && asked(Stage::Human) {
            for stage in [Stage::Approval, Stage::Grant] {
                if let Some(end) = self.stage(stage, mode, question).await {
                    return end;
                }
            }
            if let Some(end) = race(self.chain(Stage::Classifier, question), self.chain(Stage::Human, question), question).await {
                return end;
            }
            return self.stage(Stage::Parent, mode, question).await.unwrap_or(End::Nobody);
        }
        for stage in Stage::ANSWERING {
            if let Some(end) = self.stage(stage, mode, question).await {
                return end;
            }
        }
        End::Nobody
    }

    /// The answer of one stage, when it settles the question.
    async fn stage(&self, stage: Stage, mode: Mode, question: &Question<'_>) -> Option<End> {
        if skipped(stage, mode, question.case().call.headless) {
            return None;
        }
        self.chain(stage, question).await.filter(|end| suffices(end, question))
    }

    /// The first layer of a stage that answers.
    fn chain<'r>(&'r self, stage: Stage, question: &'r Question<'r>) -> Boxed<'r, Option<End>> {
        Box::pin(async move {
            let timer = self.timer.as_deref();
            let mut budget = match stage {
                Stage::Human | Stage::Parent => Budget::endless(),
                Stage::Classifier => Budget::of(limits::MODEL_MS, timer),
                _ => Budget::of(limits::DECISION_MS, timer),
            };
            for placed in self.at(stage) {
                let answer = bounded(|| placed.layer.answer(question), &mut budget).await;
                match placed.read(answer, question) {
                    Some(end) => return Some(end),
                    None => continue,
                }
            }
            None
        })
    }
}

impl Placed {
    /// What an answer of this layer is; `None` when it is none.
    fn read(&self, answer: Result<Answer, String>, question: &Question<'_>) -> Option<End> {
        let fault = |text: &str| Some(End::Fault(self.name, text.to_owned()));
        // What the grant says is yolo's, whatever it claims.
        let by =
            |origin| By { stage: self.stage, layer: self.name, origin: if self.stage == Stage::Grant { Origin::Yolo } else { origin } };
        match answer {
            Err(text) => Some(End::Fault(self.name, text)),
            Ok(Answer::Pass) => None,
            Ok(Answer::Defer { reason, origin }) => {
                question.hear(Heard { layer: self.name, reason, origin });
                None
            }
            Ok(Answer::HandOver) if self.stage != Stage::Human => fault("only a layer at stage Human may hand a question over"),
            Ok(Answer::HandOver) => Some(End::HandOver(by(Origin::Human))),
            Ok(Answer::Allow { .. }) if question.kept() && matches!(self.stage, Stage::Approval | Stage::Grant) => {
                fault("an ask that only a person may answer was allowed")
            }
            Ok(Answer::Allow { reason, origin }) => Some(End::Allow(by(origin), reason)),
            Ok(Answer::Deny { reason, origin }) => Some(End::Deny(by(origin), reason)),
        }
    }
}

/// Does an end settle the question? The model's yes does not where a person's is needed.
fn suffices(end: &End, question: &Question<'_>) -> bool {
    match end {
        End::Allow(By { stage: Stage::Classifier, .. }, _) => !question.needs_human() && !question.kept(),
        _ => true,
    }
}

/// The model against the person, both asked at once. A no of either is final, and the person's counts first. The
/// model's yes closes the dialog unless a person must agree; the person's yes ends the request unless the model must
/// be heard too. A dialog of the host's own is handed over only when the model has not settled it.
async fn race<'r>(mut model: Boxed<'r, Option<End>>, mut human: Boxed<'r, Option<End>>, question: &'r Question<'r>) -> Option<End> {
    let (mut m, mut h): (Option<Option<End>>, Option<Option<End>>) = (None, None);
    poll_fn(|cx| {
        if h.is_none()
            && let Poll::Ready(end) = human.as_mut().poll(cx)
        {
            h = Some(end);
        }
        if let Some(Some(End::Deny(..) | End::Fault(..))) = h {
            return Poll::Ready(h.take().flatten());
        }
        if matches!(h, Some(Some(End::Allow(..)))) && !question.needs_human() {
            return Poll::Ready(h.take().flatten());
        }
        if m.is_none()
            && let Poll::Ready(end) = model.as_mut().poll(cx)
        {
            m = Some(end);
        }
        match &m {
            None => return Poll::Pending,
            Some(Some(end)) if suffices(end, question) => return Poll::Ready(m.take().flatten()),
            Some(_) => {}
        }
        // The model has not settled it: the person does, or nobody of the two.
        h.take().map_or(Poll::Pending, Poll::Ready)
    })
    .await
}

/// The decision that an answer amounts to.
pub(super) fn decision(answered: Answered, mode: Mode, units: Vec<UnitOutcome>, trail: Vec<TrailEntry>) -> Decision {
    let Answered { end, asks, heard, model } = answered;
    let (subject, matched, why) = first_of(&asks);
    let nobody = By { stage: Stage::Boundary, layer: "runner", origin: Origin::Nobody };
    let (outcome, by, reason) = match end {
        End::Fault(layer, fault) => return boundary::faulty(layer, trail, &fault),
        End::Allow(by, reason) => (Outcome::Allow, by, reason),
        End::Deny(by, reason) => (Outcome::Deny, by, reason),
        End::HandOver(by) => (Outcome::Ask, by, why),
        End::Nobody => (Outcome::Deny, nobody, unanswered(why, &heard, mode == Mode::Auto && !model)),
    };
    let granted = outcome == Outcome::Allow && by.stage == Stage::Grant;
    let review = granted.then(|| Review { resolution: "auto_approved", matched: matched.clone(), origin: by.origin });
    let By { stage, layer, origin } = by;
    Decision::new(Parts { outcome, reason, stage, layer, origin, matched, subject, asks, heard, units, trail, review })
}

/// What a question is about first of all. It keeps the sentinel where no entry matched.
fn first_of(asks: &[Ask]) -> (Subject, Option<String>, Reason) {
    let open = || (Subject::Call, None, Reason::new("open", "nothing vouches for this call"));
    asks.first().map_or_else(open, |a| {
        let matched = a.matched.clone().or_else(|| a.sentinel.as_ref().map(ToString::to_string));
        (a.subject, matched, a.reason.clone())
    })
}

/// Why it is denied when nobody could answer: what asked, what the model had to say, and that nobody is left.
fn unanswered(why: Reason, heard: &[Heard], no_model: bool) -> Reason {
    let mut text = sentence(&why.text);
    for h in heard {
        text.push(' ');
        text.push_str(&sentence(&h.reason.text));
    }
    if no_model {
        text.push_str(" No classifier model/API key available; auto mode fails closed.");
    }
    text.push_str(" Nobody can be asked here.");
    Reason { text, ..why }
}

fn sentence(text: &str) -> String {
    let text = text.trim_end();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}
