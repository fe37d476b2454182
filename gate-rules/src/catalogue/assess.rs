//! What a call of a known program does: subcommand, closed option lists, rules, roles of operands.

use gate_core::{Effect, Effects, Note, Word};

use super::model::{Family, InnerAt, When};
use super::options::{Opt, Parsed};
use super::wrap::{self, Seen};
use super::{base_name, glob, subcommand};

/// A word that is a file (or a place) with its role.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    /// `read`, `write`, `delete`, `run`, `dir`, `cwd`, `url`, …
    pub role: &'static str,
    /// The word.
    pub word: Word,
    /// It may be no file at all: nothing said what it is.
    pub maybe: bool,
}

/// What the catalogue alone can tell.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub known: bool,
    pub because: Option<String>,
    pub subcommand: Option<String>,
    pub effects: Effects,
    pub uses: Vec<Use>,
    pub notes: Vec<Note>,
    pub dry_run: bool,
    pub runs_stdin: bool,
}

impl Found {
    fn unknown(&mut self, why: impl Into<String>) {
        self.known = false;
        if self.because.is_none() {
            self.because = Some(why.into())
        }
    }
}

/// What a call with these words (program first) does.
pub(crate) fn assess(family: &'static Family, words: &[Word]) -> Found {
    let args = words.get(1..).unwrap_or_default();
    let seen = wrap::see(family, args);
    let mut out = Found { known: true, ..Found::default() };
    let name = words.first().map(Word::shown).unwrap_or_default();
    let name = base_name(&name);
    if help(family, args, &seen) {
        out.effects.add(Effect::Reads);
        return out;
    }
    let wrapper = family.wrappers.iter().find(|w| {
        w.inner != InnerAt::Find
            && wrap::applies(w, &seen)
            && (w.inner != InnerAt::Operands || wrap::start(w, &seen).is_some())
            && (w.inner != InnerAt::Stdin || seen.parsed.operands.is_empty())
    });
    base(family, name, args, &seen, wrapper.and_then(|w| w.does), &mut out);
    let closed = family.whens.iter().filter(|w| w.closed && here(w, &seen.sub)).find(|w| fits(w, family, &seen.parsed));
    if let Some(w) = closed {
        out.known = true;
        out.because = None;
        out.effects = Effects(w.does);
        out.dry_run = w.dry_run;
    } else {
        options(family, &seen, &mut out);
    }
    rules(family, &seen, &mut out);
    roles(family, args, &seen, wrapper.filter(|w| w.inner == InnerAt::Operands).and_then(|w| wrap::start(w, &seen)), &mut out);
    if family.stdin_runs && seen.parsed.operands.is_empty() && wrapper.is_none_or(|w| w.inner == InnerAt::Stdin) && closed.is_none() {
        out.runs_stdin = true;
        out.effects.add(Effect::Runs);
    }
    out
}

/// `NAME [SUB] --help`, `--version`, nothing else.
fn help(family: &'static Family, args: &[Word], seen: &Seen) -> bool {
    if !family.help || args.is_empty() {
        return false;
    }
    let last = args.last().and_then(Word::literal);
    let plain = matches!(last, Some("--help" | "--version"))
        || (matches!(last, Some("-h" | "-V")) && args.len() == 1 && family.wrappers.is_empty() && family.does.is_none());
    let words = seen.sub.split(' ').filter(|s| !s.is_empty()).count();
    let listed = words == 0 || family.subs.iter().flat_map(|s| s.patterns.iter()).any(|p| subcommand::pattern_is(p, &seen.sub));
    plain && listed && args.len() == words + 1 && args.iter().all(|w| w.literal().is_some())
}

fn here(w: &When, sub: &str) -> bool {
    if sub.is_empty() { w.sub.is_empty() } else { subcommand::any_is(w.sub, sub) }
}

