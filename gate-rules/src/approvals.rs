//! Approvals of this session answer questions: per unit like allow entries; a floor only for the byte-identical call.

use async_trait::async_trait;
use gate_core::{Answer, Ask, Entry, Layer, Origin, Question, Reason, Source, Stage, Subject};

use crate::book::RuleBook;
use crate::patterns::{Permission, Want};

/// Entries that a person approved for this session.
pub struct SessionApprovals {
    entries: Vec<Permission>,
}

impl SessionApprovals {
    /// From their texts; what cannot be read approves nothing.
    #[must_use]
    pub fn new(texts: Vec<String>) -> Self {
        let entries =
            texts.into_iter().filter_map(|text| Permission::new(&Entry { text, source: Source::User }, Want::Allow).ok()).collect();
        Self { entries }
    }

    fn covers(&self, question: &Question<'_>, ask: &Ask) -> bool {
        let case = question.case();
        let whole = case.call.command();
        if ask.kept {
            return false;
        }
        self.entries.iter().any(|e| {
            let identical = e.command().is_some()
                && whole.is_some_and(|w| e.is_exactly(w))
                && case.call.shell().is_some_and(|k| e.for_shell(k, Want::Allow));
            if identical {
                return true;
            }
            if ask.sentinel.is_some() {
                return false;
            }
            match (ask.subject, &case.script) {
                (Subject::Unit(i), Some(s)) => {
                    case.call.shell().is_some_and(|k| e.for_shell(k, Want::Allow)) && s.units.get(i).is_some_and(|u| e.covers(u))
                }
                (Subject::Call, None) => {
                    let paths: Vec<String> = case
                        .known_analysis()
                        .and_then(|a| a.call.as_ref())
                        .map(|a| a.accesses.iter().filter_map(|x| x.path.clone()).collect())
                        .unwrap_or_default();
                    e.matches_call(case.call, &paths, &RuleBook::roots(case), Want::Allow)
                }
                _ => false,
            }
        })
    }
}

#[async_trait]
impl Layer for SessionApprovals {
    fn stage(&self) -> Stage {
        Stage::Approval
    }
    fn name(&self) -> &'static str {
        "session-approvals"
    }
    async fn answer(&self, question: &Question<'_>) -> Answer {
        if self.entries.is_empty() || !question.asks().iter().all(|a| self.covers(question, a)) {
            return Answer::Pass;
        }
        Answer::Allow { reason: Reason::new("session_approved", "approved for this session"), origin: Origin::Session }
    }
}
