//! Stage Deny: the deny list, hard-deny, denied paths, opinions that deny, secrets that leave, the whole command by the
//! ordered rules. The first of these names the reason.

use std::sync::Arc;

use async_trait::async_trait;
use gate_core::{
    AccessMode, Assessment, Case, Effect, Layer, Opinion, Origin, Place, Reason, Say, Stage, Subject, ToolKind, Unit, Vote, Votes, Word,
};

use super::{access_hit, tightening, vote};
use crate::book::RuleBook;
use crate::flows::{FlowKind, flows};
use crate::harddeny;
use crate::patterns::Hit;
use crate::patterns::view::whole;

/// Options by which a client names its own credentials.
const CREDENTIALS: [&str; 12] = [
    "-i",
    "-F",
    "-E",
    "--key",
    "--cert",
    "--cacert",
    "--kubeconfig",
    "--key-file",
    "--env-file",
    "--identity-file",
    "--private-key",
    "--netrc-file",
];

/// Programs that print every variable.
const ENVIRONMENTS: [&str; 6] = ["declare", "env", "export", "printenv", "set", "typeset"];

/// The layer at stage Deny.
pub struct DenyLayer {
    book: Arc<RuleBook>,
}

impl DenyLayer {
    /// By this book.
    #[must_use]
    pub fn new(book: &Arc<RuleBook>) -> Self {
        Self { book: Arc::clone(book) }
    }

    fn listed(&self, case: &Case<'_>, out: &mut Votes) {
        for entry in &self.book.deny {
            for m in tightening(&self.book, case, entry).into_iter().filter(|m| m.hit == Hit::Yes) {
                let reason = Reason::new("deny_list", format!("the deny list forbids this ({})", entry.entry.text));
                out.push(vote(m.subject, Say::Deny, reason, Some(entry.entry.text.clone()), entry.entry.source.origin()));
            }
        }
    }

    fn hard(&self, case: &Case<'_>, out: &mut Votes) {
        let deny = |subject, reason| vote(subject, Say::Deny, reason, None, Origin::BuiltIn);
        let Some(script) = &case.script else {
            let accesses = self.book.analysis(case).call.as_ref().map(|a| a.accesses.as_slice()).unwrap_or_default();
            if matches!(case.call.tool.kind, ToolKind::Write | ToolKind::Edit) {
                let paths = accesses.iter().flat_map(|a| [a.path.as_deref(), a.resolved.as_deref()]).flatten();
                out.extend(paths.filter_map(|p| harddeny::file_write(case, p)).map(|r| deny(Subject::Call, r)));
            }
            return;
        };
        let analysis = self.book.analysis(case);
        for (i, unit) in script.units.iter().enumerate() {
            if let Some(r) = harddeny::unit(case, unit, analysis.units.get(i)) {
                out.push(deny(Subject::Unit(i), r))
            }
        }
        for words in &script.suspects {
            if let Some(r) = harddeny::unit(case, &suspect(words), None) {
                out.push(deny(Subject::Call, r))
            }
        }
        if let Some(r) = harddeny::raw(&script.raw) {
            out.push(deny(Subject::Call, r))
        }
    }

    fn paths(&self, case: &Case<'_>, out: &mut Votes) {
        let analysis = self.book.analysis(case);
        let parts =
            analysis.call.iter().map(|a| (Subject::Call, a)).chain(analysis.units.iter().enumerate().map(|(i, a)| (Subject::Unit(i), a)));
        for (subject, a) in parts {
            for x in &a.accesses {
                for (text, p) in &self.book.denied_paths {
                    if access_hit(x, |at, g, r| p.covers(at, g, r, &RuleBook::roots(case))) == Hit::Yes {
                        let reason = Reason::new("denied_path", format!("{} is a denied path", x.shown));
                        out.push(vote(subject, Say::Deny, reason, Some(text.clone()), Origin::User));
                    }
                }
                out.extend(self.external(case, subject, x));
            }
            out.extend(self.opinions(subject, a));
        }
    }

    fn external(&self, case: &Case<'_>, subject: Subject, x: &gate_core::Access) -> Option<Vote> {
        let external = case.settings.external;
        let opinion = if x.mode == AccessMode::Read { external.read } else { external.write };
        let outside = super::floors::outside(case, x);
        (opinion == Opinion::Deny && outside && !x.maybe).then(|| {
            let what = if x.mode == AccessMode::Read { "reads" } else { "writes" };
            vote(subject, Say::Deny, Reason::new("external", format!("{what} {} outside the project", x.shown)), None, Origin::User)
        })
    }

