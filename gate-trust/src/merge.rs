//! Who wins. Drafts are merged from the lowest source to the highest, by the table of keys; nothing else decides.

mod policy;

use gate_core::{DangerRules, Entry, External, Lease, Mode, Opinion, Preset, Settings, Source, WrapperPolicy};
use serde::Serialize;

use crate::draft::{Draft, Given, Val};
use crate::finding::{Finding, Severity};
use crate::keys::{KEYS, Key, Shape, Tightening};
use crate::read::{DEFAULTS, source_word};
use crate::tree;
use crate::tuning::Tuning;

/// How much of a draft counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// All of it.
    Full,
    /// What tightens.
    Tighten,
}

/// What became of one value of one source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// It is the value in force.
    InForce,
    /// It is part of the value in force.
    Adds,
    /// It has no effect, for this reason.
    Lost(String),
}

/// One source that sets a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Setter {
    /// The key's dotted path.
    pub key: &'static str,
    /// Who.
    pub source: Source,
    /// In which file.
    pub file: String,
    /// On which line, from 1.
    pub line: u32,
    /// The value as written, shortened.
    pub value: String,
    /// What became of it.
    pub state: State,
}

/// A draft with how much of it counts, lowest source first.
pub(crate) struct Ranked {
    pub draft: Draft,
    pub reading: Reading,
    /// Why only the tightening part counts, for people; empty for [`Reading::Full`].
    pub because: &'static str,
    /// Values without effect are worth a finding.
    pub report: bool,
}

/// What the drafts say together.
pub(crate) struct Merged {
    pub settings: Settings,
    pub tuning: Tuning,
    pub setters: Vec<Setter>,
    pub mode_until: Option<u64>,
}

/// One value with where it came from.
struct Said<'d> {
    source: Source,
    reading: Reading,
    given: &'d Given,
    setter: usize,
    /// When the value ceases to count, as far as it does.
    until: Option<u64>,
}

pub(crate) fn merge(drafts: &[Ranked], now: u64, findings: &mut Vec<Finding>) -> Merged {
    let mut merged = Merged { settings: Settings::default(), tuning: Tuning::default(), setters: Vec::new(), mode_until: None };
    // How long yolo lasts is known before it is known who switches to it.
    let first = |k: &&Key| k.path == "yolo.minutes";
    for key in KEYS.iter().filter(first).chain(KEYS.iter().filter(|k| !first(k))) {
        let mut said = Vec::new();
        for ranked in drafts {
            for given in ranked.draft.given.iter().filter(|g| g.key.path == key.path) {
                let setter = merged.setters.len();
                let (source, reading) = (ranked.draft.source, ranked.reading);
                let (file, value) = (ranked.draft.file.clone(), given.shown.clone());
                merged.setters.push(Setter { key: key.path, source, file, line: given.line, value, state: State::Adds });
                match merged.lease(&ranked.draft, given, now) {
                    Ok(until) => said.push(Said { source, reading, given, setter, until }),
                    Err(why) => merged.lose(setter, why),
                }
            }
        }
        if !said.is_empty() || key.path == "external.read" {
            merged.key(key, &said, drafts);
        }
    }
    let allow_free = merged.setters.iter().any(|s| s.key == "preset" && s.source == Source::Managed && s.state == State::InForce);
    policy::finish(&mut merged.settings, allow_free);
    report(drafts, &merged.setters, findings);
    merged
}

impl Merged {
    /// Until when a value counts. Only yolo mode is lent.
    ///
    /// # Errors
    /// Its time is over.
    fn lease(&self, draft: &Draft, given: &Given, now: u64) -> Result<Option<u64>, String> {
        let yolo = given.key.path == "mode" && given.val == Val::Word("yolo".to_owned());
        let minutes = self.tuning.yolo_minutes.and_then(|m| u32::try_from(m).ok()).filter(|_| yolo);
        let (Some(minutes), Some(since)) = (minutes, draft.changed) else { return Ok(draft.until) };
        let lease = Lease { since, minutes: Some(minutes) };
        if !lease.active(now) {
            return Err(format!("its time is over: yolo.minutes is {minutes}"));
        }
        Ok(lease.ends().into_iter().chain(draft.until).min())
    }

    fn lose(&mut self, setter: usize, why: impl Into<String>) {
        if let Some(s) = self.setters.get_mut(setter) {
            s.state = State::Lost(why.into());
        }
    }

