//! The votes of a trail sorted by what they are about, so that combining stays linear; and the lifting of floors.

use crate::{Doubt, Say, Stage, Strength, Subject, TrailEntry};

/// What one unit (or the call, when it has no units) came to. Numbers are places in the trail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Deny(usize),
    Ask(usize),
    Allow(usize),
    Open,
}

/// The votes on one subject, by place in the trail.
#[derive(Clone, Debug, Default)]
struct Slot {
    deny: Option<usize>,
    /// The first vote of the ask list.
    listed: Option<usize>,
    /// The vote of Rules that decides: the first ask, else the first allow.
    rules: Option<usize>,
    /// The vote of Allow that decides: the first of the greatest strength.
    allow: Option<usize>,
    /// The greatest strength of all allows.
    strength: Option<Strength>,
    floors: Vec<usize>,
}

/// All votes by subject: one slot for each unit, one for the call.
pub(super) struct Index {
    units: Vec<Slot>,
    call: Slot,
}

impl Index {
    pub(super) fn new(trail: &[TrailEntry], count: usize) -> Self {
        let mut index = Self { units: vec![Slot::default(); count], call: Slot::default() };
        for (i, entry) in trail.iter().enumerate() {
            let slot = match entry.vote.subject {
                Subject::Call => Some(&mut index.call),
                Subject::Unit(id) => index.units.get_mut(id),
            };
            if let Some(slot) = slot {
                slot.add(i, entry, trail);
            }
        }
        index
    }

    /// What has to be settled: the units, or the call when there are none.
    pub(super) fn subjects(&self) -> impl Iterator<Item = Subject> + use<> {
        let count = self.units.len();
        (0..count.max(1)).map(move |i| if count == 0 { Subject::Call } else { Subject::Unit(i) })
    }

    fn slot(&self, subject: Subject) -> Option<&Slot> {
        match subject {
            Subject::Call => Some(&self.call),
            Subject::Unit(id) => self.units.get(id),
        }
    }

    /// The floors that are dropped: every inner unit is vouched for, or the wrapper is named. Inner units come after
    /// outer ones, so one pass from the back settles nested wrappers. Floors of the call are never dropped.
    pub(super) fn lifted(&self, trail: &[TrailEntry]) -> Vec<usize> {
        let mut vouched = vec![false; self.units.len()];
        let mut lifted = Vec::new();
        for (id, slot) in self.units.iter().enumerate().rev() {
            let strength = if self.allowed(slot, trail) { slot.strength } else { None };
            let mut clear = self.call.floors.is_empty();
            for &i in &slot.floors {
                if doubt(trail, i).is_some_and(|d| lifts(d, id, strength, &vouched)) { lifted.push(i) } else { clear = false }
            }
            if let Some(v) = vouched.get_mut(id) {
                *v = clear && strength >= Some(Strength::Narrow);
            }
        }
        lifted
    }

    /// Do the stages that vouch allow it, with no vote of another stage against it? (Floors apart.)
    fn allowed(&self, slot: &Slot, trail: &[TrailEntry]) -> bool {
        let against = |s: &Slot| s.deny.is_some() || s.listed.is_some() || asks(trail, s.rules);
        !against(slot) && !against(&self.call) && slot.rules.or(slot.allow).is_some()
    }

    /// What a subject came to, once floors are lifted.
    pub(super) fn standing(&self, subject: Subject, trail: &[TrailEntry]) -> Standing {
        let Some(slot) = self.slot(subject) else { return Standing::Open };
        if let Some(i) = slot.deny {
            return Standing::Deny(i);
        }
        let rule_asks = |s: &Slot| s.rules.filter(|_| asks(trail, s.rules));
        let asked = slot.listed.or(self.call.listed).or_else(|| rule_asks(slot)).or_else(|| rule_asks(&self.call));
        if let Some(i) = asked.or_else(|| floor(slot, trail)).or_else(|| floor(&self.call, trail)) {
            return Standing::Ask(i);
        }
        slot.rules.or(slot.allow).map_or(Standing::Open, Standing::Allow)
    }
}

impl Slot {
    fn add(&mut self, i: usize, entry: &TrailEntry, trail: &[TrailEntry]) {
        match (&entry.vote.say, entry.stage) {
            (Say::Deny, _) => self.deny = self.deny.or(Some(i)),
            (Say::Floor { .. }, _) => self.floors.push(i),
            (Say::Ask { .. }, Stage::Ask) => self.listed = self.listed.or(Some(i)),
            (Say::Ask { .. }, _) => {
                if !asks(trail, self.rules) {
                    self.rules = Some(i);
                }
            }
            (Say::Allow(strength), stage) => {
                let tier = if stage == Stage::Rules { &mut self.rules } else { &mut self.allow };
                let stronger = stage == Stage::Allow && tier.and_then(|t| allow_strength(trail, t)) < Some(*strength);
                if tier.is_none() || stronger {
                    *tier = Some(i);
                }
                self.strength = self.strength.max(Some(*strength));
            }
        }
    }
}

fn asks(trail: &[TrailEntry], at: Option<usize>) -> bool {
    at.and_then(|i| trail.get(i)).is_some_and(|t| matches!(t.vote.say, Say::Ask { .. }))
}

fn allow_strength(trail: &[TrailEntry], at: usize) -> Option<Strength> {
    match trail.get(at)?.vote.say {
        Say::Allow(s) => Some(s),
        _ => None,
    }
}

fn doubt(trail: &[TrailEntry], at: usize) -> Option<&Doubt> {
    match &trail.get(at)?.vote.say {
        Say::Floor { doubt, .. } => Some(doubt),
        _ => None,
    }
}

/// Is this doubt of unit `id` lifted? An empty list of inner units lifts nothing: something runs, and nobody knows what.
fn lifts(doubt: &Doubt, id: usize, strength: Option<Strength>, vouched: &[bool]) -> bool {
    let inner = doubt.lift.vouched.as_deref().unwrap_or_default();
    let by_inner = !inner.is_empty() && inner.iter().all(|u| *u > id && vouched.get(*u).copied().unwrap_or(false));
    by_inner || (doubt.lift.named && strength == Some(Strength::Named))
}

/// The floor that counts for a subject: a kept one, else the first that is not lifted.
fn floor(slot: &Slot, trail: &[TrailEntry]) -> Option<usize> {
    let standing = || slot.floors.iter().copied().filter(|i| trail.get(*i).is_some_and(|t| !t.lifted));
    let kept = |i: &usize| trail.get(*i).is_some_and(|t| matches!(t.vote.say, Say::Floor { kept: true, .. }));
    standing().find(kept).or_else(|| standing().next())
}
