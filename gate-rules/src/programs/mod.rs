//! What no data can say: small programs inside the words of a call.

mod sed;
mod sql;
mod text;

use gate_core::{Assessment, Effect, Unit};

use crate::analysis::Placer;

/// Lets the function of that name look at a call. An unknown name does nothing: the format's check names them all.
pub(crate) fn look(function: &str, unit: &Unit, out: &mut Assessment, placer: &dyn Placer, cwd: Option<&str>) {
    match function {
        "sed" => sed::sed(unit, out, placer, cwd),
        "awk" => sed::awk(unit, out),
        "sql" => sql::sql(unit, out),
        "jq" => text::jq(unit, out),
        "echo" => text::echo(unit, out),
        _ => {}
    }
}

/// Adds an effect with a reason and makes the call unknown.
fn doubt(out: &mut Assessment, effect: Option<Effect>, why: impl Into<String>) {
    if let Some(e) = effect {
        out.effects.add(e)
    }
    out.known = false;
    if out.unknown_because.is_none() {
        out.unknown_because = Some(why.into())
    }
}
