//! Trees that are clean and wrong: each guard names one way in which the grammar is known to differ from bash. A hit
//! means that the text is not understood. Owns the list; the scanner has already dealt with comments, continuations,
//! here-documents and backticks.

use tree_sitter::Node;

use crate::tree::{children, each, fields, text};

/// Words that the shell reads as grammar where a command name could stand.
pub const RESERVED: &[&str] = &[
    "if", "then", "else", "elif", "fi", "do", "done", "case", "esac", "while", "until", "for", "select", "in", "function", "coproc", "{",
    "}", "!", "[[", "]]",
];

/// Kinds that are words or parts of them: two of them must not touch.
const WORDS: &[&str] = &[
    "word",
    "number",
    "string",
    "raw_string",
    "ansi_c_string",
    "translated_string",
    "concatenation",
    "simple_expansion",
    "expansion",
    "command_substitution",
    "process_substitution",
    "arithmetic_expansion",
    "brace_expression",
    "command_name",
    "variable_assignment",
    "$",
    "test_operator",
    "array",
    "=~",
    "==",
    "regex",
    "extglob_pattern",
    "variable_name",
];

/// Kinds whose children are parts of one word or expression and may touch.
const COMPOUND: &[&str] = &[
    "concatenation",
    "string",
    "expansion",
    "simple_expansion",
    "variable_assignment",
    "subscript",
    "translated_string",
    "number",
    "binary_expression",
    "case_item",
    "arithmetic_expansion",
    "ternary_expression",
    "postfix_expression",
    "unary_expression",
    "brace_expression",
    "parenthesized_expression",
];

