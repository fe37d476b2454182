//! Stage Paths: writes to protected and control paths, sensitive paths, places outside the project, redirects that
//! nothing allows, entries that cannot be read, and words that hide a denied command behind an unknown program.

use std::sync::Arc;

use async_trait::async_trait;
use gate_core::{
    Access, AccessMode, Case, Doubt, Effect, Layer, Lift, Opinion, Origin, Place, Reason, Say, Stage, Subject, Unit, Vote, Votes, Word,
    path,
};

use super::{access_hit, tightening, vote, writes};
use crate::analysis::{Placer, cwd_of};
use crate::book::RuleBook;
use crate::flows::{FlowKind, flows};
use crate::paths::Paths;
use crate::patterns::view::View;
use crate::patterns::{Floored, Hit, Want};

/// The layer at stage Paths.
pub struct PathsLayer {
    book: Arc<RuleBook>,
}

/// Is the access outside the project? Temp counts as outside, standard streams do not occur.
pub(super) fn outside(case: &Case<'_>, a: &Access) -> bool {
    let inside = |p: &str| path::within(p, &case.call.project);
    match (&a.path, &a.resolved) {
        (Some(p), None) => !inside(p),
        (Some(p), Some(r)) => !inside(p) || !inside(r),
        (None, _) => a.place != Place::Project,
    }
}

pub(super) fn floor(subject: Subject, sentinel: &'static str, reason: Reason, kept: bool) -> Vote {
    let doubt = Doubt { sentinel: sentinel.into(), text: reason.text.clone(), lift: Lift::default() };
    vote(subject, Say::Floor { doubt, kept }, reason, Some(sentinel.to_owned()), Origin::BuiltIn)
}

impl PathsLayer {
    /// By this book.
    #[must_use]
    pub fn new(book: &Arc<RuleBook>) -> Self {
        Self { book: Arc::clone(book) }
    }

    /// Does a `Read` or `Edit` allow entry name the path?
    fn named(&self, case: &Case<'_>, a: &Access) -> bool {
        let roots = RuleBook::roots(case);
        let covers = |at: &str| {
            self.book.allow.iter().any(|e| {
                e.paths(writes(a), Want::Allow)
                    .is_some_and(|p| !p.is_empty() && p.iter().all(|p| p.names_something() && p.matches(at, &roots, false)))
            })
        };
        let (Some(at), false) = (&a.path, a.glob) else { return false };
        covers(at) && a.resolved.as_deref().is_none_or(covers)
    }

    fn access(&self, case: &Case<'_>, subject: Subject, a: &Access, out: &mut Votes) {
        let named = || self.named(case, a);
        match (a.place, writes(a)) {
            (Place::Control, true) => out.push(floor(
                subject,
                "<control-path>",
                Reason::new("control_path", format!("{} controls an agent or the gate", a.shown)),
                true,
            )),
            (Place::Protected, true) if !a.maybe || a.path.is_some() => out.push(floor(
                subject,
                "<protected-path>",
                Reason::new("protected_path", format!("{} can make programs run something", a.shown)),
                false,
            )),
            (Place::Sensitive, false) if !named() => {
                out.push(floor(subject, "<sensitive-path>", Reason::new("sensitive_path", format!("{} may hold secrets", a.shown)), true))
            }
            (Place::Sensitive, true) if !named() => {
                out.push(floor(subject, "<sensitive-path>", Reason::new("sensitive_path", format!("{} may hold secrets", a.shown)), false))
            }
            _ => {}
        }
        let external = case.settings.external;
        let read = if case.settings.allow_inside_working_directory { external.read.max(Opinion::Ask) } else { external.read };
        let opinion = if writes(a) { external.write } else { read };
        // A write to a place that is not known may land anywhere.
        let known = writes(a) && a.path.is_none() && a.place == Place::Outside
            || !a.maybe
            || a.path.as_deref().is_some_and(|p| a.shown.starts_with(['/', '~', '$']) || p == a.shown || a.shown.contains(".."));
        if opinion == Opinion::Ask && outside(case, a) && known && !self.allowed_there(a) && !named() {
            let what = if writes(a) { "writes" } else { "reads" };
            out.push(floor(
                subject,
                "<external-path>",
                Reason::new("external_path", format!("{what} {} outside the project", a.shown)),
                false,
            ));
        }
        // A denied path that the scope or pattern may contain.
        for (text, p) in &self.book.denied_paths {
            if access_hit(a, |at, g, r| p.covers(at, g, r, &RuleBook::roots(case))) == Hit::May {
                out.push(floor(
                    subject,
                    "<denied-path>",
                    Reason::new("denied_path", format!("{} may include the denied path {text}", a.shown)),
                    true,
                ));
            }
        }
    }

