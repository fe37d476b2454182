//! JSON with comments, with the place of every value: bounded in size and depth, duplicate keys refused.
//!
//! Comments and trailing commas are allowed; everything else is plain JSON (the library's laxer forms are off, so that
//! a file means the same to every other reader).

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions};

/// Largest settings file in bytes.
pub const FILE_BYTES: usize = 1024 * 1024;
/// Deepest nesting of objects and arrays.
pub const FILE_DEPTH: usize = 64;

/// Why a text is no settings object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Byte offset.
    pub at: usize,
    pub message: String,
    pub hint: Option<String>,
}

impl Fault {
    fn new(at: usize, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), hint: None }
    }
}

/// What the files may contain besides plain JSON.
pub(crate) const fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_loose_object_property_names: false,
        allow_trailing_commas: true,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The value of a text.
pub(crate) fn parse(text: &str) -> Result<Value<'_>, Fault> {
    if text.len() > FILE_BYTES {
        return Err(Fault::new(0, format!("larger than {FILE_BYTES} bytes")));
    }
    if let Some(at) = too_deep(text) {
        return Err(Fault::new(at, format!("nested deeper than {FILE_DEPTH} levels")));
    }
    let parsed = jsonc_parser::parse_to_ast(text, &CollectOptions::default(), &options())
        .map_err(|e| Fault::new(e.range().start, format!("invalid JSON: {}", e.kind())))?;
    let value = parsed.value.ok_or_else(|| Fault {
        at: 0,
        message: "the file is empty".to_owned(),
        hint: Some("write {} or remove the file".to_owned()),
    })?;
    match duplicate(&value) {
        Some((at, name)) => Err(Fault {
            at,
            message: format!("the key \"{}\" stands twice in one object", shown(&name)),
            hint: Some("readers disagree on which one counts: keep one".to_owned()),
        }),
        None => Ok(value),
    }
}

/// The offset of the first bracket past the depth, found without recursion and before anything recurses.
fn too_deep(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let (mut depth, mut i) = (0usize, 0usize);
    while let Some(b) = bytes.get(i) {
        match (b, bytes.get(i + 1)) {
            (b'"', _) => i = end_of_string(bytes, i + 1),
            (b'/', Some(b'/')) => i += bytes.get(i..)?.iter().position(|b| *b == b'\n')?,
            (b'/', Some(b'*')) => i += 3 + bytes.get(i + 2..)?.windows(2).position(|w| w == b"*/")?,
            (b'{' | b'[', _) => {
                depth += 1;
                if depth > FILE_DEPTH {
                    return Some(i);
                }
            }
            (b'}' | b']', _) => depth = depth.saturating_sub(1),
            _ => {}
        }
        i += 1;
    }
    None
}

fn end_of_string(bytes: &[u8], mut i: usize) -> usize {
    while let Some(b) = bytes.get(i) {
        match b {
            b'"' => return i,
            b'\\' => i += 2,
            _ => i += 1,
        }
    }
    i
}

fn duplicate(root: &Value<'_>) -> Option<(usize, String)> {
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(o) => {
                let mut seen = std::collections::HashSet::with_capacity(o.properties.len());
                for p in &o.properties {
                    if !seen.insert(p.name.as_str()) {
                        return Some((p.range.start, p.name.as_str().to_owned()));
                    }
                    open.push(&p.value);
                }
            }
            Value::Array(a) => open.extend(&a.elements),
            _ => {}
        }
    }
    None
}

/// Line and column, both from 1, the column in characters.
pub(crate) fn position(text: &str, at: usize) -> (u32, u32) {
    let before = text.get(..at).unwrap_or(text);
    let line = before.bytes().filter(|b| *b == b'\n').count();
    let column = before.rsplit('\n').next().unwrap_or("").chars().count();
    (u32::try_from(line + 1).unwrap_or(u32::MAX), u32::try_from(column + 1).unwrap_or(u32::MAX))
}

/// What a value is, for people.
pub(crate) const fn kind(value: &Value<'_>) -> &'static str {
    match value {
        Value::StringLit(_) => "text",
        Value::NumberLit(_) => "a number",
        Value::BooleanLit(_) => "true or false",
        Value::Object(_) => "an object",
        Value::Array(_) => "a list",
        Value::NullKeyword(_) => "null",
    }
}

/// Where a value starts.
pub(crate) fn at(value: &Value<'_>) -> usize {
    value.range().start
}

/// The source text of a value, shortened, on one line and without control characters.
pub(crate) fn source_of(text: &str, value: &Value<'_>) -> String {
    let range = value.range();
    // Enough for what is shown of it; a list of a megabyte is not copied for that.
    let mut end = range.end.min(range.start + 2_000);
    while end > range.start && !text.is_char_boundary(end) {
        end -= 1;
    }
    shown(text.get(range.start..end).unwrap_or(""))
}

/// Text of a file, safe to print, cut at 120 characters.
pub(crate) fn shown(text: &str) -> String {
    let whole = shown_whole(text);
    match whole.char_indices().nth(120) {
        Some((at, _)) => format!("{}…", whole.get(..at).unwrap_or("")),
        None => whole,
    }
}

/// Text of a file, safe to print: control and invisible characters escaped, white space folded, nothing left out.
pub(crate) fn shown_whole(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(4096));
    let mut blank = false;
    for c in text.chars() {
        let white = c.is_whitespace();
        if white && !blank {
            out.push(' ');
        }
        blank = white;
        if white {
            continue;
        }
        if c.is_control() || is_invisible(c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    out
}

/// Format characters that change how text looks without being seen (bidi controls, zero width, tags).
pub(crate) const fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// The properties of an object, when the value is one.
pub(crate) fn properties<'v, 'a>(value: &'v Value<'a>) -> Option<&'v [ObjectProp<'a>]> {
    match value {
        Value::Object(Object { properties, .. }) => Some(properties),
        _ => None,
    }
}

/// The value without its places.
pub(crate) fn plain(value: &Value<'_>) -> serde_json::Value {
    match value {
        Value::StringLit(s) => serde_json::Value::from(s.value.as_ref()),
        Value::NumberLit(n) => serde_json::from_str(n.value).unwrap_or(serde_json::Value::Null),
        Value::BooleanLit(b) => serde_json::Value::from(b.value),
        Value::Array(a) => a.elements.iter().map(plain).collect(),
        Value::Object(o) => serde_json::Value::Object(o.properties.iter().map(|p| (p.name.as_str().to_owned(), plain(&p.value))).collect()),
        Value::NullKeyword(_) => serde_json::Value::Null,
    }
}