    fn opinions(&self, subject: Subject, a: &Assessment) -> Option<Vote> {
        let (opinion, what) = self.book.policy.judge(a);
        if opinion != Opinion::Deny {
            return None;
        }
        let text = what
            .map_or_else(|| "the policy forbids this".to_owned(), |(e, p)| format!("the policy denies what {} ({})", e.name(), p.name()));
        Some(vote(subject, Say::Deny, Reason::new("policy", text), None, Origin::User))
    }

    fn leaks(&self, case: &Case<'_>, out: &mut Votes) {
        let Some(script) = &case.script else { return };
        let analysis = self.book.analysis(case);
        for f in flows(script, analysis) {
            let sends = analysis.units.get(f.to).is_some_and(|a| a.effects.has(Effect::Sends) || a.effects.has(Effect::Fetches));
            let file = analysis.units.get(f.from).is_some_and(|a| {
                a.accesses.iter().any(|x| x.place == Place::Sensitive && x.mode == AccessMode::Read && !(x.maybe && x.glob))
            });
            // A client that logs in with its own key sends nothing of it.
            let own_key = f.from == f.to
                && script.units.get(f.from).is_some_and(|u| {
                    u.words.iter().any(|w| {
                        CREDENTIALS.iter().any(|o| w.prefix() == *o || w.prefix().strip_prefix(o).is_some_and(|r| r.starts_with('=')))
                    })
                });
            // All variables at once are no token that a client is given to log in with.
            let all = script.units.get(f.from).is_some_and(|u| {
                u.program().is_some_and(|p| ENVIRONMENTS.contains(&gate_core::path::name(p)))
                    && u.words.iter().skip(1).all(|w| matches!(w.literal(), Some("-0" | "-p" | "-x" | "-px" | "--null")))
            });
            if f.kind == FlowKind::SecretSent && sends && (file || all && f.from != f.to) && !own_key {
                let reason = Reason::new("secret_sent", format!("a secret is read and sent away ({})", f.way))
                    .or("send it yourself, or name a file without secrets");
                out.push(vote(Subject::Unit(f.to), Say::Deny, reason, None, Origin::BuiltIn));
            }
        }
    }

    /// The ordered rules on the whole text: only a deny counts, and `*` only where no command was found.
    fn whole(&self, case: &Case<'_>, out: &mut Votes) {
        let Some(script) = &case.script else { return };
        if script.empty {
            return;
        }
        let commands = script.units.iter().any(|u| !u.words.is_empty());
        let text = whole(script);
        let mut rules = self.book.rules.iter().filter(|r| r.for_tool(&case.call.tool.name) && !(r.broad && commands));
        if let Some(r) = rules.rfind(|r| r.matches(&text) || r.matches(script.raw.trim())).filter(|r| r.rule.action == Opinion::Deny) {
            let reason = Reason::new("rule_deny", format!("rule {} denies the whole command", r.rule.id));
            out.push(vote(Subject::Call, Say::Deny, reason, Some(r.rule.pattern.clone()), r.rule.source.origin()));
        }
    }
}

/// A piece of a text that was not understood, as a unit.
pub(super) fn suspect(words: &[Word]) -> Unit {
    // Assignments in front hide the program.
    let skip = words
        .iter()
        .take_while(|w| {
            w.literal()
                .and_then(|t| t.split_once('='))
                .is_some_and(|(n, _)| !n.is_empty() && n.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'))
        })
        .count();
    Unit { words: words.get(skip..).unwrap_or_default().to_vec(), ..Unit::default() }
}

#[async_trait]
impl Layer for DenyLayer {
    fn stage(&self) -> Stage {
        Stage::Deny
    }
    fn name(&self) -> &'static str {
        "deny"
    }
    async fn check(&self, case: &Case<'_>) -> Votes {
        let mut out = Votes::new();
        self.listed(case, &mut out);
        self.hard(case, &mut out);
        self.paths(case, &mut out);
        self.leaks(case, &mut out);
        self.whole(case, &mut out);
        out
    }
}
