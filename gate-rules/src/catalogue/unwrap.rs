//! Where a wrapper's inner command stands, and what it is.

use gate_core::{Inner, InnerCommand, Piece, ShellKind, Word, path};

use super::matched::{Exec, Matched};
use super::model::{InnerAt, Wrapper};
use super::options::Operand;

/// How many operands are the wrapper's own, when an inner command follows among the operands.
pub(crate) fn own_operands(m: &Matched) -> Option<usize> {
    m.wrappers().filter(|w| counts(m, w)).find_map(|w| match w.inner {
        InnerAt::Operands | InnerAt::Joined => start(m, w),
        InnerAt::File => m.parsed.operands.first().map(|_| 1),
        InnerAt::ScriptOption if script(m, w).is_some() && !by_value(m, w) => Some(0),
        _ => None,
    })
}

/// Does a wrapper count that needs a command among its operands?
pub(crate) fn wants_command(m: &Matched) -> bool {
    m.wrappers().any(|w| matches!(w.inner, InnerAt::Operands | InnerAt::Joined) && counts(m, w))
}

/// No option brings a script.
pub(crate) fn no_script(m: &Matched) -> bool {
    !m.wrappers().any(|w| w.inner == InnerAt::ScriptOption && m.has_option(w.options))
}

/// The inner commands, each with its wrapper. Empty when nothing is run.
pub(crate) fn inner(m: &Matched) -> Vec<(&'static Wrapper, Inner)> {
    if m.help {
        return Vec::new();
    }
    let mut out: Vec<(&'static Wrapper, Inner)> = m.execs.iter().map(|e| (e.wrapper, make(m, e.wrapper, exec(m, e)))).collect();
    for w in m.wrappers().filter(|w| w.inner != InnerAt::Find && counts(m, w)) {
        let Some(command) = command(m, w) else { continue };
        // Where options are not all known, the command may stand elsewhere too.
        let sure = m.uncertain.is_none() && !m.parsed.maybe_options && m.options().all(|o| o.vouched);
        let mut inner = make(m, w, command);
        if !sure && !matches!(inner.command, InnerCommand::Hidden) {
            inner.transparent = false;
            out.push((w, inner.clone()));
            inner.command = InnerCommand::Hidden;
        }
        out.push((w, inner));
        break;
    }
    out
}

/// Does the wrapper count with these options?
fn counts(m: &Matched, w: &Wrapper) -> bool {
    !m.has_option_exact(w.unless) && (w.needs.is_empty() || m.has_option(w.needs))
}

impl Matched {
    /// Like `has_option`, exactly as written: for what makes it milder.
    fn has_option_exact(&self, names: super::model::List) -> bool {
        names.iter().any(|n| self.options().any(|o| o.name == n))
    }
}

fn command(m: &Matched, w: &'static Wrapper) -> Option<InnerCommand> {
    match w.inner {
        InnerAt::Operands => words(m, w).map(InnerCommand::Words),
        InnerAt::ScriptOption => {
            let text = script(m, w)?;
            Some(shell(m, w).map_or(InnerCommand::Hidden, |shell| InnerCommand::Script { text, shell }))
        }
        InnerAt::Stdin => {
            let none = m.parsed.operands.iter().all(|o| o.word.literal() == Some("-"));
            (none || !w.needs.is_empty()).then(|| shell(m, w).map_or(InnerCommand::Hidden, InnerCommand::Stdin))
        }
        InnerAt::File => m.parsed.operands.first().filter(|o| o.word.literal() != Some("-")).map(|o| InnerCommand::File(o.word.clone())),
        InnerAt::Joined => {
            let words = words(m, w)?;
            let known: Option<Vec<&str>> = words.iter().map(Word::literal).collect();
            let text = known.map_or_else(|| Word::unknown("…", false), |k| Word::text(k.join(" ")));
            Some(shell(m, w).map_or(InnerCommand::Hidden, |shell| InnerCommand::Script { text, shell }))
        }
        InnerAt::Hidden => Some(InnerCommand::Hidden),
        InnerAt::Find => None,
    }
}

fn make(m: &Matched, w: &Wrapper, command: InnerCommand) -> Inner {
    let moved = m.options().filter(|o| o.role == "cwd").map(|o| o.value.clone().unwrap_or_else(|| Word::unknown("?", true))).last();
    Inner {
        command,
        sentinel: if w.opaque { "<opaque-bash-wrapper>" } else { "<indirection-bash-wrapper>" }.into(),
        transparent: w.transparent && moved.is_none(),
        moved,
        named: w.named,
        elsewhere: w.elsewhere,
    }
}

fn shell(m: &Matched, w: &Wrapper) -> Option<ShellKind> {
    let name = if w.shell == "name" { m.program.as_str() } else { w.shell };
    Some(match name {
        "bash" | "rbash" => ShellKind::Bash,
        "sh" | "dash" | "ash" => ShellKind::Sh,
        "zsh" => ShellKind::Zsh,
        "ksh" | "ksh93" | "mksh" => ShellKind::Ksh,
        "fish" => ShellKind::Fish,
        "powershell" | "pwsh" => ShellKind::PowerShell,
        "cmd" => ShellKind::Cmd,
        _ => return None,
    })
}

/// Does the script stand as value of the option?
fn by_value(m: &Matched, w: &Wrapper) -> bool {
    m.options().any(|o| w.options.contains(&o.name) && o.value.is_some())
}

/// The script text that an option brings.
fn script(m: &Matched, w: &Wrapper) -> Option<Word> {
    if let Some(o) = m.options().find(|o| w.options.contains(&o.name) && o.value.is_some()) {
        return o.value.clone();
    }
    if !m.has_option(w.options) {
        return None;
    }
    Some(m.parsed.operands.first().map_or_else(|| Word::unknown("", false), |o| o.word.clone()))
}

fn is_assignment(o: &Operand) -> bool {
    o.word.prefix().split_once('=').is_some_and(|(n, _)| !n.is_empty())
}

/// The index of the first operand of the inner command; `None`: no command stands there.
fn start(m: &Matched, w: &Wrapper) -> Option<usize> {
    let assignments = if w.assignments { m.parsed.operands.iter().take_while(|o| is_assignment(o)).count() } else { 0 };
    let start = assignments + usize::from(w.skip);
    (m.parsed.operands.len() > start).then_some(start)
}

fn words(m: &Matched, w: &'static Wrapper) -> Option<Vec<Word>> {
    let start = start(m, w)?;
    // A word that may vanish or multiply before the command: where it starts is not known.
    let moved = m.parsed.operands.iter().take(start + 1).any(|o| o.word.may_split());
    let mut words: Vec<Word> = m.parsed.operands.iter().skip(start).map(|o| o.word.clone()).collect();
    if moved && start > 0 {
        words.insert(0, Word::unknown("?", true));
    }
    let put = w.placeholder.iter().any(|p| m.options().any(|o| o.name == p));
    if put {
        let given = m.options().filter(|o| w.placeholder.contains(&o.name)).find_map(|o| o.value.as_ref()).map(Word::shown);
        let mark = given.filter(|g| !g.is_empty()).unwrap_or_else(|| "{}".to_owned());
        words = words.iter().map(|x| put_in(x, &mark, "")).collect();
    } else if let Some(at) = words.iter().position(|w| w.prefix().starts_with(":::")).filter(|_| w.appends) {
        // GNU parallel: the arguments stand behind `:::`.
        let given: Vec<Word> = words.split_off(at).into_iter().skip(1).filter(|w| !w.prefix().starts_with(":::")).collect();
        match words.iter().position(|w| w.literal() == Some("{}")) {
            Some(i) => drop(words.splice(i..=i, given)),
            None => words.extend(given),
        }
    } else if w.appends {
        words.push(Word::unknown("{…}", true));
    }
    Some(words)
}

/// Puts an unknown part where the mark stands. `root`: text that what is put in starts with.
fn put_in(word: &Word, mark: &str, root: &str) -> Word {
    let mut out = Word { pieces: Vec::new(), raw: word.raw.clone() };
    for piece in &word.pieces {
        let (Piece::Text(t) | Piece::Glob(t)) = piece else {
            out.pieces.push(piece.clone());
            continue;
        };
        let mut first = true;
        for part in t.split(mark) {
            if !first {
                out.push_text(root);
                out.pieces.push(Piece::Unknown { source: mark.to_owned(), splits: false });
            }
            first = false;
            match piece {
                Piece::Glob(_) if !part.is_empty() => out.pieces.push(Piece::Glob(part.to_owned())),
                _ if !part.is_empty() => out.push_text(part),
                _ => {}
            }
        }
    }
    out
}

/// The command of one `-exec`.
fn exec(m: &Matched, e: &Exec) -> InnerCommand {
    if e.words.is_empty() {
        return InnerCommand::Hidden;
    }
    let roots: Vec<&str> = m.parsed.operands.iter().map(|o| o.word.literal().unwrap_or("")).collect();
    let root = match roots.as_slice() {
        _ if e.option.ends_with("dir") => "./".to_owned(),
        [] => "./".to_owned(),
        [one] if !one.is_empty() && !one.starts_with('-') => format!("{}/", one.trim_end_matches('/')),
        _ => String::new(),
    };
    let mut words: Vec<Word> = e.words.iter().map(|w| put_in(w, "{}", &root)).collect();
    if e.wrapper.appends && !e.words.iter().any(|w| w.shown().contains("{}")) {
        words.push(Word::unknown("{}", false));
    }
    InnerCommand::Words(words)
}

/// The base name of a program as written.
pub(crate) fn base_name(words: &[Word]) -> Option<&str> {
    words.first().and_then(Word::literal).map(path::name)
}
