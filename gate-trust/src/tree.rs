//! Command trees: which continuations of a command line are allowed. Merging is additive; nothing here narrows.

use std::collections::BTreeMap;

use gate_core::Tree;

/// Both trees together. What either allows, the result allows.
#[must_use]
pub fn merge(base: Tree, over: Tree) -> Tree {
    // Depth is bounded by the reader (`FILE_DEPTH`), so that the walk by levels below needs no guard of its own.
    match (base, over) {
        (Tree::Any, _) | (_, Tree::Any) => Tree::Any,
        (Tree::Words(mut a), Tree::Words(b)) => {
            for w in b {
                if !a.contains(&w) {
                    a.push(w);
                }
            }
            Tree::Words(a)
        }
        (a, b) => {
            let mut map = children(a);
            for (word, tree) in children(b) {
                let merged = match map.remove(&word) {
                    Some(below) => merge(below, tree),
                    None => tree,
                };
                map.insert(word, merged);
            }
            Tree::Map(map)
        }
    }
}

fn children(tree: Tree) -> BTreeMap<String, Tree> {
    match tree {
        Tree::Any => BTreeMap::new(),
        Tree::Words(words) => words.into_iter().map(|w| (w, Tree::Any)).collect(),
        Tree::Map(map) => map,
    }
}

/// One line for each leaf, for the question whether a project may have its tree: `git log`, `(all commands)`.
#[must_use]
pub fn leaf_lines(tree: &Tree) -> Vec<String> {
    let mut lines = Vec::new();
    let mut open: Vec<(String, &Tree)> = vec![(String::new(), tree)];
    while let Some((path, node)) = open.pop() {
        let join = |word: &str| {
            if path.is_empty() { crate::json::shown_whole(word) } else { format!("{path} {}", crate::json::shown_whole(word)) }
        };
        match node {
            Tree::Any if path.is_empty() => lines.push("(all commands)".to_owned()),
            Tree::Any => lines.push(path),
            Tree::Words(words) => lines.extend(words.iter().map(|w| join(w))),
            Tree::Map(map) => open.extend(map.iter().map(|(w, t)| (join(w), t))),
        }
    }
    lines.sort();
    lines
}
