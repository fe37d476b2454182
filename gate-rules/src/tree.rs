//! The command tree: which continuations of a command line are allowed. Additive merging and the walk over words.

use gate_core::{Tree, Unit, Word};

/// Options that make a harmless subcommand run a program or open a browser, whatever the tree says.
const FORBIDDEN: [(&str, &[&str]); 2] = [("jj", &["--config", "--config-toml", "--config-file", "--tool"]), ("gh", &["--web", "-w"])];

/// Does the tree allow the unit? Every word on the way to the leaf must be literal, the unit without assignments.
#[must_use]
pub fn allows(tree: &Tree, unit: &Unit) -> bool {
    if unit.words.is_empty() || !unit.assignments.is_empty() {
        return false;
    }
    let forbidden = unit.program().and_then(|p| FORBIDDEN.iter().find(|(n, _)| *n == p)).map_or(&[][..], |(_, o)| *o);
    let given = |w: &Word| {
        let text = w.shown();
        forbidden.iter().any(|f| text == *f || text.strip_prefix(f).is_some_and(|r| r.starts_with('='))) || !forbidden.is_empty() && w.may_be_option() && w.literal().is_none()
    };
    if unit.words.iter().skip(1).any(given) {
        return false;
    }
    let mut node = tree;
    for word in &unit.words {
        match node {
            Tree::Any => return true,
            Tree::Words(words) => return word.literal().is_some_and(|w| words.iter().any(|x| x == w)),
            Tree::Map(map) => match word.literal().and_then(|w| map.get(w)) {
                Some(next) => node = next,
                None => return false,
            },
        }
    }
    matches!(node, Tree::Any)
}

/// Adds one tree to another; nothing is ever narrowed.
#[must_use]
pub fn merge(base: Tree, more: &Tree) -> Tree {
    match (base, more) {
        (Tree::Any, _) | (_, Tree::Any) => Tree::Any,
        (Tree::Words(mut a), Tree::Words(b)) => {
            for w in b {
                if !a.contains(w) {
                    a.push(w.clone());
                }
            }
            Tree::Words(a)
        }
        (a, b) => {
            let mut map = entries(a);
            // Depth is bounded by the settings parser; one level per call.
            for (word, node) in entries(b.clone()) {
                let merged = match map.remove(&word) {
                    Some(old) => merge(old, &node),
                    None => node,
                };
                map.insert(word, merged);
            }
            Tree::Map(map)
        }
    }
}

fn entries(tree: Tree) -> std::collections::BTreeMap<String, Tree> {
    match tree {
        Tree::Any => std::collections::BTreeMap::new(),
        Tree::Words(words) => words.into_iter().map(|w| (w, Tree::Any)).collect(),
        Tree::Map(map) => map,
    }
}

/// One line for each leaf, for the question whether a project may add it.
#[must_use]
pub fn summary(tree: &Tree) -> Vec<String> {
    let mut out = Vec::new();
    let mut open = vec![(String::new(), tree)];
    while let Some((at, node)) = open.pop() {
        let join = |w: &str| if at.is_empty() { w.to_owned() } else { format!("{at} {w}") };
        match node {
            Tree::Any if at.is_empty() => out.push("(all commands)".to_owned()),
            Tree::Any => out.push(at),
            Tree::Words(words) => out.extend(words.iter().map(|w| join(w))),
            Tree::Map(map) => open.extend(map.iter().rev().map(|(w, n)| (join(w), n))),
        }
    }
    out
}
