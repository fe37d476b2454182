//! sed scripts: `e` runs commands, `w` writes files, `r` reads them, in-place editing is an option of the family.

use gate_core::{AccessMode, Effect, Effects, Word};

use crate::catalogue::{Finding, Matched};

pub(super) fn extra(m: &Matched, f: &mut Finding) {
    let scripts = super::texts(m, "script", true);
    let given = m.options().any(|o| o.role == "script" || o.name == "-f" || o.name == "--file");
    for w in scripts {
        let Some(text) = w.literal() else {
            // Unknown text inside a script may hold any command.
            if m.options().any(|o| o.name == "--sandbox") {
                continue;
            }
            f.note("sed/script", Effects(Effect::Runs as u16 | Effect::Writes as u16), "the sed script is known only at run time");
            f.unknown("the sed script is known only at run time");
            continue;
        };
        if let Err(why) = script(text, f) {
            f.unknown(why);
        }
    }
    if !given && m.parsed.operands.is_empty() {
        f.unknown("sed without a script");
    }
    // Without -e or -f the first operand is the script; with them all operands are files.
    let skip = usize::from(!m.options().any(|o| o.role == "script" || o.name == "-f" || o.name == "--file"));
    let in_place = m.options().any(|o| o.name == "-i" || o.name == "--in-place" || m.shortens(&o.name, "--in-place"));
    for o in m.parsed.operands.iter().skip(skip) {
        f.want(AccessMode::Read, &o.word, false, false);
        if in_place {
            f.want(AccessMode::Write, &o.word, false, false);
        }
    }
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<char> {
        self.text.get(self.at..).and_then(|r| r.chars().next())
    }
    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }
    fn skip(&mut self, f: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&f) {
            self.next();
        }
    }
    /// To the end of the line.
    fn line(&mut self) -> String {
        let mut out = String::new();
        while let Some(c) = self.next() {
            if c == '\n' {
                break;
            }
            out.push(c);
        }
        out
    }
    /// Up to the unescaped delimiter. Versions of sed differ on a delimiter inside a bracket expression: not understood.
    fn delimited(&mut self, end: char, brackets: bool) -> Option<()> {
        while let Some(c) = self.next() {
            match c {
                '\\' => {
                    self.next()?;
                }
                _ if c == end => return Some(()),
                '[' if brackets => {
                    // A `]` right behind `[` or `[^` is literal.
                    self.skip_one('^');
                    let mut first = true;
                    loop {
                        let d = self.next()?;
                        if d == end || d == '\\' && self.peek().is_none_or(|n| n == ']' || n == end || n == '\\') {
                            return None;
                        }
                        if d == ']' && !first {
                            break;
                        }
                        first = false;
                    }
                }
                _ => {}
            }
        }
        None
    }
    fn skip_one(&mut self, c: char) {
        if self.peek() == Some(c) {
            self.next();
        }
    }
}

/// Reads a script command by command. Anything that is not certainly understood is an error.
fn script(text: &str, f: &mut Finding) -> Result<(), String> {
    let odd =
        |c: Option<char>| format!("the sed script is not understood at {}", c.map_or_else(|| "its end".to_owned(), |c| c.to_string()));
    let mut s = Scan { text, at: 0 };
    loop {
        s.skip(|c| c.is_whitespace() || c == ';');
        if s.peek().is_none() {
            return Ok(());
        }
        address(&mut s).ok_or_else(|| odd(s.peek()))?;
        s.skip(|c| c.is_whitespace() || c == '!');
        match s.next() {
            Some('#') => {
                s.line();
            }
            Some('{' | '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F') => {}
            Some('q' | 'Q' | 'l' | 'L') => s.skip(|c| c.is_ascii_digit() || c == ' '),
            Some(':' | 'b' | 't' | 'T') => label(&mut s).ok_or_else(|| odd(s.peek()))?,
            Some('a' | 'i' | 'c') => text_command(&mut s),
            Some('s') => substitute(&mut s, f).map_err(|c| odd(Some(c)))?,
            Some('y') => {
                let d = s.next().ok_or_else(|| odd(None))?;
                s.delimited(d, false).and_then(|()| s.delimited(d, false)).ok_or_else(|| odd(Some('y')))?;
            }
            Some('r' | 'R') => {
                let path = s.line();
                f.want(AccessMode::Read, &Word::text(path.trim()), false, false);
            }
            Some('w' | 'W') => write(&s.line(), f),
            Some('e') => {
                s.line();
                run(f);
            }
            other => return Err(odd(other)),
        }
    }
}

