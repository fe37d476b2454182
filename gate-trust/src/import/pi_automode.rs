//! pi-automode: `permissions` in the gate's own lower-case notation, `autoMode`.

use jsonc_parser::ast::ObjectProp;

use super::{UNKNOWN, Work, each, json, plain};

pub(super) fn read(work: &mut Work, text: &str) -> Result<(), String> {
    each(text, |p| match p.name.as_str() {
        "permissions" => work.lists(p, text),
        "autoMode" => work.automode(p),
        name => work.leave(name, UNKNOWN),
    })
}

impl Work {
    pub(super) fn automode(&mut self, p: &ObjectProp<'_>) {
        for q in json::properties(&p.value).unwrap_or_default() {
            let (name, value) = (q.name.as_str(), plain(&q.value));
            let to = match name {
                "enabled" => {
                    let why = "whether the gate is on is yours to say: gate mode on, gate mode off";
                    self.leave(format!("autoMode.enabled: {value}"), why);
                    continue;
                }
                "deniedPaths" | "allowInsideWorkingDirectory" | "classifyReadOnlyTools" => name,
                "classifierModel" => "classifier.model",
                "classifierReasoningLevel" => "classifier.reasoningLevel",
                "fastClassifierMaxTokens" => "classifier.fastMaxTokens",
                "classifierTimeoutMs" => "classifier.timeoutMs",
                "maxUserTranscriptTokens" => "classifier.maxUserTranscriptTokens",
                "maxToolTranscriptTokens" => "classifier.maxToolTranscriptTokens",
                "environment" => "classifier.environment",
                "allow" => "classifier.allow",
                "soft_deny" | "softDeny" => "classifier.softDeny",
                "hard_deny" | "hardDeny" => "classifier.hardDeny",
                _ => {
                    self.leave(format!("autoMode.{name}"), UNKNOWN);
                    continue;
                }
            };
            self.set(to, value);
        }
    }
}
