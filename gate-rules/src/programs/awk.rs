//! awk programs: pipes and `system` run commands, redirections write files, `getline <` reads them.

use gate_core::{AccessMode, Effect, Effects};

use crate::catalogue::{Finding, Matched};

pub(super) fn extra(m: &Matched, f: &mut Finding) {
    let from_file =
        m.options().any(|o| matches!(o.name.as_str(), "-f" | "--file" | "-E" | "--exec" | "-i" | "--include" | "-l" | "--load"));
    let texts = super::texts(m, "script", !from_file);
    let first_is_program = !from_file && !m.options().any(|o| o.role == "script");
    for w in &texts {
        match w.literal() {
            Some(text) => program(text, f),
            None => {
                f.note("awk/program", Effects(Effect::Runs as u16 | Effect::Writes as u16), "the awk program is known only at run time");
                f.unknown("the awk program is known only at run time");
            }
        }
    }
    for o in m.parsed.operands.iter().skip(usize::from(first_is_program)) {
        // `name=value` among the files is an assignment.
        let assigns = o
            .word
            .literal()
            .and_then(|t| t.split_once('='))
            .is_some_and(|(n, _)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
        if !assigns {
            f.effects.add(Effect::Reads);
            f.want(AccessMode::Read, &o.word, false, false);
        }
    }
}

/// Looks at the program outside strings and regular expressions. What is not certain counts as the worse.
fn program(text: &str, f: &mut Finding) {
    // The null device and the standard streams are no files.
    let text = ["null", "stdout", "stderr"].iter().fold(text.to_owned(), |t, s| t.replace(&format!("> \"/dev/{s}\""), ""));
    let text = text.as_str();
    let code = code(text);
    let words: Vec<&str> = code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|w| !w.is_empty()).collect();
    if words.contains(&"system") || code.contains("|") && pipes(&code) || code.contains("@") {
        f.note("awk/runs", Effects::of(Effect::Runs), "the awk program runs a command");
    }
    if words.iter().any(|w| matches!(*w, "print" | "printf")) && redirects(&code) {
        f.note("awk/writes", Effects::of(Effect::Writes), "the awk program writes a file");
        f.unknown("the awk program may write a file");
    }
    if words.contains(&"getline") {
        f.unknown("the awk program reads other files");
    }
    if words.contains(&"ENVIRON") {
        f.note("awk/environment", Effects::of(Effect::Reveals), "the awk program reads the environment");
    }
    if text.contains("/inet") {
        f.note("awk/network", Effects::of(Effect::Sends), "the awk program opens a connection");
    }
}

/// A single `|` (not `||`).
fn pipes(code: &str) -> bool {
    let b = code.as_bytes();
    b.iter().enumerate().any(|(i, c)| *c == b'|' && b.get(i + 1) != Some(&b'|') && (i == 0 || b.get(i - 1) != Some(&b'|')))
}

/// A `>` behind `print` that is not inside parentheses is a file; awk reads it so.
fn redirects(code: &str) -> bool {
    let mut depth = 0_i32;
    let mut printing = false;
    let mut word = String::new();
    let mut last = ' ';
    for c in code.chars() {
        if c.is_alphanumeric() || c == '_' {
            word.push(c);
            last = c;
            continue;
        }
        if word == "print" || word == "printf" {
            printing = true;
            depth = 0;
        }
        word.clear();
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            // A line goes on behind a comma or an operator.
            '\n' if depth > 0 || matches!(last, ',' | '&' | '|') => {}
            ';' | '\n' | '}' => printing = false,
            '>' if printing && depth <= 0 => return true,
            _ => {}
        }
        if !c.is_whitespace() {
            last = c
        }
    }
    false
}

/// The program with the contents of strings, regular expressions and comments blanked. A `/` is a regular expression
/// only where no operand stands before it; in doubt the text stays visible.
fn code(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut last = ' ';
    while let Some(c) = chars.next() {
        let starts_regex = c == '/' && !(last.is_alphanumeric() || matches!(last, '_' | ')' | ']' | '$' | '"'));
        if c == '"' || starts_regex {
            let mut bracket = false;
            while let Some(d) = chars.next() {
                match d {
                    '\\' => {
                        chars.next();
                    }
                    '[' if c == '/' => bracket = true,
                    ']' => bracket = false,
                    '\n' => break,
                    _ if d == c && !bracket => break,
                    _ => {}
                }
            }
            out.push('"');
            last = '"';
            continue;
        }
        if c == '\\' && chars.peek() == Some(&'\n') {
            chars.next();
            out.push(' ');
            continue;
        }
        if c == '#' {
            for d in chars.by_ref() {
                if d == '\n' {
                    out.push('\n');
                    break;
                }
            }
            continue;
        }
        out.push(c);
        if !c.is_whitespace() {
            last = c;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (bool, Effects) {
        let mut f = Finding::default();
        program(text, &mut f);
        (f.because.is_none(), f.effects)
    }

    #[test]
    fn plain_programs_do_nothing() {
        for ok in [
            "{print $1}",
            "NR>1 && $2 > 3 {print $1, $2}",
            "/a|b/ {print}",
            "{ if ($1 > 2) print \"a > b | c\" }",
            "BEGIN{FS=\",\"} {s+=$1} END{print s}",
            "$1 || $2",
        ] {
            assert_eq!(read(ok), (true, Effects::NONE), "{ok}");
        }
    }

    #[test]
    fn commands_and_files_are_seen() {
        assert!(read("{system(\"id\")}").1.has(Effect::Runs));
        assert!(read("{print | \"sh\"}").1.has(Effect::Runs));
        for text in ["{print > \"out\"}", "{print \\\n >> \"f\"}", "{print a,\n b > \"f\"}", "{print(a) > \"f\"}"] {
            assert!(read(text).1.has(Effect::Writes), "{text}");
        }
        assert!(!read("{getline x < \"/etc/shadow\"}").0);
        assert!(read("BEGIN{print ENVIRON[\"X\"]}").1.has(Effect::Reveals));
    }
}
