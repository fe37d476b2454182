//! Reads the rules of other tools and says them as settings of the gate; what cannot be said is listed with the reason.
//! Pure: the caller reads the file and writes the result.

use jsonc_parser::ast::{ObjectProp, Value as Ast};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::finding::Severity;
use crate::json::{self, shown};

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// `settings.json` of Claude Code: `permissions`.
    ClaudeCode,
    /// `opencode.json`: `permission`.
    OpenCode,
    /// `automode.json` of pi-automode.
    PiAutomode,
    /// `permission-config.json` of pi-permission: `userRules`.
    PiPermission,
    /// `config.json` of pi-permission-system: `permission`.
    PiPermissionSystem,
}

impl Dialect {
    /// Every dialect with its name on the command line.
    pub const ALL: [(&'static str, Self); 5] = [
        ("claude-code", Self::ClaudeCode),
        ("opencode", Self::OpenCode),
        ("pi-automode", Self::PiAutomode),
        ("pi-permission", Self::PiPermission),
        ("pi-permission-system", Self::PiPermissionSystem),
    ];
}

/// A rule that was left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// The rule as it stands there.
    pub rule: String,
    /// Why it cannot be said.
    pub why: String,
}

/// What came of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Imported {
    /// Settings of the gate.
    pub settings: Value,
    /// What was left out.
    pub left_out: Vec<LeftOut>,
}

#[derive(Default)]
struct Work {
    lists: [Vec<Value>; 3],
    rules: Vec<Value>,
    settings: Map<String, Value>,
    groups: Map<String, Value>,
    left_out: Vec<LeftOut>,
}

const LISTS: [&str; 3] = ["deny", "ask", "allow"];

/// Says another tool's rules as settings.
///
/// # Errors
/// When the text is no JSON object.
pub fn import(dialect: Dialect, text: &str) -> Result<Imported, String> {
    let value = json::parse(text).map_err(|f| {
        let (line, column) = json::position(text, f.at);
        format!("{line}:{column}: {}", f.message)
    })?;
    let properties = json::properties(&value).ok_or("the file does not hold an object")?;
    let mut work = Work::default();
    for p in properties {
        work.top(dialect, p, text);
    }
    Ok(work.finish())
}

fn plain(value: &Ast<'_>) -> Value {
    match value {
        Ast::StringLit(s) => Value::from(s.value.as_ref()),
        Ast::NumberLit(n) => serde_json::from_str(n.value).unwrap_or(Value::Null),
        Ast::BooleanLit(b) => Value::from(b.value),
        Ast::Array(a) => a.elements.iter().map(plain).collect(),
        Ast::Object(o) => Value::Object(o.properties.iter().map(|p| (p.name.as_str().to_owned(), plain(&p.value))).collect()),
        Ast::NullKeyword(_) => Value::Null,
    }
}

impl Work {
    fn leave(&mut self, rule: impl Into<String>, why: impl Into<String>) {
        self.left_out.push(LeftOut { rule: shown(&rule.into()), why: why.into() });
    }

    fn set(&mut self, path: &str, value: Value) {
        match path.split_once('.') {
            None => drop(self.settings.insert(path.to_owned(), value)),
            Some((group, name)) => {
                if let Some(object) = self.groups.entry(group).or_insert_with(|| json!({})).as_object_mut() {
                    object.insert(name.to_owned(), value);
                }
            }
        }
    }

    fn top(&mut self, dialect: Dialect, p: &ObjectProp<'_>, text: &str) {
        let name = p.name.as_str();
        match (dialect, name) {
            (_, "$schema") => {}
            (Dialect::ClaudeCode | Dialect::PiAutomode, "permissions") => self.lists(p, text),
            (Dialect::OpenCode | Dialect::PiPermissionSystem, "permission") => self.surfaces(&p.value),
            (Dialect::PiAutomode, "autoMode") => self.automode(p),
            (Dialect::PiPermission, "userRules") => self.user_rules(&p.value),
            (Dialect::PiPermission, "classifier") => {
                for q in json::properties(&p.value).unwrap_or_default() {
                    self.risk_classifier(q.name.as_str(), plain(&q.value));
                }
            }
            (Dialect::PiPermission, "mode") if plain(&p.value) != "yolo" => self.set("mode", plain(&p.value)),
            (Dialect::PiPermissionSystem, "doublePressToConfirm") => self.set("prompt.doublePress", plain(&p.value)),
            (Dialect::PiPermissionSystem, "shellTools") => self.set("shellTools", plain(&p.value)),
            (Dialect::PiPermission, "mode") | (Dialect::PiPermissionSystem, "yoloMode") => {
                self.leave(name, "nothing is asked in yolo mode: switch it on yourself with gate mode yolo");
            }
            // Other settings of a host are no rules.
            (Dialect::ClaudeCode | Dialect::OpenCode, _) => {}
            _ => self.leave(name, "the gate has no such setting"),
        }
    }

