//! Rewrites a shell text into one that both parsers read alike: line continuations joined, comments gone, backticks
//! as `$(…)`, here-documents taken out, escapes that the grammar loses as quotes. Owns lexical context (quotes, substitutions, here-documents); knows no
//! grammar. Gives up on anything odd; giving up means "not understood".

/// Stands for here-document number N in the rewritten text: `< MARK_N_` (the grammar takes a file redirect anywhere).
pub const MARK: &str = "__gate_heredoc_";

/// A here-document that was taken out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The delimiter was quoted: the body is plain text.
    pub quoted: bool,
    /// The operator as it stood: `<<'EOF'`.
    pub operator: String,
    /// The body, leading tabs already stripped for `<<-`.
    pub text: String,
}

/// The rewritten text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clean {
    /// The text.
    pub text: String,
    /// The here-documents, by number.
    pub bodies: Vec<Body>,
    /// Where `${…}` and `$((…))` begin and end in the rewritten text, sorted.
    pub expansions: Vec<(usize, usize)>,
    /// What the second parser needs at the end: delimiters of here-documents that the end of the text ends.
    pub tail: String,
}

impl Clean {
    /// A piece of the rewritten text with the here-document operators as they stood, for people and patterns.
    pub fn restored(&self, text: &str) -> Option<String> {
        text.contains(MARK).then(|| {
            let mut out = text.to_owned();
            for (n, body) in self.bodies.iter().enumerate() {
                let mark = format!("< {MARK}{n}_");
                if out.contains(&mark) {
                    out = out.replace(&format!("{mark} "), &body.operator).replace(&mark, &body.operator)
                }
            }
            out
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Context {
    /// Commands: the text itself, `$(…)`, `(…)`, `<(…)`.
    Command,
    /// `"…"`
    Double,
    /// `${…}`
    Parameter,
    /// `((…))` and `$((…))`
    Arithmetic,
}

struct Pending {
    delimiter: String,
    quoted: bool,
    tabs: bool,
    number: usize,
    /// How deep in substitutions the operator stands.
    depth: usize,
}

struct Scan<'t> {
    text: &'t [u8],
    at: usize,
    out: Vec<u8>,
    /// What is open, and where it began in `out`.
    stack: Vec<(Context, usize)>,
    expansions: Vec<(usize, usize)>,
    pending: Vec<Pending>,
    bodies: Vec<Body>,
    tail: String,
    /// How many `()` were seen.
    functions: usize,
    /// How many `)` were seen that close nothing: ends of case patterns.
    patterns: usize,
    /// How many `|` were seen.
    pipes: usize,
    /// How many `(` came right after a `)`.
    groups: usize,
    /// The next byte would begin a word.
    word_start: bool,
}

/// The beginning of a context whose extent is not noted.
const UNNOTED: usize = usize::MAX;

/// Most functions; the grammar takes quadratic time for heads without a body.
const FUNCTIONS: usize = 200;

/// Most `)` that close nothing; the grammar's scanner may look from each of them to the end of the text.
const CASE_PATTERNS: usize = 600;

/// Most pipe characters outside quotes; the grammar takes quadratic time for pipelines that end in an error.
const PIPES: usize = 1_000;

/// Most groups that touch another one; bash refuses them and the grammar takes quadratic time to find out.
const GROUPS: usize = 100;

/// Most `[[` and most `case`: where they are in error the grammar's scanner reads to the end of the text at each of them.
const OPENERS: usize = 500;

/// Most nesting of quotes and substitutions.
const NESTING: usize = 100;

/// Why a text is not looked at further, or the rewritten text.
pub fn clean(text: &str) -> Result<Clean, &'static str> {
    forbidden(text)?;
    let mut scan = Scan::new(text, Context::Command);
    scan.run()?;
    let text = String::from_utf8(scan.out).map_err(|_| "the text is not valid UTF-8")?;
    scan.expansions.sort_unstable();
    Ok(Clean { text, bodies: scan.bodies, expansions: scan.expansions, tail: scan.tail })
}

/// The body of an unquoted here-document as the inside of a double-quoted text.
pub fn document(body: &str) -> Result<String, &'static str> {
    let mut scan = Scan::new(body, Context::Double);
    scan.run()?;
    String::from_utf8(scan.out).map_err(|_| "the text is not valid UTF-8")
}

/// Characters that shells and people read differently, and texts that crash or fool the parsers.
fn forbidden(text: &str) -> Result<(), &'static str> {
    if text.matches("[[").count() > OPENERS || text.matches("case ").count() > OPENERS {
        return Err("it holds too many tests or cases");
    }
    if text.contains(MARK) {
        return Err("it holds a name that the gate keeps for itself");
    }
    if text.starts_with(['-', '+']) {
        return Err("it begins with an option of the shell");
    }
    for c in text.chars() {
        match c {
            '\t' | '\n' | ' ' => {}
            '\0'..='\u{1f}' | '\u{7f}' => return Err("it holds a control character"),
            c if c.is_ascii() => {}
            c if c.is_whitespace() || c.is_control() || invisible(c) => return Err("it holds an invisible character"),
            _ => {}
        }
    }
    let bytes = text.as_bytes();
    for (i, pair) in bytes.windows(2).enumerate() {
        match pair {
            b"${" if matches!(bytes.get(i + 2), Some(b' ' | b'\t' | b'\n' | b'|')) => return Err("it holds a function substitution"),
            [b'<' | b'>', b'&'] => {
                let mut j = i + 2;
                while matches!(bytes.get(j), Some(b' ' | b'\t')) {
                    j += 1
                }
                let glued = bytes.get(j) == Some(&b'-')
                    && !matches!(bytes.get(j + 1), None | Some(b' ' | b'\t' | b'\n' | b';' | b'|' | b'&' | b')'));
                if glued {
                    return Err("a closed descriptor is glued to a word");
                }
            }
            [b'{', _] if scanner_crash(bytes.get(i + 1..).unwrap_or_default()) => {
                return Err("it holds a brace that the parser cannot read");
            }
            _ => {}
        }
    }
    Ok(())
}

