//! Reads the text of one source into a [`Draft`]: every value checked against the table of keys, every fault reported
//! with its place. Merging is elsewhere.

mod lists;

pub(crate) use lists::{DEFAULTS, source_word};

use gate_core::Source;
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged;

use crate::draft::{BAD_ASK, BAD_DENY, Draft, Given, Val};
use crate::finding::{Finding, Severity};
use crate::json::{self, Fault};
use crate::keys::{self, Key, Shape};
use crate::notation::Void;
use crate::typo::{self, Near};

/// Most findings of one source; past them the rest is only counted.
const FINDINGS: usize = 100;
/// Most unknown keys of one source; past them it is rejected.
const UNKNOWN_KEYS: usize = 500;

/// What is lost when an entry is dropped.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss {
    /// It may have denied.
    Deny,
    /// It may have asked.
    Ask,
    /// It only allowed, or only tuned.
    Nothing,
}

/// Reads one settings file.
pub(crate) fn settings(source: Source, file: &str, text: &str, findings: &mut Vec<Finding>) -> Draft {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader::new(text, Draft::new(source, file), findings);
    match json::parse(text) {
        Err(fault) => reader.broken(fault),
        Ok(value) => match json::properties(&value) {
            None => reader.broken(Fault {
                at: json::at(&value),
                message: format!("the file holds {}, not an object", json::kind(&value)),
                hint: Some("start with { and end with }".to_owned()),
            }),
            Some(properties) => {
                for p in properties {
                    reader.top(p.name.as_str(), p.range.start, &p.value);
                }
            }
        },
    }
    reader.finish()
}

/// Reads a project's command tree (`.gate/permissions.json`). It only ever allows, so faults cost nothing but itself.
pub(crate) fn permissions(file: &str, text: &str, findings: &mut Vec<Finding>) -> Draft {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let source = Source::ProjectShared;
    let mut reader = Reader::new(text, Draft::new(source, file), findings);
    let value = match json::parse(text) {
        Ok(value) => value,
        Err(f) => {
            reader.report(Severity::Warning, "invalid-json", "", f.at, format!("{}; the file is ignored", f.message), f.hint);
            return reader.draft;
        }
    };
    let Some(properties) = json::properties(&value) else {
        let message = format!("the file holds {}, not an object; it is ignored", json::kind(&value));
        reader.report(Severity::Warning, "wrong-type", "", json::at(&value), message, Some("write {\"allow\": {…}}".to_owned()));
        return reader.draft;
    };
    for p in properties {
        match (p.name.as_str(), keys::find("commands")) {
            ("$schema", _) => {}
            ("allow", Some(key)) => {
                if let Some(tree) = reader.tree("allow", &p.value, false) {
                    reader.give(key, &p.value, Val::Tree(tree));
                }
            }
            (name, _) => {
                let message = format!("unknown key \"{}\"; it has no effect", json::shown(name));
                reader.report(Severity::Warning, "unknown-key", name, p.range.start, message, typo::hint(name, ["allow"]));
            }
        }
    }
    reader.finish()
}

pub(crate) struct Reader<'t, 'f> {
    text: &'t str,
    draft: Draft,
    findings: &'f mut Vec<Finding>,
    reported: usize,
    unknown: usize,
}

impl<'t, 'f> Reader<'t, 'f> {
    const fn new(text: &'t str, draft: Draft, findings: &'f mut Vec<Finding>) -> Self {
        Self { text, draft, findings, reported: 0, unknown: 0 }
    }

    /// The draft, with a last finding when not all were reported.
    fn finish(mut self) -> Draft {
        if let Some(more) = self.reported.checked_sub(FINDINGS).filter(|n| *n > 0) {
            self.reported = 0;
            self.report(Severity::Error, "more", "", 0, format!("{more} more findings"), None);
        }
        self.draft
    }
}

impl Reader<'_, '_> {
    fn report(&mut self, severity: Severity, code: &'static str, key: &str, at: usize, message: impl Into<String>, hint: Option<String>) {
        self.reported += 1;
        if self.reported > FINDINGS {
            return;
        }
        let (line, column) = json::position(self.text, at);
        let (source, file, key) = (self.draft.source, self.draft.file.clone(), json::shown(key));
        self.findings.push(Finding { severity, code, source, file, line, column, key, message: message.into(), hint });
    }

