//! From the source of one word to decoded words, as bash expands them: quotes, escapes, tilde, braces, patterns,
//! variables whose value is certain. Owns the order of expansions; knows no command.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use gate_core::{Piece, Word};

/// Most words that one brace expansion may make.
const BRACES: usize = 64;

/// What decoding may know.
pub struct Known<'a> {
    /// The normalised source.
    pub source: &'a str,
    /// Where expansions and substitutions of the tree begin and end.
    pub extents: &'a BTreeMap<usize, usize>,
    /// Variables whose value is certain.
    pub vars: &'a HashMap<Rc<str>, Rc<Word>>,
    /// What `~` and `$HOME` stand for.
    pub home: Option<&'a str>,
    /// What `$PWD` stands for.
    pub cwd: Option<&'a str>,
    /// How many bytes of variables' values may still stand in words.
    pub budget: &'a Cell<usize>,
}

/// A decoded character or part.
#[derive(Clone, Debug)]
enum Atom {
    Char(char, bool),
    Part(Piece),
    /// The (certain) value of an unquoted variable: may be cut into words.
    Value(String),
}

/// One source word before expansions that make several of it.
#[derive(Clone, Debug, Default)]
pub struct Raw {
    atoms: Vec<Atom>,
    source: String,
    quoted: bool,
}

impl Raw {
    /// The exact text as the other parser would see it; `None` when an expansion, pattern, brace or tilde is in it.
    pub fn plain(&self) -> Option<String> {
        let mut out = String::new();
        for (i, a) in self.atoms.iter().enumerate() {
            match a {
                Atom::Char(c, true) => out.push(*c),
                Atom::Char('*' | '?' | '[' | ']' | '{' | '}', false) if self.atoms.len() > 1 => return None,
                Atom::Char('~', false) if i == 0 => return None,
                Atom::Char(c, false) => out.push(*c),
                Atom::Part(_) | Atom::Value(_) => return None,
            }
        }
        Some(out)
    }
}

/// Reads the source between two offsets as one word. `None`: something that the tree does not know stands in it.
pub fn read(known: &Known<'_>, start: usize, end: usize) -> Option<Raw> {
    let source = known.source.get(start..end)?;
    let mut reader = Reader { known, at: start, end, raw: Raw { source: source.to_owned(), ..Raw::default() } };
    reader.run(false)?;
    Some(reader.raw)
}

struct Reader<'k, 'a> {
    known: &'k Known<'a>,
    at: usize,
    end: usize,
    raw: Raw,
}

impl Reader<'_, '_> {
    fn next(&mut self) -> Option<char> {
        let c = self.known.source.get(self.at..self.end)?.chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }
    fn peek(&self) -> Option<char> {
        self.known.source.get(self.at..self.end)?.chars().next()
    }
    fn put(&mut self, c: char, quoted: bool) {
        self.raw.atoms.push(Atom::Char(c, quoted));
    }

    /// `double`: inside double quotes, until their end.
    fn run(&mut self, double: bool) -> Option<()> {
        while self.at < self.end {
            let start = self.at;
            match self.next()? {
                '"' if double => return Some(()),
                '"' => {
                    self.raw.quoted = true;
                    let before = self.raw.atoms.len();
                    self.run(true)?;
                    if self.raw.atoms.len() == before {
                        self.raw.atoms.push(Atom::Part(Piece::Text(String::new())))
                    }
                }
                '\\' if double => match self.next()? {
                    '\n' => {}
                    c @ ('$' | '`' | '"' | '\\') => self.put(c, true),
                    c => {
                        self.put('\\', true);
                        self.put(c, true);
                    }
                },
                '\\' => match self.next() {
                    Some('\n') => {}
                    Some(c) => self.put(c, true),
                    None => self.put('\\', true),
                },
                '\'' if !double => {
                    self.raw.quoted = true;
                    let mut any = false;
                    loop {
                        match self.next()? {
                            '\'' => break,
                            c => {
                                any = true;
                                self.put(c, true)
                            }
                        }
                    }
                    if !any {
                        self.raw.atoms.push(Atom::Part(Piece::Text(String::new())))
                    }
                }
                '$' if !double && self.peek() == Some('\'') => {
                    self.next();
                    self.raw.quoted = true;
                    self.ansi()?;
                }
                '$' if !double && self.peek() == Some('"') => {}
                '$' if matches!(self.peek(), Some(c) if c.is_ascii_alphanumeric() || "_@*#?$!-({[".contains(c)) => {
                    self.dollar(start, double)?
                }
                '`' => return None,
                c @ ('<' | '>') if !double && self.peek() == Some('(') => {
                    let end = *self.known.extents.get(&start)?;
                    self.dynamic(start, end, false)?;
                    let _ = c;
                }
                c => self.put(c, double),
            }
        }
        (!double).then_some(())
    }

