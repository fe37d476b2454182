//! What is thought of each effect in each place: one table, changed by a preset and by the settings' `policy`.

use gate_core::{AccessMode, Assessment, Effect, Opinion, Place, Preset, Settings};

/// Every place, in the order of the enum.
const PLACES: [Place; 8] =
    [Place::Project, Place::Temp, Place::Home, Place::System, Place::Outside, Place::Sensitive, Place::Protected, Place::Control];

/// Opinions in force for one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    table: [[Opinion; 8]; 9],
}

/// What the preset thinks.
const fn preset(preset: Preset, effect: Effect, place: Place) -> Opinion {
    use Place::{Control, Home, Outside, Project, Protected, Sensitive, System, Temp};
    match (preset, effect, place) {
        (_, Effect::Reads, Sensitive) => Opinion::Ask,
        (Preset::Cautious, Effect::Reads, Project | Temp | System) => Opinion::Allow,
        (Preset::Standard | Preset::Relaxed, Effect::Reads, Project | Temp | Home | System | Outside | Protected | Control) => {
            Opinion::Allow
        }
        (Preset::Relaxed, Effect::Fetches, Project | Temp | Home | System | Outside) => Opinion::Allow,
        (Preset::Relaxed, Effect::Writes | Effect::Changes, Project | Temp) => Opinion::Allow,
        _ => Opinion::Ask,
    }
}

fn row(effect: Effect) -> usize {
    Effect::ALL.iter().position(|e| *e == effect).unwrap_or(0)
}

fn column(place: Place) -> usize {
    PLACES.iter().position(|p| *p == place).unwrap_or(0)
}

impl Policy {
    /// The opinions of these settings.
    #[must_use]
    pub fn new(settings: &Settings) -> Self {
        let mut policy = Self { table: [[Opinion::Ask; 8]; 9] };
        for effect in Effect::ALL {
            for place in PLACES {
                policy.set(effect, place, preset(settings.preset, effect, place));
            }
        }
        let mut entries: Vec<_> = settings.policy.iter().collect();
        // Later sources stand above earlier ones; within a source the entry with a place is the closer one.
        entries.sort_by_key(|e| (e.source, e.place.is_some()));
        for e in entries {
            for place in PLACES.into_iter().filter(|p| e.place.is_none_or(|q| q == *p)) {
                // An opinion without place is about ordinary places: keys, protected files and controls need to be named.
                let special = matches!(place, Place::Sensitive | Place::Protected | Place::Control);
                let loosens = e.opinion < policy.opinion(e.effect, place);
                if loosens && (!e.source.user_owned() || e.place.is_none() && special) {
                    continue;
                }
                policy.set(e.effect, place, e.opinion);
            }
        }
        policy
    }

    fn set(&mut self, effect: Effect, place: Place, opinion: Opinion) {
        if let Some(cell) = self.table.get_mut(row(effect)).and_then(|r| r.get_mut(column(place))) {
            *cell = opinion;
        }
    }

    /// What is thought of an effect in a place.
    #[must_use]
    pub fn opinion(&self, effect: Effect, place: Place) -> Opinion {
        self.table.get(row(effect)).and_then(|r| r.get(column(place))).copied().unwrap_or(Opinion::Ask)
    }

    /// What is thought of all that a unit does, and the effect and place that settle it. A unit that is not known is
    /// judged by what is known of it; nobody may vouch for it.
    #[must_use]
    pub fn judge(&self, a: &Assessment) -> (Opinion, Option<(Effect, Place)>) {
        let mut worst = (Opinion::Allow, None);
        for effect in a.effects.iter() {
            for place in places(effect, a) {
                let o = self.opinion(effect, place);
                if o > worst.0 {
                    worst = (o, Some((effect, place)));
                }
            }
        }
        worst
    }
}

/// What these settings think of an effect; `place`: where it lands, `None`: an ordinary place of the project.
#[must_use]
pub fn opinion(settings: &Settings, effect: Effect, place: Option<Place>) -> Opinion {
    Policy::new(settings).opinion(effect, place.unwrap_or(Place::Project))
}

/// Where an effect of a unit lands. Reads of nothing named stay in the project; writes and deletes of nothing named may land anywhere.
fn places(effect: Effect, a: &Assessment) -> Vec<Place> {
    let of = |modes: &[AccessMode]| a.accesses.iter().filter(|x| modes.contains(&x.mode)).map(|x| x.place).collect::<Vec<_>>();
    let (places, otherwise) = match effect {
        Effect::Reads => (of(&[AccessMode::Read]), Place::Project),
        Effect::Writes => (of(&[AccessMode::Write]), Place::Outside),
        Effect::Destroys => (of(&[AccessMode::Delete]), Place::Outside),
        Effect::Runs => (of(&[AccessMode::Execute]), Place::Project),
        _ => (Vec::new(), Place::Project),
    };
    if places.is_empty() { vec![otherwise] } else { places }
}
