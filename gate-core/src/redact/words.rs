//! Values that stand behind something telling: `NAME=…`, `"name": …`, `--name …`, `Bearer …`, `mysql -p…`.

use std::ops::Range;

use super::tables::{ABOUT, Form, HEADERS, SCHEMES, SHORTS, secret_name};

const fn quote(b: u8) -> bool {
    matches!(b, b'"' | b'\'' | b'`')
}

const fn ends_command(b: u8) -> bool {
    matches!(b, b';' | b'&' | b'|' | b'\n')
}

/// What divides words, in shells and in JSON alike.
const fn divides(b: u8) -> bool {
    b.is_ascii_whitespace() || quote(b) || ends_command(b) || matches!(b, b'(' | b')' | b'<' | b'>' | b',' | b'{' | b'}')
}

/// One word and what was before it.
struct At<'a> {
    text: &'a str,
    start: usize,
    word: &'a str,
    /// The words of the same command so far.
    earlier: Vec<&'a str>,
}

pub(super) fn scan(text: &str, spans: &mut Vec<Range<usize>>) {
    let bytes = text.as_bytes();
    let mut here = At { text, start: 0, word: "", earlier: Vec::new() };
    let (mut begin, mut done) = (None, 0);
    for at in 0..=bytes.len() {
        let byte = bytes.get(at).copied();
        match (begin, byte) {
            (None, Some(b)) if !divides(b) => begin = Some(at),
            (Some(start), b) if b.is_none_or(divides) => {
                begin = None;
                (here.start, here.word) = (start, text.get(start..at).unwrap_or_default().trim_end_matches('\\'));
                // What is hidden already is not looked into again.
                if start >= done {
                    let before = spans.len();
                    look(&here, spans);
                    done = spans.iter().skip(before).map(|s| s.end).fold(done, usize::max);
                }
                // Enough to know the program and its subcommand.
                if here.earlier.len() < 16 {
                    here.earlier.push(here.word)
                }
            }
            _ => {}
        }
        if byte.is_some_and(ends_command) {
            here.earlier.clear()
        }
    }
}

fn look(at: &At<'_>, spans: &mut Vec<Range<usize>>) {
    let end = at.start + at.word.len();
    let lower = at.word.to_ascii_lowercase();
    if lower == "bearer" {
        spans.extend(value(at.text, end));
        return;
    }
    if lower.strip_prefix("pass:").is_some_and(|v| !v.is_empty() && !v.starts_with('$')) {
        spans.push(at.start + "pass:".len()..end);
        return;
    }
    if short_option(at, spans) {
        return;
    }
    if let Some((name, held)) = at.word.split_once('=') {
        assigned(at, name, at.start + name.len() + 1, held, spans);
        return;
    }
    if let Some((name, held)) = at.word.split_once(':') {
        field(at, name, at.start + name.len() + 1, held, spans);
        return;
    }
    // `"name": value`, also with the quotes of a text inside a text.
    let rest = at.text.get(end..).unwrap_or_default();
    let behind = rest.trim_start_matches('\\');
    if let Some(colon) = behind.strip_prefix(['"', '\'']).map(str::trim_start).and_then(|r| r.strip_prefix(':')) {
        field(at, at.word, at.text.len() - colon.len(), "", spans);
        return;
    }
    // `name = value` of settings files.
    if let Some(held) = rest.trim_start_matches([' ', '\t']).strip_prefix('=').filter(|_| telling(at.word)) {
        assigned(at, at.word, at.text.len() - held.len(), "", spans);
        return;
    }
    let option = at.word.starts_with('-') && telling(at.word) && !at.word.trim_start_matches('-').eq_ignore_ascii_case("private");
    let set = at.earlier.last().is_some_and(|w| *w == "set") && telling(at.word);
    if option || set {
        spans.extend(value(at.text, end).filter(|v| !starts(at.text, v, "-")));
    }
}

/// `NAME=value`, also as an option and in the query of a URL.
fn assigned(at: &At<'_>, name: &str, from: usize, held: &str, spans: &mut Vec<Range<usize>>) {
    if HEADERS.contains(&plain(name).as_str()) {
        spans.extend(whole_field(at.text, from));
        return;
    }
    // A blank behind `=` ends the value in shells, and not in files of settings.
    if telling(name) && !(held.is_empty() && at.text.as_bytes().get(from).is_some_and(|b| *b == b'\n')) && !counts(name, held) {
        spans.extend(value(at.text, from));
    }
}

/// `name: value`, as in headers, YAML and JSON.
fn field(at: &At<'_>, name: &str, from: usize, held: &str, spans: &mut Vec<Range<usize>>) {
    if held.starts_with("//") {
        return;
    }
    if HEADERS.contains(&plain(name).as_str()) {
        spans.extend(whole_field(at.text, from));
        return;
    }
    if !telling(name) {
        return;
    }
    let Some(span) = value(at.text, from) else { return };
    let text = at.text.get(span.clone()).unwrap_or_default();
    // In the middle of a sentence a colon is just a colon.
    let before = at.text.get(..at.start).unwrap_or_default().trim_end_matches([' ', '\t', '-']);
    let named = before.is_empty() || before.bytes().last().is_some_and(|b| quote(b) || matches!(b, b'\n' | b'{' | b','));
    let random = text.len() >= 8 && text.bytes().any(|b| b.is_ascii_digit()) && text.bytes().any(|b| b.is_ascii_alphabetic());
    if (named || random && !text.contains('/')) && !counts(name, text) {
        spans.push(span);
    }
}