    /// The source is rejected: only what tightens of it counts.
    fn reject(&mut self, code: &'static str, key: &str, at: usize, message: String, hint: Option<String>) {
        if self.draft.rejected.is_none() {
            let (line, _) = json::position(self.text, at);
            let key = if key.is_empty() { String::new() } else { format!("{}: ", json::shown(key)) };
            self.draft.rejected = Some(format!("line {line}: {key}{message}"));
        }
        self.report(Severity::Error, code, key, at, message, hint);
    }

    fn broken(&mut self, fault: Fault) {
        self.reject("invalid-json", "", fault.at, fault.message, fault.hint);
    }

    /// A bad value of a key: rejects the source when the key decides, else is ignored.
    fn bad(&mut self, path: &str, at: usize, message: String, hint: Option<String>) {
        if keys::decides(path) {
            self.reject("bad-value", path, at, message, hint);
        } else {
            self.report(Severity::Warning, "bad-value", path, at, format!("{message}; the value is ignored"), hint);
        }
    }

    /// A bad entry of a list: dropped, and what it may have denied or asked is floored.
    fn drop_entry(&mut self, path: &str, at: usize, loss: Loss, void: Void) {
        let Void { message, hint, tool } = void;
        let severity = if loss == Loss::Nothing { Severity::Warning } else { Severity::Error };
        let text = format!("{}: {path} cannot be read: {message}", self.draft.file);
        match loss {
            Loss::Deny => self.draft.floor(BAD_DENY, tool.as_deref(), text),
            Loss::Ask => self.draft.floor(BAD_ASK, tool.as_deref(), text),
            Loss::Nothing => {}
        }
        self.report(severity, "bad-entry", path, at, format!("{message}; the entry is dropped"), hint);
    }

    fn give(&mut self, key: &'static Key, value: &Value<'_>, val: Val) {
        let (line, _) = json::position(self.text, json::at(value));
        self.draft.given.push(Given { key, val, line, shown: json::source_of(self.text, value) });
    }

    fn top(&mut self, name: &str, at: usize, value: &Value<'_>) {
        if name == "$schema" {
            if !matches!(value, Value::StringLit(_)) {
                self.report(Severity::Warning, "wrong-type", name, at, "expected text; it is ignored", None);
            }
            return;
        }
        if keys::is_group(name) {
            let Some(properties) = json::properties(value) else {
                return self.bad(name, json::at(value), format!("expected an object, found {}", json::kind(value)), None);
            };
            for p in properties {
                let path = format!("{name}.{}", p.name.as_str());
                match keys::find(&path) {
                    Some(key) => self.key(key, &p.value),
                    None => self.unknown(name, p.name.as_str(), p.range.start),
                }
            }
            return;
        }
        match keys::find(name) {
            Some(key) => self.key(key, value),
            None => self.unknown("", name, at),
        }
    }

    fn unknown(&mut self, group: &str, name: &str, at: usize) {
        self.unknown += 1;
        if self.unknown > UNKNOWN_KEYS {
            return self.reject("unknown-key", "", at, format!("more than {UNKNOWN_KEYS} unknown keys"), None);
        }
        let path = if group.is_empty() { name.to_owned() } else { format!("{group}.{name}") };
        let known = keys::names(group);
        let near = typo::nearest(name, known.iter().copied());
        let message = format!("unknown key \"{}\"", json::shown(name));
        let hint = near.map(|(n, _)| format!("did you mean \"{n}\"?"));
        let full = |n: &str| if group.is_empty() { n.to_owned() } else { format!("{group}.{n}") };
        match near {
            // A list of denies in the wrong place denies nothing.
            _ if matches!((group, name), ("", "deny" | "ask")) => self.reject("unknown-key", &path, at, message, elsewhere(name)),
            Some((n, Near::Typo)) if keys::decides(&full(n)) => self.reject("unknown-key", &path, at, message, hint),
            _ => {
                let elsewhere = hint.or_else(|| elsewhere(name));
                self.report(Severity::Warning, "unknown-key", &path, at, format!("{message}; it has no effect"), elsewhere);
            }
        }
    }

