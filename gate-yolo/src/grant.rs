//! The grant itself: what yolo answers to a question.

use async_trait::async_trait;
use gate_core::{Answer, Ask, Layer, Mode, Origin, Question, Reason, Stage};

/// The code of a grant.
pub const GRANTED: &str = "yolo_granted";
/// The code of a deny because an ask is kept for a person.
pub const KEPT: &str = "yolo_kept";

/// The layer at [`Stage::Grant`]. It has no state: everything is read from the question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Yolo;

#[async_trait]
impl Layer for Yolo {
    fn stage(&self) -> Stage {
        Stage::Grant
    }

    fn name(&self) -> &'static str {
        "yolo"
    }

    async fn answer(&self, question: &Question<'_>) -> Answer {
        verdict(question.case().settings.mode, question.asks())
    }
}

/// What yolo answers when these asks are open: nothing outside of [`Mode::Yolo`], a deny when one of them is kept,
/// else a grant.
#[must_use]
pub fn verdict(mode: Mode, asks: &[Ask]) -> Answer {
    if mode != Mode::Yolo {
        return Answer::Pass;
    }
    if let Some(ask) = asks.iter().find(|a| a.kept) {
        return Answer::Deny { reason: kept(ask), origin: Origin::Yolo };
    }
    Answer::Allow { reason: Reason::new(GRANTED, granted(asks)), origin: Origin::Yolo }
}

fn kept(ask: &Ask) -> Reason {
    let text = format!("only a person may answer this, and yolo mode asks nobody: {}", ask.reason.text);
    let reason = Reason::new(KEPT, text);
    let instead = ask.reason.instead.as_deref();
    match instead {
        Some(instead) => reason.or(instead),
        None => reason.or("ask the user to run it, or to leave yolo mode for this call"),
    }
}

fn granted(asks: &[Ask]) -> String {
    match asks {
        [] => "yolo mode grants it".to_owned(),
        [one] => format!("yolo mode grants what would have asked: {}", one.reason.text),
        [first, rest @ ..] => format!("yolo mode grants what would have asked: {} (and {} more)", first.reason.text, rest.len()),
    }
}
