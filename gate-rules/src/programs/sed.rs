//! sed and awk programs: which ones only print.

use gate_core::{AccessMode, Assessment, Effect, Unit, Word};

use super::doubt;
use crate::analysis::Placer;

/// The program texts of a call: values of `-e`, else the first operand.
fn scripts(unit: &Unit, value: &[&str], takes: &[&str]) -> Option<Vec<String>> {
    let (mut texts, mut operand, mut at) = (Vec::new(), None, 1);
    while let Some(w) = unit.words.get(at) {
        at += 1;
        let Some(t) = w.literal() else {
            if operand.is_none() && texts.is_empty() {
                return None;
            }
            continue;
        };
        if let Some(v) = value
            .iter()
            .find_map(|o| if t == *o { Some(None) } else { t.strip_prefix(*o).map(|r| Some(r.trim_start_matches('=').to_owned())) })
        {
            let text = match v {
                Some(v) if !v.is_empty() => v,
                _ => {
                    at += 1;
                    unit.words.get(at - 1).and_then(Word::literal)?.to_owned()
                }
            };
            texts.push(text);
        } else if takes.contains(&t) {
            at += 1;
        } else if !t.starts_with('-') || t == "-" {
            operand.get_or_insert_with(|| t.to_owned());
        }
    }
    if texts.is_empty() {
        texts.extend(operand)
    }
    Some(texts)
}

/// `sed`: commands that write (`w`, `W`), execute (`e`) or read a file (`r`, `R`); the same as flags of `s`.
pub(super) fn sed(unit: &Unit, out: &mut Assessment, placer: &dyn Placer, cwd: Option<&str>) {
    let Some(texts) = scripts(unit, &["-e", "--expression"], &["-l", "-f", "--file", "--line-length"]) else {
        return doubt(out, None, "the sed program is known only to the shell");
    };
    for t in &texts {
        for c in t.split(['\n', ';']).flat_map(|l| l.split(['{', '}'])) {
            match command(c.trim()) {
                Some(Command::Prints) => {}
                Some(Command::Reads(path)) => out.accesses.push(placer.access(AccessMode::Read, &Word::text(path), cwd, false, false)),
                None => doubt(out, Some(Effect::Runs), "the sed program may write files or run commands"),
            }
        }
    }
}

enum Command {
    Prints,
    Reads(String),
}

/// One sed command; `None`: it may write or execute, or was not read.
fn command(text: &str) -> Option<Command> {
    let text = address(text)?;
    let text = text.trim_start_matches(['!', ' ']);
    let mut chars = text.chars();
    let Some(name) = chars.next() else { return Some(Command::Prints) };
    let rest = chars.as_str();
    match name {
        'p' | 'P' | 'd' | 'D' | 'n' | 'N' | 'h' | 'H' | 'g' | 'G' | 'x' | '=' | 'z' | 'F' if rest.trim().is_empty() => {
            Some(Command::Prints)
        }
        'q' | 'Q' | 'l' if rest.trim().bytes().all(|b| b.is_ascii_digit()) => Some(Command::Prints),
        'b' | 't' | 'T' | ':' if rest.trim().bytes().all(|b| b.is_ascii_alphanumeric()) => Some(Command::Prints),
        'a' | 'i' | 'c' => Some(Command::Prints),
        '#' => Some(Command::Prints),
        'r' => Some(Command::Reads(rest.trim().to_owned())),
        's' => flags(rest, 2)
            .filter(|f| f.trim().bytes().all(|b| matches!(b, b'g' | b'p' | b'i' | b'I' | b'm' | b'M' | b'0'..=b'9')))
            .map(|_| Command::Prints),
        'y' => flags(rest, 2).filter(|f| f.trim().is_empty()).map(|_| Command::Prints),
        _ => None,
    }
}

/// What follows the delimited parts of `s` and `y`.
fn flags(text: &str, parts: usize) -> Option<&str> {
    let mut chars = text.char_indices();
    let (_, mark) = chars.next().filter(|(_, c)| !c.is_alphanumeric() && *c != '\\')?;
    let (mut seen, mut class) = (0, false);
    while let Some((i, c)) = chars.next() {
        match c {
            '\\' => drop(chars.next()),
            '[' if seen == 0 => class = true,
            ']' => class = false,
            c if c == mark && !class => {
                seen += 1;
                if seen == parts {
                    return text.get(i + c.len_utf8()..);
                }
            }
            _ => {}
        }
    }
    None
}

/// The text after one or two addresses.
fn address(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    for _ in 0..2 {
        rest = one_address(rest)?;
        let Some(after) = rest.trim_start().strip_prefix(',') else { break };
        rest = after.trim_start().trim_start_matches(['+', '~']);
    }
    Some(rest.trim_start())
}

fn one_address(text: &str) -> Option<&str> {
    if let Some(r) = text.strip_prefix('$') {
        return Some(r);
    }
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '~'));
    }
    if text.starts_with('/') {
        return flags(text, 1).map(|r| r.trim_start_matches(['I', 'M']));
    }
    Some(text)
}

/// `awk`: programs that write, pipe, run or read files by name.
pub(super) fn awk(unit: &Unit, out: &mut Assessment) {
    let Some(texts) = scripts(unit, &["-e", "--source"], &["-F", "-v", "-f", "--file", "--assign", "--field-separator"]) else {
        return doubt(out, None, "the awk program is known only to the shell");
    };
    for t in &texts {
        let bare = without_texts(t);
        let words = |name: &str| bare.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|w| w == name);
        if ["system", "getline", "close", "fflush"].iter().any(|n| words(n))
            || bare.contains('|') && !bare.replace("||", "").is_empty() && bare.replace("||", "").contains('|')
            || bare.contains('@')
        {
            doubt(out, Some(Effect::Runs), "the awk program may run commands")
        }
        if words("ENVIRON") || words("PROCINFO") {
            doubt(out, Some(Effect::Reveals), "the awk program reads the environment")
        }
        if prints_to_file(&bare) {
            doubt(out, Some(Effect::Writes), "the awk program may write files")
        }
    }
}

/// Without string and pattern literals, so that their characters mean nothing.
fn without_texts(program: &str) -> String {
    let mut out = String::with_capacity(program.len());
    let mut chars = program.chars();
    let mut last = ' ';
    while let Some(c) = chars.next() {
        let pattern = c == '/' && (matches!(last, '(' | ',' | '{' | '}' | '!' | '~' | '&' | '|' | ';' | '\n') || out.trim().is_empty());
        if c == '"' || pattern {
            while let Some(d) = chars.next() {
                if d == '\\' {
                    chars.next();
                } else if d == c {
                    break;
                }
            }
            out.push('0');
            last = '0';
            continue;
        }
        out.push(c);
        if !c.is_whitespace() {
            last = c
        }
    }
    out
}

/// `print … > x`: a `>` after a print that stands in no parentheses.
fn prints_to_file(bare: &str) -> bool {
    bare.split([';', '\n', '{', '}']).any(|statement| {
        let Some(at) = statement.find("print") else { return false };
        let mut depth = 0_i32;
        statement.get(at..).unwrap_or_default().chars().any(|c| {
            match c {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            c == '>' && depth <= 0
        })
    })
}