    fn dynamic(&mut self, start: usize, end: usize, splits: bool) -> Option<()> {
        if end > self.end || end <= start {
            return None;
        }
        let source = self.known.source.get(start..end)?.to_owned();
        self.raw.atoms.push(Atom::Part(Piece::Unknown { source, splits }));
        self.at = end;
        Some(())
    }

    fn dollar(&mut self, start: usize, double: bool) -> Option<()> {
        let rest = self.known.source.get(self.at..self.end)?;
        let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
        let (name, end) = if let Some(inner) = rest.strip_prefix('{') {
            let end = *self.known.extents.get(&start)?;
            let name = inner.get(..end.checked_sub(self.at + 2)?)?;
            (if is_name(name) { name.to_owned() } else { String::new() }, end)
        } else if is_name(&name) {
            let end = self.at + name.len();
            (name, end)
        } else if rest.starts_with(['(', '[']) {
            (String::new(), *self.known.extents.get(&start)?)
        } else {
            (String::new(), self.at + rest.chars().next()?.len_utf8())
        };
        match self.value(&name) {
            Some(word) => {
                self.at = end;
                match word.literal() {
                    Some(text) if double => text.chars().for_each(|c| self.put(c, true)),
                    Some(text) => self.raw.atoms.push(Atom::Value(text.to_owned())),
                    None => self.raw.atoms.extend(word.pieces.into_iter().map(|p| match p {
                        Piece::Unknown { source, .. } => Atom::Part(Piece::Unknown { source, splits: !double }),
                        p => Atom::Part(p),
                    })),
                }
                Some(())
            }
            None => self.dynamic(start, end, !double || rest.starts_with(['@']) || rest.starts_with("{@")),
        }
    }

    fn value(&self, name: &str) -> Option<Word> {
        if name.is_empty() {
            return None;
        }
        if let Some(word) = self.known.vars.get(name) {
            let left = self.known.budget.get().checked_sub(word.shown().len() + 1)?;
            self.known.budget.set(left);
            return Some(Word::clone(word));
        }
        match name {
            "HOME" => self.known.home.map(Word::text),
            "PWD" => self.known.cwd.map(Word::text),
            _ => None,
        }
    }

    fn ansi(&mut self) -> Option<()> {
        let empty = self.peek() == Some('\'');
        loop {
            let c = self.next()?;
            let put = match c {
                '\'' => {
                    if empty {
                        self.raw.atoms.push(Atom::Part(Piece::Text(String::new())))
                    }
                    return Some(());
                }
                '\\' => match self.next()? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'a' => '\u{7}',
                    'b' => '\u{8}',
                    'e' | 'E' => '\u{1b}',
                    'f' => '\u{c}',
                    'v' => '\u{b}',
                    c @ ('\\' | '\'' | '"' | '?') => c,
                    'x' => self.number(16, 2, 0)?,
                    'u' => self.number(16, 4, 0)?,
                    'U' => self.number(16, 8, 0)?,
                    d @ '0'..='7' => self.number(8, 2, d.to_digit(8)?)?,
                    _ => return None,
                },
                c => c,
            };
            self.put(put, true);
        }
    }

    /// A character by number; bytes above ASCII and NUL (which ends the string) are not decoded.
    fn number(&mut self, radix: u32, digits: usize, start: u32) -> Option<char> {
        let mut n = start;
        let mut any = radix == 8;
        for _ in 0..digits {
            let Some(d) = self.peek().and_then(|c| c.to_digit(radix)) else { break };
            self.next();
            any = true;
            n = n.checked_mul(radix)?.checked_add(d)?;
        }
        let c = char::from_u32(n)?;
        (any && n != 0 && (c.is_ascii() || digits >= 4)).then_some(c)
    }
}

