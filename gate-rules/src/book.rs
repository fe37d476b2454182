//! The settings compiled for the layers: entries, rules, paths, opinions. One book for each version of the settings.

use std::sync::Arc;

use gate_core::{Analysis, Case, Inner, InnerCommand, Opinion, Rule, Settings, Unit, Word, WrapperGrammar};

use crate::analysis::analyse;
use crate::catalogue::{self, Catalogue};
use crate::paths::Paths;
use crate::patterns::view::View;
use crate::patterns::wild::Wild;
use crate::patterns::{Finding, PathPattern, Permission, Roots, Want, lint};
use crate::policy::Policy;

/// An ordered rule, compiled.
pub(crate) struct Ordered {
    pub rule: Rule,
    tool: Wild,
    exact: Wild,
    folded: Wild,
    /// Covers everything: `*`.
    pub broad: bool,
}

/// The settings, compiled.
pub struct RuleBook {
    pub(crate) settings: Settings,
    pub(crate) deny: Vec<Permission>,
    pub(crate) ask: Vec<Permission>,
    pub(crate) allow: Vec<Permission>,
    pub(crate) rules: Vec<Ordered>,
    pub(crate) denied_paths: Vec<(String, PathPattern)>,
    pub(crate) policy: Policy,
    pub(crate) broken: Vec<Finding>,
    catalogue: Arc<Catalogue>,
}

impl RuleBook {
    /// Compiles settings with the shipped catalogue.
    #[must_use]
    pub fn new(settings: &Settings) -> Arc<Self> {
        Self::with(settings, Arc::new(catalogue::builtin().clone()))
    }

    /// Compiles settings with a catalogue of the caller's (shipped families and a user's own).
    #[must_use]
    pub fn with(settings: &Settings, catalogue: Arc<Catalogue>) -> Arc<Self> {
        let compile = |list: &[gate_core::Entry], want| list.iter().filter_map(|e| Permission::new(e, want).ok()).collect();
        Arc::new(Self {
            deny: compile(&settings.deny, Want::Tighten),
            ask: compile(&settings.ask, Want::Tighten),
            allow: compile(&settings.allow, Want::Allow),
            rules: settings.rules.iter().cloned().map(Ordered::new).collect(),
            denied_paths: settings
                .denied_paths
                .iter()
                .filter(|e| e.text != "$defaults")
                .map(|e| (e.text.clone(), PathPattern::automode(&e.text)))
                .collect(),
            policy: Policy::new(settings),
            broken: lint(settings),
            settings: settings.clone(),
            catalogue,
        })
    }

    /// The catalogue in force.
    pub(crate) fn catalogue(&self) -> &Catalogue {
        &self.catalogue
    }

    /// What every part of the case does; computed once for each case.
    pub(crate) fn analysis<'c>(&self, case: &'c Case<'_>) -> &'c Analysis {
        case.analysis(|c| analyse(c, &self.catalogue, &Paths::new(c)))
    }

    /// What paths in patterns are relative to.
    pub(crate) fn roots<'c>(case: &'c Case<'_>) -> Roots<'c> {
        Roots { home: &case.call.home, project: &case.call.project, cwd: &case.call.cwd }
    }
}

impl Ordered {
    fn new(rule: Rule) -> Self {
        // `words *` also stands for the words alone; a deny without wildcard for any arguments.
        let bare = rule.action == Opinion::Deny && !rule.pattern.contains(['*', '?']);
        let pattern = if bare { format!("{} *", rule.pattern) } else { rule.pattern.clone() };
        Self {
            tool: Wild::new(&rule.tool.to_lowercase(), true, true),
            exact: Wild::new(&pattern, true, false),
            folded: Wild::new(&pattern.to_lowercase(), true, true),
            broad: !pattern.is_empty() && pattern.chars().all(|c| c == '*'),
            rule,
        }
    }

    pub(crate) fn for_tool(&self, name: &str) -> bool {
        self.tool.matches(&name.to_lowercase())
    }

    fn tail_free(&self, text: &str, wild: &Wild) -> bool {
        wild.matches(text) || wild.matches(&format!("{text} "))
    }

    /// Does it match a text exactly as written?
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.tail_free(text, &self.exact)
    }

    /// Does it match a unit? Denies and asks match every spelling, allows only what is written.
    pub(crate) fn matches_unit(&self, unit: &Unit, view: &View) -> bool {
        let line = unit.words.iter().map(Word::shown).collect::<Vec<_>>().join(" ");
        if !unit.words.is_empty() && self.matches(&line) {
            return true;
        }
        self.rule.action != Opinion::Allow && view.spellings.iter().any(|s| self.tail_free(&s.join(" "), &self.folded))
    }
}

impl WrapperGrammar for RuleBook {
    fn unwrap_command(&self, words: &[Word]) -> Vec<Inner> {
        let name = crate::words::program(words);
        if !name.is_empty() && self.settings.transparent_wrappers.iter().any(|e| e.text == name) {
            // The user's own wrapper: the first word that is no option begins the command.
            let at = words.iter().enumerate().skip(1).find(|(_, w)| !w.prefix().starts_with('-')).map(|(i, _)| i);
            let command = at.and_then(|i| words.get(i..)).map_or(InnerCommand::Hidden, |w| InnerCommand::Words(w.to_vec()));
            return vec![Inner {
                command,
                sentinel: "<indirection-bash-wrapper>".into(),
                transparent: true,
                named: false,
                elsewhere: false,
                moved: None,
            }];
        }
        self.catalogue.unwrap_command(words)
    }
}
