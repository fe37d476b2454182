//! From the texts of all sources to the settings in force. Pure: files are read elsewhere.

use gate_core::{Settings, SettingsFloor, Source};
use serde::Serialize;

use crate::draft::{Draft, REJECTED, Val};
use crate::finding::{Finding, Severity};
use crate::keys;
use crate::merge::{self, Merged, Ranked, Reading, Setter, State};
use crate::read::{self, source_word};
use crate::tuning::Tuning;

/// The text of one source, or why it could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    /// The file's path, or the name of what stands for one; shown in findings.
    pub name: String,
    /// The text. `Err`: it is there but could not be read, and why.
    pub text: Result<String, String>,
    /// When it was last changed, in seconds since 1970; `None`: just now. A lease of yolo mode begins here.
    pub changed: Option<u64>,
    /// When it ends, in seconds since 1970; `None`: it does not.
    pub until: Option<u64>,
}

impl SourceText {
    /// A text that was read.
    #[must_use]
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: Ok(text.into()), changed: None, until: None }
    }

    /// A source that is there but could not be read: it is rejected.
    #[must_use]
    pub fn unreadable(name: impl Into<String>, why: impl Into<String>) -> Self {
        Self { name: name.into(), text: Err(why.into()), changed: None, until: None }
    }

    /// Changed then, counting until then.
    #[must_use]
    pub const fn at(mut self, changed: Option<u64>, until: Option<u64>) -> Self {
        (self.changed, self.until) = (changed, until);
        self
    }
}

/// The last good version of each source, for the case that the present one is rejected (of the project-local file: the
/// last approved version). Only what tightens of it is used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LastGood {
    /// Managed settings.
    pub managed: Option<SourceText>,
    /// The user's settings.
    pub user: Option<SourceText>,
    /// The project's shared settings.
    pub shared: Option<SourceText>,
    /// The project-local settings.
    pub local: Option<SourceText>,
}

/// Everything that the settings in force are made of. `None`: there is no such file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sources {
    /// `/etc/gate/gate.json`.
    pub managed: Option<SourceText>,
    /// `gate.json` in the user's configuration folder.
    pub user: Option<SourceText>,
    /// `.gate/gate.json`.
    pub shared: Option<SourceText>,
    /// `.gate/gate.local.json`.
    pub local: Option<SourceText>,
    /// `GATE_SETTINGS_JSON` or `--settings`.
    pub inline: Option<SourceText>,
    /// What a person switched to for every session for a while, and for this session: `mode` and `enabled` only, set
    /// outside the agent. Weighs more than inline settings, less than managed ones.
    pub switches: Vec<SourceText>,
    /// `.gate/permissions.json`.
    pub permissions: Option<SourceText>,
    /// The present version of the project-local file was approved.
    pub local_approved: bool,
    /// The project-local file is tracked by the repository: it never counts.
    pub local_tracked: bool,
    /// The present version of `.gate/permissions.json` was approved.
    pub permissions_approved: bool,
    /// The project may be trusted. A host's flag can only take trust away.
    pub trusted_project: bool,
    /// Inside a hook inline settings count only where they tighten.
    pub hook: bool,
    /// Seconds since 1970, for leases of yolo mode.
    pub now: u64,
    /// Last good versions; needed only for sources that are rejected or not approved.
    pub last_good: LastGood,
}

impl Default for Sources {
    fn default() -> Self {
        Self {
            managed: None,
            user: None,
            shared: None,
            local: None,
            inline: None,
            switches: Vec::new(),
            permissions: None,
            local_approved: false,
            local_tracked: false,
            permissions_approved: false,
            trusted_project: true,
            hook: false,
            now: 0,
            last_good: LastGood::default(),
        }
    }
}

/// The settings in force, what is wrong with their sources, and who set what.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Snapshot {
    /// What the layers decide by.
    pub settings: Settings,
    /// What decides nothing by itself.
    pub tuning: Tuning,
    /// When the mode in force ends, in seconds since 1970; `None`: it does not end by itself.
    pub mode_until: Option<u64>,
    /// What is wrong.
    pub findings: Vec<Finding>,
    /// Every value of every source, lowest source first, with what became of it.
    pub setters: Vec<Setter>,
    /// Sources of which only the tightening part counts, because a deciding key could not be read.
    pub rejected: Vec<Source>,
    /// Sources with dropped entries that may have denied or asked; their present version is not kept as a good one.
    pub lost_denies: Vec<Source>,
}

