//! Finds the subcommand among options, and which lists of the family count for it.

use gate_core::Word;

use super::glob;
use super::model::{Family, Keyed, List};
use super::options::{Arity, lookup};

/// What stands in the words as subcommand.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    /// The words of it that a pattern matched, joined by a blank; `None`: no subcommand stands there.
    pub sub: Option<String>,
    /// Indices of those words.
    pub at: Vec<usize>,
    /// Effects of it; `None`: not listed (an `only` rule may know it).
    pub does: Option<u16>,
    /// Index of the first word that is no option before the subcommand.
    pub start: usize,
    /// A pattern of the family matched.
    pub matched: bool,
    /// A longer subcommand may stand there; its effects are counted.
    pub ambiguous: bool,
    /// Another subcommand might stand there.
    pub uncertain: Option<String>,
}

/// Does the pattern match these words, as many as it has?
fn matches_words(pattern: &str, words: &[(usize, &str)]) -> bool {
    let mut n = 0;
    for (p, w) in pattern.split(' ').zip(words.iter().map(Some).chain(std::iter::repeat(None))) {
        n += 1;
        match w {
            Some((_, w)) if glob::matches(p, w) => {}
            _ => return false,
        }
    }
    n > 0
}

/// Which of two matching patterns is the better one: word by word a literal beats a pattern; then the longer.
fn better(a: &str, b: &str) -> std::cmp::Ordering {
    for (x, y) in a.split(' ').zip(b.split(' ')) {
        let rank = |w: &str| (!glob::is_pattern(w), w.len());
        let o = rank(x).cmp(&rank(y));
        if o.is_ne() {
            return o;
        }
    }
    a.split(' ').count().cmp(&b.split(' ').count())
}

/// Does a subcommand pattern of a list match this subcommand?
pub(crate) fn pattern_is(pattern: &str, sub: &str) -> bool {
    if pattern == "*" {
        return true;
    }
    let n = sub.split(' ').count();
    pattern.split(' ').count() == n && pattern.split(' ').zip(sub.split(' ')).all(|(p, w)| glob::matches(p, w))
}

/// Does one of the patterns match? An empty list matches always.
pub(crate) fn any_is(patterns: List, sub: &str) -> bool {
    patterns.is_empty() || patterns.iter().any(|p| pattern_is(p, sub))
}

/// The lists of a table that count for a subcommand (empty text: the program itself).
pub(crate) fn keyed(table: &'static [Keyed], sub: &str) -> impl Iterator<Item = List> {
    let sub = sub.to_owned();
    table
        .iter()
        .filter(move |k| if sub.is_empty() { k.sub.is_empty() || k.sub == "*" } else { !k.sub.is_empty() && pattern_is(k.sub, &sub) })
        .map(|k| k.list)
}

/// The one list of a table that fits a subcommand best.
pub(crate) fn best(table: &'static [Keyed], sub: &str) -> Option<List> {
    let fits = |k: &&Keyed| if sub.is_empty() { k.sub.is_empty() } else { !k.sub.is_empty() && pattern_is(k.sub, sub) };
    let star = |k: &&Keyed| k.sub == "*";
    let exact = table.iter().filter(fits).filter(|k| !star(k)).max_by(|a, b| better(a.sub, b.sub));
    exact.or_else(|| table.iter().find(star)).map(|k| k.list)
}

/// All patterns of subcommands: those of [sub], and those that only a closed rule or a wrapper knows.
fn patterns(family: &'static Family) -> impl Iterator<Item = (&'static str, Option<u16>)> {
    let listed = family.subs.iter().flat_map(|s| s.patterns.iter().map(|p| (p, Some(s.does))));
    let closed = family.whens.iter().filter(|w| w.closed).flat_map(|w| w.sub.iter().map(|p| (p, None)));
    let wrapped = family.wrappers.iter().flat_map(|w| w.sub.iter().map(|p| (p, None)));
    listed.chain(closed).chain(wrapped)
}

/// Finds the subcommand. `args` are the words after the program's name.
pub(crate) fn find(family: &'static Family, args: &[Word]) -> Found {
    let longest = patterns(family).map(|(p, _)| p.bytes().filter(|b| *b == b' ').count() + 1).max().unwrap_or(0);
    let mut found = Found { start: args.len(), ..Found::default() };
    let mut words: Vec<(usize, &str)> = Vec::new();
    let mut i = 0;
    let mut stopped: Option<String> = None;
    // How many words stand together: patterns with `*` match no others, because a value may stand among the rest.
    let mut together: Option<usize> = None;
    while let Some(word) = args.get(i).filter(|_| words.len() < longest) {
        match word.literal() {
            Some("--") => break,
            // `dotnet --info`: some subcommands look like options.
            Some(t) if t.starts_with('-') && words.is_empty() && is_first(family, t) => {
                found.start = found.start.min(i);
                words.push((i, t));
                i += 1;
            }
            Some(t) if t.starts_with('+') && words.is_empty() && family.global.contains(t) => i += 1,
            Some(t) if t.len() > 1 && t.starts_with('-') => {
                let Some(width) = width(family, &words, t) else {
                    if words.is_empty() {
                        i += 1;
                        continue;
                    }
                    stopped = Some(format!("{t} is not listed and stands before a word that may belong to the subcommand"));
                    break;
                };
                let name = t.split_once('=').map_or(t, |(n, _)| n);
                if !words.is_empty() && lookup(&[(family.takes_value, true), (family.global, true)], name).is_none() {
                    together.get_or_insert(words.len());
                }
                i += width;
            }
            Some(t) => {
                found.start = found.start.min(i);
                words.push((i, t));
                i += 1;
            }
            None => {
                // A glued value behind a known option is no subcommand.
                if word.prefix().starts_with("--") && word.prefix().contains('=') {
                    i += 1;
                    continue;
                }
                found.start = found.start.min(i);
                stopped = Some(format!("{} may be a subcommand", word.shown()));
                break;
            }
        }
    }
    choose(family, &words, together.unwrap_or(words.len()), &mut found);
    if let Some(why) = stopped {
        doubt(family, &words, args.get(i..).unwrap_or(&[]), why, &mut found);
    }
    found
}

