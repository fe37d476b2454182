//! jq filters: `env`, `$ENV` show the environment; `input_filename` and modules are the family's business.

use gate_core::{Effect, Effects};

use crate::catalogue::{Finding, Matched};

pub(super) fn extra(m: &Matched, f: &mut Finding) {
    let from_file = m.options().any(|o| o.name == "-f" || o.name == "--from-file");
    let Some(filter) = m.parsed.operands.first().filter(|_| !from_file) else { return };
    let text = filter.word.shown();
    let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$' && c != '.');
    if words.any(|w| w == "env" || w.ends_with("$ENV") || w.starts_with("$ENV.") || w.starts_with("env.")) || text.contains("$ENV") {
        f.note("jq/environment", Effects::of(Effect::Reveals), "the filter shows the environment");
    }
    if text.contains("import") || text.contains("include") {
        f.unknown("the filter loads modules");
    }
}
