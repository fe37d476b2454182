//! What cannot work in the settings' patterns, for people.

use gate_core::{Settings, Source, limits};

use super::entry::{PatternError, tool_of};
use super::wild::utf16;
use super::{PathPattern, Permission, Want};

/// Which list an entry stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum List {
    /// `permissions.deny`.
    Deny,
    /// `permissions.ask`.
    Ask,
    /// `permissions.allow`.
    Allow,
    /// `rules`.
    Rules,
    /// `deniedPaths`.
    DeniedPaths,
}

/// An entry that cannot work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Where it stands.
    pub list: List,
    /// As written.
    pub text: String,
    /// Who wrote it.
    pub source: Source,
    /// Why it cannot work.
    pub error: PatternError,
    /// The tool that is floored because of it; `None` for an allow entry, which is only ignored.
    pub floors: Option<Floored>,
}

/// What an entry that cannot be read puts a floor on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Floored {
    /// Calls of that tool.
    Tool(String),
    /// Every call: not even the tool can be read.
    Everything,
}

/// Every entry that cannot be read or can never match.
#[must_use]
pub fn lint(settings: &Settings) -> Vec<Finding> {
    let mut out = Vec::new();
    for (list, entries, want) in [
        (List::Deny, &settings.deny, Want::Tighten),
        (List::Ask, &settings.ask, Want::Tighten),
        (List::Allow, &settings.allow, Want::Allow),
    ] {
        for e in entries {
            if let Err(error) = Permission::new(e, want) {
                let floors = (want == Want::Tighten).then(|| tool_of(&e.text).map_or(Floored::Everything, Floored::Tool));
                out.push(Finding { list, text: e.text.clone(), source: e.source, error, floors });
            }
        }
    }
    for r in &settings.rules {
        if utf16(&r.pattern, limits::PATTERN_UTF16) > limits::PATTERN_UTF16 {
            let floors = (r.action != gate_core::Opinion::Allow).then_some(Floored::Everything);
            out.push(Finding { list: List::Rules, text: r.id.clone(), source: r.source, error: PatternError::Long, floors });
        }
    }
    for e in &settings.denied_paths {
        let error = if utf16(&e.text, limits::PATTERN_UTF16) > limits::PATTERN_UTF16 {
            PatternError::Long
        } else if PathPattern::automode(&e.text).reaches() {
            continue;
        } else {
            PatternError::NeverMatches(e.text.clone())
        };
        out.push(Finding { list: List::DeniedPaths, text: e.text.clone(), source: e.source, error, floors: Some(Floored::Everything) });
    }
    out
}