/// Short options of programs that are known to take a secret.
fn short_option(at: &At<'_>, spans: &mut Vec<Range<usize>>) -> bool {
    if !at.word.starts_with('-') {
        return false;
    }
    let runs = |name: &str| at.earlier.iter().any(|w| w.rsplit('/').next() == Some(name));
    let Some(s) = SHORTS.iter().find(|s| {
        at.word.starts_with(s.option) && s.programs.iter().any(|p| runs(p)) && s.only.is_none_or(|sub| at.earlier.contains(&sub))
    }) else {
        return false;
    };
    let end = at.start + at.word.len();
    let glued = at.word.strip_prefix(s.option).unwrap_or_default();
    let span = match (glued.strip_prefix('=').unwrap_or(glued), s.form) {
        // `-p"secret"`
        ("", Form::Glued) => value(at.text, end).filter(|v| v.start == end + 1 && at.text.as_bytes().get(end).is_some_and(|b| quote(*b))),
        ("", Form::Either) => value(at.text, end),
        // A longer word that only begins like a long option.
        (_, _) if s.option.starts_with("--") && !glued.starts_with('=') => None,
        (held, _) => value(at.text, end - held.len()),
    };
    let Some(mut span) = span else { return false };
    if let Some(divider) = s.after {
        let Some(n) = at.text.get(span.clone()).and_then(|v| v.find(divider)) else { return false };
        span.start += n + divider.len_utf8();
    }
    if span.is_empty() || starts(at.text, &span, "$") {
        return false;
    }
    spans.push(span);
    true
}

fn starts(text: &str, span: &Range<usize>, with: &str) -> bool {
    text.get(span.clone()).is_some_and(|v| v.starts_with(with))
}

/// Upper case, `_` for every divider, without leading dashes: the last name in the word.
fn plain(name: &str) -> String {
    let tail = name.rsplit(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))).next().unwrap_or(name);
    tail.trim_start_matches(['-', '.']).to_ascii_uppercase().replace(['-', '.'], "_")
}

fn telling(name: &str) -> bool {
    let n = plain(name);
    secret_name(&n) && !ABOUT.iter().any(|e| n.ends_with(e))
}

/// `maxTokens: 4000` is a number of something.
fn counts(name: &str, held: &str) -> bool {
    plain(name).ends_with('S') && !held.is_empty() && held.bytes().all(|b| b.is_ascii_digit())
}

/// The value that begins at or behind a place on the same line: what stands in quotes, else up to the next blank.
fn value(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = text.get(from..)?;
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    let escaped = rest.get(blank..)?;
    let slashes = escaped.len() - escaped.trim_start_matches('\\').len();
    let first = escaped.as_bytes().get(slashes).copied();
    let (start, end) = match first.filter(|b| quote(*b)) {
        Some(q) => {
            let start = from + blank + slashes + 1;
            let body = text.get(start..)?;
            // An escaped quote is part of the value, unless the value began with one.
            let mut before = 0;
            let closing = body.bytes().position(|b| {
                let ends = b == q && (slashes > 0 || before != b'\\');
                before = b;
                ends
            });
            let end = start + closing.unwrap_or(body.len());
            (start, end - usize::from(slashes > 0 && text.get(..end).is_some_and(|t| t.ends_with('\\'))))
        }
        None => {
            let start = from + blank;
            let body = text.get(start..)?;
            let length = body
                .bytes()
                .position(|b| b.is_ascii_whitespace() || quote(b) || ends_command(b) || matches!(b, b')' | b'<' | b'>' | b',' | b'}'));
            (start, start + length.unwrap_or(body.len()))
        }
    };
    let held = text.get(start..end)?;
    (!held.is_empty() && !held.starts_with('$') && !is_path(held)).then_some(start..end)
}

/// A file's place says where a secret is, not what it is.
fn is_path(held: &str) -> bool {
    const TOPS: &[&str] = &["/home/", "/etc/", "/tmp/", "/usr/", "/var/", "/root/", "/Users/", "/opt/", "/run/", "/dev/", "/mnt/", "/srv/"];
    ["~/", "./", "../"].iter().chain(TOPS).any(|h| held.starts_with(h))
}

/// The value of a header field: up to the end of the quotes or the line, the scheme's name kept.
fn whole_field(text: &str, from: usize) -> Option<Range<usize>> {
    let rest = text.get(from..)?;
    let end = rest.bytes().enumerate().position(|(n, b)| {
        b == b'\n'
            || n > 0 && quote(b) && rest.get(..n).is_some_and(|r| r.bytes().any(|b| !b.is_ascii_whitespace() && !quote(b) && b != b'\\'))
    });
    let end = from + end.unwrap_or(rest.len());
    let end = end - usize::from(text.get(from..end).is_some_and(|t| t.ends_with('\\')));
    let skip = |at: usize| {
        let r = text.get(at..end).unwrap_or_default();
        at + (r.len() - r.trim_start_matches([' ', '\t', '"', '\'', '\\']).len())
    };
    let mut start = skip(from);
    let word = text.get(start..end)?.split(' ').next().unwrap_or_default();
    if SCHEMES.iter().any(|s| s.eq_ignore_ascii_case(word)) {
        start = skip(start + word.len());
    }
    let held = text.get(start..end)?;
    (!held.is_empty() && !held.starts_with('$')).then_some(start..end)
}
