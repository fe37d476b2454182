//! How votes become one outcome. Deny is final; floors clamp allow; per unit the first of Rules and Allow decides.

use crate::decision::Parts;
use crate::{Ask, Case, Doubt, Mode, Origin, Outcome, Reason, Say, Stage, Strength, Subject, TrailEntry, UnitId, UnitOutcome, Vote};

/// What the votes amount to. The trail is filled in by the caller.
pub(super) enum Combined {
    Settled(Parts),
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
    let units = case.script.as_ref().map_or(0, |s| s.units.len());
    match vote.subject {
        Subject::Unit(i) if i >= units => Some(format!("a vote on unit {i} of {units}")),
        _ => None,
    }
}

/// What one subject came to before the call is settled.
enum State<'t> {
    Allow(&'t TrailEntry),
    Ask(Box<Ask>),
    Open,
}

pub(super) fn combine(case: &Case<'_>, trail: &mut [TrailEntry]) -> Combined {
    let count = case.script.as_ref().map_or(0, |s| s.units.len());
    let lifted = lift_floors(trail, count);
    for i in lifted {
        if let Some(entry) = trail.get_mut(i) {
            entry.lifted = true
        }
    }
    let trail = &*trail;
    let states: Vec<State<'_>> = subjects(count).map(|s| state_of(s, trail)).collect();
    let units = unit_outcomes(count, trail, &states);
    if let Some(entry) = trail.iter().find(|t| t.vote.say == Say::Deny) {
        return Combined::Settled(settled(Outcome::Deny, entry, units));
    }
    let listed: Vec<Ask> = trail.iter().filter(|t| t.stage == Stage::Ask).filter_map(as_ask).collect();
    let mut needs_human = !listed.is_empty();
    let mut asks = listed;
    asks.extend(states.iter().filter_map(|s| match s {
        State::Ask(a) => Some((**a).clone()),
        _ => None,
    }));
    for (subject, state) in subjects(count).zip(&states) {
        if matches!(state, State::Open) {
            asks.push(open_ask(subject, case, trail));
        }
    }
    if case.settings.mode == Mode::Strict && asks.is_empty() {
        asks.push(Ask {
            subject: Subject::Call,
            reason: Reason::new("mode_strict", "mode is strict: a person answers every call that is not denied"),
            matched: None,
            sentinel: None,
            open: false,
            kept: false,
        });
    }
    needs_human |= case.settings.mode == Mode::Strict;
    if !asks.is_empty() {
        asks.sort_by_key(|a| (!a.kept, a.open));
        return Combined::Open { asks, needs_human, units };
    }
    let entry = states.iter().find_map(|s| match s {
        State::Allow(e) => Some(*e),
        _ => None,
    });
    match entry {
        Some(entry) => Combined::Settled(settled(Outcome::Allow, entry, units)),
        None => Combined::Open { asks: vec![open_ask(Subject::Call, case, trail)], needs_human, units },
    }
}

/// The units of a script; the call itself when there are none.
fn subjects(count: usize) -> Box<dyn Iterator<Item = Subject>> {
    if count == 0 { Box::new(std::iter::once(Subject::Call)) } else { Box::new((0..count).map(Subject::Unit)) }
}

/// The vote of stages Rules and Allow that decides this subject: the first that speaks.
fn deciding<'t>(subject: Subject, trail: &'t [TrailEntry]) -> Option<&'t TrailEntry> {
    let at = |stage| trail.iter().filter(move |t| t.stage == stage && t.vote.subject == subject);
    at(Stage::Rules).next().or_else(|| {
        at(Stage::Allow).max_by_key(|t| match t.vote.say {
            Say::Allow(s) => (s, std::cmp::Reverse(0)),
            _ => (Strength::Broad, std::cmp::Reverse(1)),
        })
    })
}

fn floors(subject: Subject, trail: &[TrailEntry]) -> impl Iterator<Item = (usize, &TrailEntry, &Doubt, bool)> {
    trail.iter().enumerate().filter_map(move |(i, t)| match &t.vote.say {
        Say::Floor { doubt, kept } if t.vote.subject == subject || t.vote.subject == Subject::Call => Some((i, t, doubt, *kept)),
        _ => None,
    })
}

