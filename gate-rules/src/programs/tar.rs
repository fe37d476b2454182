//! tar's old style: a first word of option letters without a dash.

use gate_core::Word;

use crate::catalogue::{Finding, Matched};

/// `tvzf` as `-tvzf`, where that means the same: at most one letter takes a value, and it is the last.
pub(crate) fn letters(word: &Word) -> Option<Word> {
    let text = word.literal().filter(|t| !t.is_empty() && t.bytes().all(|b| b.is_ascii_alphabetic()))?;
    let values = text.chars().filter(|c| "bfgCFHIKLNTVX".contains(*c)).count();
    let last = text.chars().last().is_some_and(|c| "bfgCFHIKLNTVX".contains(c));
    (values == 0 || values == 1 && last).then(|| Word::text(format!("-{text}")))
}

pub(super) fn extra(m: &Matched, f: &mut Finding) {
    if m.words.first().and_then(Word::literal).is_some_and(|t| !t.starts_with('-') && !t.is_empty()) {
        f.unknown("option letters without a dash");
    }
    let creates = ["-c", "--create", "-r", "--append", "-u", "--update"];
    if m.options().any(|o| creates.contains(&o.name.as_str())) {
        m.parsed.operands.iter().for_each(|o| f.want(gate_core::AccessMode::Read, &o.word, false, true));
    }
    let archive = m.options().filter(|o| matches!(o.name.as_str(), "-f" | "--file")).filter_map(|o| o.value.as_ref());
    let local = m.options().any(|o| o.name == "--force-local");
    for w in archive {
        // `HOST:FILE` is fetched by a remote shell.
        if !local && w.shown().split('/').next().is_some_and(|head| head.contains(':')) {
            f.effects.add(gate_core::Effect::Fetches);
            f.effects.add(gate_core::Effect::Runs);
        }
    }
}