/// A label ends at a blank or `;`, and the next command may follow at once. Versions differ on `}` and `#` in it.
fn label(s: &mut Scan<'_>) -> Option<()> {
    s.skip(|c| c == ' ' || c == '\t');
    s.skip(|c| !c.is_whitespace() && !matches!(c, ';' | '}' | '#'));
    match s.peek() {
        Some('#') => None,
        // `b}` and `ba}` close a block, when nothing is glued behind.
        Some('}') => s.text.get(s.at..)?.trim_start_matches('}').chars().next().is_none_or(|c| c.is_whitespace() || c == ';').then_some(()),
        _ => Some(()),
    }
}

fn run(f: &mut Finding) {
    f.note("sed/runs", Effects::of(Effect::Runs), "the sed script runs a command");
}

fn write(path: &str, f: &mut Finding) {
    let word = Word::text(path.trim());
    if !crate::catalogue::is_stream(&word) {
        f.note("sed/writes", Effects::of(Effect::Writes), "the sed script writes a file");
        f.want(AccessMode::Write, &word, false, false);
    }
}

/// Text of `a`, `i`, `c`: lines, as long as they end in a backslash.
fn text_command(s: &mut Scan<'_>) {
    loop {
        let line = s.line();
        let escaped = line.len() - line.trim_end_matches('\\').len();
        if escaped.is_multiple_of(2) || s.peek().is_none() {
            return;
        }
    }
}

fn address(s: &mut Scan<'_>) -> Option<()> {
    loop {
        s.skip(char::is_whitespace);
        match s.peek() {
            Some('0'..='9' | '$' | ',' | '~' | '+') => {
                s.next();
            }
            Some('/') => {
                s.next();
                s.delimited('/', true)?;
                s.skip(|c| c == 'I' || c == 'M');
            }
            Some('\\') => {
                s.next();
                let d = s.next()?;
                s.delimited(d, true)?;
                s.skip(|c| c == 'I' || c == 'M');
            }
            _ => return Some(()),
        }
    }
}

fn substitute(s: &mut Scan<'_>, f: &mut Finding) -> Result<(), char> {
    let d = s.next().filter(|d| *d != '\n' && *d != '\\').ok_or('s')?;
    s.delimited(d, true).and_then(|()| s.delimited(d, false)).ok_or('s')?;
    loop {
        match s.peek() {
            Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => {
                s.next();
            }
            Some('e') => {
                s.next();
                run(f);
            }
            Some('w') => {
                s.next();
                write(&s.line(), f);
                return Ok(());
            }
            None | Some(';' | '}' | '\n' | '#') => return Ok(()),
            Some(c) if c.is_whitespace() => {
                s.next();
            }
            Some(c) => return Err(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (bool, Effects) {
        let mut f = Finding::default();
        let r = script(text, &mut f);
        (r.is_ok(), f.effects)
    }

    #[test]
    fn scripts_are_read_command_by_command() {
        for ok in [
            "1,5p",
            "s/a/b/g",
            "s|/x|/y|; 3d",
            "/foo/,/bar/p",
            "$!d",
            "/[^]a]x/d",
            "s/\\/a/b/",
            "1i\\\nweb e",
            "n;d",
            "s/e/w/2gI",
            ":a;N;$!ba;s/\\n/ /g",
            "/a/{p;q}",
        ] {
            assert_eq!(read(ok), (true, Effects::NONE), "{ok}");
        }
    }

    #[test]
    fn commands_and_files_in_scripts_are_seen() {
        for (text, effect) in [
            ("1e id", Effect::Runs),
            ("s/a/b/e", Effect::Runs),
            ("s/x/y/w out", Effect::Writes),
            ("w out", Effect::Writes),
            ("/x/ w o", Effect::Writes),
            ("p;e", Effect::Runs),
            (":a e id", Effect::Runs),
            (":a w out", Effect::Writes),
            ("Tm w out", Effect::Writes),
            ("b x; w out", Effect::Writes),
            ("ba}\ne id", Effect::Runs),
        ] {
            assert!(read(text).1.has(effect), "{text}");
        }
        assert!(!read("k").0);
        assert!(!read(":}s/x\nb}s/x;e id;/y/").0);
        assert!(!read(":a#b").0);
        assert!(!read("s/[/]/g;s/e;/x/p").0);
        assert!(!read("s/a/b").0);
    }
}
