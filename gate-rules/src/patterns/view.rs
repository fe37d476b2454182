//! What a unit looks like to deny and ask entries: every spelling under which a person would name it.

use gate_core::{Piece, Script, Unit, Word, path};

use super::wild::Tok;

/// One way to spell a unit: its words, lower case.
pub(crate) type Spelling = Vec<String>;

/// Most words of a unit that spellings look at.
const WORDS: usize = 400;
/// Most options before the subcommand that are skipped.
const LEADING: usize = 24;

/// The spellings of a unit, and its raw text.
#[derive(Clone, Debug, Default)]
pub(crate) struct View {
    pub spellings: Vec<Spelling>,
    pub raw: Vec<String>,
    /// The words with unknown parts as wildcards, when there are any.
    pub template: Option<Vec<Tok>>,
}

impl View {
    pub(crate) fn of_unit(unit: &Unit) -> Self {
        let mut view = Self::of_words(&unit.words);
        view.raw = vec![squeeze(&unit.raw)];
        view
    }

    pub(crate) fn of_words(words: &[Word]) -> Self {
        let shown: Vec<String> = words.iter().take(WORDS).map(|w| w.shown().to_lowercase()).collect();
        let known = |w: &Word| w.literal().is_some();
        let template = (!words.is_empty() && !words.iter().all(known)).then(|| template(words));
        Self { spellings: spellings(&shown), raw: Vec::new(), template }
    }
}

/// The words as they are, with the base name of the program, and without options before the subcommand.
fn spellings(words: &[String]) -> Vec<Spelling> {
    let Some(program) = words.first() else { return Vec::new() };
    let mut all = vec![words.to_vec()];
    let base = path::name(program).trim_end_matches(".exe");
    let rest = words.get(1..).unwrap_or(&[]);
    let with = |rest: &[String]| std::iter::once(base.to_owned()).chain(rest.iter().cloned()).collect::<Vec<_>>();
    if base != program {
        all.push(with(rest));
    }
    // An option may take the next word as value or not: every start that this leaves.
    let mut after_option = false;
    for (i, w) in rest.iter().enumerate().take(LEADING) {
        if w == "--" {
            all.push(with(rest.get(i + 1..).unwrap_or(&[])));
            break;
        }
        if w.starts_with('-') && w.len() > 1 {
            after_option = true;
        } else if after_option {
            all.push(with(rest.get(i..).unwrap_or(&[])));
            all.push(with(rest.get(i + 1..).unwrap_or(&[])));
            after_option = false;
        } else if i > 0 {
            // Only values of options may stand before the subcommand.
            let value_before = i.checked_sub(2).and_then(|k| rest.get(k)).is_some_and(|o| o.starts_with('-'));
            if !value_before {
                break;
            }
            all.push(with(rest.get(i..).unwrap_or(&[])));
            break;
        } else {
            break;
        }
    }
    all
}

fn template(words: &[Word]) -> Vec<Tok> {
    let mut out = Vec::new();
    for (i, w) in words.iter().take(WORDS).enumerate() {
        if i > 0 {
            out.push(Tok::Char(' '));
        }
        for p in &w.pieces {
            match p {
                Piece::Text(t) => out.extend(t.to_lowercase().chars().map(Tok::Char)),
                Piece::Glob(_) | Piece::Unknown { .. } => {
                    if out.last() != Some(&Tok::Many) {
                        out.push(Tok::Many);
                    }
                }
            }
        }
    }
    out
}

/// The raw text of the whole command: leading comment lines dropped, blanks squeezed.
pub(crate) fn whole(script: &Script) -> String {
    let text: Vec<&str> = script.raw.lines().skip_while(|l| l.trim_start().starts_with('#') || l.trim().is_empty()).collect();
    squeeze(&text.join("\n"))
}

fn squeeze(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = false;
    for c in text.trim().chars() {
        if c == ' ' || c == '\t' {
            blank = true;
            continue;
        }
        if blank {
            out.push(' ');
            blank = false;
        }
        out.extend(c.to_lowercase());
    }
    out
}

/// A unit as an allow entry sees it: words that would not read back as they are get quotes.
pub(crate) fn exact(words: &[Word]) -> String {
    let mut out = String::new();
    for (i, w) in words.iter().enumerate() {
        if i > 0 {
            out.push(' ');
        }
        let text = w.shown();
        let plain = !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control());
        if plain {
            out.push_str(&text);
        } else {
            out.push('\'');
            out.push_str(&text.replace('\'', "'\\''"));
            out.push('\'');
        }
    }
    out
}
