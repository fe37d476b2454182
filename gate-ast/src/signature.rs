//! What a parser saw, in a form that two parsers can be compared by: the argument lists of all simple commands, and
//! the targets of all redirects. A part that only the shell can know is `None` and agrees with anything.

use std::cell::Cell;
use std::collections::{BTreeMap, HashMap};

use tree_sitter::Node;

use crate::decode::{self, Known};
use crate::scan::MARK;
use crate::tree::{children, each, fields, text};

/// Most pairs of commands with unknown parts that are compared.
const PAIRS: usize = 1_000_000;

/// One argument list.
pub type Argv = Vec<Option<String>>;

/// What one parser saw.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Signature {
    /// Simple commands, in any order.
    pub commands: Vec<Argv>,
    /// Targets of file redirects, in any order.
    pub targets: Vec<Option<String>>,
}

impl Signature {
    /// Do both hold the same commands and targets?
    pub fn agrees(mut self, mut other: Self) -> bool {
        if self.commands.len() != other.commands.len() || self.targets.len() != other.targets.len() {
            return false;
        }
        self.targets.sort();
        other.targets.sort();
        self.commands.sort();
        other.commands.sort();
        matching(&self.commands, &other.commands, |a, b| a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same(x, y)))
            && matching(&self.targets, &other.targets, same)
    }
}

fn same(a: &Option<String>, b: &Option<String>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

/// Pairs every element with another one, exact pairs first. Sorted input makes the first free candidate right nearly
/// always; a miss only means an ask.
fn matching<T: Ord>(a: &[T], b: &[T], fits: impl Fn(&T, &T) -> bool) -> bool {
    let mut used = vec![false; b.len()];
    let mut rest = Vec::new();
    let mut at = 0;
    for x in a {
        while b.get(at).is_some_and(|y| y < x) {
            at += 1
        }
        if b.get(at) == Some(x) {
            if let Some(u) = used.get_mut(at) {
                *u = true
            }
            at += 1
        } else {
            rest.push(x)
        }
    }
    // What is left is compared with everything that is left, as long as that stays cheap.
    let free: Vec<usize> = used.iter().enumerate().filter(|(_, u)| !**u).map(|(i, _)| i).collect();
    if rest.len().saturating_mul(free.len()) > PAIRS {
        return false;
    }
    let mut taken = vec![false; free.len()];
    rest.into_iter().all(|x| {
        let found = free.iter().zip(&taken).position(|(i, t)| !t && b.get(*i).is_some_and(|y| fits(x, y)));
        if let Some(t) = found.and_then(|i| taken.get_mut(i)) {
            *t = true
        }
        found.is_some()
    })
}

/// Where expansions and substitutions of the tree begin and end.
pub fn extents(root: Node<'_>) -> BTreeMap<usize, usize> {
    let mut out = BTreeMap::new();
    each(root, |n| {
        if matches!(n.kind(), "command_substitution" | "process_substitution" | "expansion" | "arithmetic_expansion") {
            out.insert(n.start_byte(), n.end_byte());
        }
    });
    out
}

/// Where the tree's `${…}` and `$((…))` begin and end, sorted, as the scanner notes them.
pub fn expansions(root: Node<'_>, source: &str) -> Vec<(usize, usize)> {
    let mut out = Vec::new();
    each(root, |n| {
        if n.kind() == "expansion" || (n.kind() == "arithmetic_expansion" && text(n, source).starts_with("$((")) {
            out.push((n.start_byte(), n.end_byte()))
        }
    });
    out.sort_unstable();
    out
}

/// What the tree saw. `None`: a word could not be read.
pub fn of_tree<'t>(root: Node<'t>, source: &str, extents: &BTreeMap<usize, usize>, redirected: &Redirected<'t>) -> Option<Signature> {
    let vars = HashMap::new();
    let budget = Cell::new(0);
    let known = Known { source, extents, vars: &vars, home: None, cwd: None, budget: &budget };
    let word = |n: Node<'_>| decode::read(&known, n.start_byte(), n.end_byte()).map(|r| r.plain());
    let mut out = Signature::default();
    let mut failed = false;
    each(root, |n| match n.kind() {
        "command" | "declaration_command" | "unset_command" => match argv(n, redirected, &word) {
            Some(words) if words.is_empty() => {}
            Some(words) => out.commands.push(words),
            None => failed = true,
        },
        "test_command" if !text(n, source).starts_with("[[") => match brackets(n, &word) {
            Some(words) => out.commands.push(words),
            None => failed = true,
        },
        "file_redirect" => {
            let duplicate = children(n).iter().any(|c| matches!(c.kind(), ">&" | "<&"));
            if let Some((_, target)) = fields(n).into_iter().find(|(f, _)| *f == Some("destination")) {
                if target.kind() == "process_substitution" {
                    return;
                }
                match word(target) {
                    None => failed = true,
                    Some(Some(t)) if mark(&t).is_some() => {}
                    Some(t) if duplicate && is_descriptor(t.as_deref()) => {}
                    Some(t) => out.targets.push(t),
                }
            }
        }
        _ => {}
    });
    (!failed).then_some(out)
}

