//! Reads the rules of other tools and says them as settings of the gate; what cannot be said is listed with the reason.
//! Pure: the caller reads the file and writes the result. One file for each dialect.

mod cc_safety_net;
mod claude_code;
mod codex;
mod dippy;
mod gemini;
mod pi_automode;
mod pi_permission;
mod pi_permission_gate;
mod surfaces;

use jsonc_parser::ast::ObjectProp;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::finding::Severity;
use crate::json::{self, plain, shown};

/// Whose file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// `settings.json` of Claude Code: `permissions`.
    ClaudeCode,
    /// `*.rules` of Codex: `prefix_rule`.
    Codex,
    /// `opencode.json`: `permission`.
    OpenCode,
    /// `settings.json` or a policy (TOML) of Gemini CLI.
    Gemini,
    /// `automode.json` of pi-automode.
    PiAutomode,
    /// `permission-config.json` of pi-permission: `userRules`.
    PiPermission,
    /// `config.json` of pi-permission-system: `permission`.
    PiPermissionSystem,
    /// `.pi/permissions.json` of the permission gate: a command tree.
    PiPermissionGate,
    /// Dippy's lines of `allow`, `ask`, `deny`.
    Dippy,
    /// `config.json` of cc-safety-net: `rules` with blocked arguments.
    CcSafetyNet,
}

impl Dialect {
    /// Every dialect with its name on the command line.
    pub const ALL: [(&'static str, Self); 10] = [
        ("claude-code", Self::ClaudeCode),
        ("codex", Self::Codex),
        ("opencode", Self::OpenCode),
        ("gemini", Self::Gemini),
        ("pi-automode", Self::PiAutomode),
        ("pi-permission", Self::PiPermission),
        ("pi-permission-system", Self::PiPermissionSystem),
        ("pi-permission-gate", Self::PiPermissionGate),
        ("dippy", Self::Dippy),
        ("cc-safety-net", Self::CcSafetyNet),
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
const UNKNOWN: &str = "the gate has no such setting";

/// Says another tool's rules as settings.
///
/// # Errors
/// When the text is not in that tool's form.
pub fn import(dialect: Dialect, text: &str) -> Result<Imported, String> {
    let mut work = Work::default();
    let read = match dialect {
        Dialect::ClaudeCode => claude_code::read,
        Dialect::Codex => codex::read,
        Dialect::OpenCode => surfaces::opencode,
        Dialect::Gemini => gemini::read,
        Dialect::PiAutomode => pi_automode::read,
        Dialect::PiPermission => pi_permission::read,
        Dialect::PiPermissionSystem => surfaces::pi_permission_system,
        Dialect::PiPermissionGate => pi_permission_gate::read,
        Dialect::Dippy => dippy::read,
        Dialect::CcSafetyNet => cc_safety_net::read,
    };
    read(&mut work, text)?;
    Ok(work.finish())
}

/// Hands every property of the file's object on, `$schema` left out.
fn each(text: &str, mut take: impl FnMut(&ObjectProp<'_>)) -> Result<(), String> {
    let value = json::parse(text).map_err(|f| {
        let (line, column) = json::position(text, f.at);
        format!("{line}:{column}: {}", f.message)
    })?;
    let properties = json::properties(&value).ok_or("the file does not hold an object")?;
    properties.iter().filter(|p| p.name.as_str() != "$schema").for_each(&mut take);
    Ok(())
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

    /// An ordered rule.
    fn ordered(&mut self, tool: &str, pattern: &str, action: &str, reason: Option<&str>) {
        let mut rule = json!({"tool": tool, "pattern": pattern, "action": action});
        if let (Some(reason), Some(object)) = (reason, rule.as_object_mut()) {
            object.insert("description".to_owned(), reason.into());
        }
        self.rules.push(rule);
    }

    /// An entry of one of the lists.
    fn entry(&mut self, list: &str, entry: String) {
        let at = LISTS.iter().position(|l| *l == list);
        if let Some(list) = at.and_then(|i| self.lists.get_mut(i)) {
            list.push(entry.into());
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