/// The settings in force.
#[must_use]
pub fn snapshot(sources: &Sources) -> Snapshot {
    let mut findings = Vec::new();
    let mut drafts: Vec<Ranked> = Vec::new();
    let mut floors: Vec<SettingsFloor> = Vec::new();
    let (mut rejected, mut lost_denies) = (Vec::new(), Vec::new());
    let good = &sources.last_good;
    let none = None;
    let order = [
        (Source::User, &sources.user, &good.user),
        (Source::ProjectShared, &sources.shared, &good.shared),
        (Source::ProjectLocal, &sources.local, &good.local),
        (Source::Inline, &sources.inline, &none),
        (Source::Managed, &sources.managed, &good.managed),
    ];
    for (source, text, last) in order {
        if source == Source::Managed {
            let full = |draft| Ranked { draft, reading: Reading::Full, because: "", report: false };
            drafts.extend(sources.switches.iter().map(|s| full(draft_of(Source::Inline, s, &mut findings))));
        }
        if source == Source::ProjectLocal {
            drafts.extend(permissions_tree(sources, &mut findings));
        }
        let Some(text) = text else { continue };
        if source == Source::ProjectLocal && !local_counts(sources, text, &mut findings) {
            drafts.extend(last_good(source, last.as_ref()));
            continue;
        }
        let mut draft = draft_of(source, text, &mut findings);
        if !draft.floors.is_empty() {
            lost_denies.push(source);
        }
        floors.append(&mut draft.floors);
        if let Some(why) = draft.rejected.clone() {
            rejected.push(source);
            let last = last_good(source, last.as_ref());
            floor_rejected(&mut floors, &draft, last.as_ref(), &why);
            drafts.extend(last);
            drafts.push(Ranked { draft, reading: Reading::Tighten, because: "the file is rejected", report: false });
            continue;
        }
        let (reading, because) = match source {
            Source::ProjectShared => (Reading::Tighten, "project-shared settings may only tighten"),
            Source::Inline if sources.hook => (Reading::Tighten, "inside a hook, settings from the environment may only tighten"),
            _ => (Reading::Full, ""),
        };
        drafts.push(Ranked { draft, reading, because, report: true });
    }
    let Merged { mut settings, tuning, setters, mode_until } = merge::merge(&drafts, sources.now, &mut findings);
    settings.floors = floors;
    Snapshot { settings, tuning, mode_until, findings, setters, rejected, lost_denies }
}

fn draft_of(source: Source, text: &SourceText, findings: &mut Vec<Finding>) -> Draft {
    let mut draft = match &text.text {
        Ok(body) => read::settings(source, &text.name, body, findings),
        Err(why) => {
            let mut draft = Draft::new(source, &text.name);
            findings.push(whole_file(Severity::Error, "unreadable", source, &text.name, format!("cannot be read: {why}")));
            draft.rejected = Some(format!("it cannot be read: {why}"));
            draft
        }
    };
    (draft.changed, draft.until) = (text.changed, text.until);
    draft
}

fn whole_file(severity: Severity, code: &'static str, source: Source, file: &str, message: String) -> Finding {
    Finding { severity, code, source, file: file.to_owned(), line: 0, column: 0, key: String::new(), message, hint: None }
}

/// The tightening part of a last good version.
fn last_good(source: Source, text: Option<&SourceText>) -> Option<Ranked> {
    let text = text?;
    let body = text.text.as_ref().ok()?;
    let mut quiet = Vec::new();
    let draft = read::settings(source, &text.name, body, &mut quiet);
    Some(Ranked { draft, reading: Reading::Tighten, because: "it is the last good version", report: false })
}

