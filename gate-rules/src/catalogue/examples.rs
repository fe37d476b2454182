//! Runs the examples of family files. The reader of command lines here knows quotes, variables, patterns, redirects and
//! pipes, which is enough for examples; it decides nothing.

use gate_core::{
    Access, AccessMode, Analysis, Assessment, Assignment, Call, Case, Effects, NoFacts, Piece, Pipe, Place, Redirect, RedirectMode, Script,
    Settings, ShellKind, Tool, ToolKind, Unit, Word, WrapperGrammar, path,
};

use super::compile::{EFFECTS, compile};
use super::{Catalogue, FamilyError};
use crate::analysis::{Placer, analyse};

/// An example that came out otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The command line.
    pub example: String,
    /// What the file says.
    pub expected: String,
    /// What came out.
    pub got: String,
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n    expected {}\n    got      {}", self.example, self.expected, self.got)
    }
}

/// Places for examples: the project, temp, a home, and a few names that are secret.
struct Plain;

impl Placer for Plain {
    fn access(&self, mode: AccessMode, word: &Word, cwd: Option<&str>, maybe: bool, recursive: bool) -> Access {
        let at = cwd.map(|c| path::resolve(c, &word.shown()));
        let place = at.as_deref().map_or(Place::Outside, |p| match p {
            _ if p.contains("/.ssh") || p.ends_with(".env") || p == "/etc/shadow" => Place::Sensitive,
            _ if p.starts_with("/home/u/proj") => Place::Project,
            _ if p.starts_with("/tmp") => Place::Temp,
            _ if p.starts_with("/home/u") => Place::Home,
            _ => Place::System,
        });
        Access { mode, shown: word.shown(), path: at, resolved: None, glob: word.is_glob(), recursive, place, maybe }
    }
}

/// Checks one family file and runs its examples against it alone.
///
/// # Errors
/// The mistakes in the file.
pub fn check_family(file: &str, text: &str) -> Result<Vec<Failure>, Vec<FamilyError>> {
    let (mut own, mistakes) = Catalogue::with_user(&[(file.to_owned(), text.to_owned())]);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    own.bare = true;
    let id = file.rsplit('/').next().unwrap_or(file).trim_end_matches(".toml");
    let Ok((_, raw)) = compile(id, text) else { return Ok(Vec::new()) };
    let mut out = Vec::new();
    for (key, lines) in &raw.examples {
        for line in lines {
            let (a, _) = first(&own, line);
            let want = EFFECTS.iter().find(|(n, _)| n == key).map_or(0, |(_, b)| *b);
            let right = match key.as_str() {
                "unknown" => !a.known,
                "reads" | "nothing" => a.known && a.effects == Effects(want),
                _ => a.effects.0 & want == want,
            };
            if !right {
                out.push(Failure { example: line.clone(), expected: key.clone(), got: shown(&a) });
            }
        }
    }
    for w in &raw.when {
        for (lines, hit) in [(&w.hits, true), (&w.misses, false)] {
            for line in lines {
                let (a, fired) = first(&own, line);
                if fired.iter().any(|f| *f == w.id) != hit {
                    let expected = format!("{}: {}", w.id, if hit { "applies" } else { "does not apply" });
                    out.push(Failure { example: line.clone(), expected, got: format!("{}, rules: {}", shown(&a), fired.join(" ")) });
                }
            }
        }
    }
    Ok(out)
}

fn shown(a: &Assessment) -> String {
    let effects: Vec<&str> = a.effects.iter().map(gate_core::Effect::name).collect();
    let known = a.unknown_because.as_ref().map_or_else(|| "known".to_owned(), |w| format!("unknown ({w})"));
    format!("{known}; effects: {}", if effects.is_empty() { "nothing".to_owned() } else { effects.join(" ") })
}

/// The assessment of the first unit, and the rules that applied.
fn first(catalogue: &Catalogue, line: &str) -> (Assessment, Vec<&'static str>) {
    let script = read_line(line);
    let fired = script.units.first().and_then(|u| {
        let family = catalogue.find(super::unwrap::base_name(&u.words)?)?;
        Some(family.assess(&u.words).fired)
    });
    let (_, analysis) = analysed(catalogue, line, script);
    (analysis.units.into_iter().next().unwrap_or_default(), fired.unwrap_or_default())
}

