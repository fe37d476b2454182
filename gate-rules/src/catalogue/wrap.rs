//! Where a wrapper's inner command stands in its words.

use gate_core::{Inner, InnerCommand, Piece, ShellKind, Word};

use super::model::{Family, InnerAt, List, Wrapper};
use super::options::{self, Parsed, Style};
use super::{base_name, subcommand};

/// Words of a call as the wrapper rules see them.
pub(super) struct Seen {
    pub sub: String,
    pub parsed: Parsed,
    /// Index in the arguments (after the program) of each parsed word.
    pub map: Vec<usize>,
}

/// Takes a call apart: the arguments without the words of the subcommand and without `find`-like commands.
pub(super) fn see(family: &'static Family, args: &[Word]) -> Seen {
    let has_subs =
        !family.subs.is_empty() || family.whens.iter().any(|w| !w.sub.is_empty()) || family.wrappers.iter().any(|w| !w.sub.is_empty());
    let found = if has_subs { subcommand::find(family, args) } else { subcommand::Found::default() };
    let sub = if found.does.is_some() || !found.at.is_empty() { found.sub.clone().unwrap_or_default() } else { String::new() };
    let cut = segments(family, args);
    let map: Vec<usize> = (0..args.len()).filter(|i| !found.at.contains(i) && !cut.iter().any(|(a, b)| (a..b).contains(&i))).collect();
    let words: Vec<Word> = map.iter().filter_map(|i| args.get(*i).cloned()).collect();
    let lists = lists(family, &sub);
    Seen { sub, parsed: options::parse(&words, &lists, Style::of(family)), map }
}

/// The option lists that count for a subcommand, vouching ones first.
pub(super) fn lists(family: &'static Family, sub: &str) -> Vec<(List, bool)> {
    let mut out: Vec<(List, bool)> = subcommand::keyed(family.options, sub).map(|l| (l, true)).collect();
    out.push((family.global, true));
    out.push((family.takes_value, false));
    for w in family
        .whens
        .iter()
        .filter(|w| w.closed && (if sub.is_empty() { w.sub.is_empty() } else { !w.sub.is_empty() && subcommand::any_is(w.sub, sub) }))
    {
        out.push((w.only, false));
    }
    out
}

/// Index ranges of the commands that stand after an option, up to `;` or `+` (`find -exec`).
fn segments(family: &'static Family, args: &[Word]) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    for w in family.wrappers.iter().filter(|w| w.inner == InnerAt::Find) {
        let mut i = 0;
        while i < args.len() {
            if args.get(i).and_then(Word::literal).is_some_and(|t| w.options.contains(t)) {
                let end = end_of(args, i + 1);
                out.push((i, end));
                i = end;
            }
            i += 1;
        }
    }
    out
}

/// One past the terminator, or the end.
fn end_of(args: &[Word], from: usize) -> usize {
    args.iter()
        .enumerate()
        .skip(from)
        .find(|(i, w)| w.literal() == Some(";") || (w.literal() == Some("+") && args.get(i - 1).and_then(Word::literal) == Some("{}")))
        .map_or(args.len(), |(i, _)| i + 1)
}

/// Does the wrapper rule apply to this call?
pub(super) fn applies(w: &Wrapper, seen: &Seen) -> bool {
    let has = |list: List| seen.parsed.opts.iter().any(|o| list.contains(&o.name));
    let sub = w.sub.is_empty() || (!seen.sub.is_empty() && subcommand::any_is(w.sub, &seen.sub));
    sub && !has(w.unless) && (w.needs.is_empty() || has(w.needs))
}

/// Index in the arguments of the first word of the inner command.
pub(super) fn start(w: &Wrapper, seen: &Seen) -> Option<usize> {
    let mut operands =
        seen.parsed.operands.iter().skip_while(|o| w.assignments && o.word.prefix().contains('=') && !o.word.prefix().starts_with('='));
    let operand = operands.nth(usize::from(w.skip))?;
    seen.map.get(operand.at).copied()
}

