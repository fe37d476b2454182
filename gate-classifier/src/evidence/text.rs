//! Cutting, counting and quoting of untrusted text.

use serde_json::Value;

/// Tokens of a text, approximately: a quarter of its UTF-16 units, rounded up.
#[must_use]
pub fn approx_tokens(text: &str) -> usize {
    utf16(text).div_ceil(4)
}

fn utf16(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The longest prefix with at most that many UTF-16 units.
fn head(text: &str, units: usize) -> &str {
    let mut left = units;
    let end = text.char_indices().find(|(_, c)| left.checked_sub(c.len_utf16()).map(|l| left = l).is_none()).map_or(text.len(), |(i, _)| i);
    text.get(..end).unwrap_or(text)
}

/// The longest suffix with at most that many UTF-16 units.
fn tail(text: &str, units: usize) -> &str {
    let mut left = units;
    let start = text
        .char_indices()
        .rev()
        .find(|(_, c)| left.checked_sub(c.len_utf16()).map(|l| left = l).is_none())
        .map_or(0, |(i, c)| i + c.len_utf8());
    text.get(start..).unwrap_or("")
}

fn cut_middle(text: &str, marker: &str, max: usize) -> String {
    let Some(room) = max.checked_sub(utf16(marker)) else { return head(marker, max).to_owned() };
    let front = room * 65 / 100;
    format!("{}{marker}{}", head(text, front), tail(text, room - front))
}

/// A text of at most `tokens` approximate tokens: the middle goes, and a marker says how much is over. When not even
/// the marker fits, the beginning of the marker.
#[must_use]
pub fn truncate_tokens(text: &str, tokens: usize) -> String {
    let have = approx_tokens(text);
    if have <= tokens {
        return text.to_owned();
    }
    let over = have.saturating_sub(tokens).max(1);
    cut_middle(text, &format!("<truncated approx_tokens=\"{over}\" />"), tokens.saturating_mul(4))
}

/// A text of at most `max` UTF-16 units: the middle goes.
#[must_use]
pub fn truncate_middle(text: &str, max: usize) -> String {
    if utf16(text) <= max { text.to_owned() } else { cut_middle(text, "\n[…]\n", max) }
}

/// Untrusted text that cannot forge a mark: every `<` is written `&lt;`, control characters besides tab and newline
/// become blanks.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '\n' | '\t' => out.push(c),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// Deepest nesting that is shown of a value.
const DEPTH: usize = 32;
/// Most items that are shown of one array or object.
const ITEMS: usize = 30;

/// A value as indented JSON of at most `max` UTF-16 units: long strings and lists are cut first.
#[must_use]
pub fn safe_json(value: &Value, max: usize) -> String {
    let shown = shorten(value, (max / 4).max(200), DEPTH);
    let text = serde_json::to_string_pretty(&shown).unwrap_or_default();
    head(&text, max).to_owned()
}

/// Recursion is bounded by [`DEPTH`], not by the input.
fn shorten(value: &Value, string: usize, depth: usize) -> Value {
    match value {
        Value::String(s) => Value::String(head(s, string).to_owned()),
        Value::Array(_) | Value::Object(_) if depth == 0 => Value::String("[too deep]".to_owned()),
        Value::Array(a) => Value::Array(a.iter().take(ITEMS).map(|v| shorten(v, string, depth - 1)).collect()),
        Value::Object(o) => {
            Value::Object(o.iter().take(ITEMS).map(|(k, v)| (head(k, string).to_owned(), shorten(v, string, depth - 1))).collect())
        }
        other => other.clone(),
    }
}
