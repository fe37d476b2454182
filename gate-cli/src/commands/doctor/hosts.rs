//! Agents in general: is one wired, and does another tool's policy lie about without effect?

use std::path::{Path, PathBuf};

use gate_trust::import::{Dialect, import};

use super::{Check, claude_code};
use crate::setup::Setup;

/// Some agent must ask the gate, else nothing of it has an effect.
pub(super) fn wired(setup: &Setup) -> Vec<Check> {
    let known = super::super::scope::newest(setup).is_some() || !gate_trust::sessions(&setup.places.state_dir).is_empty();
    if claude_code::is_wired(setup) || known {
        return vec![Check::good("hosts", "an agent asks the gate")];
    }
    vec![Check::bad("hosts", "no agent asks the gate: nothing of all this has an effect", "gate install claude-code")]
}

/// Where other tools keep their rules: the name on the command line of `gate import`, below the home or the project.
pub(crate) fn foreign_files(setup: &Setup, dialect: Dialect) -> Vec<PathBuf> {
    let (home, project) = (Path::new(&setup.home), Path::new(&setup.project));
    let files: &[(&Path, &str)] = match dialect {
        Dialect::ClaudeCode => {
            &[(home, ".claude/settings.json"), (project, ".claude/settings.json"), (project, ".claude/settings.local.json")]
        }
        Dialect::Codex => &[(home, ".codex/rules/default.rules")],
        Dialect::Gemini => &[(home, ".gemini/settings.json"), (project, ".gemini/settings.json")],
        Dialect::OpenCode => &[(home, ".config/opencode/opencode.json"), (project, "opencode.json")],
        Dialect::PiAutomode => &[(home, ".pi/agent/automode.json"), (project, ".pi/automode.json")],
        Dialect::PiPermission => &[(home, ".pi/agent/permission-config.json")],
        Dialect::PiPermissionSystem => {
            &[(home, ".pi/agent/extensions/pi-permission-system/config.json"), (project, ".pi/extensions/pi-permission-system/config.json")]
        }
        Dialect::PiPermissionGate => &[(project, ".pi/permissions.json")],
        Dialect::Dippy => &[(home, ".dippy/config"), (project, ".dippy")],
        Dialect::CcSafetyNet => &[(home, ".cc-safety-net/config.json"), (project, ".safety-net.json")],
    };
    files.iter().map(|(base, file)| base.join(file)).filter(|p| p.is_file()).collect()
}

/// Denies and asks of other tools' files that the gate's settings do not have.
pub(super) fn foreign_rules(setup: &Setup) -> Vec<Check> {
    let mut out = Vec::new();
    for (name, dialect) in Dialect::ALL {
        for file in foreign_files(setup, dialect) {
            let missing = std::fs::read_to_string(&file).ok().map_or(0, |text| not_in_force(setup, dialect, &text));
            if missing > 0 {
                let shown = file.display();
                let message = format!("{shown} denies or asks in {missing} ways that the gate's settings do not know");
                out.push(Check::bad("foreign-rules", message, format!("gate import {name} --write {shown}")));
            }
        }
    }
    out
}

fn not_in_force(setup: &Setup, dialect: Dialect, text: &str) -> usize {
    let Ok(imported) = import(dialect, text) else { return 0 };
    let settings = &setup.loaded.snapshot.settings;
    let texts = |v: &serde_json::Value| -> Vec<String> {
        v.as_array().into_iter().flatten().filter_map(|e| e.as_str().map(ToOwned::to_owned)).collect()
    };
    let has = |list: &[gate_core::Entry], entry: &String| list.iter().any(|e| e.text == *entry);
    let at = |pointer: &str| imported.settings.pointer(pointer).cloned().unwrap_or_default();
    let deny = texts(&at("/permissions/deny")).iter().filter(|e| !has(&settings.deny, e)).count();
    let ask = texts(&at("/permissions/ask")).iter().filter(|e| !has(&settings.ask, e) && !has(&settings.deny, e)).count();
    let paths = texts(&at("/deniedPaths")).iter().filter(|e| !has(&settings.denied_paths, e)).count();
    let rules = at("/rules");
    let text = |r: &serde_json::Value, key: &str| r.get(key).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    let known = |r: &serde_json::Value| settings.rules.iter().any(|own| own.pattern == text(r, "pattern") && own.tool == text(r, "tool"));
    let rules = rules.as_array().into_iter().flatten().filter(|r| text(r, "action") != "allow" && !known(r)).count();
    deny + ask + paths + rules
}
