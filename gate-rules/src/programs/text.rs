//! Programs whose arguments are text: what a text can reveal.

use gate_core::{Assessment, Effect, Piece, Unit, Word};

use super::doubt;
use crate::analysis::secret_name;

/// `echo`, `printf`: printing a variable whose name looks secret reveals it.
pub(super) fn echo(unit: &Unit, out: &mut Assessment) {
    let secret = |source: &str| {
        source.strip_prefix('$').is_some_and(|n| {
            secret_name(
                n.trim_start_matches(['{', '!', '#']).split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default(),
            )
        })
    };
    let shown = unit.words.iter().skip(1).flat_map(|w| &w.pieces).any(|p| matches!(p, Piece::Unknown { source, .. } if secret(source)));
    if shown {
        out.effects.add(Effect::Reveals);
        doubt(out, None, "prints a variable that looks like a secret");
    }
}

/// `jq`: the environment is readable from inside a filter, and modules can be loaded.
pub(super) fn jq(unit: &Unit, out: &mut Assessment) {
    for w in unit.words.iter().skip(1) {
        let Some(t) = w.literal() else {
            if !w.may_be_option() {
                continue;
            }
            return doubt(out, None, "the filter is known only to the shell");
        };
        let word = |name: &str| t.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '$' || c == '.')).any(|p| p == name);
        if word("env") || word("$ENV") || t.contains("$ENV") || word("input_filename") && false {
            doubt(out, Some(Effect::Reveals), "reads the environment")
        }
        if word("import") || word("include") {
            doubt(out, Some(Effect::Reads), "loads a module")
        }
    }
    let _ = Word::default();
}