fn analysed(catalogue: &Catalogue, line: &str, script: Script) -> (Script, Analysis) {
    let call = Call {
        id: String::new(),
        host: String::new(),
        session: None,
        tool: Tool { name: "bash".to_owned(), kind: ToolKind::Shell(ShellKind::Bash) },
        input: serde_json::json!({ "command": line }),
        cwd: "/home/u/proj".to_owned(),
        home: "/home/u".to_owned(),
        project: "/home/u/proj".to_owned(),
        headless: false,
        cancelled: false,
        subagent: false,
    };
    let settings = Settings::default();
    let case = Case::new(&call, &settings, Some(script.clone()), &NoFacts);
    let analysis = analyse(&case, catalogue, &Plain);
    (script, analysis)
}

/// What the catalogue says of a command line, for people: one paragraph for each command.
#[must_use]
pub fn explain(catalogue: &Catalogue, line: &str) -> String {
    let (script, analysis) = analysed(catalogue, line, read_line(line));
    let mut out = String::new();
    for (u, a) in script.units.iter().zip(&analysis.units) {
        out.push_str(&format!("{}\n  {}\n", u.shown(), shown(a)));
        if let Some(f) = &a.family {
            out.push_str(&format!("  family: {f} {}\n", a.subcommand.as_deref().unwrap_or("")));
        }
        for x in &a.accesses {
            out.push_str(&format!("  {:?} {}{}\n", x.mode, x.shown, if x.maybe { " (maybe)" } else { "" }));
        }
        for n in &a.notes {
            out.push_str(&format!("  {}: {}\n", n.code, n.why));
        }
        for i in catalogue.unwrap_command(&u.words) {
            out.push_str(&format!("  runs: {:?} transparent={} named={}\n", i.command, i.transparent, i.named));
        }
    }
    out
}

/// Reads a simple command line of an example.
#[must_use]
pub fn read_line(line: &str) -> Script {
    let mut r = Reader { chars: line.chars().collect(), at: 0, units: vec![Unit::default()], stages: vec![0], pending: None };
    r.run();
    let mut units = r.units;
    let mut from = 0;
    // Stages of one pipeline follow each other.
    for (pipeline, len) in r.stages.iter().map(|n| n + 1).enumerate() {
        for (index, u) in units.iter_mut().skip(from).take(len).enumerate().filter(|_| len > 1) {
            u.pipe = Some(Pipe { pipeline, index, len });
        }
        from += len;
    }
    units.retain(|u| !u.words.is_empty() || !u.assignments.is_empty() || !u.redirects.is_empty());
    Script { raw: line.to_owned(), units, ..Script::default() }
}

struct Reader {
    chars: Vec<char>,
    at: usize,
    units: Vec<Unit>,
    stages: Vec<usize>,
    pending: Option<RedirectMode>,
}

