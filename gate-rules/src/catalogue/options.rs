//! Takes the words of a program apart into options, values and operands: arity, clusters, glued values, `--`,
//! one-dash long options, and words that only the shell can know.

use gate_core::{Piece, Word};

use super::model::{Family, List};

/// How an option takes its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arity {
    /// None.
    Flag,
    /// Glued or the next word.
    Value,
    /// Only glued.
    Optional,
}

/// One entry of an option list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub name: &'static str,
    pub arity: Arity,
    /// Role of the value; empty: not said.
    pub role: &'static str,
}

impl Entry {
    pub(crate) fn parse(text: &'static str) -> Self {
        match text.split_once('=') {
            None => Self { name: text, arity: Arity::Flag, role: "" },
            Some((name, value)) => match value.strip_prefix('?') {
                Some(role) => Self { name, arity: Arity::Optional, role },
                None => Self { name, arity: Arity::Value, role: value },
            },
        }
    }

    /// Is this entry about the option of that name?
    fn is(&self, name: &str) -> bool {
        match self.name.strip_suffix('*') {
            Some(prefix) => name.starts_with(prefix),
            None => self.name == name,
        }
    }
}

/// The option lists that count, each with whether it vouches.
pub(crate) type Lists<'a> = &'a [(List, bool)];

/// The entry for an option, and whether a vouching list has it.
pub(crate) fn lookup(lists: Lists<'_>, name: &str) -> Option<(Entry, bool)> {
    let mut found: Option<(Entry, bool)> = None;
    for (list, vouches) in lists {
        if found.is_some() && !vouches {
            continue;
        }
        if let Some(entry) = list.iter().map(Entry::parse).find(|e| e.is(name)) {
            if *vouches {
                return Some((found.map_or(entry, |(e, _)| e), true));
            }
            found = Some((entry, false));
        }
    }
    found
}

/// An option as it stands in the words.
#[derive(Clone, Debug)]
pub(crate) struct Opt {
    /// `-x`, `--long` as written, `-name`; digits as `-#`.
    pub name: String,
    pub value: Option<Word>,
    pub role: &'static str,
    /// A list knows how it is written.
    pub listed: bool,
    /// A vouching list has it.
    pub vouched: bool,
}

/// A word that is no option, or stands after `--`.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub word: Word,
}

/// Words taken apart.
#[derive(Clone, Debug, Default)]
pub(crate) struct Parsed {
    pub opts: Vec<Opt>,
    pub operands: Vec<Operand>,
    /// `--` stands there.
    pub dashes: bool,
    /// Some word may turn out to be any option.
    pub maybe_options: bool,
    /// Letters that may be options: behind an unlisted one in a cluster.
    pub loose: String,
}

/// How to take apart.
#[derive(Clone, Copy)]
pub(crate) struct Style {
    pub clusters: bool,
    /// Options end at the first operand.
    pub first: bool,
}

impl Style {
    pub(crate) fn of(family: &Family) -> Self {
        Self { clusters: family.clusters, first: family.options_first }
    }
}

/// May the word become several words of which later ones may be options?
fn injects(word: &Word) -> bool {
    word.pieces.iter().any(|p| matches!(p, Piece::Unknown { splits: true, .. }))
}

pub(crate) fn parse(words: &[Word], lists: Lists<'_>, style: Style) -> Parsed {
    let mut p = Parser { words, lists, style, out: Parsed::default(), at: 0, ended: false };
    while p.at < words.len() {
        p.step();
    }
    p.out
}

struct Parser<'a> {
    words: &'a [Word],
    lists: Lists<'a>,
    style: Style,
    out: Parsed,
    at: usize,
    ended: bool,
}

