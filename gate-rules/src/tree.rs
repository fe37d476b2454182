//! The command tree: which continuations of a command line are allowed.

use gate_core::{Tree, Word};

/// Does the tree allow these words? Every word that is walked must be exactly known.
pub(crate) fn allows(tree: &Tree, words: &[Word]) -> bool {
    let mut node = tree;
    let mut rest = words.iter();
    // Bounded by the words; a tree cannot be walked deeper than it is written.
    loop {
        match node {
            Tree::Any => return true,
            Tree::Words(list) => return rest.next().and_then(Word::literal).is_some_and(|w| list.iter().any(|l| l == w)),
            Tree::Map(map) => match rest.next().and_then(Word::literal).and_then(|w| map.get(w)) {
                Some(next) => node = next,
                None => return false,
            },
        }
    }
}