/// Indices of the floors that are dropped: every inner unit vouched for, or the wrapper named. Inner units come
/// after outer ones, so one pass from the back settles nested wrappers.
fn lift_floors(trail: &[TrailEntry], count: usize) -> Vec<usize> {
    let mut vouched = vec![false; count];
    let mut lifted = Vec::new();
    for id in (0..count).rev() {
        let strength = deciding(Subject::Unit(id), trail).and_then(|t| match t.vote.say {
            Say::Allow(s) => Some(s),
            _ => None,
        });
        let mut clear = true;
        for (i, t, doubt, _) in floors(Subject::Unit(id), trail) {
            let own = t.vote.subject == Subject::Unit(id);
            let by_inner = doubt
                .lift
                .vouched
                .as_ref()
                .is_some_and(|inner| inner.iter().all(|u: &UnitId| *u > id && vouched.get(*u).copied().unwrap_or(false)));
            let by_name = doubt.lift.named && strength == Some(Strength::Named);
            if own && (by_inner || by_name) { lifted.push(i) } else { clear = false }
        }
        let denied = trail.iter().any(|t| t.vote.say == Say::Deny && t.vote.subject == Subject::Unit(id));
        if let Some(v) = vouched.get_mut(id) {
            *v = clear && !denied && strength >= Some(Strength::Narrow)
        }
    }
    lifted
}

fn state_of(subject: Subject, trail: &[TrailEntry]) -> State<'_> {
    let decided = deciding(subject, trail);
    let floor = || floors(subject, trail).filter(|(_, t, ..)| !t.lifted).max_by_key(|(i, _, _, kept)| (*kept, std::cmp::Reverse(*i)));
    match decided.map(|t| (&t.vote.say, t)) {
        Some((Say::Allow(_), t)) => match floor() {
            Some((_, f, ..)) => as_ask(f).map_or(State::Open, |a| State::Ask(Box::new(a))),
            None => State::Allow(t),
        },
        Some((_, t)) => as_ask(t).map_or(State::Open, |a| State::Ask(Box::new(a))),
        None => match floor() {
            Some((_, f, ..)) => as_ask(f).map_or(State::Open, |a| State::Ask(Box::new(a))),
            None => State::Open,
        },
    }
}

fn as_ask(t: &TrailEntry) -> Option<Ask> {
    let (sentinel, kept) = match &t.vote.say {
        Say::Ask { kept } => (None, *kept),
        Say::Floor { doubt, kept } => (Some(doubt.sentinel.clone()), *kept),
        Say::Allow(_) | Say::Deny => return None,
    };
    Some(Ask { subject: t.vote.subject, reason: t.vote.reason.clone(), matched: t.vote.matched.clone(), sentinel, open: false, kept })
}

fn open_ask(subject: Subject, case: &Case<'_>, _trail: &[TrailEntry]) -> Ask {
    let assessment = case.known_analysis().and_then(|a| match subject {
        Subject::Call => a.call.as_ref(),
        Subject::Unit(i) => a.units.get(i),
    });
    let reason = match assessment {
        Some(a) => match (a.notes.first(), a.unknown_because.as_deref()) {
            (Some(n), _) => Reason { code: n.code.clone(), text: n.why.to_string(), instead: n.instead.as_ref().map(ToString::to_string) },
            (None, Some(why)) => Reason::new("unknown", why),
            (None, None) if !a.effects.is_empty() => {
                let names: Vec<&str> = a.effects.iter().map(crate::Effect::name).collect();
                Reason::new("open", format!("this {}, and nothing allows that", names.join(", ")))
            }
            (None, None) => Reason::new("open", "nothing vouches for this call"),
        },
        None => Reason::new("open", "nothing vouches for this call"),
    };
    Ask { subject, reason, matched: None, sentinel: None, open: true, kept: false }
}

fn unit_outcomes(count: usize, trail: &[TrailEntry], states: &[State<'_>]) -> Vec<UnitOutcome> {
    (0..count)
        .zip(states)
        .map(|(id, state)| {
            let denied = trail.iter().find(|t| t.vote.say == Say::Deny && t.vote.subject == Subject::Unit(id));
            match (denied, state) {
                (Some(t), _) => UnitOutcome { vote: "deny", code: t.vote.reason.code.to_string() },
                (None, State::Allow(t)) => UnitOutcome { vote: "allow", code: t.vote.reason.code.to_string() },
                (None, State::Ask(a)) => UnitOutcome { vote: "ask", code: a.reason.code.to_string() },
                (None, State::Open) => UnitOutcome { vote: "open", code: "open".to_owned() },
            }
        })
        .collect()
}

fn settled(outcome: Outcome, entry: &TrailEntry, units: Vec<UnitOutcome>) -> Parts {
    Parts {
        outcome,
        reason: entry.vote.reason.clone(),
        stage: entry.stage,
        layer: entry.layer,
        origin: if entry.vote.origin == Origin::Nobody { Origin::Gate } else { entry.vote.origin },
        matched: entry.vote.matched.clone(),
        subject: entry.vote.subject,
        units,
        trail: Vec::new(),
        review: None,
    }
}