/// Further words may belong to the subcommand: what the longer ones do counts too.
fn doubt(family: &'static Family, words: &[(usize, &str)], rest: &[Word], why: String, found: &mut Found) {
    if words.is_empty() {
        found.uncertain = Some(why);
        return;
    }
    let could = |part: &str| {
        rest.iter()
            .any(|w| w.literal().map_or_else(|| glob::may_match(part, w.prefix()), |t| !t.starts_with('-') && glob::matches(part, t)))
    };
    for (pattern, does) in patterns(family) {
        let parts: Vec<&str> = pattern.split(' ').collect();
        let longer = parts.len() > words.len() && parts.iter().zip(words).all(|(p, (_, w))| glob::matches(p, w));
        if !longer || !parts.iter().skip(words.len()).all(|p| could(p)) {
            continue;
        }
        found.ambiguous = true;
        match (does, found.does) {
            (Some(more), Some(have)) => found.does = Some(more | have),
            _ => found.uncertain = Some(why.clone()),
        }
    }
}

/// Is the word, which looks like an option, spelt out as the first word of a subcommand?
fn is_first(family: &'static Family, text: &str) -> bool {
    patterns(family).any(|(p, _)| p.split(' ').next() == Some(text))
}

/// How many words an option takes; `None`: not known.
fn width(family: &'static Family, words: &[(usize, &str)], text: &str) -> Option<usize> {
    let mut lists: Vec<(List, bool)> = vec![(family.takes_value, true), (family.global, true)];
    for k in family.options {
        let first = k.sub.split(' ').next().unwrap_or("");
        // A pattern as first word says nothing of where another subcommand's options end.
        let counts = k.sub == "*"
            || words.first().is_some_and(|(_, w)| {
                !first.is_empty() && (first == *w || glob::is_pattern(first) && first != "*" && glob::matches(first, w))
            });
        if counts {
            lists.push((k.list, true));
        }
    }
    for w in family.whens.iter().filter(|w| w.closed) {
        let here = |p: &str| words.first().is_some_and(|(_, w)| glob::matches(p.split(' ').next().unwrap_or(""), w));
        if if words.is_empty() { w.sub.is_empty() } else { w.sub.iter().any(here) } {
            lists.push((w.only, false));
        }
    }
    let name = text.split_once('=').map_or(text, |(n, _)| n);
    if let Some((entry, _)) = lookup(&lists, name) {
        return Some(if entry.arity == Arity::Value && name.len() == text.len() { 2 } else { 1 });
    }
    if text.starts_with("--") || !family.clusters {
        return None;
    }
    // A cluster: the first letter with a value ends it.
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((_, c)) = letters.next() {
        let (entry, _) = lookup(&lists, &format!("-{c}"))?;
        match entry.arity {
            Arity::Flag => {}
            Arity::Value => return Some(if letters.peek().is_none() { 2 } else { 1 }),
            Arity::Optional => return Some(1),
        }
    }
    Some(1)
}

/// Is `a` at least as telling as `b` in every word, and as long?
fn covers(a: &str, b: &str) -> bool {
    let rank = |w: &str| (!glob::is_pattern(w), w.len());
    let (mut x, mut y) = (a.split(' '), b.split(' '));
    loop {
        match (x.next(), y.next()) {
            (_, None) => return true,
            (None, Some(_)) => return false,
            (Some(x), Some(y)) if rank(x) >= rank(y) => {}
            _ => return false,
        }
    }
}

/// The patterns that no better one covers decide together: `addr` and `* add` both count for `addr add`, so that
/// neither can hide what the other says.
fn choose(family: &'static Family, words: &[(usize, &str)], together: usize, found: &mut Found) {
    let all: Vec<(&str, Option<u16>)> =
        patterns(family).filter(|(p, _)| matches_words(p, words) && (!glob::is_pattern(p) || p.split(' ').count() <= together)).collect();
    let top: Vec<&(&str, Option<u16>)> =
        all.iter().filter(|(p, _)| !all.iter().any(|(o, _)| o != p && covers(o, p) && !covers(p, o))).collect();
    let Some((longest, _)) = top.iter().max_by(|a, b| a.0.split(' ').count().cmp(&b.0.split(' ').count()).then(better(a.0, b.0))) else {
        found.sub = words.first().map(|(_, w)| (*w).to_owned());
        found.at = words.first().map(|(i, _)| *i).into_iter().collect();
        return;
    };
    let n = longest.split(' ').count();
    found.matched = true;
    found.does = top.iter().filter_map(|(_, d)| *d).reduce(|a, b| a | b);
    found.at = words.iter().take(n).map(|(i, _)| *i).collect();
    found.sub = Some(words.iter().take(n).map(|(_, w)| *w).collect::<Vec<_>>().join(" "));
}
