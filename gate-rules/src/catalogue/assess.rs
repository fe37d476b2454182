//! What one program with these words does: base effects, rules, roles of operands and option values.

use gate_core::{AccessMode, Effect, Effects, Note, Word};

use super::matched::{self, Matched};
use super::model::{Family, InnerAt, List, When};
use super::options::Opt;
use super::{glob, roles, subcommand, unwrap};
use crate::programs;

/// A path that is used, not placed yet.
#[derive(Clone, Debug)]
pub(crate) struct Want {
    pub mode: AccessMode,
    pub word: Word,
    pub maybe: bool,
    pub recursive: bool,
}

/// What was found out about one program call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Finding {
    /// Why it is not known; the first cause counts.
    pub because: Option<String>,
    pub effects: Effects,
    pub notes: Vec<Note>,
    pub wants: Vec<Want>,
    /// Rules that applied, for tests and explanations.
    pub fired: Vec<&'static str>,
    pub subcommand: Option<String>,
    pub dry_run: bool,
    pub runs_stdin: bool,
    pub downloads: bool,
    /// Folders that relative paths start from, in order (`-C`).
    pub moves: Vec<Word>,
    /// Statements, for `programs/sql.rs`.
    pub sql: Vec<Word>,
    /// Assignments among the operands (`env A=b`), not judged yet.
    pub assignments: Vec<(String, Word)>,
}

impl Finding {
    pub(crate) fn unknown(&mut self, because: impl Into<String>) {
        self.because.get_or_insert_with(|| because.into());
    }

    pub(crate) fn add(&mut self, bits: u16) {
        self.effects.0 |= bits;
    }

    pub(crate) fn want(&mut self, mode: AccessMode, word: &Word, maybe: bool, recursive: bool) {
        if !is_stream(word) {
            self.wants.push(Want { mode, word: word.clone(), maybe, recursive });
        }
    }

    /// A rule of code, not of data.
    pub(crate) fn note(&mut self, code: &'static str, effects: Effects, why: &'static str) {
        self.effects.0 |= effects.0;
        if !self.notes.iter().any(|n| n.code == code) {
            self.notes.push(Note { code: code.into(), why: why.into(), instead: None, effects });
        }
    }
}

/// Is the word the null device, a standard stream or the terminal? Those are no files.
pub(crate) fn is_stream(word: &Word) -> bool {
    word.is_pipe()
        || word.literal().is_some_and(|t| {
            matches!(
                t,
                "-" | "/dev/null"
                    | "/dev/stdin"
                    | "/dev/stdout"
                    | "/dev/stderr"
                    | "/dev/tty"
                    | "/dev/zero"
                    | "/dev/urandom"
                    | "/dev/random"
            ) || t.strip_prefix("/dev/fd/").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        })
}

/// Assesses `words`, program first.
pub(crate) fn assess(family: &'static Family, words: &[Word]) -> Finding {
    let m = matched::matched(family, words);
    let mut f = Finding { downloads: family.downloads, ..Finding::default() };
    f.subcommand = Some(m.sub.clone()).filter(|s| !s.is_empty());
    if m.help {
        f.fired.extend(m.family.whens.iter().filter(|w| w.closed && applies(&m, w)).map(|w| w.id));
        f.effects = Effects::of(Effect::Reads);
        f.downloads = false;
        return f;
    }
    let own = unwrap::own_operands(&m);
    let lowered = base(&m, &mut f);
    rules(&m, &mut f);
    vouch(&m, lowered, &mut f);
    wrapped(&m, &mut f, own);
    let operands = own.map_or(m.parsed.operands.as_slice(), |n| m.parsed.operands.get(..n).unwrap_or(&[]));
    roles::options(&m, &mut f);
    roles::operands(&m, operands, own.is_some(), lowered, &mut f);
    programs::extra(&m, &mut f);
    f
}

/// Base effects; the closed rule that lowered them, when one did.
fn base(m: &Matched, f: &mut Finding) -> Option<&'static When> {
    let only = m.family.whens.iter().find(|w| w.closed && applies(m, w));
    if let Some(w) = only {
        f.fired.push(w.id);
        f.dry_run = w.dry_run;
        f.add(w.does);
    } else {
        match m.does {
            Some(bits) => f.add(bits),
            None if m.sub.is_empty() => f.unknown("what it does without subcommand is not listed"),
            None => f.unknown(format!("the subcommand {} is not listed", m.sub)),
        }
        if let Some(why) = &m.uncertain {
            f.unknown(why.clone());
        }
    }
    only
}

