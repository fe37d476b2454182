//! Wildcard matching in linear time: `*` is any run of characters, `?` exactly one where the notation has it.
//! Owns matching of texts; what a pattern stands for is decided in the other files of this folder.

use std::collections::HashMap;

/// One position of a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tok {
    /// That character.
    Char(char),
    /// Any one character.
    One,
    /// Any run, of any length.
    Many,
    /// Any run within a path segment.
    Within,
}

/// A compiled wildcard pattern.
#[derive(Clone, Debug)]
pub(crate) struct Wild {
    parts: Vec<Part>,
    open_start: bool,
    open_end: bool,
    fold: bool,
}

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    /// With `None` for `?`.
    Holes(Vec<Option<char>>),
}

/// Cells that an overlap test may fill before it says yes.
const OVERLAP_CELLS: usize = 1 << 25;

/// How many UTF-16 units a text has, counted no further than one past `limit`.
pub(crate) fn utf16(text: &str, limit: usize) -> usize {
    if text.len() <= limit { text.len().min(limit) } else { text.encode_utf16().take(limit.saturating_add(1)).count() }
}

impl Wild {
    /// Compiles a pattern. `question`: `?` is a wildcard too. `fold`: case does not count.
    pub(crate) fn new(pattern: &str, question: bool, fold: bool) -> Self {
        let pattern = if fold { pattern.to_lowercase() } else { pattern.to_owned() };
        let parts = pattern.split('*').filter(|p| !p.is_empty()).map(|p| part(p, question)).collect();
        Self { parts, open_start: pattern.starts_with('*'), open_end: pattern.ends_with('*'), fold }
    }

    /// Does the whole text match?
    pub(crate) fn matches(&self, text: &str) -> bool {
        let folded;
        let text = if self.fold && text.chars().any(|c| c.is_uppercase()) {
            folded = text.to_lowercase();
            &folded
        } else {
            text
        };
        let mut parts = self.parts.as_slice();
        let mut rest = text;
        if parts.is_empty() {
            return self.open_start || rest.is_empty();
        }
        if !self.open_start {
            let Some((first, more)) = parts.split_first() else { return false };
            let Some(after) = first.at_start(rest) else { return false };
            rest = after;
            parts = more;
        }
        if !self.open_end {
            match parts.split_last() {
                None => return rest.is_empty(),
                Some((last, before)) => {
                    let Some(ahead) = last.at_end(rest) else { return false };
                    rest = ahead;
                    parts = before;
                }
            }
        }
        for p in parts {
            let Some(after) = p.find(rest) else { return false };
            rest = after;
        }
        true
    }
}

fn part(text: &str, question: bool) -> Part {
    if question && text.contains('?') {
        Part::Holes(text.chars().map(|c| (c != '?').then_some(c)).collect())
    } else {
        Part::Text(text.to_owned())
    }
}

impl Part {
    fn at_start<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Text(p) => text.strip_prefix(p.as_str()),
            Self::Holes(h) => {
                let mut chars = text.chars();
                h.iter().all(|want| chars.next().is_some_and(|c| want.is_none_or(|w| w == c))).then_some(chars.as_str())
            }
        }
    }

    fn at_end<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Text(p) => text.strip_suffix(p.as_str()),
            Self::Holes(h) => {
                let mut chars = text.chars();
                h.iter().rev().all(|want| chars.next_back().is_some_and(|c| want.is_none_or(|w| w == c))).then_some(chars.as_str())
            }
        }
    }

    /// The text after the first occurrence.
    fn find<'t>(&self, text: &'t str) -> Option<&'t str> {
        match self {
            Self::Text(p) => text.find(p.as_str()).and_then(|i| text.get(i + p.len()..)),
            Self::Holes(h) => find_holes(h, text),
        }
    }
}

/// Shift-and over blocks of 64 positions: time is text length times pattern length / 64.
fn find_holes<'t>(holes: &[Option<char>], text: &'t str) -> Option<&'t str> {
    let blocks = holes.len().div_ceil(64);
    let mut any = vec![0_u64; blocks];
    let mut masks: HashMap<char, Vec<u64>> = HashMap::new();
    for (i, want) in holes.iter().enumerate() {
        let bit = 1_u64 << (i % 64);
        match want {
            None => set(&mut any, i / 64, bit),
            Some(c) => set(masks.entry(*c).or_insert_with(|| vec![0; blocks]), i / 64, bit),
        }
    }
    let mut state = vec![0_u64; blocks];
    let last = 1_u64 << ((holes.len() - 1) % 64);
    for (at, c) in text.char_indices() {
        let mask = masks.get(&c);
        let mut carry = 1;
        for (i, block) in state.iter_mut().enumerate() {
            let out = *block >> 63;
            let allowed = any.get(i).copied().unwrap_or(0) | mask.and_then(|m| m.get(i)).copied().unwrap_or(0);
            *block = (*block << 1 | carry) & allowed;
            carry = out;
        }
        if state.last().is_some_and(|b| b & last != 0) {
            return text.get(at + c.len_utf8()..);
        }
    }
    None
}

fn set(bits: &mut [u64], block: usize, bit: u64) {
    if let Some(b) = bits.get_mut(block) {
        *b |= bit;
    }
}

/// The positions of a pattern in the notation of [`Wild`].
pub(crate) fn tokens(pattern: &str, question: bool) -> Vec<Tok> {
    let mut out = Vec::with_capacity(pattern.len());
    for c in pattern.chars() {
        match c {
            '*' if out.last() == Some(&Tok::Many) => {}
            '*' => out.push(Tok::Many),
            '?' if question => out.push(Tok::One),
            c => out.push(Tok::Char(c)),
        }
    }
    out
}

/// Is there a text that both match? Says yes where that would take too long.
pub(crate) fn overlap(a: &[Tok], b: &[Tok]) -> bool {
    if a.len().saturating_mul(b.len()) > OVERLAP_CELLS {
        return true;
    }
    let run = |t: &Tok| matches!(t, Tok::Many | Tok::Within);
    let mut row = vec![false; b.len() + 1];
    // reach[j]: the rest of `a` from here and `b` from j share a text. Filled from the end.
    for i in (0..=a.len()).rev() {
        let mut next = vec![false; b.len() + 1];
        for j in (0..=b.len()).rev() {
            let (ai, bj) = (a.get(i), b.get(j));
            let down = row.get(j).copied().unwrap_or(false);
            let right = next.get(j + 1).copied().unwrap_or(false);
            let both = row.get(j + 1).copied().unwrap_or(false);
            let value = match (ai, bj) {
                (None, None) => true,
                (Some(x), None) => run(x) && down,
                (None, Some(y)) => run(y) && right,
                (Some(x), Some(y)) if run(x) && run(y) => down || right,
                (Some(x), Some(y)) if run(x) => down || right && admits(*x, *y),
                (Some(x), Some(y)) if run(y) => right || down && admits(*y, *x),
                (Some(x), Some(y)) => both && (admits(*x, *y) || admits(*y, *x)),
            };
            if let Some(cell) = next.get_mut(j) {
                *cell = value;
            }
        }
        row = next;
    }
    row.first().copied().unwrap_or(false)
}

/// May a wildcard stand for that one position?
fn admits(wild: Tok, other: Tok) -> bool {
    match wild {
        Tok::Char(c) => other == Tok::Char(c) || other == Tok::One,
        Tok::One | Tok::Many => true,
        Tok::Within => other != Tok::Char('/'),
    }
}