/// Is it the name of a variable?
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// The words that a source word becomes.
pub fn words(raw: &Raw, home: Option<&str>) -> Vec<Word> {
    let mut budget = BRACES;
    let expanded = braces(&raw.atoms, &mut budget, 0)
        .unwrap_or_else(|| vec![vec![Atom::Part(Piece::Unknown { source: raw.source.clone(), splits: true })]]);
    let one = expanded.len() == 1;
    let mut out = Vec::with_capacity(expanded.len());
    for atoms in expanded {
        // An unquoted variable that is the whole word is cut at blanks.
        if let [Atom::Value(v)] = atoms.as_slice() {
            if v.contains(['*', '?', '[', '\\']) {
                out.push(Word { pieces: vec![Piece::Unknown { source: raw.source.clone(), splits: true }], raw: raw.source.clone() });
            } else {
                out.extend(
                    v.split([' ', '\t', '\n'])
                        .filter(|p| !p.is_empty())
                        .map(|p| Word { pieces: vec![Piece::Text(p.to_owned())], raw: raw.source.clone() }),
                );
            }
            continue;
        }
        let mut word = word_of(&atoms, home);
        word.raw = if one { raw.source.clone() } else { word.shown() };
        out.push(word);
    }
    out
}

/// The single word of a place where no splitting, pattern or brace expansion happens (assignments, redirect targets of
/// here-strings, quoted text).
pub fn single(raw: &Raw, home: Option<&str>) -> Word {
    let mut word = Word { pieces: Vec::new(), raw: raw.source.clone() };
    let (mut tilde, mut done) = (true, 0);
    for (i, atom) in raw.atoms.iter().enumerate() {
        match atom {
            _ if i < done => {}
            Atom::Char('~', false) if tilde => done = i + 1 + tilde_piece(&raw.atoms, i, home, &mut word),
            Atom::Char(c, _) => word.push_text(c.encode_utf8(&mut [0; 4])),
            Atom::Part(Piece::Text(t)) | Atom::Value(t) => word.push_text(t),
            Atom::Part(Piece::Unknown { source, .. }) => word.pieces.push(Piece::Unknown { source: source.clone(), splits: false }),
            Atom::Part(Piece::Glob(g)) => word.pieces.push(Piece::Glob(g.clone())),
        }
        tilde = matches!(atom, Atom::Char(':', false));
    }
    word
}

/// The words of a declaration's operand: braces expand, nothing is split or matched, `~` counts after `=` as well.
pub fn operand(raw: &Raw, home: Option<&str>) -> Vec<Word> {
    let mut budget = BRACES;
    let Some(expanded) = braces(&raw.atoms, &mut budget, 0) else {
        return vec![Word { pieces: vec![Piece::Unknown { source: raw.source.clone(), splits: true }], raw: raw.source.clone() }];
    };
    let one = expanded.len() == 1;
    expanded
        .into_iter()
        .map(|atoms| {
            let equals = atoms.iter().position(|a| matches!(a, Atom::Char('=', false))).map_or(0, |i| i + 1);
            let part = |range: &[Atom]| single(&Raw { atoms: range.to_vec(), ..Raw::default() }, home);
            let mut word = part(atoms.get(..equals).unwrap_or_default());
            for piece in part(atoms.get(equals..).unwrap_or_default()).pieces {
                match piece {
                    Piece::Text(t) => word.push_text(&t),
                    other => word.pieces.push(other),
                }
            }
            word.raw = if one { raw.source.clone() } else { word.shown() };
            word
        })
        .collect()
}