/// Format characters that change what people see.
fn invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// `{` digits (`..` digits) and then a character beyond Latin-1: the grammar's scanner reads out of bounds there.
fn scanner_crash(mut rest: &[u8]) -> bool {
    let digits = |r: &[u8]| r.iter().take_while(|b| b.is_ascii_digit()).count();
    rest = rest.get(digits(rest)..).unwrap_or_default();
    if let Some(after) = rest.strip_prefix(b"..") {
        rest = after.get(digits(after)..).unwrap_or_default()
    }
    rest.first().is_some_and(|b| *b >= 0xc4)
}

impl<'t> Scan<'t> {
    fn new(text: &'t str, context: Context) -> Self {
        Self {
            text: text.as_bytes(),
            at: 0,
            out: Vec::with_capacity(text.len() + 16),
            stack: vec![(context, UNNOTED)],
            expansions: Vec::new(),
            pending: Vec::new(),
            bodies: Vec::new(),
            tail: String::new(),
            functions: 0,
            patterns: 0,
            pipes: 0,
            groups: 0,
            word_start: true,
        }
    }
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }
    fn copy(&mut self, n: usize) {
        let end = (self.at + n).min(self.text.len());
        self.out.extend_from_slice(self.text.get(self.at..end).unwrap_or_default());
        self.at = end;
    }
    fn context(&self) -> Context {
        self.stack.last().map_or(Context::Command, |(c, _)| *c)
    }
    fn push(&mut self, context: Context) -> Result<(), &'static str> {
        self.push_from(context, UNNOTED)
    }
    fn push_from(&mut self, context: Context, from: usize) -> Result<(), &'static str> {
        if self.stack.len() >= NESTING {
            return Err("it is nested too deeply");
        }
        self.stack.push((context, from));
        Ok(())
    }

    fn run(&mut self) -> Result<(), &'static str> {
        while let Some(b) = self.peek(0) {
            if b == b'\\' {
                self.escape();
                continue;
            }
            if b == b'`' {
                self.backtick()?;
                continue;
            }
            if b == b'$' && self.dollar()? {
                continue;
            }
            match self.context() {
                Context::Command => self.command(b)?,
                Context::Double if b == b'"' && self.stack.len() == 1 => {
                    // In the body of a here-document, a quote is a character.
                    self.out.push(b'\\');
                    self.copy(1);
                }
                Context::Double => {
                    self.copy(1);
                    if b == b'"' {
                        self.leave()
                    }
                }
                Context::Parameter => match b {
                    b'"' => {
                        self.copy(1);
                        self.push(Context::Double)?
                    }
                    b'\'' if self.in_double() => self.copy(1),
                    b'\'' => self.single()?,
                    b'}' => {
                        self.copy(1);
                        self.leave()
                    }
                    _ => self.copy(1),
                },
                Context::Arithmetic => match b {
                    b'"' => {
                        self.copy(1);
                        self.push(Context::Double)?
                    }
                    b'(' => {
                        self.copy(1);
                        self.push(Context::Arithmetic)?
                    }
                    b')' => {
                        self.copy(1);
                        self.leave()
                    }
                    _ => self.copy(1),
                },
            }
        }
        if self.stack.len() != 1 {
            return Err("a quote or substitution does not end");
        }
        // Bash takes the end of the text for the end of a here-document.
        if !self.pending.is_empty() {
            self.documents()?;
        }
        Ok(())
    }

    fn in_double(&self) -> bool {
        self.stack.iter().rev().skip(1).map(|(c, _)| *c).find(|c| *c != Context::Parameter) == Some(Context::Double)
    }

    fn leave(&mut self) {
        if let Some((_, from)) = self.stack.pop()
            && from != UNNOTED
        {
            self.expansions.push((from, self.out.len()))
        }
        self.word_start = false;
    }

    /// A backslash: joins lines, or protects the next character. Where the grammar would lose it (it begins a word or
    /// a part of one, or protects a blank) the protected character is quoted instead, which means the same.
    fn escape(&mut self) {
        if self.peek(1) == Some(b'\n') {
            self.at += 2;
            return;
        }
        let width = match self.peek(1) {
            None => 0,
            Some(0xc0..=0xdf) => 2,
            Some(0xe0..=0xef) => 3,
            Some(0xf0..) => 4,
            Some(_) => 1,
        };
        let inside = self.out.last().is_some_and(|b| b.is_ascii_alphanumeric() || b"_/.-+,:%@".contains(b)) && !self.word_start;
        let blank = matches!(self.peek(1), Some(b' ' | b'\t'));
        // After a dollar sign a quote would mean something else.
        let dollar = self.out.last() == Some(&b'$');
        if width == 0 || dollar || self.context() != Context::Command || (inside && !blank) {
            self.copy(1 + width);
        } else {
            let quote = if self.peek(1) == Some(b'\'') { b'"' } else { b'\'' };
            self.out.push(quote);
            self.at += 1;
            self.copy(width);
            self.out.push(quote);
        }
        self.word_start = false;
    }

    /// `$(`, `$((`, `${`, `$'`. True when it was one of them.
    fn dollar(&mut self) -> Result<bool, &'static str> {
        let from = self.out.len();
        match (self.peek(1), self.peek(2)) {
            (Some(b'['), _) => return Err("it holds an old form of arithmetic"),
            (Some(b'('), Some(b'(')) => {
                self.copy(3);
                self.push_from(Context::Arithmetic, from)?;
                self.push(Context::Arithmetic)?;
            }
            (Some(b'('), _) => {
                self.copy(2);
                self.push(Context::Command)?;
                self.word_start = true;
                return Ok(true);
            }
            (Some(b'{'), _) => {
                self.copy(2);
                self.push_from(Context::Parameter, from)?;
                // `${#…}` and `${x#…}`: no comment can begin in here.
            }
            (Some(b'\''), _) if self.context() != Context::Double && !(self.context() == Context::Parameter && self.in_double()) => {
                self.copy(2);
                loop {
                    match self.peek(0) {
                        None => return Err("a quote does not end"),
                        Some(b'\\') => self.copy(2),
                        Some(b'\'') => break self.copy(1),
                        Some(_) => self.copy(1),
                    }
                }
            }
            _ => return Ok(false),
        }
        self.word_start = false;
        Ok(true)
    }

    fn single(&mut self) -> Result<(), &'static str> {
        let rest = self.text.get(self.at + 1..).unwrap_or_default();
        let end = rest.iter().position(|b| *b == b'\'').ok_or("a quote does not end")?;
        self.copy(end + 2);
        self.word_start = false;
        Ok(())
    }

    fn command(&mut self, b: u8) -> Result<(), &'static str> {
        match b {
            b'\'' => return self.single(),
            b'"' => {
                self.copy(1);
                self.push(Context::Double)?;
            }
            b'#' if self.word_start => {
                while !matches!(self.peek(0), None | Some(b'\n')) {
                    self.at += 1
                }
                return Ok(());
            }
            b'\n' => {
                self.copy(1);
                self.documents()?;
                self.word_start = true;
                return Ok(());
            }
            b' ' | b'\t' | b';' | b'&' | b'|' => {
                self.pipes += usize::from(b == b'|');
                if self.pipes > PIPES {
                    return Err("it holds too many pipes");
                }
                self.copy(1);
                self.word_start = true;
                return Ok(());
            }
            b'(' => {
                let arithmetic = self.peek(1) == Some(b'(') && self.word_start;
                self.functions += usize::from(self.peek(1) == Some(b')'));
                if self.functions > FUNCTIONS {
                    return Err("it holds too many functions");
                }
                self.groups += usize::from(self.out.iter().rev().find(|b| !matches!(b, b' ' | b'\t')) == Some(&b')'));
                if self.groups > GROUPS {
                    return Err("it holds too many groups that touch");
                }
                self.copy(if arithmetic { 2 } else { 1 });
                if arithmetic {
                    self.push(Context::Arithmetic)?;
                    self.push(Context::Arithmetic)?;
                } else {
                    self.push(Context::Command)?;
                }
                self.word_start = true;
                return Ok(());
            }
            // A `)` at the bottom ends a case pattern.
            b')' => {
                self.copy(1);
                if self.stack.len() > 1 {
                    if self.pending.iter().any(|p| p.depth >= self.stack.len()) {
                        return Err("a here-document inside a substitution has no body");
                    }
                    self.stack.pop();
                } else {
                    self.patterns += 1;
                    if self.patterns > CASE_PATTERNS {
                        return Err("it holds too many closing brackets");
                    }
                }
                self.word_start = true;
                return Ok(());
            }
            b'<' if self.peek(1) == Some(b'<') && self.peek(2) != Some(b'<') => return self.heredoc(),
            b'<' | b'>' => {
                let n = if self.peek(1) == Some(b'<') { 3 } else { 1 };
                self.copy(n);
                self.word_start = true;
                return Ok(());
            }
            _ => self.copy(1),
        }
        self.word_start = false;
        Ok(())
    }

    /// `<<WORD`, `<<-WORD`: the operator becomes a here-string with a mark, the body is taken at the next newline.
    fn heredoc(&mut self) -> Result<(), &'static str> {
        let from = self.at;
        self.at += 2;
        let tabs = self.peek(0) == Some(b'-');
        if tabs {
            self.at += 1
        }
        while matches!(self.peek(0), Some(b' ' | b'\t')) {
            self.at += 1
        }
        let (delimiter, quoted) = self.delimiter().ok_or("a here-document has an odd delimiter")?;
        let number = self.bodies.len();
        let operator = String::from_utf8_lossy(self.text.get(from..self.at).unwrap_or_default()).into_owned();
        self.bodies.push(Body { quoted, operator, text: String::new() });
        self.pending.push(Pending { delimiter, quoted, tabs, number, depth: self.stack.len() });
        self.out.extend_from_slice(format!("< {MARK}{number}_ ").as_bytes());
        self.word_start = true;
        Ok(())
    }

    /// The word after the operator without its quotes, and whether it had any. `None`: not a plain one.
    fn delimiter(&mut self) -> Option<(String, bool)> {
        let (mut word, mut quoted) = (Vec::new(), false);
        loop {
            match self.peek(0) {
                None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' | b'<' | b'>') => break,
                Some(q @ (b'\'' | b'"')) => {
                    quoted = true;
                    self.at += 1;
                    loop {
                        match self.peek(0)? {
                            b if b == q => break,
                            b'\n' | b'\\' | b'$' | b'`' => return None,
                            b => word.push(b),
                        }
                        self.at += 1;
                    }
                    self.at += 1;
                }
                Some(b'\\') => {
                    quoted = true;
                    word.push(self.peek(1).filter(|b| b.is_ascii_graphic())?);
                    self.at += 2;
                }
                Some(b) if b.is_ascii_alphanumeric() || b"_.-!#".contains(&b) => {
                    word.push(b);
                    self.at += 1;
                }
                Some(_) => return None,
            }
        }
        String::from_utf8(word).ok().filter(|w| !w.is_empty()).map(|w| (w, quoted))
    }

    fn documents(&mut self) -> Result<(), &'static str> {
        if self.pending.iter().any(|p| p.depth != self.stack.len()) {
            return Err("a here-document begins in one substitution and ends in another");
        }
        for p in std::mem::take(&mut self.pending) {
            let mut body = String::new();
            loop {
                if self.at >= self.text.len() {
                    if self.stack.len() != 1 {
                        return Err("a here-document does not end");
                    }
                    if self.tail.is_empty() && !self.text.ends_with(b"\n") {
                        self.tail.push('\n')
                    }
                    self.tail.push_str(&p.delimiter);
                    self.tail.push('\n');
                    break;
                }
                let line = self.line(!p.quoted)?;
                let line = if p.tabs { line.trim_start_matches('\t') } else { &line };
                if line == p.delimiter {
                    break;
                }
                body.push_str(line);
                body.push('\n');
            }
            if let Some(b) = self.bodies.get_mut(p.number) {
                b.text = body
            }
        }
        Ok(())
    }

    /// The next line of a here-document. Without a quoted delimiter a backslash at the end joins the next line, before
    /// the line is compared with the delimiter.
    fn line(&mut self, joins: bool) -> Result<String, &'static str> {
        let mut line = String::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let len = rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            let ended = len < rest.len();
            let part = std::str::from_utf8(rest.get(..len).unwrap_or_default()).map_err(|_| "the text is not valid UTF-8")?;
            self.at = (self.at + len + 1).min(self.text.len());
            let joined = joins && part.bytes().rev().take_while(|b| *b == b'\\').count() % 2 == 1;
            if !joined {
                line.push_str(part);
                return Ok(line);
            }
            if !ended || self.at >= self.text.len() {
                return Err("a here-document ends in a backslash");
            }
            line.push_str(part.get(..part.len() - 1).unwrap_or_default());
        }
    }

    /// Backticks: the inner text, unescaped as bash does, is scanned on its own and stands as `$(…)`.
    fn backtick(&mut self) -> Result<(), &'static str> {
        let double = self.context() == Context::Double;
        let mut inner = Vec::new();
        self.at += 1;
        loop {
            match (self.peek(0), self.peek(1)) {
                (None, _) => return Err("a backtick does not end"),
                (Some(b'`'), _) => break self.at += 1,
                (Some(b'\\'), Some(c @ (b'`' | b'\\' | b'$'))) => {
                    inner.push(c);
                    self.at += 2
                }
                (Some(b'\\'), Some(b'"')) if double => {
                    inner.push(b'"');
                    self.at += 2
                }
                (Some(c), _) => {
                    inner.push(c);
                    self.at += 1
                }
            }
        }
        let inner = String::from_utf8(inner).map_err(|_| "the text is not valid UTF-8")?;
        if self.stack.len() >= NESTING || inner.contains("<<") {
            return Err("a backtick substitution is too complicated");
        }
        let depth = self.stack.len();
        let mut scan = Scan::new(&inner, Context::Command);
        // A nested backtick costs one level of the same budget, so that this cannot recurse without end.
        if inner.contains('`') && depth > 8 {
            return Err("it is nested too deeply");
        }
        scan.run()?;
        let arithmetic = scan.out.first() == Some(&b'(');
        self.out.extend_from_slice(if arithmetic { b"$( " } else { b"$(" });
        let base = self.out.len();
        self.expansions.extend(scan.expansions.iter().map(|(a, b)| (a + base, b + base)));
        if scan.out.iter().rev().take_while(|b| **b == b'\\').count() % 2 == 1 {
            return Err("a backtick substitution ends in a backslash");
        }
        self.out.extend_from_slice(&scan.out);
        self.out.push(b')');
        self.word_start = false;
        Ok(())
    }
}
