//! Claude Code: `permissions` with its lists, whose notation the gate reads; the rule texts of `autoMode`.

use jsonc_parser::ast::{ObjectProp, Value as Ast};

use super::{LISTS, Work, each, json, plain};

pub(super) fn read(work: &mut Work, text: &str) -> Result<(), String> {
    // Other settings of a host are no rules.
    each(text, |p| match p.name.as_str() {
        "permissions" => work.lists(p, text),
        "autoMode" => work.automode(p),
        _ => {}
    })
}

impl Work {
    pub(super) fn lists(&mut self, p: &ObjectProp<'_>, text: &str) {
        for q in json::properties(&p.value).unwrap_or_default() {
            let list = LISTS.iter().position(|l| *l == q.name.as_str()).and_then(|i| self.lists.get_mut(i));
            match (list, &q.value) {
                (Some(list), Ast::Array(a)) => list.extend(a.elements.iter().map(plain)),
                _ => self.leave(format!("{}: {}", q.name.as_str(), json::source_of(text, &q.value)), "no list of rules"),
            }
        }
    }
}