fn base(family: &'static Family, name: &str, args: &[Word], seen: &Seen, wrapper: Option<u16>, out: &mut Found) {
    if let Some(does) = wrapper {
        out.effects = Effects(does);
        return;
    }
    if family.subs.is_empty() {
        match family.does {
            Some(does) => out.effects = Effects(does),
            None => out.unknown(format!("this form of {name} is not listed")),
        }
        return;
    }
    if seen.sub.is_empty() {
        match family.bare {
            Some(does) if args.iter().all(|w| !w.may_split() || w.may_be_option()) && seen.parsed.operands.is_empty() => {
                out.effects = Effects(does)
            }
            _ => out.unknown(format!("{name} without a known subcommand is not listed")),
        }
        return;
    }
    out.subcommand = Some(seen.sub.clone());
    let does = family.subs.iter().filter_map(|s| best_pattern(s.patterns, &seen.sub).map(|r| (r, s.does)));
    let all: Vec<((usize, usize), u16)> = does.collect();
    let top = all.iter().map(|(r, _)| *r).max();
    match top {
        Some(top) => out.effects = Effects(all.iter().filter(|(r, _)| *r == top).fold(0, |e, (_, d)| e | d)),
        None => out.unknown(format!("{name} {} is not listed", seen.sub)),
    }
}

/// How well the best pattern of a list matches: words, then literal characters.
fn best_pattern(list: super::model::List, sub: &str) -> Option<(usize, usize)> {
    list.iter().filter(|p| subcommand::pattern_is(p, sub)).map(|p| (p.split(' ').filter(|w| !glob::is_pattern(w)).count(), p.len())).max()
}

fn open(family: &'static Family, sub: &str) -> bool {
    family
        .any_option
        .iter()
        .any(|p| if sub.is_empty() { p.is_empty() || *p == "*" } else { !p.is_empty() && subcommand::pattern_is(p, sub) })
}

/// Every option must be vouched for, and nothing may become one.
fn options(family: &'static Family, seen: &Seen, out: &mut Found) {
    if open(family, &seen.sub) {
        return;
    }
    if let Some(o) = seen.parsed.opts.iter().find(|o| !o.vouched && !shortened(family, o, seen)) {
        return out.unknown(format!("option {} is not listed", o.name));
    }
    if seen.parsed.maybe_options {
        out.unknown("a word that only the shell can know may be any option")
    }
}

/// A long option that is the unambiguous beginning of a vouched one, and of no other that is listed.
fn shortened(family: &'static Family, o: &Opt, seen: &Seen) -> bool {
    if !family.abbreviations || !o.name.starts_with("--") || o.name.len() < 4 {
        return false;
    }
    let lists = subcommand::keyed(family.options, &seen.sub);
    let names: Vec<&str> = lists
        .flat_map(|l| l.iter())
        .filter(|e| !e.contains("=write") && !e.contains("=run"))
        .map(|e| e.split('=').next().unwrap_or(e))
        .filter(|n| n.starts_with(o.name.as_str()))
        .collect();
    let dangerous = family.whens.iter().filter(|w| !w.closed).flat_map(|w| w.has.iter()).any(|h| h.starts_with(o.name.as_str()));
    names.len() == 1 && !dangerous && o.value.is_none()
}

/// Does a closed rule cover the call?
fn fits(w: &When, family: &'static Family, p: &Parsed) -> bool {
    let listed = |o: &Opt| w.only.iter().any(|e| e.split('=').next() == Some(o.name.as_str()));
    let global = |o: &Opt| family.global.iter().any(|e| e.split('=').next() == Some(o.name.as_str()));
    let operands = p.operands.len();
    !p.maybe_options
        && p.opts.iter().all(|o| listed(o) || global(o))
        && (w.needs.is_empty() || p.opts.iter().any(|o| w.needs.contains(&o.name)))
        && (w.operands < 0 || i8::try_from(operands).is_ok_and(|n| n <= w.operands))
        && p.operands.iter().all(|o| !o.word.may_split() || w.operands < 0)
}

/// Rules that add effects.
fn rules(family: &'static Family, seen: &Seen, out: &mut Found) {
    for w in family.whens.iter().filter(|w| !w.closed && subcommand_is(w, &seen.sub)) {
        let sure = w.has.iter().any(|h| hit(h, family, &seen.parsed));
        let maybe = seen.parsed.maybe_options && w.has.iter().any(|h| h.starts_with('-'));
        if sure || maybe {
            out.effects = out.effects.with(Effects(w.does))
        }
        if sure {
            let code = format!("{}/{}", family.id, w.id);
            out.notes.push(Note {
                code: code.into(),
                why: w.why.into(),
                instead: (!w.instead.is_empty()).then_some(w.instead.into()),
                effects: Effects(w.does),
            });
        }
    }
}

fn subcommand_is(w: &When, sub: &str) -> bool {
    w.sub.is_empty() || (!sub.is_empty() && subcommand::any_is(w.sub, sub))
}