/// `~`, `~/…` and `~name/…` of the user whose home it is are the home; another `~name` is not known. How many characters
/// of a name are part of it.
fn tilde_piece(atoms: &[Atom], i: usize, home: Option<&str>, word: &mut Word) -> usize {
    let ends = |n: usize| matches!(atoms.get(i + 1 + n), None | Some(Atom::Char('/' | ':', false)));
    let name = home.and_then(|h| h.rsplit('/').next()).filter(|n| !n.is_empty());
    let own = |n: &&str| n.chars().enumerate().all(|(k, c)| matches!(atoms.get(i + 1 + k), Some(Atom::Char(a, false)) if *a == c));
    let own = name.filter(own).map(|n| n.chars().count()).filter(|n| ends(*n));
    match (home, own) {
        (Some(home), _) if ends(0) => word.push_text(home),
        (Some(home), Some(_)) => word.push_text(home),
        _ => word.pieces.push(Piece::Unknown { source: "~".to_owned(), splits: false }),
    }
    if ends(0) { 0 } else { own.unwrap_or(0) }
}

fn word_of(atoms: &[Atom], home: Option<&str>) -> Word {
    let mut word = Word::default();
    let assigns = atoms.iter().position(|a| matches!(a, Atom::Char('=', false))).filter(|i| {
        let name: String = atoms
            .iter()
            .take(*i)
            .map(|a| match a {
                Atom::Char(c, false) => *c,
                _ => ' ',
            })
            .collect();
        is_name(&name)
    });
    let last_close = atoms.iter().rposition(|a| matches!(a, Atom::Char(']', false))).unwrap_or(0);
    let mut done = 0;
    for (i, atom) in atoms.iter().enumerate() {
        match atom {
            _ if i < done => {}
            Atom::Char('~', false) if i == 0 || assigns.is_some_and(|a| a + 1 == i || (a < i && after_colon(atoms, i))) => {
                done = i + 1 + tilde_piece(atoms, i, home, &mut word);
            }
            Atom::Char(c @ ('*' | '?'), false) => push_glob(&mut word, &c.to_string()),
            // A bracket pattern needs its end, with something in between.
            Atom::Char('[', false) if i + 2 <= last_close => push_glob(&mut word, "["),
            Atom::Char(c, _) if matches!(word.pieces.last(), Some(Piece::Glob(g)) if g.starts_with('[') && !g.ends_with(']')) => {
                push_glob(&mut word, &c.to_string())
            }
            Atom::Char(c, _) => word.push_text(c.encode_utf8(&mut [0; 4])),
            Atom::Part(Piece::Text(t)) => word.push_text(t),
            Atom::Part(p) => word.pieces.push(p.clone()),
            Atom::Value(v) if v.contains([' ', '\t', '\n', '*', '?', '[', '\\']) => {
                word.pieces.push(Piece::Unknown { source: v.clone(), splits: true })
            }
            Atom::Value(v) => word.push_text(v),
        }
    }
    word
}

/// In what looks like an assignment, `~` counts after every colon.
fn after_colon(atoms: &[Atom], i: usize) -> bool {
    matches!(i.checked_sub(1).and_then(|i| atoms.get(i)), Some(Atom::Char(':', false)))
}

fn push_glob(word: &mut Word, text: &str) {
    match word.pieces.last_mut() {
        Some(Piece::Glob(g)) if g.starts_with('[') && !g.ends_with(']') => g.push_str(text),
        _ => word.pieces.push(Piece::Glob(text.to_owned())),
    }
}