impl Parser<'_> {
    fn step(&mut self) {
        let Some(word) = self.words.get(self.at) else { return };
        self.at += 1;
        if self.ended {
            self.out.operands.push(Operand { word: word.clone() });
            return;
        }
        match word.literal() {
            Some("--") => {
                self.out.dashes = true;
                self.ended = true;
            }
            Some(t) if t.len() > 1 && t.starts_with('-') => self.literal(word, t),
            Some(t) if t.starts_with('+') && lookup(self.lists, t).is_some() => self.push(t, None, lookup(self.lists, t)),
            Some(_) => self.operand(word),
            None => self.dynamic(word),
        }
    }

    fn operand(&mut self, word: &Word) {
        self.out.operands.push(Operand { word: word.clone() });
        self.ended |= self.style.first;
    }

    fn push(&mut self, name: &str, value: Option<Word>, found: Option<(Entry, bool)>) {
        let (role, listed, vouched) = found.map_or(("", false, false), |(e, v)| (e.role, true, v));
        if value.as_ref().is_some_and(injects) {
            self.out.maybe_options = true;
        }
        self.out.opts.push(Opt { name: name.to_owned(), value, role, listed, vouched });
    }

    /// The next word, as the value of an option.
    fn take(&mut self) -> Option<Word> {
        let word = self.words.get(self.at).cloned()?;
        self.at += 1;
        // A word that may vanish or multiply shifts what follows.
        if word.may_split() && (injects(&word) || word.may_be_option()) {
            self.out.maybe_options = true;
        }
        Some(word)
    }

    fn literal(&mut self, word: &Word, text: &str) {
        if text.starts_with("--") || !self.style.clusters {
            return self.long(word, text);
        }
        if text.get(1..).is_some_and(|d| d.bytes().all(|b| b.is_ascii_digit()))
            && let Some(found) = lookup(self.lists, "-#")
        {
            return self.push("-#", None, Some(found));
        }
        // A one-dash word that a list spells out is that option.
        if text.len() > 2 {
            let name = text.split_once('=').map_or(text, |(n, _)| n);
            if name.len() > 2 && lookup(self.lists, name).is_some_and(|(e, _)| e.name == name || e.name.ends_with('*')) {
                return self.long(word, text);
            }
        }
        self.cluster(word, text);
    }

    /// `--name`, `--name=value`, and `-name` where long options have one dash.
    fn long(&mut self, word: &Word, text: &str) {
        if let Some(found) = lookup(self.lists, text)
            && found.0.name.ends_with('*')
        {
            return self.push(text, None, Some(found));
        }
        if let Some((name, value)) = text.split_once('=') {
            let found = lookup(self.lists, name);
            // A flag with a value is not the option that the list means.
            let fits = found.filter(|(e, _)| e.arity != Arity::Flag);
            let mut value = Word::text(value);
            value.raw.clone_from(&word.raw);
            return self.push(name, Some(value), fits);
        }
        match lookup(self.lists, text) {
            Some(found) if found.0.arity == Arity::Value => {
                let value = self.take();
                self.push(text, value, Some(found));
            }
            Some(found) => self.push(text, None, Some(found)),
            None => {
                let digits = text.get(1..).is_some_and(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()));
                match lookup(self.lists, "-#").filter(|_| digits) {
                    Some(found) => self.push("-#", None, Some(found)),
                    None => self.push(text, None, None),
                }
            }
        }
    }

    /// `-abc`, the last with its value.
    fn cluster(&mut self, word: &Word, text: &str) {
        let mut offset = 1;
        while let Some(letter) = text.get(offset..).and_then(|r| r.chars().next()) {
            offset += letter.len_utf8();
            let name = format!("-{letter}");
            let rest = text.get(offset..).unwrap_or("");
            match lookup(self.lists, &name) {
                Some(found) if found.0.arity == Arity::Flag => self.push(&name, None, Some(found)),
                Some(found) => {
                    let whole = word.literal().is_some();
                    let value = if rest.is_empty() && whole {
                        if found.0.arity == Arity::Value { self.take() } else { None }
                    } else {
                        word.without_prefix(offset)
                    };
                    if found.0.arity == Arity::Optional {
                        // What a list for another subcommand takes for a value may be more options here.
                        self.out.loose.push_str(rest);
                    }
                    return self.push(&name, value, Some(found));
                }
                None => {
                    self.push(&name, None, None);
                    self.out.loose.push_str(rest);
                    if !rest.is_empty() {
                        self.out.opts.push(Opt { name: format!("-{rest}"), value: None, role: "", listed: false, vouched: false });
                    }
                    return;
                }
            }
        }
        if word.literal().is_none() {
            self.out.maybe_options = true;
        }
    }

    /// A word with a pattern or an unknown part.
    fn dynamic(&mut self, word: &Word) {
        let prefix = word.prefix();
        let option = word.may_be_option();
        if !option {
            self.out.maybe_options |= injects(word);
            return self.operand(word);
        }
        if prefix.len() < 2 {
            self.out.maybe_options = true;
            return self.operand(word);
        }
        if let Some((name, _)) = prefix.split_once('=')
            && (name.starts_with("--") || !self.style.clusters || name.len() > 2 && lookup(self.lists, name).is_some())
        {
            let found = lookup(self.lists, name).filter(|(e, _)| e.arity != Arity::Flag);
            let value = word.without_prefix(name.len() + 1);
            let name = name.to_owned();
            return self.push(&name, value, found);
        }
        if prefix.starts_with("--") || !self.style.clusters {
            self.out.maybe_options = true;
            return self.operand(word);
        }
        let text = prefix.to_owned();
        self.cluster(word, &text);
    }
}