    fn lists(&mut self, p: &ObjectProp<'_>, text: &str) {
        for q in json::properties(&p.value).unwrap_or_default() {
            let list = LISTS.iter().position(|l| *l == q.name.as_str()).and_then(|i| self.lists.get_mut(i));
            match (list, &q.value) {
                (Some(list), Ast::Array(a)) => list.extend(a.elements.iter().map(plain)),
                _ => self.leave(format!("{}: {}", q.name.as_str(), json::source_of(text, &q.value)), "no list of rules"),
            }
        }
    }

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
        let mut rule = json!({"tool": tool, "pattern": pattern, "action": action});
        if let (Some(reason), Some(object)) = (reason, rule.as_object_mut()) {
            object.insert("description".to_owned(), reason.into());
        }
        self.rules.push(rule);
    }

    /// Patterns by tool; the order of the file is the order of the rules, and the last that matches wins there too.
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
                            let list = self.settings.entry("deniedPaths").or_insert_with(|| json!([]));
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
            _ => self.leave(format!("classifier.{name}"), "the gate has no such setting"),
        }
        self.set("classifier.protocol", "risk".into());
    }

    fn automode(&mut self, p: &ObjectProp<'_>) {
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
                    self.leave(format!("autoMode.{name}"), "the gate has no such setting");
                    continue;
                }
            };
            self.set(to, value);
        }
    }

    /// Puts all together and takes out what the gate itself would not read.
    fn finish(mut self) -> Imported {
        for (name, mut list) in LISTS.into_iter().zip(std::mem::take(&mut self.lists)) {
            list.retain(|entry| {
                let check = if name == "allow" { crate::notation::allow_entry } else { crate::notation::entry };
                let why = match entry.as_str().map(check) {
                    Some(Ok(())) => return true,
                    Some(Err(v)) => v.message,
                    None => "it is no text".to_owned(),
                };
                self.left_out.push(LeftOut { rule: shown(&format!("{name}: {entry}")), why });
                false
            });
            if !list.is_empty() {
                self.set(&format!("permissions.{name}"), list.into());
            }
        }
        let rules = std::mem::take(&mut self.rules);
        if !rules.is_empty() {
            self.set("rules", rules.into());
        }
        let mut settings = std::mem::take(&mut self.settings);
        settings.extend(std::mem::take(&mut self.groups));
        let mut settings = Value::Object(settings);
        let mut findings = Vec::new();
        crate::read::settings(gate_core::Source::User, "", &settings.to_string(), &mut findings);
        // From the back, so that places in lists stay right.
        for f in findings.into_iter().rev().filter(|f| f.severity > Severity::Note && !matches!(f.code, "no-defaults" | "wide-allow")) {
            let what = take_out(&mut settings, &f.key).map_or_else(|| f.key.clone(), |v| format!("{}: {v}", f.key));
            self.leave(what, f.message);
        }
        Imported { settings, left_out: self.left_out }
    }
}

/// Removes what stands at a finding's key: `group.name`, `name` or `name[3]`.
fn take_out(settings: &mut Value, path: &str) -> Option<Value> {
    let (path, index) = match path.strip_suffix(']').and_then(|p| p.rsplit_once('[')) {
        Some((path, index)) => (path, index.parse::<usize>().ok()),
        None => (path, None),
    };
    let (holder, name) = match path.split_once('.') {
        Some((group, name)) => (settings.get_mut(group)?, name),
        None => (settings, path),
    };
    match index {
        Some(i) => holder.get_mut(name)?.as_array_mut().filter(|l| i < l.len()).map(|l| l.remove(i)),
        None => holder.as_object_mut()?.remove(name),
    }
}