    fn key(&mut self, key: &'static Key, value: &Value<'_>) {
        let val = match key.shape {
            Shape::Bool { .. } => match value {
                Value::BooleanLit(b) => Some(Val::Bool(b.value)),
                _ => self.wrong(key, value, "true or false"),
            },
            Shape::Int { min, max } => self.int(key, value, min, max),
            Shape::Choice { of, .. } => self.choice(key, value, of),
            Shape::Text => match value {
                Value::StringLit(s) if !s.value.trim().is_empty() => Some(Val::Word(s.value.to_string())),
                _ => self.wrong(key, value, "text that is not blank"),
            },
            Shape::Model => self.model(key, value),
            Shape::Entries => self.entries(key, value),
            Shape::AbsolutePaths | Shape::Paths | Shape::Texts => self.texts(key, value),
            Shape::RuleTexts => self.rule_texts(key, value),
            Shape::Rules => self.rules(key, value),
            Shape::Tree => {
                let any = self.draft.source != Source::ProjectLocal;
                self.tree(key.path, value, any).map(Val::Tree)
            }
            Shape::Policy => self.policy(key, value),
            Shape::ShellTools => self.shell_tools(key, value),
        };
        if let Some(val) = val {
            self.give(key, value, val);
        }
    }

    fn wrong<T>(&mut self, key: &Key, value: &Value<'_>, expected: &str) -> Option<T> {
        let found = match value {
            Value::StringLit(_) | Value::NumberLit(_) => json::source_of(self.text, value),
            _ => json::kind(value).to_owned(),
        };
        self.bad(key.path, json::at(value), format!("expected {expected}, found {found}"), None);
        None
    }

    fn int(&mut self, key: &Key, value: &Value<'_>, min: u64, max: u64) -> Option<Val> {
        let number = match value {
            Value::NumberLit(n) => n.value.parse::<u64>().ok(),
            _ => return self.wrong(key, value, "a number"),
        };
        match number {
            Some(n) if (min..=max).contains(&n) => Some(Val::Int(n)),
            Some(n) if n < min => self.wrong(key, value, &format!("at least {min}")),
            Some(_) => self.wrong(key, value, &format!("at most {max}")),
            None => self.wrong(key, value, &format!("a whole number from {min} to {max}")),
        }
    }

    fn choice(&mut self, key: &Key, value: &Value<'_>, of: &[&str]) -> Option<Val> {
        let expected = || format!("one of {}", of.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(", "));
        let Value::StringLit(s) = value else { return self.wrong(key, value, &expected()) };
        if of.contains(&s.value.as_ref()) {
            return Some(Val::Word(s.value.to_string()));
        }
        let message = format!("expected {}, found \"{}\"", expected(), json::shown(&s.value));
        self.bad(key.path, s.range.start, message, typo::hint(&s.value, of.iter().copied()));
        None
    }

    fn model(&mut self, key: &Key, value: &Value<'_>) -> Option<Val> {
        let Value::StringLit(s) = value else { return self.wrong(key, value, "\"session\", \"auto\" or \"provider/id\"") };
        let split = s.value.split_once('/').is_some_and(|(p, id)| !p.trim().is_empty() && !id.trim().is_empty());
        if split || matches!(s.value.as_ref(), "session" | "auto") {
            return Some(Val::Word(s.value.to_string()));
        }
        self.wrong(key, value, "\"session\", \"auto\" or \"provider/id\"")
    }
}

/// Keys of well-known relatives that people bring along.
fn elsewhere(name: &str) -> Option<String> {
    let to = match name {
        "autoMode" | "userRules" | "permission" | "yoloMode" | "hooks" | "approval_policy" | "sandbox_mode" => {
            "gate import reads the settings of other tools"
        }
        "deny" | "ask" | "allow" => "permission lists stand inside \"permissions\"",
        _ => return None,
    };
    Some(to.to_owned())
}

/// The range of a value, for messages that point at its start.
fn at(value: &Value<'_>) -> usize {
    value.range().start
}
