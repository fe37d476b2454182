//! The words of one program matched against its family: subcommand, options, operands, and where an inner command
//! stands. What that means is `assess.rs`; which inner commands follow is `unwrap.rs`.

use gate_core::Word;

use super::model::{Family, InnerAt, List, Wrapper};
use super::options::{Operand, Opt, Parsed, Style, lookup, parse};
use super::{glob, subcommand};
use crate::programs;

/// The words of one program, understood as far as its family goes.
#[derive(Clone, Debug)]
pub(crate) struct Matched {
    pub family: &'static Family,
    /// Base name of the program as written.
    pub program: String,
    /// The subcommand as written, or empty.
    pub sub: String,
    /// Effects of the subcommand or the program; `None`: not listed.
    pub does: Option<u16>,
    /// Why the subcommand is not certain.
    pub uncertain: Option<String>,
    /// A longer subcommand may stand there, so no closed rule counts.
    pub ambiguous: bool,
    /// Options before the subcommand.
    pub globals: Vec<Opt>,
    /// Options, operands and the like of the subcommand (of the program, when it has none).
    pub parsed: Parsed,
    /// The option list is open.
    pub open: bool,
    /// Commands that `find`-like options bring: each from the option to its end, end included when there is one.
    pub execs: Vec<Exec>,
    /// The words that were parsed, without those of `execs`; the indices of operands point in here.
    pub words: Vec<Word>,
    /// Only help or the version is shown.
    pub help: bool,
}

/// One `-exec … ;`.
#[derive(Clone, Debug)]
pub(crate) struct Exec {
    pub wrapper: &'static Wrapper,
    /// The option.
    pub option: String,
    /// The command.
    pub words: Vec<Word>,
    /// The end was found.
    pub ended: bool,
}

impl Matched {
    /// All options, those before the subcommand first.
    pub(crate) fn options(&self) -> impl Iterator<Item = &Opt> {
        self.globals.iter().chain(&self.parsed.opts)
    }

    /// Does an option of one of these names stand there? Long ones may be shortened.
    pub(crate) fn has_option(&self, names: List) -> bool {
        names.iter().any(|n| self.options().any(|o| o.name == n || !o.listed && self.shortens(&o.name, n)) || self.is_loose(n))
    }

    /// Is the name written a shortened form of the long option?
    pub(crate) fn shortens(&self, written: &str, long: &str) -> bool {
        self.family.abbreviations && written.len() > 2 && written.starts_with("--") && long.starts_with(written)
    }

    /// May the short option stand among letters that are not certain?
    pub(crate) fn is_loose(&self, name: &str) -> bool {
        name.len() == 2 && name.chars().nth(1).is_some_and(|c| self.parsed.loose.contains(c))
    }

    /// The wrappers that count for the subcommand.
    pub(crate) fn wrappers(&self) -> impl Iterator<Item = &'static Wrapper> {
        let sub = self.sub.clone();
        self.family.wrappers.iter().filter(move |w| subcommand::any_is(w.sub, &sub))
    }
}

/// Matches `words` (program first) against the family.
pub(crate) fn matched(family: &'static Family, words: &[Word]) -> Matched {
    let args = words.get(1..).unwrap_or(&[]);
    let (execs, mut args) = cut_execs(family, args);
    if family.program == "tar"
        && let Some(letters) = args.first().and_then(programs::tar_letters)
        && let Some(first) = args.first_mut()
    {
        *first = letters;
    }
    let mut m = Matched {
        family,
        program: super::unwrap::base_name(words).unwrap_or("").to_owned(),
        sub: String::new(),
        does: family.does,
        uncertain: None,
        ambiguous: false,
        globals: Vec::new(),
        parsed: Parsed::default(),
        open: false,
        execs,
        words: args,
        help: false,
    };
    if family.subs.is_empty()
        && !family.whens.iter().any(|w| w.closed && !w.sub.is_empty())
        && !family.wrappers.iter().any(|w| !w.sub.is_empty())
    {
        m.parsed = parse_sub(family, "", &m.words);
    } else {
        with_subcommand(&mut m);
    }
    m.open =
        family.any_option.iter().any(|p| if m.sub.is_empty() { p.is_empty() } else { !p.is_empty() && subcommand::pattern_is(p, &m.sub) });
    m.help = family.help && is_help(&m);
    m
}

fn with_subcommand(m: &mut Matched) {
    let family = m.family;
    let found = subcommand::find(family, &m.words);
    let (before, _) = m.words.split_at(found.start.min(m.words.len()));
    let star = star(family);
    let mut lists = vec![(family.global, true), (star, true), (family.takes_value, false)];
    lists.extend(family.whens.iter().filter(|w| w.closed && w.sub.is_empty()).map(|w| (w.only, false)));
    let p = parse(before, &lists, Style { clusters: family.clusters, first: true });
    m.globals = p.opts;
    m.uncertain = found.uncertain;
    m.ambiguous = found.ambiguous;
    if p.maybe_options {
        m.uncertain = Some("a word before the subcommand is known only at run time".to_owned());
    }
    // `brew --prefix NAME`: an option of the program itself that has operands.
    let by_option = |w: &super::model::When| w.closed && w.sub.is_empty() && m.globals.iter().any(|o| w.needs.contains(&o.name));
    if !found.matched && found.sub.is_some() && family.whens.iter().any(by_option) {
        m.globals = Vec::new();
        m.does = None;
        m.parsed = parse_sub(family, "", &m.words);
        return;
    }
    match found.sub {
        None => {
            m.does = family.bare;
            m.parsed = Parsed { dashes: p.dashes, maybe_options: p.maybe_options, operands: p.operands, ..Parsed::default() };
            m.words = Vec::new();
        }
        Some(sub) => {
            m.does = found.does;
            let rest: Vec<Word> =
                m.words.iter().enumerate().filter(|(i, _)| *i >= found.start && !found.at.contains(i)).map(|(_, w)| w.clone()).collect();
            m.parsed = parse_sub(family, &sub, &rest);
            m.parsed.maybe_options |= p.maybe_options;
            m.words = rest;
            m.sub = sub;
        }
    }
}