/// A rejected source floors every tool; a project-shared one only the tools that its readable part names, so that
/// nobody's repository can stop the gate from allowing anything.
fn floor_rejected(floors: &mut Vec<SettingsFloor>, draft: &Draft, last: Option<&Ranked>, why: &str) {
    let text = format!("the {} settings {} are rejected ({why})", source_word(draft.source), draft.file);
    let mut holder = Draft::new(draft.source, &draft.file);
    if draft.source != Source::ProjectShared {
        holder.floor(REJECTED, None, text);
    } else {
        let given = draft.given.iter().chain(last.iter().flat_map(|r| &r.draft.given));
        for g in given.filter(|g| matches!(g.key.path, "permissions.deny" | "permissions.ask")) {
            let Val::Texts(entries) = &g.val else { continue };
            for e in entries {
                let body = e.trim().trim_start_matches('@');
                let tool = body.split('(').next().unwrap_or(body);
                holder.floor(REJECTED, Some(tool).filter(|t| *t != "*"), text.clone());
            }
        }
    }
    floors.append(&mut holder.floors);
}

fn local_counts(sources: &Sources, text: &SourceText, findings: &mut Vec<Finding>) -> bool {
    let why = if !sources.trusted_project {
        ("untrusted", "ignored: the project is not trusted", None)
    } else if sources.local_tracked {
        ("tracked", "ignored: the repository tracks it, so that it is not yours alone", Some("git rm --cached, and add it to .gitignore"))
    } else if !sources.local_approved {
        ("unapproved", "ignored: this version is not approved", Some("gate trust"))
    } else {
        return true;
    };
    let (code, message, hint) = why;
    let mut finding = whole_file(Severity::Warning, code, Source::ProjectLocal, &text.name, message.to_owned());
    finding.hint = hint.map(str::to_owned);
    findings.push(finding);
    false
}

fn permissions_tree(sources: &Sources, findings: &mut Vec<Finding>) -> Option<Ranked> {
    let text = sources.permissions.as_ref()?;
    let ignored = if !sources.trusted_project {
        Some(("untrusted", "ignored: the project is not trusted".to_owned(), None))
    } else if let Err(why) = &text.text {
        Some(("unreadable", format!("ignored: it cannot be read: {why}"), None))
    } else if !sources.permissions_approved {
        Some(("unapproved", "ignored: this version is not approved".to_owned(), Some("gate trust")))
    } else {
        None
    };
    if let Some((code, message, hint)) = ignored {
        let mut finding = whole_file(Severity::Warning, code, Source::ProjectShared, &text.name, message);
        finding.hint = hint.map(str::to_owned);
        findings.push(finding);
        return None;
    }
    let draft = read::permissions(&text.name, text.text.as_deref().ok()?, findings);
    Some(Ranked { draft, reading: Reading::Full, because: "", report: false })
}

/// One key, for `gate config explain`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explained {
    /// The key's dotted path.
    pub key: &'static str,
    /// The values in force, as written; the default when nobody sets the key. Several for keys that accumulate.
    pub values: Vec<String>,
    /// Nobody sets it.
    pub default: bool,
    /// Who sets it, lowest source first, with what became of it.
    pub setters: Vec<Setter>,
    /// Who may set it, for people.
    pub who: &'static str,
}

impl Snapshot {
    /// Value, source, who else set it and why it lost. `None`: no such key.
    #[must_use]
    pub fn explain(&self, path: &str) -> Option<Explained> {
        let key = keys::find(path)?;
        let setters: Vec<Setter> = self.setters.iter().filter(|s| s.key == key.path).cloned().collect();
        let mut values: Vec<String> = setters.iter().filter(|s| !matches!(s.state, State::Lost(_))).map(|s| s.value.clone()).collect();
        let default = values.is_empty();
        if default {
            let opened = key.path == "external.read" && self.settings.allow_inside_working_directory;
            values.push(if opened { "\"ask\"" } else { key.default }.to_owned());
        }
        let who = match key.tightening {
            keys::Tightening::Adds => "every source adds to it",
            keys::Tightening::Stricter => "every source; project-shared and environment settings only to tighten",
            keys::Tightening::DeniesOnly => "every source; of project-shared and environment settings only what denies",
            keys::Tightening::Nothing => "managed, user and approved project-local settings; the environment outside hooks",
        };
        Some(Explained { key: key.path, values, default, setters, who })
    }
}
