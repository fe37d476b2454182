//! cc-safety-net: rules that block a command by one of its arguments.

use serde_json::Value;

use super::{UNKNOWN, Work, each, plain};

pub(super) fn read(work: &mut Work, text: &str) -> Result<(), String> {
    each(text, |p| match (p.name.as_str(), plain(&p.value)) {
        ("version", _) => {}
        ("rules", Value::Array(rules)) => rules.iter().for_each(|r| rule(work, r)),
        (name, _) => work.leave(name, UNKNOWN),
    })
}

fn rule(work: &mut Work, rule: &Value) {
    let text = |key: &str| rule.get(key).and_then(Value::as_str);
    let name = text("name").unwrap_or("a rule").to_owned();
    let Some(command) = text("command").filter(|c| is_word(c)) else { return work.leave(name, "it names no command") };
    let head = match text("subcommand") {
        Some(sub) if is_word(sub) => format!("{command} {sub}"),
        Some(_) => return work.leave(name, "its subcommand is no plain word"),
        None => command.to_owned(),
    };
    let arguments: Vec<&str> = rule.get("block_args").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect();
    if arguments.is_empty() {
        return work.leave(name, "it blocks no argument");
    }
    for argument in arguments {
        if !is_word(argument) {
            work.leave(format!("{name}: {argument}"), "the argument is no plain word");
            continue;
        }
        // At the first place, and at any later one.
        for pattern in [format!("{head} {argument} *"), format!("{head} * {argument} *")] {
            work.ordered("bash", &pattern, "deny", text("reason"));
        }
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || c.is_control() || matches!(c, '*' | '?'))
}