/// The commands that a call of a wrapper runs.
pub(super) fn unwrap(family: &'static Family, words: &[Word]) -> Vec<Inner> {
    if family.wrappers.is_empty() {
        return Vec::new();
    }
    let args = words.get(1..).unwrap_or_default();
    let seen = see(family, args);
    let mut out = Vec::new();
    for w in family.wrappers {
        if w.inner != InnerAt::Find && !applies(w, &seen) {
            continue;
        }
        // One script brings one command: a file operand is not also a script.
        let taken = out.iter().any(|i: &Inner| matches!(i.command, InnerCommand::Script { .. } | InnerCommand::Hidden));
        if taken && matches!(w.inner, InnerAt::File | InnerAt::Stdin | InnerAt::Hidden) {
            continue;
        }
        for command in commands(w, args, &seen, words) {
            let sentinel = if w.opaque { "<opaque-bash-wrapper>" } else { "<indirection-bash-wrapper>" };
            out.push(Inner { command, sentinel: sentinel.into(), transparent: w.transparent, named: w.named, elsewhere: w.elsewhere });
        }
    }
    out
}

fn commands(w: &Wrapper, args: &[Word], seen: &Seen, words: &[Word]) -> Vec<InnerCommand> {
    match w.inner {
        InnerAt::Operands => {
            let Some(at) = start(w, seen) else { return Vec::new() };
            let mut inner: Vec<Word> = args.get(at..).unwrap_or_default().to_vec();
            let placeholder = seen.parsed.opts.iter().find(|o| w.placeholder.contains(&o.name));
            if let Some(o) = placeholder {
                let mark = o.value.as_ref().and_then(Word::literal).filter(|m| !m.is_empty()).unwrap_or("{}").to_owned();
                inner = inner.iter().map(|word| fill(word, &mark)).collect();
            } else if w.appends {
                inner.push(Word::unknown("(more arguments)", true));
            }
            vec![InnerCommand::Words(inner)]
        }
        InnerAt::ScriptOption => scripts(w, seen, words),
        InnerAt::Stdin if seen.parsed.operands.is_empty() => vec![InnerCommand::Stdin(shell(w, words))],
        InnerAt::File => seen.parsed.operands.get(usize::from(w.skip)).map(|o| InnerCommand::File(o.word.clone())).into_iter().collect(),
        InnerAt::Find => finds(w, args),
        InnerAt::Hidden => vec![InnerCommand::Hidden],
        InnerAt::Stdin => Vec::new(),
    }
}

fn scripts(w: &Wrapper, seen: &Seen, words: &[Word]) -> Vec<InnerCommand> {
    let mut out = Vec::new();
    for o in seen.parsed.opts.iter().filter(|o| w.options.contains(&o.name)) {
        let text = o.value.clone().or_else(|| seen.parsed.operands.first().map(|x| x.word.clone()));
        let Some(text) = text else { continue };
        out.push(if w.shell.is_empty() { InnerCommand::Hidden } else { InnerCommand::Script { text, shell: shell(w, words) } });
    }
    out
}

fn shell(w: &Wrapper, words: &[Word]) -> ShellKind {
    let name = if w.shell == "name" { words.first().and_then(Word::literal).map_or("bash", base_name) } else { w.shell };
    match name {
        "sh" | "dash" | "ash" => ShellKind::Sh,
        "zsh" => ShellKind::Zsh,
        "ksh" | "mksh" => ShellKind::Ksh,
        "fish" => ShellKind::Fish,
        "powershell" | "pwsh" => ShellKind::PowerShell,
        "cmd" => ShellKind::Cmd,
        _ => ShellKind::Bash,
    }
}

fn finds(w: &Wrapper, args: &[Word]) -> Vec<InnerCommand> {
    let mut out = Vec::new();
    for (i, word) in args.iter().enumerate() {
        if !word.literal().is_some_and(|t| w.options.contains(t)) {
            continue;
        }
        let end = end_of(args, i + 1);
        let body = args.get(i + 1..end).unwrap_or_default();
        let body = if matches!(body.last().and_then(Word::literal), Some(";" | "+")) {
            body.get(..body.len() - 1).unwrap_or_default()
        } else {
            body
        };
        let inner: Vec<Word> = body.iter().map(|word| fill(word, "{}")).collect();
        out.push(if inner.is_empty() { InnerCommand::Hidden } else { InnerCommand::Words(inner) });
    }
    out
}

/// What is put in is not known; what stands around it is.
fn fill(word: &Word, mark: &str) -> Word {
    let Some(text) = word.literal().filter(|t| t.contains(mark)) else { return word.clone() };
    let mut out = Word { pieces: Vec::new(), raw: word.raw.clone() };
    for (i, part) in text.split(mark).enumerate() {
        if i > 0 {
            out.pieces.push(Piece::Unknown { source: mark.to_owned(), splits: false })
        }
        if !part.is_empty() {
            out.push_text(part)
        }
    }
    out
}
