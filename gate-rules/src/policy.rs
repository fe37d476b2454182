//! What is thought of an effect in a place: one table, three presets, the user's own lines on top.

use gate_core::{Effect, Opinion, Place, Preset, Settings};

/// The opinion on an effect; `place`: where it lands, when that is known.
#[must_use]
pub fn opinion(settings: &Settings, effect: Effect, place: Option<Place>) -> Opinion {
    // A line for the place stands above a line for the effect alone; later lines above earlier ones.
    let lines = |exact: bool| {
        settings
            .policy
            .iter()
            .rev()
            .find(move |p| p.effect == effect && if exact { p.place.is_some() && p.place == place } else { p.place.is_none() })
    };
    lines(true).or_else(|| lines(false)).map_or_else(|| preset(settings.preset, effect, place), |p| p.opinion)
}

/// The table.
const fn preset(preset: Preset, effect: Effect, place: Option<Place>) -> Opinion {
    let careful = matches!(place, Some(Place::Sensitive | Place::Protected | Place::Control));
    match (preset, effect) {
        _ if careful => Opinion::Ask,
        (Preset::Cautious, Effect::Reads) if !matches!(place, Some(Place::Project | Place::Temp)) => Opinion::Ask,
        (_, Effect::Reads) | (Preset::Relaxed, Effect::Fetches) => Opinion::Allow,
        (Preset::Relaxed, Effect::Writes | Effect::Changes) if matches!(place, Some(Place::Project | Place::Temp)) => Opinion::Allow,
        _ => Opinion::Ask,
    }
}