    fn key(&mut self, key: &'static Key, said: &[Said<'_>], drafts: &[Ranked]) {
        match key.shape {
            Shape::Bool { .. } | Shape::Int { .. } | Shape::Choice { .. } | Shape::Text | Shape::Model => self.scalar(key, said),
            Shape::RuleTexts => self.rule_texts(key, said, drafts),
            _ if key.path == "agents.onChange" => self.scalar(key, said),
            _ => {
                for s in said {
                    self.add(key, s);
                }
            }
        }
    }

    /// One value wins.
    fn scalar(&mut self, key: &'static Key, said: &[Said<'_>]) {
        let mut winner: Option<&Said<'_>> = None;
        let mut losers: Vec<(usize, String)> = Vec::new();
        let default = self.default_rank(key);
        for s in said {
            let now = winner.map_or(default, |w| rank(key, &w.given.val));
            let stricter = rank(key, &s.given.val) > now;
            let wins = match (s.reading, s.source) {
                (Reading::Tighten, _) if key.tightening != Tightening::Stricter => Err("this source may not set it".to_owned()),
                (Reading::Tighten, _) if !stricter => Err("this source may only tighten, and it is not stricter".to_owned()),
                // Managed settings bound the others; a stricter value of another source stands.
                (Reading::Full, Source::Managed) => match winner {
                    Some(w) if rank(key, &w.given.val) > rank(key, &s.given.val) => {
                        Err(format!("the stricter value of the {} settings stands", source_word(w.source)))
                    }
                    _ => Ok(()),
                },
                _ => Ok(()),
            };
            match wins {
                Err(why) => losers.push((s.setter, why)),
                Ok(()) => {
                    if let Some(w) = winner.replace(s) {
                        losers.push((w.setter, format!("overruled by the {} settings", source_word(s.source))));
                    }
                }
            }
        }
        for (setter, why) in losers {
            self.lose(setter, why);
        }
        match winner {
            Some(w) => {
                if let Some(s) = self.setters.get_mut(w.setter) {
                    s.state = State::InForce;
                }
                if key.path == "mode" {
                    self.mode_until = w.until;
                }
                let val = w.given.val.clone();
                if !self.tuning.set(key.path, &val) {
                    set(&mut self.settings, key.path, &val);
                }
            }
            // With the project open for everything, reads outside it are worth a question.
            None if key.path == "external.read" && self.settings.allow_inside_working_directory => {
                self.settings.external.read = Opinion::Ask
            }
            None => {}
        }
    }

    fn default_rank(&self, key: &Key) -> Option<usize> {
        if key.path == "external.read" && self.settings.allow_inside_working_directory {
            return Some(1);
        }
        match key.shape {
            Shape::Bool { .. } => rank(key, &Val::Bool(key.default == "true")),
            _ => rank(key, &Val::Word(key.default.trim_matches('"').to_owned())),
        }
    }

    /// Values of all sources stand together.
    fn add(&mut self, key: &'static Key, said: &Said<'_>) {
        let full = said.reading == Reading::Full;
        let source = said.source;
        if !full && key.tightening == Tightening::Nothing {
            return self.lose(said.setter, "this source may only tighten");
        }
        let settings = &mut self.settings;
        match &said.given.val {
            Val::Texts(texts) => {
                let list = match key.path {
                    "permissions.deny" => &mut settings.deny,
                    "permissions.ask" => &mut settings.ask,
                    "permissions.allow" => &mut settings.allow,
                    "deniedPaths" => &mut settings.denied_paths,
                    "protectedPaths" => &mut settings.protected_paths,
                    "sensitivePaths" => &mut settings.sensitive_paths,
                    "transparentWrappers" => &mut settings.transparent_wrappers,
                    _ => &mut settings.keep_asks,
                };
                list.extend(texts.iter().map(|t| Entry { text: t.clone(), source }));
            }
            Val::Rules(rules) => {
                let before = settings.rules.len();
                settings.rules.extend(rules.iter().filter(|r| full || r.action == Opinion::Deny).cloned());
                if settings.rules.len() == before && !rules.is_empty() {
                    self.lose(said.setter, "of this source only rules that deny count");
                }
            }
            Val::Tree(tree) => {
                settings.commands = Some(match settings.commands.take() {
                    Some(base) => tree::merge(base, tree.clone()),
                    None => tree.clone(),
                });
            }
            Val::ShellTools(tools) => {
                for tool in tools {
                    settings.shell_tools.retain(|t| t.tool != tool.tool);
                    settings.shell_tools.push(tool.clone());
                }
            }
            Val::Policy(entries) => {
                let mut effective = false;
                for e in entries {
                    effective |= match (full, source) {
                        (true, Source::Managed) => policy::bound(&mut settings.policy, e),
                        (true, _) => policy::replace(&mut settings.policy, e),
                        (false, _) => e.opinion != Opinion::Allow && policy::bound(&mut settings.policy, e),
                    };
                }
                if !effective && !entries.is_empty() {
                    self.lose(said.setter, "nothing in it is stricter than what stands");
                }
            }
            Val::Bool(_) | Val::Int(_) | Val::Word(_) => {}
        }
    }

    /// Texts accumulate; the built-in ones go only when every source that sets the list leaves them out and says so.
    fn rule_texts(&mut self, key: &'static Key, said: &[Said<'_>], drafts: &[Ranked]) {
        let guarded = matches!(key.path, "classifier.softDeny" | "classifier.hardDeny");
        let (mut named, mut replaced) = (false, false);
        for s in said {
            if s.reading == Reading::Tighten {
                self.lose(s.setter, "this source may only tighten");
                continue;
            }
            let Val::Texts(texts) = &s.given.val else { continue };
            named |= texts.iter().any(|t| t == DEFAULTS);
            replaced |= says_replace(drafts, s.source) && !(guarded && s.source == Source::ProjectLocal);
            if let Some(section) = self.tuning.texts(key.path) {
                for t in texts.iter().filter(|t| *t != DEFAULTS) {
                    if !section.entries.iter().any(|e| e.text == *t) {
                        section.entries.push(Entry { text: t.clone(), source: s.source });
                    }
                }
            }
        }
        if let Some(section) = self.tuning.texts(key.path) {
            section.defaults = named || !replaced;
        }
    }
}

