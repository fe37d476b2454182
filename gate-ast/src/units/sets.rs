//! Variables that are set without `NAME=value`: by builtins that are given their names, by loops, expansions,
//! arithmetic and redirects to a descriptor variable. Which of them matter is for whoever reads the script.

use gate_core::Word;
use tree_sitter::Node;

use crate::decode::is_name;
use crate::tree::{children, text};

/// How a builtin names the variables that it sets.
struct Names {
    program: &'static str,
    /// Options that take a value.
    valued: &'static str,
    /// Options whose value is the variable.
    named: &'static str,
    /// From which operand on operands are variables; `None`: no operand is.
    operands: Option<usize>,
}

const BUILTINS: [Names; 12] = [
    Names { program: "read", valued: "dinNptu", named: "a", operands: Some(0) },
    Names { program: "mapfile", valued: "dnOsuCc", named: "", operands: Some(0) },
    Names { program: "readarray", valued: "dnOsuCc", named: "", operands: Some(0) },
    Names { program: "getopts", valued: "", named: "", operands: Some(1) },
    Names { program: "printf", valued: "", named: "v", operands: None },
    Names { program: "wait", valued: "", named: "p", operands: None },
    Names { program: "unset", valued: "", named: "", operands: Some(0) },
    Names { program: "declare", valued: "", named: "", operands: Some(0) },
    Names { program: "typeset", valued: "", named: "", operands: Some(0) },
    Names { program: "local", valued: "", named: "", operands: Some(0) },
    Names { program: "export", valued: "", named: "", operands: Some(0) },
    Names { program: "readonly", valued: "", named: "", operands: Some(0) },
];

/// The variables that a builtin with these words sets. A name that only the shell can know is none here: the builtin
/// rules doubt it.
pub(super) fn by_builtin(words: &[Word]) -> Vec<String> {
    let program = words.first().and_then(Word::literal);
    let Some(b) = BUILTINS.iter().find(|b| Some(b.program) == program) else { return Vec::new() };
    let declares = matches!(b.program, "declare" | "typeset" | "local" | "export" | "readonly");
    let mut out = Vec::new();
    let mut add = |name: &str| {
        // `declare NAME` and `export NAME` leave the value as it is.
        let name = if declares { name.split_once('=').map_or("", |(name, _)| name.trim_end_matches('+')) } else { name };
        let name = name.split('[').next().unwrap_or_default();
        if is_name(name) {
            out.push(name.to_owned())
        }
    };
    let mut rest = words.iter().skip(1);
    let mut operand = 0;
    let mut options = true;
    while let Some(word) = rest.next() {
        let shown = word.shown();
        if options && shown == "--" {
            options = false;
        } else if options && shown.len() > 1 && shown.starts_with('-') {
            let mut letters = shown.chars();
            letters.next();
            while let Some(c) = letters.next() {
                let (named, valued) = (b.named.contains(c), b.valued.contains(c));
                if named || valued {
                    let glued = letters.as_str();
                    let value = if glued.is_empty() { rest.next().map(Word::shown).unwrap_or_default() } else { glued.to_owned() };
                    if named {
                        add(&value)
                    }
                    break;
                }
            }
        } else {
            options = false;
            if b.operands.is_some_and(|from| operand >= from) {
                add(&shown)
            }
            operand += 1;
        }
    }
    out
}

/// The variable that a node of the tree sets by itself, and whether a loop does.
pub(super) fn by_node<'t>(n: Node<'_>, source: &'t str, in_arithmetic: impl Fn(Node<'_>) -> bool) -> Option<(&'t str, bool)> {
    let assigns = |c: &Node<'_>| c.kind().ends_with('=') && !matches!(c.kind(), "==" | "!=" | "<=" | ">=");
    let named = |c: Node<'_>| text(c, source).split('[').next().map(str::trim).filter(|t| is_name(t));
    match n.kind() {
        "for_statement" | "select_statement" => n.child_by_field_name("variable").and_then(named).map(|v| (v, true)),
        "expansion" if children(n).iter().any(|c| matches!(c.kind(), ":=" | "=")) => {
            children(n).into_iter().find(|c| matches!(c.kind(), "variable_name" | "subscript")).and_then(named).map(|v| (v, false))
        }
        "binary_expression" if in_arithmetic(n) && children(n).iter().any(assigns) => {
            n.child_by_field_name("left").and_then(named).map(|v| (v, false))
        }
        "variable_assignment" if in_arithmetic(n) => n.child_by_field_name("name").and_then(named).map(|v| (v, false)),
        "postfix_expression" | "unary_expression" if children(n).iter().any(|c| matches!(c.kind(), "++" | "--")) => {
            children(n).into_iter().find_map(named).map(|v| (v, false))
        }
        _ => None,
    }
}
