//! One look over the whole tree before the walk: which variables hold integers, which may be followed, and whether
//! data is evaluated as code somewhere.

use std::collections::HashSet;

use tree_sitter::Node;

use super::sets;
use crate::tree::{children, each, fields, text};

/// What the whole text tells about its variables.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Values of variables may be followed: nothing in the text assigns in a way that the walk does not see.
    pub follow: bool,
    /// Data is evaluated as code: why.
    pub evaluates: Option<&'static str>,
    /// Assigned inside a function, an expansion or arithmetic: not followed.
    pub poisoned: HashSet<String>,
    /// Set by loops, expansions and arithmetic.
    pub sets: Vec<String>,
}

/// Commands that assign or change variables in ways that are not followed.
const ASSIGNERS: &[&str] = &[
    "eval",
    "source",
    ".",
    "unset",
    "read",
    "mapfile",
    "readarray",
    "getopts",
    "let",
    "trap",
    "alias",
    "shopt",
    "set",
    "coproc",
    "local",
    "declare",
    "typeset",
];

/// `printf -v NAME` and `wait -p NAME`.
fn names_variable(program: &str, command: &str) -> bool {
    program == "printf" && command.contains("-v") || program == "wait" && command.contains('p')
}

/// Looks over the tree.
pub fn facts(root: Node<'_>, source: &str) -> Facts {
    let mut out = Facts { follow: true, ..Facts::default() };
    let ints = integers(root, source);
    each(root, |n| {
        match n.kind() {
            "command" => {
                let name = n.child_by_field_name("name").map(|c| text(c, source)).unwrap_or_default();
                if ASSIGNERS.contains(&name) || names_variable(name, text(n, source)) || name.contains(['\\', '\'', '"']) {
                    out.follow = false
                }
            }
            "declaration_command" if !text(n, source).starts_with("export") && !text(n, source).starts_with("readonly") => {
                out.follow = false
            }
            "unset_command" => out.follow = false,
            "variable_assignment" => {
                let name = n.child_by_field_name("name").map(|c| text(c, source)).unwrap_or_default();
                if name == "IFS" || name == "HOME" || name == "PWD" {
                    out.follow = false
                }
                if name == "CDPATH" && out.evaluates.is_none() {
                    out.evaluates = Some("it changes where `cd` leads")
                }
                if in_function(n) {
                    out.poisoned.insert(name.to_owned());
                }
            }
            "expansion" if [":=", "="].iter().any(|op| children(n).iter().any(|c| c.kind() == *op)) => out.follow = false,
            _ => {}
        }
        if let Some((name, looped)) = sets::by_node(n, source, in_arithmetic) {
            if !looped {
                out.poisoned.insert(name.to_owned());
            }
            out.sets.push(name.to_owned())
        }
        if out.evaluates.is_none() {
            out.evaluates = evaluates(n, source, &ints)
        }
    });
    if out.evaluates.is_some() {
        out.follow = false
    }
    out
}

fn in_function(n: Node<'_>) -> bool {
    let mut parent = n.parent();
    while let Some(p) = parent {
        if p.kind() == "function_definition" {
            return true;
        }
        parent = p.parent();
    }
    false
}

/// Variables that are only ever given integers.
fn integers(root: Node<'_>, source: &str) -> HashSet<String> {
    let (mut yes, mut no) = (HashSet::new(), HashSet::new());
    let number = |t: &str| {
        let t = t.trim_matches('"');
        let t = t.strip_prefix('-').unwrap_or(t);
        !t.is_empty() && t.bytes().all(|b| b.is_ascii_digit())
    };
    let integer = |n: Node<'_>| {
        let t = text(n, source);
        number(t)
            || matches!(t, "$#" | "$?" | "$$" | "$!")
            || n.kind() == "arithmetic_expansion"
            || (t.starts_with("${#") && n.kind() == "expansion")
    };
    let mut dynamic = false;
    each(root, |n| match n.kind() {
        "variable_assignment" => {
            let Some(name) = n.child_by_field_name("name") else { return };
            let target = text(name, source).split('[').next().unwrap_or_default().to_owned();
            let good = n.child_by_field_name("value").is_some_and(integer) || in_arithmetic(n);
            if good && name.kind() == "variable_name" {
                yes.insert(target);
            } else {
                no.insert(target);
            }
        }
        "for_statement" | "select_statement" => {
            let Some(name) = n.child_by_field_name("variable") else { return };
            let values: Vec<Node<'_>> = fields(n).into_iter().filter(|(f, _)| *f == Some("value")).map(|(_, c)| c).collect();
            let good = !values.is_empty()
                && values.iter().all(|v| {
                    integer(*v) || (v.kind() == "brace_expression" && children(*v).iter().all(|c| !c.is_named() || c.kind() == "number"))
                });
            if good {
                yes.insert(text(name, source).to_owned());
            } else {
                no.insert(text(name, source).to_owned());
            }
        }
        "binary_expression"
            if in_arithmetic(n)
                && children(n).iter().any(|c| c.kind().ends_with('=') && !matches!(c.kind(), "==" | "!=" | "<=" | ">=")) =>
        {
            if let Some(l) = n.child_by_field_name("left").filter(|l| matches!(l.kind(), "variable_name" | "word")) {
                yes.insert(text(l, source).to_owned());
            }
        }
        "command" => {
            let name = n.child_by_field_name("name").map(|c| text(c, source)).unwrap_or_default();
            dynamic |= ASSIGNERS.contains(&name) && name != "set" && name != "trap"
                || names_variable(name, text(n, source))
                || name.contains(['\\', '\'', '"', '$']);
        }
        "declaration_command" | "unset_command" => dynamic |= text(n, source).contains('['),
        "expansion" => dynamic |= children(n).iter().any(|c| matches!(c.kind(), ":=" | "=")),
        _ => {}
    });
    if dynamic {
        return HashSet::new();
    }
    yes.retain(|n| !no.contains(n));
    yes
}