/// The options that count for every subcommand.
fn star(family: &'static Family) -> List {
    family.options.iter().find(|k| k.sub == "*").map_or(List::EMPTY, |k| k.list)
}

fn parse_sub(family: &'static Family, sub: &str, words: &[Word]) -> Parsed {
    let mut lists: Vec<(List, bool)> = subcommand::keyed(family.options, sub).map(|l| (l, true)).collect();
    lists.extend(family.whens.iter().filter(|w| w.closed && subcommand::any_is(w.sub, sub)).map(|w| (w.only, false)));
    if sub.is_empty() {
        lists.push((family.global, true));
        lists.push((family.takes_value, false));
    }
    let mut style = Style::of(family);
    style.first |= family.wrappers.iter().filter(|w| subcommand::any_is(w.sub, sub)).any(|w| match w.inner {
        InnerAt::Operands | InnerAt::Joined | InnerAt::Stdin | InnerAt::File => true,
        // The script is an operand: shells end their options there.
        InnerAt::ScriptOption => w.options.iter().any(|o| lookup(&lists, o).is_some_and(|(e, _)| e.arity == super::options::Arity::Flag)),
        InnerAt::Find | InnerAt::Hidden => false,
    });
    let mut p = parse(words, &lists, style);
    if !family.punctuation.is_empty() {
        p.operands.retain(|o| o.word.literal().is_none_or(|t| !family.punctuation.contains(t)));
    }
    p
}

/// Takes the commands of `find -exec` and the like out of the words.
fn cut_execs(family: &'static Family, args: &[Word]) -> (Vec<Exec>, Vec<Word>) {
    let mut execs = Vec::new();
    if !family.wrappers.iter().any(|w| w.inner == InnerAt::Find) {
        return (execs, args.to_vec());
    }
    let mut rest = Vec::new();
    let mut words = args.iter().peekable();
    while let Some(word) = words.next() {
        let starts = word.literal().and_then(|t| family.wrappers.iter().find(|w| w.inner == InnerAt::Find && w.options.contains(t)));
        let Some(wrapper) = starts else {
            rest.push(word.clone());
            continue;
        };
        let mut inner: Vec<Word> = Vec::new();
        let mut ended = false;
        for w in words.by_ref() {
            let plus = w.literal() == Some("+") && inner.last().is_some_and(|l| l.literal() == Some("{}"));
            if w.literal() == Some(";") || plus {
                ended = true;
                break;
            }
            inner.push(w.clone());
        }
        execs.push(Exec { wrapper, option: word.shown(), words: inner, ended });
    }
    (execs, rest)
}

/// `NAME [SUB] --help|--version|-h`, and nothing else.
fn is_help(m: &Matched) -> bool {
    const HELP: [&str; 3] = ["--help", "--version", "-h"];
    let group = || m.family.subs.iter().flat_map(|s| s.patterns.iter()).any(|p| p.split_once(' ').is_some_and(|(g, _)| g == m.sub));
    let listed = m.family.subs.is_empty() || m.sub.is_empty() || m.does.is_some() || group();
    let mut opts = m.options();
    let one = opts.next().is_some_and(|o| HELP.contains(&o.name.as_str()) && o.value.is_none()) && opts.next().is_none();
    one && listed
        && m.parsed.operands.is_empty()
        && !m.parsed.dashes
        && !m.parsed.maybe_options
        && m.execs.is_empty()
        && m.uncertain.is_none()
}

/// Does an entry of a `has` list match? It may say yes too often, never too rarely.
pub(crate) fn has(m: &Matched, entry: &str) -> bool {
    if entry == "--" {
        return m.parsed.dashes;
    }
    if !entry.starts_with('-') || entry.len() < 2 {
        return m.parsed.operands.iter().any(|o| operand_is(o, entry));
    }
    let (name, value) = entry.split_once('=').map_or((entry, None), |(n, v)| (n, Some(v)));
    if value.is_none_or(str::is_empty) && m.is_loose(name) {
        return true;
    }
    m.options().filter(|o| name_is(m, o, name)).any(|o| match (value, &o.value) {
        (None | Some(""), _) => true,
        (Some(v), Some(w)) => w.literal().map_or_else(|| glob::may_match(v, w.prefix()), |t| glob::matches(v, t)),
        // Written apart, and no list says that it takes a value: any operand may be it.
        (Some(v), None) => !o.listed && m.parsed.operands.iter().any(|p| operand_is(p, v)),
    })
}

fn name_is(m: &Matched, o: &Opt, name: &str) -> bool {
    // What a list spells out is that option, and no shortened other.
    if glob::is_pattern(name) { glob::matches(name, &o.name) } else { o.name == name || !o.listed && m.shortens(&o.name, name) }
}

fn operand_is(o: &Operand, pattern: &str) -> bool {
    match o.word.literal() {
        Some(t) => glob::matches(pattern, t),
        None => glob::may_match(pattern, o.word.prefix()),
    }
}