/// Does a closed rule apply?
fn applies(m: &Matched, w: &When) -> bool {
    let allowed = |o: &Opt, list: List| list.iter().any(|e| entry_is(e, &o.name));
    // A rule without `sub` lowers a subcommand only by an option that stands behind it.
    let everywhere = w.sub.is_empty() && (m.family.subs.is_empty() || m.parsed.opts.iter().any(|o| allowed(o, w.needs)));
    let here = if m.sub.is_empty() { w.sub.is_empty() } else { everywhere || !w.sub.is_empty() && subcommand::any_is(w.sub, &m.sub) };
    here && m.globals.iter().all(|o| o.vouched || allowed(o, w.only))
        && m.uncertain.is_none()
        && !m.ambiguous
        && !m.parsed.maybe_options
        && m.execs.is_empty()
        && m.parsed.opts.iter().all(|o| o.listed && (allowed(o, w.only) || allowed(o, w.needs) || o.vouched && allowed(o, m.family.global)))
        && (w.needs.is_empty()
            || m.parsed.opts.iter().chain(m.globals.iter().filter(|_| m.sub.is_empty() || !w.sub.is_empty())).any(|o| allowed(o, w.needs)))
        && (w.operands < 0 || {
            let n = m.parsed.operands.len();
            n <= usize::from(w.operands.unsigned_abs()) && !m.parsed.operands.iter().any(|o| o.word.may_split())
        })
}

fn entry_is(entry: &'static str, name: &str) -> bool {
    let e = super::options::Entry::parse(entry);
    e.name.strip_suffix('*').map_or(e.name == name, |p| name.starts_with(p))
}

/// The rules that add effects.
fn rules(m: &Matched, f: &mut Finding) {
    let mut dynamic = Effects::NONE;
    for w in m.family.whens.iter().filter(|w| !w.closed && (m.uncertain.is_some() || subcommand::any_is(w.sub, &m.sub))) {
        if w.has.iter().any(|h| matched::has(m, h)) {
            f.fired.push(w.id);
            f.add(w.does);
            f.downloads |= w.id == "downloads";
            f.notes.push(Note {
                code: format!("{}/{}", m.family.id, w.id).into(),
                why: w.why.into(),
                instead: Some(w.instead).filter(|i| !i.is_empty()).map(Into::into),
                effects: Effects(w.does),
            });
        } else if m.parsed.maybe_options || m.uncertain.is_some() {
            dynamic = dynamic.with(Effects(w.does));
        }
    }
    if !dynamic.is_empty() {
        f.effects = f.effects.with(dynamic);
        f.notes.push(Note {
            code: format!("{}/dynamic-word", m.family.id).into(),
            why: "a word is known only at run time and may turn out to be an option".into(),
            instead: Some("write the words out, or put -- before them".into()),
            effects: dynamic,
        });
    }
}

/// Is every option accounted for?
fn vouch(m: &Matched, lowered: Option<&'static When>, f: &mut Finding) {
    let by_rule = |o: &Opt| lowered.is_some_and(|w| w.only.iter().any(|e| entry_is(e, &o.name)));
    for o in &m.globals {
        if !o.vouched && !by_rule(o) {
            f.unknown(format!("the option {} before the subcommand is not listed", o.name));
        }
    }
    if m.open {
        return;
    }
    for o in &m.parsed.opts {
        if !o.vouched && !by_rule(o) {
            f.unknown(format!("the option {} is not listed", o.name));
        }
    }
    if m.parsed.maybe_options {
        f.unknown("a word is known only at run time and may turn out to be any option");
    }
}

/// What changes when the program runs another command.
fn wrapped(m: &Matched, f: &mut Finding, own: Option<usize>) {
    for e in &m.execs {
        if !e.ended && glob::matches("-exec*", &e.option) {
            f.unknown(format!("{} has no end", e.option));
        }
    }
    let inner = unwrap::inner(m);
    let stdin = |w: &&'static super::model::Wrapper| w.inner == InnerAt::Stdin;
    let Some((wrapper, _)) = inner.first() else {
        if m.family.does == Some(0) && unwrap::wants_command(m) {
            f.unknown("the command that it runs is missing");
        }
        f.runs_stdin |= m.family.stdin_runs && m.parsed.operands.iter().all(|o| o.word.literal() == Some("-")) && unwrap::no_script(m);
        return;
    };
    f.runs_stdin |= inner.iter().map(|(w, _)| *w).any(|w| stdin(&w));
    if let Some(does) = wrapper.does
        && !m.open
    {
        f.effects = Effects(does);
        for n in &f.notes {
            f.effects = Effects(f.effects.0 | n.effects.0);
        }
    }
    if wrapper.assignments {
        for o in m.parsed.operands.iter().take(own.unwrap_or(0)) {
            if let Some((name, _)) = o.word.prefix().split_once('=')
                && let Some(value) = o.word.without_prefix(name.len() + 1)
            {
                f.assignments.push((name.to_owned(), value));
            }
        }
    }
}
