//! Stage Rules: danger rules first, then the ordered rules; the last that matches a unit wins.

use std::sync::Arc;

use async_trait::async_trait;
use gate_core::{Case, Layer, Opinion, Origin, Reason, Say, Stage, Strength, Subject, Unit, Vote, Votes};

use super::vote;
use crate::book::{Ordered, RuleBook};
use crate::danger::{Danger, SENTINEL, danger};
use crate::flows::flows;
use crate::patterns::Want;
use crate::patterns::view::View;

/// The layer at stage Rules.
pub struct RulesLayer {
    book: Arc<RuleBook>,
}

impl RulesLayer {
    /// By this book.
    #[must_use]
    pub fn new(book: &Arc<RuleBook>) -> Self {
        Self { book: Arc::clone(book) }
    }

    fn unit(&self, case: &Case<'_>, i: usize, unit: &Unit, mut fired: Option<Danger>) -> Option<Vote> {
        let subject = Subject::Unit(i);
        let shell = case.script.as_ref().map(|s| s.shell)?;
        let view = View::of_unit(unit);
        let mut current: Option<&Ordered> = None;
        for r in self.book.rules.iter().filter(|r| r.for_tool(&case.call.tool.name) && r.matches_unit(unit, &view)) {
            if r.rule.action == Opinion::Allow {
                // A bare `*` never lifts a danger rule, and only user-owned rules allow.
                if !r.rule.source.user_owned() || (fired.is_some() && r.broad) {
                    continue;
                }
                fired = None;
            }
            current = Some(r);
        }
        let specific =
            self.book.allow.iter().any(|e| !e.broad() && e.entry.source.user_owned() && e.for_shell(shell, Want::Allow) && e.covers(unit));
        if let Some(d) = fired.filter(|_| !specific) {
            // A rule of the user's that denies stands above an ask of the danger table.
            if !(d.asks && current.is_some_and(|r| r.rule.action == Opinion::Deny)) {
                return Some(danger_vote(subject, &d));
            }
        }
        let r = current?;
        // The source's own word decides; what is thought of broad allows is the runner's.
        let strength = if r.broad { Strength::Broad } else { Strength::Narrow };
        Some(rule_vote(subject, r, strength))
    }

    /// Calls without a script: the pattern is on the path, or on the tool's name when there is none.
    fn call(&self, case: &Case<'_>) -> Option<Vote> {
        let call = case.call;
        let last = |hit: &dyn Fn(&Ordered) -> bool| {
            let of_tool = self.book.rules.iter().filter(|r| r.for_tool(&call.tool.name) && hit(r));
            of_tool.rev().find(|r| r.rule.action != Opinion::Allow || r.rule.source.user_owned())
        };
        let mut by_path = call.paths().map(|p| {
            let whole = gate_core::path::resolve(&call.cwd, p);
            last(&|r| r.matches(p) || r.matches(&whole))
        });
        let first = by_path.next().unwrap_or_else(|| last(&|r| r.matches(&call.tool.name)));
        // Of several paths the one decides that is allowed least; where none says anything, that is nothing.
        let rank = |r: Option<&Ordered>| {
            r.map_or(1, |r| match r.rule.action {
                Opinion::Allow => 0,
                Opinion::Ask => 2,
                Opinion::Deny => 3,
            })
        };
        let r = by_path.fold(first, |a, b| if rank(b) > rank(a) { b } else { a })?;
        Some(rule_vote(Subject::Call, r, if r.broad { Strength::Broad } else { Strength::Narrow }))
    }
}

fn danger_vote(subject: Subject, d: &Danger) -> Vote {
    let mut reason = Reason::new(d.code, d.why);
    if let Some(i) = d.instead {
        reason = reason.or(i)
    }
    let say = if d.asks { Say::Ask { kept: false } } else { Say::Deny };
    vote(subject, say, reason, Some(if d.asks { SENTINEL.to_owned() } else { d.alias.to_owned() }), Origin::BuiltIn)
}

fn rule_vote(subject: Subject, r: &Ordered, strength: Strength) -> Vote {
    let what = r.rule.description.clone().unwrap_or_else(|| format!("rule {} ({})", r.rule.id, r.rule.pattern));
    let (say, code) = match r.rule.action {
        Opinion::Allow => (Say::Allow(strength), "rule_allow"),
        Opinion::Ask => (Say::Ask { kept: false }, "rule_ask"),
        Opinion::Deny => (Say::Deny, "rule_deny"),
    };
    vote(subject, say, Reason::new(code, what), Some(r.rule.pattern.clone()), r.rule.source.origin())
}

#[async_trait]
impl Layer for RulesLayer {
    fn stage(&self) -> Stage {
        Stage::Rules
    }
    fn name(&self) -> &'static str {
        "rules"
    }
    async fn check(&self, case: &Case<'_>) -> Votes {
        let Some(script) = &case.script else { return self.call(case).into_iter().collect() };
        let analysis = self.book.analysis(case);
        let flows = flows(script, analysis);
        let mut out = Votes::new();
        for (i, unit) in script.units.iter().enumerate() {
            let dry = analysis.units.get(i).is_some_and(|a| a.dry_run);
            out.extend(self.unit(case, i, unit, danger(case, Some(i), unit, dry, &flows)));
        }
        for words in &script.suspects {
            if let Some(d) = danger(case, None, &super::deny::suspect(words), false, &[]) {
                out.push(danger_vote(Subject::Call, &Danger { asks: false, ..d }))
            }
        }
        out
    }
}