fn in_arithmetic(n: Node<'_>) -> bool {
    let mut parent = n.parent();
    while let Some(p) = parent {
        match p.kind() {
            "arithmetic_expansion" | "c_style_for_statement" => return true,
            "compound_statement" => return children(p).first().is_some_and(|c| c.kind() == "(("),
            "binary_expression"
            | "unary_expression"
            | "postfix_expression"
            | "ternary_expression"
            | "parenthesized_expression"
            | "variable_assignment" => parent = p.parent(),
            _ => return false,
        }
    }
    false
}

/// Why a node evaluates data as code, if it does.
fn evaluates(n: Node<'_>, source: &str, ints: &HashSet<String>) -> Option<&'static str> {
    let t = text(n, source);
    match n.kind() {
        "arithmetic_expansion" => arithmetic(n, source, ints),
        "compound_statement" if t.starts_with("((") => arithmetic(n, source, ints),
        "c_style_for_statement" => fields(n)
            .into_iter()
            .filter(|(f, _)| matches!(f, Some("initializer" | "condition" | "update")))
            .find_map(|(_, c)| arithmetic(c, source, ints)),
        "subscript" => {
            let index = n.child_by_field_name("index").map(|i| text(i, source)).unwrap_or("x");
            (!literal_index(index) && !ints.contains(index.trim_start_matches('$'))).then_some("a subscript that the shell evaluates")
        }
        "expansion" => expansion(n, t, source, ints),
        "test_command" if t.starts_with("[[") => test(n, source),
        _ => None,
    }
}

fn literal_index(index: &str) -> bool {
    matches!(index, "@" | "*") || (!index.is_empty() && index.bytes().all(|b| b.is_ascii_digit() || b == b'-'))
}

fn arithmetic(root: Node<'_>, source: &str, ints: &HashSet<String>) -> Option<&'static str> {
    let mut bad = false;
    each(root, |n| match n.kind() {
        "variable_name" | "word" => bad |= !ints.contains(text(n, source)) && !text(n, source).bytes().all(|b| b.is_ascii_digit()),
        "special_variable_name" => bad |= !matches!(text(n, source), "#" | "?" | "$" | "!"),
        "expansion" => bad |= !text(n, source).starts_with("${#"),
        "command_substitution" | "string" | "raw_string" | "ansi_c_string" | "subscript" | "process_substitution" => bad = true,
        _ => {}
    });
    bad.then_some("an expression with values that the shell evaluates again")
}

fn expansion(n: Node<'_>, t: &str, source: &str, ints: &HashSet<String>) -> Option<&'static str> {
    let inner = t.strip_prefix("${").unwrap_or_default();
    // `${!name[@]}` and `${!prefix*}` list names, and evaluate nothing.
    let lists = inner
        .strip_prefix('!')
        .and_then(|i| ["[@]}", "[*]}", "*}", "@}"].iter().find_map(|end| i.strip_suffix(end)))
        .is_some_and(crate::decode::is_name);
    if inner.starts_with('!') && inner.len() > 2 && !lists {
        return Some("an indirect variable");
    }
    if t.contains("@P") {
        return Some("a value that is expanded as a prompt");
    }
    let name = inner.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'#' || *b == b'@' || *b == b'*').count();
    let after = inner.get(name..).unwrap_or_default();
    if let Some(offset) = after.strip_prefix(':').filter(|o| !o.starts_with(['-', '=', '+', '?'])) {
        let mut words = offset
            .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .filter(|w| w.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'));
        if words.any(|w| !ints.contains(w)) || offset.contains("$(") {
            return Some("an offset that the shell evaluates");
        }
    }
    if after.starts_with('[') && !n.children(&mut n.walk()).any(|c| c.kind() == "subscript") {
        let index = after.get(1..).and_then(|a| a.split(']').next()).unwrap_or("x");
        if !literal_index(index) {
            return Some("a subscript that the shell evaluates");
        }
    }
    let _ = source;
    None
}

fn test(n: Node<'_>, source: &str) -> Option<&'static str> {
    let mut why = None;
    each(n, |c| {
        if c.kind() != "test_operator" {
            return;
        }
        match text(c, source) {
            "-v" | "-R" => {
                let sides = c.parent().map(children).unwrap_or_default();
                let operand = sides.iter().rfind(|s| s.is_named()).map(|s| text(*s, source)).unwrap_or_default();
                if !crate::decode::is_name(operand) {
                    why = Some("a test of a name that may hold code")
                }
            }
            "-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge" => {
                let sides = c.parent().map(children).unwrap_or_default();
                let plain = |s: &Node<'_>| {
                    s.kind() == "number"
                        || s.kind() == "test_operator"
                        || matches!(text(*s, source), "$#" | "$?")
                        || text(*s, source).starts_with("${#")
                        || text(*s, source).bytes().all(|b| b.is_ascii_digit())
                };
                if !sides.iter().filter(|s| s.is_named()).all(plain) {
                    why = Some("a comparison that the shell evaluates")
                }
            }
            _ => {}
        }
    });
    why
}