/// Does an entry of `has` match? Options by name, abbreviation and cluster; other entries match operands and values.
fn hit(entry: &str, family: &'static Family, p: &Parsed) -> bool {
    if !entry.starts_with('-') || entry == "-" {
        let operand = p.operands.iter().any(|o| matches_word(entry, &o.word));
        return operand || p.opts.iter().filter(|o| !o.listed).any(|o| glob::matches(entry, &o.name));
    }
    let (name, value) = entry.split_once('=').map_or((entry, None), |(n, v)| (n, Some(v)));
    p.opts.iter().any(|o| {
        let named = glob::matches(name, &o.name)
            || (name.starts_with("--") && family.abbreviations && o.name.len() > 3 && name.starts_with(o.name.as_str()))
            || (name.len() == 2
                && family.clusters
                && !o.listed
                && o.name.starts_with('-')
                && !o.name.starts_with("--")
                && o.name.chars().skip(1).any(|c| Some(c) == name.chars().nth(1)));
        named && value.is_none_or(|v| v.is_empty() || o.value.as_ref().is_none_or(|w| matches_word(v, w)))
    })
}

fn matches_word(pattern: &str, word: &Word) -> bool {
    match word.literal() {
        Some(t) => glob::matches(pattern, t),
        None => glob::may_match(pattern, word.prefix()),
    }
}

fn static_role(role: &str) -> &'static str {
    super::ROLES.iter().find(|r| **r == role).copied().unwrap_or("text")
}

/// Operands and option values that are files.
fn roles(family: &'static Family, args: &[Word], seen: &Seen, inner: Option<usize>, out: &mut Found) {
    for o in &seen.parsed.opts {
        if let (Some(word), role) = (&o.value, o.role) {
            if !matches!(role, "" | "text") {
                take(role, word, false, out)
            }
            // An unlisted option may name a file.
            if role.is_empty() && !o.listed {
                out.uses.push(Use { role: "read", word: word.clone(), maybe: true })
            }
        }
    }
    let list = subcommand::best(family.operands, &seen.sub);
    let roles: Vec<&str> = list.map(|l| l.iter().collect()).unwrap_or_default();
    let operands: Vec<&Word> = seen
        .parsed
        .operands
        .iter()
        .filter(|o| inner.is_none_or(|i| seen.map.get(o.at).is_some_and(|a| *a < i)))
        .map(|o| &o.word)
        .filter(|w| !w.literal().is_some_and(|t| family.punctuation.contains(t)))
        .collect();
    let _ = args;
    if list.is_none() {
        for w in operands {
            out.uses.push(Use { role: "read", word: w.clone(), maybe: true })
        }
        return;
    }
    let repeat = roles.iter().position(|r| r.ends_with("..."));
    let fixed = roles.iter().filter(|r| !r.ends_with("...")).count();
    let n = operands.len();
    for (i, word) in operands.iter().enumerate() {
        let role = match repeat {
            Some(at) if i >= at => {
                let tail = roles.len() - at - 1;
                if n >= tail && i >= n - tail && n > at + tail.min(1) - 1 { roles.get(roles.len() - (n - i)) } else { roles.get(at) }
            }
            _ => roles.get(i),
        };
        match role.map(|r| r.trim_end_matches("...")) {
            None | Some("none") => {
                out.unknown("more operands than are listed");
                out.uses.push(Use { role: "write", word: (*word).clone(), maybe: true })
            }
            Some("text") => {}
            Some("command") => break,
            Some(role) => take(static_role(role), word, false, out),
        }
    }
    // Words that may become several make positions uncertain; writing positions then count for all of them.
    let _ = fixed;
    if operands.iter().any(|w| w.may_split()) {
        for r in &roles {
            let role = r.trim_end_matches("...");
            if matches!(role, "write" | "delete" | "run") {
                effect(role, out)
            }
        }
    }
}

fn effect(role: &str, out: &mut Found) {
    match role {
        "write" => out.effects.add(Effect::Writes),
        "delete" => out.effects.add(Effect::Destroys),
        "run" | "script" => out.effects.add(Effect::Runs),
        "url" | "host" => out.effects.add(Effect::Fetches),
        _ => {}
    }
}

fn take(role: &'static str, word: &Word, maybe: bool, out: &mut Found) {
    effect(role, out);
    if matches!(role, "read" | "write" | "delete" | "run" | "dir" | "cwd" | "url") {
        out.uses.push(Use { role, word: word.clone(), maybe })
    }
}
