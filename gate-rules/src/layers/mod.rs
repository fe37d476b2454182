//! The layers of the stages Deny, Ask, Paths, Rules and Allow. Each votes by the same book and the same analysis.

mod allow;
mod ask;
mod controls;
mod deny;
mod floors;
mod rules;

use std::sync::Arc;

use gate_core::{Access, AccessMode, Case, Layer, Origin, Reason, Say, Subject, Vote};

use crate::book::RuleBook;
use crate::patterns::view::{View, whole};
use crate::patterns::{Hit, Permission, Want};

pub use allow::AllowLayer;
pub use ask::AskLayer;
pub use deny::DenyLayer;
pub use floors::PathsLayer;
pub use rules::RulesLayer;

/// The five layers of this crate, by one book.
#[must_use]
pub fn layers(book: &Arc<RuleBook>) -> Vec<Box<dyn Layer>> {
    vec![
        Box::new(DenyLayer::new(book)),
        Box::new(AskLayer::new(book)),
        Box::new(PathsLayer::new(book)),
        Box::new(RulesLayer::new(book)),
        Box::new(AllowLayer::new(book)),
    ]
}

fn vote(subject: Subject, say: Say, reason: Reason, matched: Option<String>, origin: Origin) -> Vote {
    Vote { subject, say, reason, matched, origin }
}

/// How a deny or ask entry stands to a case.
struct Match {
    subject: Subject,
    hit: Hit,
}

const fn writes(a: &Access) -> bool {
    matches!(a.mode, AccessMode::Write | AccessMode::Delete)
}

/// How an access stands to a pattern on paths, links followed as well.
fn access_hit(a: &Access, test: impl Fn(&str, bool, bool) -> Hit) -> Hit {
    let hit = |p: &Option<String>| p.as_deref().map_or(Hit::No, |p| test(p, a.glob, a.recursive));
    let found = hit(&a.path).max(hit(&a.resolved));
    if found == Hit::Yes && a.maybe && a.glob { Hit::May } else { found }
}

/// Every way in which an entry that tightens matches a case.
fn tightening(book: &RuleBook, case: &Case<'_>, entry: &Permission) -> Vec<Match> {
    let roots = RuleBook::roots(case);
    let analysis = book.analysis(case);
    let mut out = Vec::new();
    let on_paths = |accesses: &[Access]| {
        accesses
            .iter()
            .map(|a| {
                if a.maybe && !a.glob && a.path.is_none() {
                    return Hit::No;
                }
                if entry.every_path(writes(a)) {
                    return Hit::Yes;
                }
                entry.paths(writes(a), Want::Tighten).map_or(Hit::No, |patterns| {
                    patterns.iter().map(|p| access_hit(a, |at, g, r| p.covers(at, g, r, &roots))).max().unwrap_or(Hit::No)
                })
            })
            .max()
            .unwrap_or(Hit::No)
    };
    let Some(script) = &case.script else {
        let accesses = analysis.call.as_ref().map(|a| a.accesses.as_slice()).unwrap_or_default();
        let paths: Vec<String> = accesses.iter().flat_map(|a| [a.path.clone(), a.resolved.clone()]).flatten().collect();
        let by_call = if entry.matches_call(case.call, &paths, &roots, Want::Tighten) { Hit::Yes } else { Hit::No };
        out.push(Match { subject: Subject::Call, hit: by_call.max(on_paths(accesses)) });
        return out;
    };
    let shell = entry.for_shell(script.shell, Want::Tighten);
    for (i, unit) in script.units.iter().enumerate() {
        let words = if shell && !unit.words.is_empty() && entry.hits(&View::of_unit(unit)) { Hit::Yes } else { Hit::No };
        let paths = analysis.units.get(i).map_or(Hit::No, |a| on_paths(&a.accesses));
        out.push(Match { subject: Subject::Unit(i), hit: words.max(paths) });
    }
    if shell {
        let commands = script.units.iter().any(|u| !u.words.is_empty());
        let text = match entry.command() {
            Some(c) if c.all => !commands,
            Some(c) => c.hits_text(&whole(script)),
            None => entry.broad() && !commands && !script.empty,
        };
        let suspect = !entry.broad() && script.suspects.iter().any(|w| entry.hits(&View::of_words(w)));
        if text || suspect {
            out.push(Match { subject: Subject::Call, hit: Hit::Yes })
        }
    }
    out
}
