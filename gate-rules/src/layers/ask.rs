//! Stage Ask: the ask list. It needs a person and switches every allow tier off.

use std::sync::Arc;

use async_trait::async_trait;
use gate_core::{Case, Layer, Reason, Say, Stage, Votes};

use super::{tightening, vote};
use crate::book::RuleBook;
use crate::patterns::Hit;

/// The layer at stage Ask.
pub struct AskLayer {
    book: Arc<RuleBook>,
}

impl AskLayer {
    /// By this book.
    #[must_use]
    pub fn new(book: &Arc<RuleBook>) -> Self {
        Self { book: Arc::clone(book) }
    }
}

#[async_trait]
impl Layer for AskLayer {
    fn stage(&self) -> Stage {
        Stage::Ask
    }
    fn name(&self) -> &'static str {
        "ask"
    }
    async fn check(&self, case: &Case<'_>) -> Votes {
        let mut out = Votes::new();
        for entry in &self.book.ask {
            let hits = tightening(&self.book, case, entry).into_iter().filter(|m| m.hit != Hit::No);
            out.extend(hits.map(|m| {
                let reason = Reason::new("ask_list", format!("the ask list names this ({})", entry.entry.text));
                vote(m.subject, Say::Ask { kept: false }, reason, Some(entry.entry.text.clone()), entry.entry.source.origin())
            }));
        }
        out
    }
}