/// Why the tree is not trusted, or nothing.
pub fn check(root: Node<'_>, source: &str) -> Option<&'static str> {
    if root.has_error() {
        return Some("bash syntax that the gate does not read");
    }
    let mut why = gap(root, source);
    each(root, |node| {
        if why.is_none() {
            why = node_guard(node, source)
        }
    });
    why
}

/// Every byte that no leaf covers must be blank.
fn gap(root: Node<'_>, source: &str) -> Option<&'static str> {
    let bytes = source.as_bytes();
    let mut at = 0;
    let mut bad = false;
    each(root, |node| {
        let leaf = node.child_count() == 0 || node.kind() == "string";
        if !leaf {
            return;
        }
        if let Some(between) = bytes.get(at..node.start_byte()) {
            bad |= !between.iter().all(|b| matches!(b, b' ' | b'\t' | b'\n'))
        }
        at = at.max(node.end_byte());
    });
    bad |= !bytes.get(at..).unwrap_or_default().iter().all(|b| matches!(b, b' ' | b'\t' | b'\n'));
    bad.then_some("text that belongs to no command")
}

fn node_guard(n: Node<'_>, source: &str) -> Option<&'static str> {
    let t = text(n, source);
    if n.is_missing() {
        return Some("bash syntax that the gate does not read");
    }
    if n.child_count() == 0
        && n.is_named()
        && let Some(why) = leaf(n, t)
    {
        return Some(why);
    }
    if n.child_count() == 0 && !n.is_named() && glued_keyword(n, source) {
        return Some("a keyword glued to a word");
    }
    match n.kind() {
        "simple_expansion" | "concatenation" | "translated_string" if !contiguous(n) => Some("a word with a gap in it"),
        "$" if t != "$" => Some("an odd dollar sign"),
        "variable_assignment" => assignment(n, source),
        "declaration_command" | "unset_command" if touching_head(n) => Some("a keyword glued to a word"),
        "string"
            if n.start_byte() > 0
                && source.as_bytes().get(n.start_byte() - 1) == Some(&b'$')
                && n.parent().is_some_and(|p| p.kind() != "translated_string") =>
        {
            Some("a translated string")
        }
        "heredoc_redirect" | "heredoc_body" => Some("a here-document in an odd place"),
        "command" => command(n, source),
        "test_command" => test(n, t, source),
        "expansion" if quote_in_double(n) => Some("a quote inside an expansion inside double quotes"),
        "file_redirect" if closed_with_target(n) => Some("a closed descriptor with a target"),
        _ => None,
    }
    .or_else(|| adjacent(n, source))
}

/// Bash knows a keyword only when it is a word of its own.
fn glued_keyword(n: Node<'_>, source: &str) -> bool {
    let keyword = match n.kind() {
        "{" | "}" => n.parent().is_some_and(|p| p.kind() == "compound_statement"),
        "!" => n.parent().is_some_and(|p| p.kind() == "negated_command"),
        "[[" | "]]" => true,
        kind => kind.bytes().all(|b| b.is_ascii_lowercase()) && RESERVED.contains(&kind),
    };
    let bytes = source.as_bytes();
    let delimits = |b: Option<&u8>| b.is_none_or(|b| matches!(b, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>'));
    keyword && !(delimits(n.start_byte().checked_sub(1).and_then(|i| bytes.get(i))) && delimits(bytes.get(n.end_byte())))
}

fn leaf(n: Node<'_>, t: &str) -> Option<&'static str> {
    match n.kind() {
        "raw_string" | "comment" => None,
        "ansi_c_string" => odd_ansi(t).then_some("an odd quoted string"),
        "string_content" => unescaped_substitution(t).then_some("a substitution inside a text"),
        kind => {
            if ["$(", "${", "`", "<(", ">(", "$["].iter().any(|p| t.contains(p)) {
                return Some("a substitution inside a word");
            }
            let plain = matches!(kind, "word" | "number" | "variable_name" | "test_operator" | "extglob_pattern" | "regex");
            (plain && t.contains('\n')).then_some("a newline inside a word")
        }
    }
}

/// The closing quote must be the first one that is not escaped.
fn odd_ansi(t: &str) -> bool {
    let Some(inner) = t.strip_prefix("$'").and_then(|t| t.strip_suffix('\'')) else { return true };
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        if c == '\'' || (c == '\\' && chars.next().is_none()) {
            return true;
        }
    }
    false
}

fn unescaped_substitution(t: &str) -> bool {
    let mut chars = t.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '`' => return true,
            '$' if matches!(chars.peek(), Some('(' | '{' | '[')) => return true,
            _ => {}
        }
    }
    false
}

fn contiguous(n: Node<'_>) -> bool {
    children(n).windows(2).all(|w| matches!(w, [a, b] if a.end_byte() == b.start_byte()))
}

fn assignment(n: Node<'_>, source: &str) -> Option<&'static str> {
    let name = n.child_by_field_name("name")?;
    if name.kind() != "variable_name" {
        return None;
    }
    let t = text(name, source);
    let good = !t.is_empty() && !t.starts_with(|c: char| c.is_ascii_digit()) && t.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    (!good).then_some("an assignment to an odd name")
}

fn touching_head(n: Node<'_>) -> bool {
    matches!(children(n).get(..2), Some([a, b]) if a.end_byte() == b.start_byte())
}

fn command(n: Node<'_>, source: &str) -> Option<&'static str> {
    let name = n.child_by_field_name("name")?;
    let t = text(name, source);
    if RESERVED.contains(&t) {
        return Some("a reserved word as a command");
    }
    if children(n).iter().any(|c| matches!(c.kind(), "==" | "=~")) {
        return Some("an operator as an argument");
    }
    None
}

fn test(n: Node<'_>, t: &str, source: &str) -> Option<&'static str> {
    let double = t.starts_with("[[");
    let after = t.as_bytes().get(if double { 2 } else { 1 });
    if !matches!(after, Some(b' ' | b'\t')) {
        return Some("a bracket glued to a word");
    }
    if double {
        return None;
    }
    // `[ … ]` may only hold plain words: bash runs the rest as commands.
    let mut bad = false;
    let mut skip_to = 0;
    let mut covered = n.start_byte();
    each(n, |c| {
        if c.start_byte() < skip_to {
            return;
        }
        if matches!(
            c.kind(),
            "string"
                | "raw_string"
                | "command_substitution"
                | "ansi_c_string"
                | "expansion"
                | "arithmetic_expansion"
                | "concatenation"
                | "simple_expansion"
                | "word"
                | "number"
        ) {
            if source.get(covered..c.start_byte()).is_some_and(|g| g.contains('\n')) {
                bad = true
            }
            skip_to = c.end_byte();
            covered = covered.max(c.end_byte());
        }
        bad |= matches!(
            c.kind(),
            "<" | ">"
                | "|"
                | "||"
                | "&"
                | "&&"
                | "<<"
                | ">>"
                | "("
                | ")"
                | "subshell"
                | "file_redirect"
                | "redirected_statement"
                | "extglob_pattern"
                | "regex"
                | "process_substitution"
                | ";"
        );
    });
    bad |= source.get(covered..n.end_byte()).is_some_and(|g| g.contains('\n'));
    bad.then_some("an operator inside single brackets")
}

/// Inside double quotes, quotes in `${…}` mean something else.
fn quote_in_double(n: Node<'_>) -> bool {
    let mut parent = n.parent();
    let mut double = false;
    while let Some(p) = parent {
        match p.kind() {
            "string" => {
                double = true;
                break;
            }
            "command_substitution" | "process_substitution" => break,
            _ => parent = p.parent(),
        }
    }
    let mut quoted = false;
    if double {
        each(n, |c| quoted |= matches!(c.kind(), "raw_string" | "ansi_c_string"))
    }
    quoted
}

fn closed_with_target(n: Node<'_>) -> bool {
    let closes = children(n).iter().any(|c| matches!(c.kind(), "<&-" | ">&-"));
    closes && fields(n).iter().any(|(f, _)| *f == Some("destination"))
}

fn adjacent(n: Node<'_>, source: &str) -> Option<&'static str> {
    if n.child_count() < 2 || COMPOUND.contains(&n.kind()) {
        return None;
    }
    for w in children(n).windows(2) {
        let [a, b] = w else { continue };
        let filled = a.start_byte() < a.end_byte() && b.start_byte() < b.end_byte();
        if filled && a.end_byte() >= b.start_byte() && WORDS.contains(&a.kind()) && WORDS.contains(&b.kind()) {
            return Some("two words without a blank between them");
        }
        let redirect = matches!(b.kind(), "file_redirect" | "herestring_redirect");
        if redirect && a.end_byte() == b.start_byte() && source.as_bytes().get(a.end_byte().wrapping_sub(1)) == Some(&b'}') {
            return Some("a descriptor variable");
        }
    }
    None
}