fn says_replace(drafts: &[Ranked], source: Source) -> bool {
    let of = |r: &&Ranked| r.draft.source == source && r.reading == Reading::Full;
    drafts.iter().filter(of).flat_map(|r| &r.draft.given).any(|g| g.key.path == "classifier.replaceDefaults" && g.val == Val::Bool(true))
}

/// How strict a value is, for keys of which that can be said.
fn rank(key: &Key, val: &Val) -> Option<usize> {
    match (key.shape, val) {
        (Shape::Bool { strict: Some(strict) }, Val::Bool(b)) => Some(usize::from(*b == strict)),
        (Shape::Choice { of, ordered: true }, Val::Word(w)) => of.iter().position(|x| x == w),
        _ => None,
    }
}

fn set(settings: &mut Settings, path: &str, val: &Val) {
    let opinion = |w: &str| match w {
        "allow" => Opinion::Allow,
        "ask" => Opinion::Ask,
        _ => Opinion::Deny,
    };
    match (path, val) {
        ("mode", Val::Word(w)) => {
            settings.mode = match w.as_str() {
                "yolo" => Mode::Yolo,
                "auto" => Mode::Auto,
                "approve" => Mode::Approve,
                _ => Mode::Strict,
            }
        }
        ("enabled", Val::Bool(b)) => settings.enabled = *b,
        ("dangerRules", Val::Word(w)) => settings.danger_rules = if w == "graded" { DangerRules::Graded } else { DangerRules::Strict },
        ("allowInsideWorkingDirectory", Val::Bool(b)) => settings.allow_inside_working_directory = *b,
        ("classifyReadOnlyTools", Val::Bool(b)) => settings.classify_read_only_tools = *b,
        ("external.read", Val::Word(w)) => settings.external = External { read: opinion(w), ..settings.external },
        ("external.write", Val::Word(w)) => settings.external = External { write: opinion(w), ..settings.external },
        ("preset", Val::Word(w)) => {
            settings.preset = match w.as_str() {
                "relaxed" => Preset::Relaxed,
                "standard" => Preset::Standard,
                _ => Preset::Cautious,
            }
        }
        ("wrappers", Val::Word(w)) => settings.wrappers = if w == "unwrap" { WrapperPolicy::Unwrap } else { WrapperPolicy::Floor },
        _ => {}
    }
}

/// Tells the owner of a tighten-only file what of it has no effect.
fn report(drafts: &[Ranked], setters: &[Setter], findings: &mut Vec<Finding>) {
    for ranked in drafts.iter().filter(|r| r.report && r.reading == Reading::Tighten) {
        let draft = &ranked.draft;
        for given in &draft.given {
            let here = |s: &&Setter| s.key == given.key.path && s.source == draft.source && s.file == draft.file && s.line == given.line;
            let lost = setters.iter().find(here).is_some_and(|s| matches!(s.state, State::Lost(_)));
            let partly = matches!(&given.val, Val::Rules(rules) if rules.iter().any(|r| r.action != Opinion::Deny));
            if !lost && !partly {
                continue;
            }
            let message = match (given.key.tightening, partly) {
                (Tightening::Stricter, _) => {
                    format!("{} has no effect: {}, and it is not stricter than what stands", given.shown, ranked.because)
                }
                (_, true) => format!("rules that allow or ask have no effect: {}", ranked.because),
                _ => format!("ignored: {}", ranked.because),
            };
            let (source, file, key) = (draft.source, draft.file.clone(), given.key.path.to_owned());
            let severity = Severity::Warning;
            findings.push(Finding { severity, code: "ignored-key", source, file, line: given.line, column: 0, key, message, hint: None });
        }
    }
}
