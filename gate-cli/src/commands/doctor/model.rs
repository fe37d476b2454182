//! Can a model be asked?

use gate_core::Mode;

use super::Check;
use crate::setup::Setup;

/// Without a usable model the mode `auto` behaves as `approve`; that is no fault, and worth knowing.
pub(super) fn usable(setup: &Setup) -> Vec<Check> {
    let snapshot = &setup.loaded.snapshot;
    let text = match (snapshot.settings.mode, snapshot.tuning.classifier.enabled) {
        (Mode::Auto, false) => "switched off: auto behaves as approve".to_owned(),
        (Mode::Auto, true) => format!("{}; without a usable one auto behaves as approve", snapshot.tuning.classifier.model),
        _ => "not asked in this mode".to_owned(),
    };
    vec![Check::good("model", text)]
}
