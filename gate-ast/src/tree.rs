//! One tree-sitter parse with a time budget, and bounds on the tree. Owns the thread's parser.

use std::cell::RefCell;
use std::ops::ControlFlow;

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

/// How often the parser reports progress before it is stopped. The crate reads no clock: the parser calls back about
/// every hundred steps, so a count bounds the work. It grows with the text: a clean text needs few steps for each byte.
const PROGRESS: usize = 4_000;
/// What any text may take, and bytes for each further call.
const PROGRESS_BASE: usize = 300;
const PROGRESS_BYTES: usize = 16;
/// How often it may still report while no reading avoids an error, and that times the bytes of the text: there the
/// grammar's scanner looks ahead to the end of the text at each step, and the text is not understood anyway. Short texts
/// end before; denies look at their trees.
const PROGRESS_WITH_ERROR: usize = 60;
const PROGRESS_WITH_ERROR_BYTES: usize = 160_000;

thread_local! {
    static PARSER: RefCell<Option<Parser>> = const { RefCell::new(None) };
}

/// The tree of a text, or why there is none.
pub fn parse(text: &str) -> Result<Tree, &'static str> {
    PARSER.with(|cell| {
        let mut slot = cell.try_borrow_mut().map_err(|_| "the parser is busy")?;
        let parser = match slot.as_mut() {
            Some(p) => p,
            None => {
                let mut p = Parser::new();
                p.set_language(&tree_sitter_bash::LANGUAGE.into()).map_err(|_| "the grammar cannot be loaded")?;
                slot.insert(p)
            }
        };
        let budget = PROGRESS.min(PROGRESS_BASE + text.len() / PROGRESS_BYTES);
        let mut calls = 0;
        let mut with_error = 0;
        let most_with_error = PROGRESS_WITH_ERROR.min(PROGRESS_WITH_ERROR_BYTES / text.len().max(1));
        let mut progress = |state: &ParseState| {
            calls += 1;
            with_error += usize::from(state.has_error());
            if calls > budget || with_error > most_with_error { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let bytes = text.as_bytes();
        let mut read = |i: usize, _| bytes.get(i..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut read, None, Some(ParseOptions::new().progress_callback(&mut progress)));
        if tree.is_none() {
            parser.reset()
        }
        tree.ok_or("it is too long for what is wrong with it, or takes too long to parse")
    })
}

/// Is the tree no deeper than `depth`? (One cursor, no recursion.)
pub fn shallow(root: Node<'_>, depth: usize) -> bool {
    let mut cursor = root.walk();
    let mut level = 0;
    loop {
        if cursor.goto_first_child() {
            level += 1;
            if level > depth {
                return false;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return true;
            }
            level -= 1;
        }
    }
}

/// All nodes below `root`, itself included, in source order. (One cursor, no recursion.)
pub fn each<'t>(root: Node<'t>, mut visit: impl FnMut(Node<'t>)) {
    let mut cursor = root.walk();
    visit(root);
    loop {
        if cursor.goto_first_child() {
            visit(cursor.node());
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
        if cursor.node() == root {
            return;
        }
        visit(cursor.node());
    }
}

/// The children of a node.
pub fn children<'t>(node: Node<'t>) -> Vec<Node<'t>> {
    let mut cursor = node.walk();
    node.children(&mut cursor).collect()
}

/// The children with their field names.
pub fn fields<'t>(node: Node<'t>) -> Vec<(Option<&'t str>, Node<'t>)> {
    let mut out = Vec::new();
    let mut cursor = node.walk();
    if cursor.goto_first_child() {
        loop {
            out.push((cursor.field_name(), cursor.node()));
            if !cursor.goto_next_sibling() {
                break;
            }
        }
    }
    out
}

/// The source of a node.
pub fn text<'s>(node: Node<'_>, source: &'s str) -> &'s str {
    source.get(node.byte_range()).unwrap_or_default()
}
