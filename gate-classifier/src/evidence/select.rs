//! Which part of a conversation is told: two budgets, the first and the latest word of the user always.

use super::TranscriptItem;
use super::text::{approx_tokens, escape, safe_json, truncate_tokens};

/// Longest entry in approximate tokens.
const ENTRY_TOKENS: usize = 1_000;
/// Most tool calls.
const TOOL_CALLS: usize = 40;
/// Longest arguments of one tool call in UTF-16 units.
const ARGUMENTS_UTF16: usize = 8_000;
/// The mark that something is missing.
const OMITTED: &str = "<transcript_entries_omitted />";

/// The chosen entries, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The entries as they are told.
    pub entries: Vec<String>,
    /// Something was left out or cut.
    pub incomplete: bool,
}

impl Selection {
    /// The entries as one text, with the mark at its end when it is not complete.
    #[must_use]
    pub fn text(&self) -> String {
        let mark = self.incomplete.then_some(OMITTED);
        self.entries.iter().map(String::as_str).chain(mark).collect::<Vec<_>>().join("\n")
    }
}

struct Budget {
    left: usize,
    cap: usize,
    incomplete: bool,
    chosen: Vec<(usize, String)>,
}

impl Budget {
    const fn new(left: usize, cap: usize) -> Self {
        Self { left, cap, incomplete: false, chosen: Vec::new() }
    }

    /// Takes the entry if it fits, cut to the cap.
    fn take(&mut self, index: usize, text: &str) {
        let cut = truncate_tokens(text, self.cap);
        let cost = approx_tokens(&cut);
        if cost > self.left {
            self.incomplete = true;
            return;
        }
        self.incomplete |= cut != text;
        self.left -= cost;
        self.chosen.push((index, cut));
    }
}

/// Chooses what is told. Budgets are in approximate tokens; zero for `tool_tokens` tells no tool call and does not
/// count that as an omission.
#[must_use]
pub fn select(items: &[TranscriptItem], user_tokens: usize, tool_tokens: usize) -> Selection {
    let users = choose_users(items, user_tokens);
    let tools = choose_tools(items, tool_tokens);
    let incomplete = users.incomplete || tools.incomplete;
    let mut chosen = users.chosen;
    chosen.extend(tools.chosen);
    chosen.sort_by_key(|(index, _)| *index);
    Selection { entries: chosen.into_iter().map(|(_, text)| text).collect(), incomplete }
}

fn choose_users(items: &[TranscriptItem], tokens: usize) -> Budget {
    let said: Vec<(usize, String)> = items
        .iter()
        .enumerate()
        .filter_map(|(i, item)| match item {
            TranscriptItem::User { text } if !text.trim().is_empty() => Some((i, entry("User", text))),
            _ => None,
        })
        .collect();
    let anchor = if said.len() > 1 { tokens / 2 } else { tokens };
    let mut budget = Budget::new(tokens, anchor.min(ENTRY_TOKENS));
    // Latest, then first, then the others from the newest on.
    let last = said.len().saturating_sub(1);
    let order = [last, 0].into_iter().chain((1..last).rev()).take(said.len());
    for (index, text) in order.filter_map(|i| said.get(i)) {
        budget.take(*index, text);
    }
    budget
}

fn choose_tools(items: &[TranscriptItem], tokens: usize) -> Budget {
    let mut budget = Budget::new(tokens, tokens.min(ENTRY_TOKENS));
    if tokens == 0 {
        return budget;
    }
    for (index, item) in items.iter().enumerate().rev() {
        let TranscriptItem::ToolCall { name, arguments } = item else { continue };
        if budget.chosen.len() == TOOL_CALLS {
            budget.incomplete = true;
            break;
        }
        let name: String = name.chars().filter(|c| !c.is_control()).take(200).collect();
        budget.take(index, &entry(&format!("ToolCall {}", escape(&name)), &safe_json(arguments, ARGUMENTS_UTF16)));
    }
    budget
}

/// One entry. Lines after the first are indented, so that no text can look like an entry of its own.
fn entry(label: &str, text: &str) -> String {
    format!("{label}: {}", escape(text.trim()).replace('\n', "\n  "))
}