/// Brace expansion, left to right, within a budget. `None`: too many.
fn braces(atoms: &[Atom], budget: &mut usize, depth: usize) -> Option<Vec<Vec<Atom>>> {
    if depth > 16 {
        return None;
    }
    let Some((open, close, commas)) = brace(atoms) else { return Some(vec![atoms.to_vec()]) };
    let inner = atoms.get(open + 1..close)?;
    let middles: Vec<Vec<Atom>> = if commas.is_empty() {
        sequence(inner, *budget)?
    } else {
        let mut parts = Vec::new();
        let mut from = open + 1;
        for c in commas.iter().copied().chain([close]) {
            parts.extend(braces(atoms.get(from..c)?, budget, depth + 1)?);
            from = c + 1;
        }
        parts
    };
    let tails = braces(atoms.get(close + 1..)?, budget, depth + 1)?;
    let total = middles.len().checked_mul(tails.len())?;
    if total > *budget {
        return None;
    }
    let head = atoms.get(..open)?;
    let mut out = Vec::with_capacity(total);
    for m in &middles {
        for t in &tails {
            out.push(head.iter().chain(m).chain(t).cloned().collect())
        }
    }
    Some(out)
}

/// The first brace that expands: its ends and its own commas (none: a sequence).
fn brace(atoms: &[Atom]) -> Option<(usize, usize, Vec<usize>)> {
    for open in 0..atoms.len() {
        if !matches!(atoms.get(open), Some(Atom::Char('{', false))) {
            continue;
        }
        let (mut level, mut commas) = (0, Vec::new());
        for (i, a) in atoms.iter().enumerate().skip(open + 1) {
            match a {
                Atom::Char('{', false) => level += 1,
                Atom::Char(',', false) if level == 0 => commas.push(i),
                Atom::Char('}', false) if level > 0 => level -= 1,
                Atom::Char('}', false) => {
                    if !commas.is_empty() || is_sequence(atoms.get(open + 1..i).unwrap_or_default()) {
                        return Some((open, i, commas));
                    }
                    break;
                }
                _ => {}
            }
        }
    }
    None
}

fn plain_text(atoms: &[Atom]) -> Option<String> {
    atoms
        .iter()
        .map(|a| match a {
            Atom::Char(c, _) => Some(*c),
            _ => None,
        })
        .collect()
}

/// Anything with two dots is treated as a sequence; what cannot be counted out becomes unknown.
fn is_sequence(inner: &[Atom]) -> bool {
    inner.windows(2).any(|w| matches!(w, [Atom::Char('.', false), Atom::Char('.', false)]))
        || (inner.len() >= 3 && plain_text(inner).is_none())
}

fn sequence(inner: &[Atom], budget: usize) -> Option<Vec<Vec<Atom>>> {
    let text = plain_text(inner)?;
    let (a, b) = text.split_once("..")?;
    let chars = |from: u32, to: u32| -> Option<Vec<Vec<Atom>>> {
        let range: Vec<u32> = if from <= to { (from..=to).collect() } else { (to..=from).rev().collect() };
        if range.len() > budget {
            return None;
        }
        range.into_iter().map(|n| char::from_u32(n).map(|c| vec![Atom::Char(c, true)])).collect()
    };
    if let (Ok(from), Ok(to)) = (a.parse::<i32>(), b.parse::<i32>()) {
        let padded = [a, b].iter().any(|n| n.trim_start_matches('-').len() > 1 && n.trim_start_matches('-').starts_with('0'));
        if padded || from.abs_diff(to) as usize >= budget {
            return None;
        }
        let list: Vec<i32> = if from <= to { (from..=to).collect() } else { (to..=from).rev().collect() };
        return Some(list.into_iter().map(|n| n.to_string().chars().map(|c| Atom::Char(c, true)).collect()).collect());
    }
    let one = |s: &str| {
        let mut c = s.chars();
        c.next().filter(|x| x.is_ascii_alphabetic() && c.next().is_none())
    };
    chars(u32::from(one(a)?), u32::from(one(b)?))
}
