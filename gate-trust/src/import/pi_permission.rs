//! pi-permission: `userRules`, the risk classifier, the mode.

use jsonc_parser::ast::Value as Ast;
use serde_json::{Value, json};

use super::{LISTS, UNKNOWN, Work, each, plain};

pub(super) fn read(work: &mut Work, text: &str) -> Result<(), String> {
    each(text, |p| match p.name.as_str() {
        "userRules" => work.user_rules(&p.value),
        "classifier" => {
            for q in super::json::properties(&p.value).unwrap_or_default() {
                work.risk_classifier(q.name.as_str(), plain(&q.value));
            }
        }
        "mode" if plain(&p.value) != "yolo" => work.set("mode", plain(&p.value)),
        "mode" => work.leave("mode", "nothing is asked in yolo mode: switch it on yourself with gate mode yolo"),
        name => work.leave(name, UNKNOWN),
    })
}

impl Work {
    fn user_rules(&mut self, value: &Ast<'_>) {
        let Ast::Array(list) = value else { return self.leave("userRules", "no list of rules") };
        for element in &list.elements {
            let Ast::Object(o) = element else {
                self.leave("a rule", "it is no object");
                continue;
            };
            let text = |name: &str| o.get_string(name).map(|s| s.value.as_ref());
            let action = text("action").unwrap_or("");
            if !LISTS.contains(&action) {
                self.leave(text("pattern").unwrap_or("a rule"), "it is neither allow, ask nor deny");
                continue;
            }
            let mut rule = json!({"tool": text("tool").unwrap_or("*"), "pattern": text("pattern").unwrap_or("*"), "action": action});
            for name in ["id", "description"] {
                if let (Some(word), Some(object)) = (text(name), rule.as_object_mut()) {
                    object.insert(name.to_owned(), word.into());
                }
            }
            self.rules.push(rule);
        }
    }

    fn risk_classifier(&mut self, name: &str, value: Value) {
        match name {
            "enabled" | "autoApproveLowRisk" | "autoDenyHighRisk" => self.set(&format!("classifier.{name}"), value),
            "model" => self.set("classifier.model", value),
            "timeout" => match value.as_u64() {
                Some(seconds) => self.set("classifier.riskTimeoutMs", seconds.saturating_mul(1000).into()),
                None => self.leave("classifier.timeout", "no whole number of seconds"),
            },
            _ => self.leave(format!("classifier.{name}"), UNKNOWN),
        }
        self.set("classifier.protocol", "risk".into());
    }
}
