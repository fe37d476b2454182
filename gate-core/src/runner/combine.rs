//! How votes become one outcome. Deny is final; floors clamp allow; per unit the first of Rules and Allow decides.

use super::index::{Index, Standing};
use crate::decision::Parts;
use crate::{Ask, Case, Mode, Origin, Outcome, Reason, Say, Settings, Stage, Subject, TrailEntry, UnitOutcome, Vote};

/// What the votes amount to. The trail is filled in by the caller.
pub(super) enum Combined {
    Settled(Box<Parts>),
    Open { asks: Vec<Ask>, needs_human: bool, units: Vec<UnitOutcome> },
}

/// Why a vote oversteps what its stage permits, if it does.
pub(super) fn fault(stage: Stage, vote: &Vote, case: &Case<'_>) -> Option<String> {
    let p = stage.permits();
    let (ok, what) = match vote.say {
        Say::Allow(_) => (p.allow, "allow"),
        Say::Ask { .. } => (p.ask, "ask"),
        Say::Deny => (p.deny, "deny"),
        Say::Floor { .. } => (p.floor, "a floor"),
    };
    if !ok {
        return Some(format!("stage {stage:?} may not say {what}"));
    }
    let units = units_of(case);
    match vote.subject {
        Subject::Unit(i) if i >= units => Some(format!("a vote on unit {i} of {units}")),
        _ => None,
    }
}

fn units_of(case: &Case<'_>) -> usize {
    case.script.as_ref().map_or(0, |s| s.units.len())
}

/// Combines all votes of a case. Floors that are lifted are marked in the trail.
pub(super) fn combine(case: &Case<'_>, trail: &mut [TrailEntry]) -> Combined {
    let count = units_of(case);
    let index = Index::new(trail, count);
    for i in index.lifted(trail) {
        if let Some(entry) = trail.get_mut(i) {
            entry.lifted = true;
        }
    }
    let trail = &*trail;
    let standings: Vec<Standing> = index.subjects().map(|s| index.standing(s, trail)).collect();
    let units = if count == 0 { Vec::new() } else { outcomes(&standings, trail, case) };
    if let Some(entry) = trail.iter().find(|t| t.vote.say == Say::Deny) {
        return Combined::Settled(settled(Outcome::Deny, entry, units));
    }
    let mut asks: Vec<Ranked> = trail.iter().filter_map(ranked).collect();
    for (subject, standing) in index.subjects().zip(&standings) {
        if *standing == Standing::Open {
            asks.push(Ranked(3, open_ask(subject, case)));
        }
    }
    let strict = case.settings.mode == Mode::Strict;
    let needs_human = strict || trail.iter().any(|t| t.stage == Stage::Ask);
    if strict && asks.is_empty() {
        let reason = Reason::new("mode_strict", "mode is strict: a person answers every call that is not denied");
        asks.push(Ranked(3, Ask { subject: Subject::Call, reason, matched: None, sentinel: None, open: false, kept: false }));
    }
    let allowing = standings.iter().find_map(|s| match s {
        Standing::Allow(i) => trail.get(*i),
        _ => None,
    });
    match allowing {
        Some(entry) if asks.is_empty() => Combined::Settled(settled(Outcome::Allow, entry, units)),
        _ => Combined::Open { asks: ordered(asks, case.settings), needs_human, units },
    }
}

/// An ask with its place in the question: the ask list, then rules, then floors, then what is open.
struct Ranked(u8, Ask);

/// Kept asks first. Within one kind they keep the order of the trail.
fn ordered(mut asks: Vec<Ranked>, settings: &Settings) -> Vec<Ask> {
    for Ranked(_, ask) in &mut asks {
        ask.kept = ask.kept || kept_by(settings, ask);
    }
    asks.sort_by_key(|Ranked(rank, ask)| (!ask.kept, *rank));
    asks.into_iter().map(|Ranked(_, ask)| ask).collect()
}

