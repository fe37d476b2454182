//! Stage Allow: the tiers that vouch, in order: inside the working directory, the allow list, the command tree, the
//! catalogue with the policy, read-only tools and harmless tools of the host, the gate's own tools.

use std::sync::Arc;

use async_trait::async_trait;
use gate_core::{
    Assessment, Case, Effect, Layer, Opinion, Origin, Place, Reason, Say, Stage, Strength, Subject, ToolKind, Unit, Vote, Votes,
};

use super::vote;
use crate::book::RuleBook;
use crate::patterns::Want;
use crate::tree;

/// The layer at stage Allow.
pub struct AllowLayer {
    book: Arc<RuleBook>,
}

fn allow(subject: Subject, strength: Strength, reason: Reason, matched: Option<String>, origin: Origin) -> Vote {
    vote(subject, Say::Allow(strength), reason, matched, origin)
}

impl AllowLayer {
    /// By this book.
    #[must_use]
    pub fn new(book: &Arc<RuleBook>) -> Self {
        Self { book: Arc::clone(book) }
    }

    /// Everything known, only reads and writes, all of it in the project, nothing protected.
    fn inside(&self, case: &Case<'_>, a: &Assessment) -> bool {
        case.settings.allow_inside_working_directory
            && a.known
            && a.effects.iter().all(|e| matches!(e, Effect::Reads | Effect::Writes))
            && !a.effects.is_empty()
            && a.accesses.iter().all(|x| x.place == Place::Project && x.path.is_some())
    }

    fn unit(&self, case: &Case<'_>, i: usize, unit: &Unit, a: &Assessment) -> Option<Vote> {
        let subject = Subject::Unit(i);
        if self.inside(case, a) {
            return Some(allow(
                subject,
                Strength::Narrow,
                Reason::new("inside_working_directory", "works inside the project"),
                None,
                Origin::User,
            ));
        }
        if let Some(v) = self.listed(case, subject, unit) {
            return Some(v);
        }
        let tree = self.book.settings.commands.as_ref();
        if tree.is_some_and(|t| !unit.words.is_empty() && unit.assignments.is_empty() && tree::allows(t, &unit.words)) {
            return Some(allow(subject, Strength::Narrow, Reason::new("command_tree", "the command tree allows this"), None, Origin::User));
        }
        self.harmless(a).then(|| {
            let family = a.family.as_deref().unwrap_or("shell");
            allow(subject, Strength::Narrow, Reason::new("known_safe", format!("{family}: known and harmless")), None, Origin::BuiltIn)
        })
    }

    fn harmless(&self, a: &Assessment) -> bool {
        a.known && self.book.policy.judge(a).0 == Opinion::Allow
    }

    fn listed(&self, case: &Case<'_>, subject: Subject, unit: &Unit) -> Option<Vote> {
        let script = case.script.as_ref()?;
        let mut best: Option<(Strength, &str, Origin)> = None;
        for e in self.book.allow.iter().filter(|e| e.for_shell(script.shell, Want::Allow)) {
            let whole = e.is_exactly(&script.raw);
            if unit.words.is_empty() && !whole {
                continue;
            }
            if !(e.covers(unit) || whole) {
                continue;
            }
            // Assignments that make programs run something need an entry of their own.
            let strength = if e.broad() {
                Strength::Broad
            } else if e.command().is_some_and(|c| c.names(unit)) {
                Strength::Named
            } else {
                Strength::Narrow
            };
            if best.is_none_or(|(s, ..)| strength > s) {
                best = Some((strength, &e.entry.text, e.entry.source.origin()))
            }
        }
        let (strength, text, origin) = best?;
        Some(allow(
            subject,
            strength,
            Reason::new("allow_list", format!("the allow list names this ({text})")),
            Some(text.to_owned()),
            origin,
        ))
    }

    fn call(&self, case: &Case<'_>) -> Option<Vote> {
        let call = case.call;
        let subject = Subject::Call;
        if let Some(script) = &case.script {
            return (script.empty && script.units.is_empty())
                .then(|| allow(subject, Strength::Narrow, Reason::new("empty", "nothing would run"), None, Origin::BuiltIn));
        }
        let analysis = self.book.analysis(case);
        let a = analysis.call.as_ref()?;
        if self.inside(case, a) {
            return Some(allow(
                subject,
                Strength::Narrow,
                Reason::new("inside_working_directory", "works inside the project"),
                None,
                Origin::User,
            ));
        }
        let roots = RuleBook::roots(case);
        let paths: Vec<String> = a.accesses.iter().flat_map(|x| [x.path.clone(), x.resolved.clone()]).flatten().collect();
        if let Some(e) = self.book.allow.iter().find(|e| e.matches_call(call, &paths, &roots, Want::Allow)) {
            return Some(allow(
                subject,
                if e.broad() { Strength::Broad } else { Strength::Narrow },
                Reason::new("allow_list", format!("the allow list names this ({})", e.entry.text)),
                Some(e.entry.text.clone()),
                e.entry.source.origin(),
            ));
        }
        match call.tool.kind {
            ToolKind::Read | ToolKind::List | ToolKind::Find | ToolKind::Grep
                if !case.settings.classify_read_only_tools && self.harmless(a) =>
            {
                Some(allow(subject, Strength::Narrow, Reason::new("read_only", "a tool that only reads"), None, Origin::BuiltIn))
            }
            ToolKind::Fetch | ToolKind::WebSearch | ToolKind::Write | ToolKind::Edit if self.harmless(a) => {
                Some(allow(subject, Strength::Narrow, Reason::new("policy", "the policy allows this"), None, Origin::User))
            }
            ToolKind::Harmless | ToolKind::Agent => Some(allow(
                subject,
                Strength::Narrow,
                Reason::new("harmless_tool", "a tool of the host without effect on the machine"),
                None,
                Origin::BuiltIn,
            )),
            ToolKind::Own => Some(allow(subject, Strength::Narrow, Reason::new("own_tool", "the gate's own tool"), None, Origin::BuiltIn)),
            _ => None,
        }
    }
}

#[async_trait]
impl Layer for AllowLayer {
    fn stage(&self) -> Stage {
        Stage::Allow
    }
    fn name(&self) -> &'static str {
        "allow"
    }
    async fn check(&self, case: &Case<'_>) -> Votes {
        let analysis = self.book.analysis(case);
        let mut out: Votes = self.call(case).into_iter().collect();
        for (i, unit) in case.script.iter().flat_map(|s| s.units.iter().enumerate()) {
            let Some(a) = analysis.units.get(i) else { continue };
            out.extend(self.unit(case, i, unit, a));
        }
        out
    }
}