impl Reader {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn run(&mut self) {
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '\t' => self.at += 1,
                '|' | ';' | '&' | '\n' if c != '&' || self.peek(1) != Some('>') => {
                    let double = c != ';' && self.peek(1) == Some(c);
                    self.at += if double { 2 } else { 1 };
                    self.units.push(Unit::default());
                    match self.stages.last_mut() {
                        Some(n) if c == '|' && !double => *n += 1,
                        _ => self.stages.push(0),
                    }
                }
                '>' | '<' | '&' => self.redirect(),
                '0'..='9' if matches!(self.peek(1), Some('>' | '<')) => {
                    self.at += 1;
                    self.redirect();
                }
                _ => {
                    let word = self.word();
                    self.add(word);
                }
            }
        }
    }

    fn redirect(&mut self) {
        let mut text = String::new();
        while let Some(c) = self.peek(0).filter(|c| matches!(c, '>' | '<' | '&')) {
            text.push(c);
            self.at += 1;
        }
        if text.ends_with('&') {
            self.word();
        } else {
            self.pending = Some(match text.as_str() {
                "<" => RedirectMode::Read,
                ">>" | "&>>" => RedirectMode::Append,
                "<>" => RedirectMode::ReadWrite,
                _ => RedirectMode::Write,
            });
        }
    }

    fn add(&mut self, word: Word) {
        let mode = self.pending.take();
        let Some(unit) = self.units.last_mut() else { return };
        if let Some(mode) = mode {
            return unit.redirects.push(Redirect { mode, target: word });
        }
        let name = word.prefix().split_once('=').map(|(n, _)| n.to_owned());
        let assigns = name.as_ref().is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'));
        let declares = unit.program().is_some_and(|p| matches!(p, "export" | "declare" | "local" | "readonly" | "typeset"));
        if assigns && (unit.words.is_empty() || declares) {
            let name = name.unwrap_or_default();
            let value = word.without_prefix(name.len() + 1).unwrap_or_default();
            unit.assignments.push(Assignment { name, value, append: false, exported: true });
        } else {
            unit.words.push(word);
        }
    }

    fn word(&mut self) -> Word {
        let start = self.at;
        let mut word = Word::default();
        while let Some(c) = self.peek(0) {
            match c {
                ' ' | '\t' | '|' | ';' | '&' | '>' | '<' | '\n' => break,
                '\'' => {
                    self.at += 1;
                    let mut t = String::new();
                    while let Some(d) = self.peek(0).filter(|d| *d != '\'') {
                        t.push(d);
                        self.at += 1;
                    }
                    self.at += 1;
                    word.push_text(&t);
                }
                '"' => self.quoted(&mut word),
                '\\' => {
                    word.push_text(&self.peek(1).map(String::from).unwrap_or_default());
                    self.at += 2;
                }
                '$' | '`' => self.unknown(&mut word, true),
                '*' | '?' => {
                    self.at += 1;
                    word.pieces.push(Piece::Glob(c.to_string()));
                }
                '~' if word.pieces.is_empty() => {
                    self.at += 1;
                    word.push_text("/home/u");
                }
                _ => {
                    self.at += 1;
                    word.push_text(&c.to_string());
                }
            }
        }
        if self.at == start {
            self.at += 1;
        }
        word.raw = self.chars.get(start..self.at.min(self.chars.len())).unwrap_or(&[]).iter().collect();
        word
    }

    fn quoted(&mut self, word: &mut Word) {
        self.at += 1;
        word.push_text("");
        while let Some(d) = self.peek(0) {
            match d {
                '"' => break,
                '$' | '`' => self.unknown(word, false),
                '\\' => {
                    word.push_text(&self.peek(1).map(String::from).unwrap_or_default());
                    self.at += 2;
                }
                _ => {
                    word.push_text(&d.to_string());
                    self.at += 1;
                }
            }
        }
        self.at += 1;
    }

    fn unknown(&mut self, word: &mut Word, splits: bool) {
        let start = self.at;
        let open = self.peek(1);
        self.at += 1;
        match (self.peek(0), self.chars.get(start)) {
            (_, Some('`')) => {
                while self.peek(0).is_some_and(|c| c != '`') {
                    self.at += 1;
                }
                self.at += 1;
            }
            (Some('(' | '{'), _) => {
                let close = if open == Some('(') { ')' } else { '}' };
                while self.peek(0).is_some_and(|c| c != close) {
                    self.at += 1;
                }
                self.at += 1;
            }
            (Some(c), _) if c.is_alphabetic() || c == '_' => {
                while self.peek(0).is_some_and(|c| c.is_alphanumeric() || c == '_') {
                    self.at += 1;
                }
            }
            (Some('@' | '?' | '#' | '$' | '!' | '0'..='9'), _) => self.at += 1,
            _ => return word.push_text("$"),
        }
        let source = self.chars.get(start..self.at.min(self.chars.len())).unwrap_or(&[]).iter().collect();
        if word.pieces == [Piece::Text(String::new())] {
            word.pieces.clear();
        }
        word.pieces.push(Piece::Unknown { source, splits });
    }
}