/// A target of `>&` that names a descriptor, not a file.
pub fn is_descriptor(target: Option<&str>) -> bool {
    target.is_some_and(|t| t == "-" || (!t.is_empty() && t.trim_end_matches('-').bytes().all(|b| b.is_ascii_digit())))
}

/// Which redirected statement a body belongs to. (Asking a node for its parent searches from the root.)
pub struct Redirected<'t>(HashMap<usize, Node<'t>>);

impl<'t> Redirected<'t> {
    /// Those of a tree.
    pub fn of(root: Node<'t>) -> Self {
        let mut out = HashMap::new();
        each(root, |n| {
            if n.kind() == "redirected_statement"
                && let Some(body) = n.child_by_field_name("body")
            {
                out.insert(body.id(), n);
            }
        });
        Self(out)
    }
}

/// The nodes of a command's words, in source order, those included that the grammar hangs on a redirect.
pub fn word_nodes<'t>(n: Node<'t>, redirected: &Redirected<'t>) -> Vec<Node<'t>> {
    let mut out: Vec<Node<'t>> = Vec::new();
    for (field, c) in fields(n) {
        match (n.kind(), field, c.kind()) {
            ("command", Some("name" | "argument"), _) => out.push(c),
            ("command", _, "file_redirect" | "herestring_redirect") => out.extend(spilled(c)),
            ("declaration_command" | "unset_command", _, k) if !k.ends_with("redirect") => out.push(c),
            _ => {}
        }
    }
    // Redirects after the command belong to the statement around it; what they swallowed belongs to the command.
    if let Some(p) = redirected.0.get(&n.id()) {
        for c in children(*p) {
            if matches!(c.kind(), "file_redirect" | "herestring_redirect") {
                out.extend(spilled(c))
            }
        }
    }
    out.sort_by_key(Node::start_byte);
    out
}

/// Words after the target of a redirect.
fn spilled<'t>(redirect: Node<'t>) -> Vec<Node<'t>> {
    fields(redirect).into_iter().filter(|(f, _)| *f == Some("destination")).skip(1).map(|(_, c)| c).collect()
}

fn argv<'t>(n: Node<'t>, redirected: &Redirected<'t>, word: &impl Fn(Node<'_>) -> Option<Option<String>>) -> Option<Argv> {
    let mut out: Argv = word_nodes(n, redirected).into_iter().map(word).collect::<Option<_>>()?;
    if out.first() == Some(&Some("time".to_owned())) {
        out.remove(0);
        if out.first() == Some(&Some("-p".to_owned())) {
            out.remove(0);
        }
    }
    Some(out)
}

/// `[ a = b ]` as an argument list.
fn brackets(n: Node<'_>, word: &impl Fn(Node<'_>) -> Option<Option<String>>) -> Option<Argv> {
    let mut out = vec![Some("[".to_owned())];
    let mut covered = n.start_byte() + 1;
    let mut failed = false;
    each(n, |c| {
        let whole = matches!(
            c.kind(),
            "string"
                | "raw_string"
                | "command_substitution"
                | "ansi_c_string"
                | "expansion"
                | "arithmetic_expansion"
                | "concatenation"
                | "simple_expansion"
                | "word"
                | "number"
                | "test_operator"
        );
        let operator = c.child_count() == 0 && !matches!(c.kind(), "[" | "]");
        if c.start_byte() < covered || !(whole || operator) {
            return;
        }
        covered = c.end_byte();
        match word(c) {
            Some(w) => out.push(w),
            None => failed = true,
        }
    });
    out.push(Some("]".to_owned()));
    (!failed).then_some(out)
}

/// The number of a here-document mark.
pub fn mark(target: &str) -> Option<usize> {
    target.strip_prefix(MARK)?.strip_suffix('_')?.parse().ok()
}