/// Does the user keep this ask for a person? Entries name a code, a sentinel (with or without its brackets) or the
/// entry that matched; case does not count, since keeping more is the safe side.
fn kept_by(settings: &Settings, ask: &Ask) -> bool {
    let names = |text: &str| settings.keep_asks.iter().any(|e| e.text.trim().eq_ignore_ascii_case(text));
    names(&ask.reason.code)
        || ask.matched.as_deref().is_some_and(names)
        || ask.sentinel.as_deref().is_some_and(|s| names(s) || names(s.trim_matches(['<', '>'])))
}

/// The ask that a vote stands for: asks of the ask list and of rules, floors that are not lifted.
fn ranked(t: &TrailEntry) -> Option<Ranked> {
    let matched = t.vote.matched.clone();
    let (rank, sentinel, kept) = match &t.vote.say {
        // Rules that ask by a sentinel (`<danger>`) name it as what matched.
        Say::Ask { kept } => {
            let sentinel = matched.clone().filter(|m| m.starts_with('<') && m.ends_with('>')).map(Into::into);
            (u8::from(t.stage != Stage::Ask), sentinel, *kept)
        }
        Say::Floor { doubt, kept } if !t.lifted => (2, Some(doubt.sentinel.clone()), *kept),
        _ => return None,
    };
    Some(Ranked(rank, Ask { subject: t.vote.subject, reason: t.vote.reason.clone(), matched, sentinel, open: false, kept }))
}

/// The ask for a subject of which nothing was said. It is kept when the user keeps any of the notes on it.
fn open_ask(subject: Subject, case: &Case<'_>) -> Ask {
    let assessment = case.known_analysis().and_then(|a| match subject {
        Subject::Call => a.call.as_ref(),
        Subject::Unit(i) => a.units.get(i),
    });
    let nothing = || Reason::new("open", "nothing vouches for this call");
    let reason = assessment.map_or_else(nothing, |a| match (a.notes.first(), a.unknown_because.as_deref()) {
        (Some(n), _) => Reason { code: n.code.clone(), text: n.why.to_string(), instead: n.instead.as_ref().map(ToString::to_string) },
        (None, Some(why)) => Reason::new("unknown", why),
        (None, None) if !a.effects.is_empty() => {
            let names: Vec<&str> = a.effects.iter().map(crate::Effect::name).collect();
            let unit = match subject {
                Subject::Unit(i) => case.script.as_ref().and_then(|s| s.units.get(i)),
                Subject::Call => None,
            };
            let who = unit.and_then(crate::Unit::program).filter(|p| !p.is_empty()).unwrap_or("this");
            Reason::new("open", format!("{who} {}, and nothing allows that", names.join(", ")))
        }
        (None, None) => nothing(),
    });
    let ask = |reason| Ask { subject, reason, matched: None, sentinel: None, open: true, kept: false };
    let kept = assessment.is_some_and(|a| a.notes.iter().any(|n| kept_by(case.settings, &ask(Reason::new(n.code.clone(), String::new())))));
    Ask { kept, ..ask(reason) }
}

fn outcomes(standings: &[Standing], trail: &[TrailEntry], case: &Case<'_>) -> Vec<UnitOutcome> {
    let code = |i: &usize| trail.get(*i).map_or_else(String::new, |t| t.vote.reason.code.to_string());
    let one = |(id, standing): (usize, &Standing)| match standing {
        Standing::Deny(i) => UnitOutcome { vote: "deny", code: code(i) },
        Standing::Ask(i) => UnitOutcome { vote: "ask", code: code(i) },
        Standing::Allow(i) => UnitOutcome { vote: "allow", code: code(i) },
        Standing::Open => UnitOutcome { vote: "open", code: open_ask(Subject::Unit(id), case).reason.code.into_owned() },
    };
    standings.iter().enumerate().map(one).collect()
}

fn settled(outcome: Outcome, entry: &TrailEntry, units: Vec<UnitOutcome>) -> Box<Parts> {
    Box::new(Parts {
        outcome,
        reason: entry.vote.reason.clone(),
        stage: entry.stage,
        layer: entry.layer,
        origin: if entry.vote.origin == Origin::Nobody { Origin::Gate } else { entry.vote.origin },
        matched: entry.vote.matched.clone(),
        subject: entry.vote.subject,
        asks: Vec::new(),
        heard: Vec::new(),
        units,
        trail: Vec::new(),
        review: None,
    })
}