    /// Does the policy itself allow this use there?
    fn allowed_there(&self, a: &Access) -> bool {
        writes(a) && self.book.policy.opinion(Effect::Writes, a.place) == Opinion::Allow
    }

    /// An assignment that makes programs run or load something needs an entry for the whole command.
    fn assignments(&self, case: &Case<'_>, out: &mut Votes) {
        let Some(script) = &case.script else { return };
        let asks = |name: &str, value: &Word| crate::assignments::asks(self.book.catalogue(), name, value);
        let by_unit = script.units.iter().enumerate().filter(|(_, u)| !u.words.is_empty() || u.assignments.iter().any(|s| s.exported));
        let by_unit = by_unit.filter_map(|(i, u)| Some((Subject::Unit(i), u.assignments.iter().find_map(|s| asks(&s.name, &s.value))?)));
        let otherwise = script.sets.iter().find_map(|name| asks(name, &Word::unknown(name.as_str(), false)));
        let found: Vec<_> = by_unit.chain(otherwise.map(|why| (Subject::Call, why))).collect();
        if found.is_empty() || self.book.allow.iter().any(|e| e.is_exactly(&script.raw)) {
            return;
        }
        out.extend(found.into_iter().map(|(at, why)| floor(at, "<assignment>", Reason::new("assignment", why), false)));
    }

    /// A program that is named from the working directory is another one when that is not in the project.
    fn relative(case: &Case<'_>, i: usize, unit: &Unit, out: &mut Votes) {
        let Some(name) = unit.program().filter(|n| n.contains('/') && !n.starts_with('/')) else { return };
        if cwd_of(case, unit).is_none_or(|at| !path::within(&at, &case.call.project)) {
            let why = format!("{name} is looked up in another folder than the project");
            out.push(floor(Subject::Unit(i), "<relative-program>", Reason::new("relative_program", why), false));
        }
    }

    /// A redirect writes only where an entry, the policy or the working-directory tier says so.
    fn redirects(&self, case: &Case<'_>, i: usize, unit: &Unit, out: &mut Votes) {
        let cwd = cwd_of(case, unit);
        for r in unit.redirects.iter().filter(|r| r.mode != gate_core::RedirectMode::Read) {
            if crate::catalogue::is_stream(&r.target) {
                continue;
            }
            let a = Paths::new(case).access(AccessMode::Write, &r.target, cwd.as_deref(), false, false);
            let here = case.settings.allow_inside_working_directory && a.place == Place::Project && a.path.is_some();
            let listed = self.book.allow.iter().any(|e| e.every_path(true)) && !a.glob && a.path.is_some();
            if !(self.allowed_there(&a) || here || listed || self.named(case, &a)) {
                out.push(floor(
                    Subject::Unit(i),
                    "<redirect>",
                    Reason::new("redirect_write", format!("writes {} by a redirect", a.shown)),
                    false,
                ));
            }
        }
    }

