//! Small questions about the words of a unit, asked by danger rules and hard-deny alike.

use gate_core::{Case, Piece, Unit, Word, path};

use crate::analysis::cwd_of;

/// The base name of the program, lower case on request of the caller; empty when it is not known.
pub(crate) fn program(words: &[Word]) -> &str {
    words.first().and_then(Word::literal).map_or("", path::name)
}

/// Literal options before `--`.
pub(crate) fn options(words: &[Word]) -> impl Iterator<Item = &str> {
    words
        .iter()
        .skip(1)
        .map_while(|w| if w.literal() == Some("--") { None } else { Some(w) })
        .filter_map(Word::literal)
        .filter(|t| t.len() > 1 && t.starts_with('-'))
}

/// Words that are no options (everything after `--`).
pub(crate) fn operands(words: &[Word]) -> Vec<&Word> {
    let mut out = Vec::new();
    let mut ended = false;
    for w in words.iter().skip(1) {
        match w.literal() {
            Some("--") if !ended => ended = true,
            Some(t) if !ended && t.len() > 1 && t.starts_with('-') => {}
            _ => out.push(w),
        }
    }
    out
}

/// Is one of the letters in a short cluster, or the long option (or a beginning of it) there?
pub(crate) fn has(words: &[Word], letters: &str, long: &[&str]) -> bool {
    options(words).any(|o| match o.strip_prefix("--") {
        Some(name) => {
            let name = name.split('=').next().unwrap_or(name);
            name.len() > 1 && long.iter().any(|l| l.starts_with(name))
        }
        None => o.chars().skip(1).all(|c| c.is_ascii_alphabetic()) && o.chars().skip(1).any(|c| letters.contains(c)),
    })
}

/// Where an operand leads, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// This absolute path.
    At(String),
    /// Everything in this absolute folder (`DIR/*`).
    Inside(String),
    /// Not known.
    Unknown,
}

/// The target of a word in a unit.
pub(crate) fn target(case: &Case<'_>, unit: &Unit, word: &Word) -> Target {
    let cwd = cwd_of(case, unit);
    let text = match word.pieces.as_slice() {
        [] => String::new(),
        [Piece::Text(t)] => t.clone(),
        [Piece::Text(t), Piece::Glob(g)] if (g == "*" || g == "**") && (t.is_empty() || t.ends_with('/')) => {
            return inside(cwd.as_deref(), t);
        }
        [Piece::Glob(g)] if g == "*" => return inside(cwd.as_deref(), ""),
        [Piece::Text(t), ..] if t.contains('/') => {
            // A pattern inside a known folder stays there.
            let folder = t.rsplit_once('/').map_or("", |(d, _)| d);
            let globs = word.pieces.iter().skip(1).all(|p| matches!(p, Piece::Glob(_)) || matches!(p, Piece::Text(t) if !t.contains("..")));
            if !globs {
                return Target::Unknown;
            }
            return at(cwd.as_deref(), &format!("{folder}/\u{1}"));
        }
        pieces
            if pieces
                .iter()
                .all(|p| matches!(p, Piece::Glob(_)) || matches!(p, Piece::Text(t) if !t.contains("..") && !t.starts_with('/'))) =>
        {
            return at(cwd.as_deref(), "\u{1}");
        }
        _ => return Target::Unknown,
    };
    // Quoted text may still name the home by its variable in texts that no shell decoded.
    let home = &case.call.home;
    let text = ["~", "$HOME", "${HOME}"]
        .iter()
        .find_map(|h| text.strip_prefix(h).filter(|r| r.is_empty() || r.starts_with('/')).map(|r| format!("{home}{r}")))
        .filter(|_| word.raw.starts_with(['~', '$']))
        .unwrap_or(text);
    if let Some(folder) = text.strip_suffix("/*")
        && word.raw == text
    {
        return inside(cwd.as_deref(), &format!("{folder}/"));
    }
    at(cwd.as_deref(), &text)
}

fn at(cwd: Option<&str>, text: &str) -> Target {
    match cwd {
        _ if text.starts_with('/') => Target::At(path::resolve("/", text)),
        Some(cwd) => Target::At(path::resolve(cwd, text)),
        None => Target::Unknown,
    }
}

fn inside(cwd: Option<&str>, text: &str) -> Target {
    match at(cwd, if text.is_empty() { "." } else { text }) {
        Target::At(p) => Target::Inside(p),
        t => t,
    }
}

/// The git subcommand and the words after it.
pub(crate) fn git(words: &[Word]) -> Option<(&str, &[Word])> {
    if program(words) != "git" {
        return None;
    }
    let mut i = 1;
    while let Some(t) = words.get(i).and_then(Word::literal) {
        match t {
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--config-env" | "--super-prefix" => i += 2,
            _ if t.starts_with('-') => i += 1,
            _ => return Some((t, words.get(i..).unwrap_or_default())),
        }
    }
    None
}
