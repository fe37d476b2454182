//! Opinions per effect and place: replacing them, bounding them, and their order.

use gate_core::{Opinion, PolicyEntry, Settings, Source};

/// Sets an opinion.
pub(super) fn replace(policy: &mut Vec<PolicyEntry>, entry: &PolicyEntry) -> bool {
    policy.retain(|e| (e.effect, e.place) != (entry.effect, entry.place));
    policy.push(entry.clone());
    true
}

/// Makes what stands at least as strict as the entry, everywhere where the entry speaks.
pub(super) fn bound(policy: &mut Vec<PolicyEntry>, entry: &PolicyEntry) -> bool {
    let mut effective = false;
    let (mut exact, mut general) = (false, None);
    for e in policy.iter_mut().filter(|e| e.effect == entry.effect) {
        if e.place.is_none() {
            general = Some(e.opinion);
        }
        exact |= e.place == entry.place;
        let covered = entry.place.is_none() || e.place == entry.place;
        if covered && e.opinion < entry.opinion {
            e.opinion = entry.opinion;
            e.source = entry.source;
            effective = true;
        }
    }
    if !exact {
        // What stands for every place must not be loosened by an entry for one.
        let opinion = general.map_or(entry.opinion, |g| g.max(entry.opinion));
        effective |= opinion == entry.opinion;
        policy.push(PolicyEntry { opinion, ..entry.clone() });
    }
    effective
}

/// General entries before those for one place, each in the order of effects. With a managed preset, opinions of others
/// that would loosen it are dropped.
pub(super) fn finish(settings: &mut Settings, managed_preset: bool) {
    if managed_preset {
        settings.policy.retain(|e| e.source == Source::Managed || e.opinion != Opinion::Allow);
    }
    settings.policy.sort_by_key(|e| (e.place.is_some(), e.effect, e.place));
}