    /// Tightening entries that may match, and entries behind an unknown program.
    fn entries(&self, case: &Case<'_>, out: &mut Votes) {
        for entry in &self.book.deny {
            for m in tightening(&self.book, case, entry).into_iter().filter(|m| m.hit == Hit::May) {
                out.push(floor(
                    m.subject,
                    "<may-be-denied>",
                    Reason::new("deny_list", format!("this may include what the deny list forbids ({})", entry.entry.text)),
                    true,
                ));
            }
        }
        let Some(script) = &case.script else { return };
        let analysis = self.book.analysis(case);
        for (i, unit) in script.units.iter().enumerate() {
            let view = View::of_unit(unit);
            for entry in self.book.deny.iter().chain(&self.book.ask).filter(|e| !e.broad() && e.for_shell(script.shell, Want::Tighten)) {
                let may = view.template.as_ref().is_some_and(|t| {
                    unit.words.first().is_none_or(|w| w.literal().is_none()) && entry.command().is_some_and(|c| c.may_hit(t))
                });
                let unknown = analysis.units.get(i).is_some_and(|a| a.family.is_none()) && !unit.calls_function;
                let behind =
                    unknown && (1..unit.words.len().min(32)).any(|at| unit.words.get(at..).is_some_and(|w| entry.hits(&View::of_words(w))));
                if may || behind {
                    out.push(floor(
                        Subject::Unit(i),
                        "<may-be-denied>",
                        Reason::new("deny_list", format!("this may run what the list names ({})", entry.entry.text)),
                        false,
                    ));
                }
            }
        }
    }

    fn broken(&self, case: &Case<'_>, out: &mut Votes) {
        for f in &self.book.broken {
            let about = match &f.floors {
                None => false,
                Some(Floored::Everything) => true,
                Some(Floored::Tool(t)) => {
                    t.eq_ignore_ascii_case(&case.call.tool.name)
                        || (case.call.shell().is_some() && matches!(t.to_ascii_lowercase().as_str(), "bash" | "shell"))
                }
            };
            if about {
                out.push(floor(
                    Subject::Call,
                    "<broken-entry>",
                    Reason::new("broken_entry", format!("the settings hold an entry that cannot be read: {} ({})", f.text, f.error)),
                    true,
                ))
            }
        }
    }

    fn leaks(&self, case: &Case<'_>, out: &mut Votes) {
        let Some(script) = &case.script else { return };
        for f in flows(script, self.book.analysis(case)) {
            let (code, text) = match f.kind {
                FlowKind::DownloadRun => ("download_run", "runs what was just downloaded"),
                FlowKind::DecodeRun => ("decode_run", "runs what was just decoded"),
                FlowKind::SecretSent | FlowKind::SecretNearSender => {
                    ("secret_sent", "a secret is read and something is sent in the same call")
                }
            };
            out.push(floor(Subject::Unit(f.to), "<flow>", Reason::new(code, format!("{text} ({})", f.way)), false));
        }
    }
}

#[async_trait]
impl Layer for PathsLayer {
    fn stage(&self) -> Stage {
        Stage::Paths
    }
    fn name(&self) -> &'static str {
        "paths"
    }
    async fn check(&self, case: &Case<'_>) -> Votes {
        let mut out = Votes::new();
        let analysis = self.book.analysis(case);
        if let Some(a) = &analysis.call {
            for x in &a.accesses {
                self.access(case, Subject::Call, x, &mut out)
            }
        }
        for (i, a) in analysis.units.iter().enumerate() {
            for x in &a.accesses {
                self.access(case, Subject::Unit(i), x, &mut out)
            }
        }
        for (i, unit) in case.script.iter().flat_map(|s| s.units.iter().enumerate()) {
            self.redirects(case, i, unit, &mut out);
            Self::relative(case, i, unit, &mut out);
        }
        super::controls::floors(case, analysis, &mut out);
        self.assignments(case, &mut out);
        self.entries(case, &mut out);
        self.broken(case, &mut out);
        self.leaks(case, &mut out);
        out
    }
}
