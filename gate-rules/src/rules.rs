//! Ordered rules: `[danger .. rules]`, the last that matches a unit wins. `ask` is not the same as no match.

use gate_core::{Call, Opinion, Rule, ToolKind, Unit};

use crate::patterns::view::{View, exact};
use crate::patterns::wild::Wild;

/// A rule, compiled.
#[derive(Clone, Debug)]
pub(crate) struct Ordered {
    pub rule: Rule,
    tool: Wild,
    pattern: Wild,
    folded: Wild,
    /// The pattern without its ` *`, or a deny rule without wildcard: these words, then anything.
    head: Option<String>,
}

impl Ordered {
    pub(crate) fn new(rule: &Rule) -> Self {
        let pattern = if rule.pattern.is_empty() { "" } else { rule.pattern.as_str() };
        let plain = !pattern.contains(['*', '?']);
        let head = match pattern.strip_suffix(" *") {
            Some(h) if !h.contains(['*', '?']) => Some(h.to_owned()),
            _ if plain && rule.action == Opinion::Deny => Some(pattern.to_owned()),
            _ => None,
        };
        Self {
            tool: Wild::new(&rule.tool, true, true),
            pattern: Wild::new(pattern, true, false),
            folded: Wild::new(pattern, true, true),
            head: head.filter(|h| !h.is_empty()),
            rule: rule.clone(),
        }
    }

    /// Every call of its tool.
    pub(crate) fn broad(&self) -> bool {
        self.rule.pattern.chars().all(|c| c == '*') && !self.rule.pattern.is_empty()
    }

    /// May it loosen what others said?
    pub(crate) fn owned(&self) -> bool {
        self.rule.source.user_owned()
    }

    pub(crate) fn for_tool(&self, call: &Call) -> bool {
        self.tool.matches(&call.tool.name) || names(call.tool.kind).iter().any(|n| self.tool.matches(n))
    }

    fn text(&self, text: &str, fold: bool) -> bool {
        let wild = if fold { &self.folded } else { &self.pattern };
        let head = self.head.as_deref().is_some_and(|h| {
            let h = if fold { h.to_lowercase() } else { h.to_owned() };
            text.strip_prefix(h.as_str()).is_some_and(|r| r.is_empty() || r.starts_with(' '))
        });
        head || wild.matches(text)
    }

    /// Does it match the unit? Allow rules exactly, the others by every spelling.
    pub(crate) fn unit(&self, unit: &Unit, view: &View) -> bool {
        if self.rule.action == Opinion::Allow {
            return self.text(&exact(&unit.words), false);
        }
        self.text(&exact(&unit.words), false) || view.spellings.iter().any(|s| self.text(&s.join(" "), true))
    }

    /// Does it match the whole command, as text?
    pub(crate) fn whole(&self, text: &str) -> bool {
        self.text(text, true)
    }

    /// Does it match a call that is no shell call?
    pub(crate) fn call(&self, call: &Call, paths: &[String]) -> bool {
        let tight = self.rule.action != Opinion::Allow;
        if paths.is_empty() {
            return self.text(&call.tool.name, tight);
        }
        let home = call.home.trim_end_matches('/');
        let pattern = ["~", "$HOME", "${HOME}"].iter().find_map(|h| self.rule.pattern.strip_prefix(h).filter(|r| r.starts_with('/')).map(|r| format!("{home}{r}")));
        let expanded = pattern.map(|p| Wild::new(&p, true, tight));
        let one = |at: &String| {
            let relative = at.strip_prefix(call.cwd.trim_end_matches('/')).and_then(|r| r.strip_prefix('/'));
            self.text(at, tight) || relative.is_some_and(|r| self.text(r, tight)) || expanded.as_ref().is_some_and(|w| w.matches(at))
        };
        if tight { paths.iter().any(one) } else { paths.iter().all(one) }
    }
}

const fn names(kind: ToolKind) -> &'static [&'static str] {
    match kind {
        ToolKind::Shell(_) => &["bash"],
        ToolKind::Read => &["read"],
        ToolKind::Write => &["write"],
        ToolKind::Edit => &["edit"],
        ToolKind::List => &["ls", "list"],
        ToolKind::Find => &["find", "glob"],
        ToolKind::Grep => &["grep"],
        ToolKind::Fetch => &["webfetch", "fetch"],
        ToolKind::WebSearch => &["websearch"],
        ToolKind::Skill => &["skill"],
        ToolKind::Agent => &["agent", "task"],
        _ => &[],
    }
}

/// The rule that wins among those that match, in order. Sources that may not loosen only count where they tighten.
pub(crate) fn winner<'r>(matching: impl Iterator<Item = &'r Ordered>) -> Option<&'r Ordered> {
    let mut won: Option<&Ordered> = None;
    for r in matching {
        let tightens = won.is_none_or(|w| r.rule.action > w.rule.action);
        if r.owned() || tightens && r.rule.action != Opinion::Allow {
            won = Some(r);
        }
    }
    won
}
