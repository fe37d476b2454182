//! OpenCode and pi-permission-system: patterns by tool. The order of the file is the order of the rules, and the last
//! that matches wins there too.

use jsonc_parser::ast::Value as Ast;

use super::{LISTS, UNKNOWN, Work, each, json, plain};

pub(super) fn opencode(work: &mut Work, text: &str) -> Result<(), String> {
    // Other settings of a host are no rules.
    each(text, |p| {
        if p.name.as_str() == "permission" {
            work.surfaces(&p.value)
        }
    })
}

pub(super) fn pi_permission_system(work: &mut Work, text: &str) -> Result<(), String> {
    each(text, |p| match p.name.as_str() {
        "permission" => work.surfaces(&p.value),
        "doublePressToConfirm" => work.set("prompt.doublePress", plain(&p.value)),
        "shellTools" => work.set("shellTools", plain(&p.value)),
        "yoloMode" => work.leave("yoloMode", "nothing is asked in yolo mode: switch it on yourself with gate mode yolo"),
        name => work.leave(name, UNKNOWN),
    })
}

impl Work {
    fn rule(&mut self, tool: &str, pattern: &str, state: &Ast<'_>) {
        let (action, reason) = match state {
            Ast::StringLit(s) => (s.value.as_ref(), None),
            Ast::Object(o) => {
                (o.get_string("action").map_or("", |s| s.value.as_ref()), o.get_string("reason").map(|s| s.value.to_string()))
            }
            _ => ("", None),
        };
        if !LISTS.contains(&action) {
            return self.leave(format!("{tool}: {pattern}"), "it is neither allow, ask nor deny");
        }
        self.ordered(tool, pattern, action, reason.as_deref());
    }

    fn surfaces(&mut self, value: &Ast<'_>) {
        let Some(properties) = json::properties(value) else { return self.rule("*", "*", value) };
        for p in properties {
            let tool = p.name.as_str();
            let entries = json::properties(&p.value).filter(|e| !e.iter().any(|q| q.name.as_str() == "action"));
            match (tool, entries) {
                ("external_directory", None) => {
                    for key in ["external.read", "external.write"] {
                        self.set(key, plain(&p.value));
                    }
                }
                ("doom_loop", _) => self.leave(tool, "the gate does not count repeated calls"),
                ("external_directory" | "path", Some(entries)) => {
                    for q in entries {
                        let denies = matches!(&q.value, Ast::StringLit(s) if s.value == "deny");
                        let pattern = q.name.as_str();
                        if denies && crate::notation::absolute_path(pattern).is_ok() {
                            let list = self.settings.entry("deniedPaths").or_insert_with(|| serde_json::json!([]));
                            if let Some(list) = list.as_array_mut() {
                                list.push(pattern.into());
                            }
                        } else {
                            self.leave(
                                format!("{tool}: {pattern}"),
                                "paths of all tools can only be denied, by absolute patterns (deniedPaths)",
                            );
                        }
                    }
                }
                (_, None) => self.rule(tool, "*", &p.value),
                (_, Some(entries)) => entries.iter().for_each(|q| self.rule(tool, q.name.as_str(), &q.value)),
            }
        }
    }
}
