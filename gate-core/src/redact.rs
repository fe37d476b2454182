//! Secrets in texts that are kept, shown or sent away: found by what stands before them and by how they begin. Text in,
//! text out, in linear time. A guess that errs on the side of hiding; what decides never looks at its result.

use std::borrow::Cow;
use std::ops::Range;

mod tables;

pub use tables::secret_name;

/// What stands in the place of a secret.
pub const MARK: &str = "[secret]";

/// Longest part of a URL in bytes that is looked at.
const URL: usize = 1_024;

/// The text with every secret that is easy to know replaced by [`MARK`]: values behind telling names and options,
/// `Bearer` and `Authorization`, tokens with telling beginnings, credentials in URLs, private keys. A reference to a
/// variable is no secret and stays.
#[must_use]
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut spans = Vec::new();
    private_keys(text, &mut spans);
    urls(text, &mut spans);
    tokens(text, &mut spans);
    words::scan(text, &mut spans);
    if spans.is_empty() {
        return Cow::Borrowed(text);
    }
    spans.sort_by_key(|s| s.start);
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for span in spans {
        if span.start >= at {
            out.push_str(text.get(at..span.start).unwrap_or_default());
            out.push_str(MARK);
        }
        at = at.max(span.end);
    }
    out.push_str(text.get(at..).unwrap_or_default());
    Cow::Owned(out)
}

/// `-----BEGIN … PRIVATE KEY…-----` up to its end; without an end, all that follows.
fn private_keys(text: &str, spans: &mut Vec<Range<usize>>) {
    let mut from = 0;
    while let Some(begin) = find(text, "-----BEGIN ", from) {
        let head = begin + "-----BEGIN ".len();
        let Some(head_end) = find(text, "-----", head) else { return };
        let body = head_end + "-----".len();
        from = body;
        if !text.get(head..head_end).is_some_and(|label| label.contains("PRIVATE KEY")) {
            continue;
        }
        let end = find(text, "-----END ", body).unwrap_or(text.len());
        spans.push(body..end);
        from = end;
    }
}

fn find(text: &str, what: &str, from: usize) -> Option<usize> {
    text.get(from..)?.find(what).map(|at| at + from)
}

/// `scheme://user:password@host`, and `scheme://token@host`.
fn urls(text: &str, spans: &mut Vec<Range<usize>>) {
    let mut from = 0;
    while let Some(at) = find(text, "://", from) {
        let start = at + 3;
        from = start;
        let rest = text.get(start..).unwrap_or_default();
        let ends = |b: u8| b.is_ascii_whitespace() || matches!(b, b'"' | b'\'' | b'<' | b'>' | b'`');
        let length = rest.bytes().take(URL).position(ends).unwrap_or(rest.len().min(URL));
        // Past the bound, and within a character there: no credentials are that long.
        let word = rest.get(..length).unwrap_or_default();
        let authority = word.split(['/', '?', '#']).next().unwrap_or_default();
        // A password may hold a slash that nobody has encoded; what stands behind a port is no password.
        let port = authority.rsplit_once(':').is_some_and(|(_, p)| p.bytes().all(|b| b.is_ascii_digit()));
        let user_info = match authority.rsplit_once('@') {
            Some((user_info, _)) => user_info,
            None if authority.contains(':') && !port => word.rsplit_once('@').map_or("", |(user_info, _)| user_info),
            None => "",
        };
        let secret = match user_info.split_once(':') {
            Some((_, password)) => !password.is_empty() && !password.starts_with('$'),
            None => user_info.len() >= 20 && !user_info.starts_with('$'),
        };
        if secret {
            spans.push(start..start + user_info.len());
            from = start + user_info.len();
        }
    }
}

/// Words that begin like the tokens of a known service.
fn tokens(text: &str, spans: &mut Vec<Range<usize>>) {
    let part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'=' | b'/' | b'+');
    let mut before = None;
    let mut skip = 0;
    for (at, byte) in text.bytes().enumerate() {
        let boundary = before.is_none_or(|b: u8| !b.is_ascii_alphanumeric());
        before = Some(byte);
        if at < skip || !boundary || !byte.is_ascii_alphabetic() {
            continue;
        }
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let Some((head, least)) = tables::HEADS.iter().find(|(head, _)| rest.starts_with(head.as_bytes())) else { continue };
        let body: Vec<u8> = rest.iter().skip(head.len()).take_while(|b| part(**b)).copied().collect();
        let core = body.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')).count();
        // Names of packages and branches begin like that too; random text holds digits, or is long.
        let random = body.iter().any(u8::is_ascii_digit) || core >= 24;
        if core >= *least && random {
            skip = at + head.len() + body.len();
            spans.push(at..skip);
        }
    }
}

mod words;

#[cfg(test)]
mod tests;
