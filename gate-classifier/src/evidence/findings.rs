//! What the gate's own analysis found in a call: why it is asked, and what each unit does where.

use std::fmt::Write;

use gate_core::{Access, AccessMode, Ask, Assessment, Case};

use super::text::escape;

/// Most lines of one kind.
const LINES: usize = 40;
/// Longest quotation in characters.
const QUOTE: usize = 300;

/// The findings as a marked section, one line each: first why it is asked, then what its parts do. Empty when there
/// are none. What is quoted of the call can neither end the section nor its line.
#[must_use]
pub fn findings(case: &Case<'_>, asks: &[Ask]) -> String {
    let mut out = String::new();
    for ask in asks.iter().take(LINES) {
        let sentinel = ask.sentinel.as_deref().map(|s| format!(" {}", quoted(s))).unwrap_or_default();
        line(&mut out, &format!("asked because: {}{sentinel}: {}", ask.reason.code, quoted(&ask.reason.text)));
    }
    if let Some(analysis) = case.known_analysis() {
        let units = case.script.as_ref().map(|s| s.units.as_slice()).unwrap_or_default();
        for (unit, assessment) in units.iter().zip(&analysis.units).take(LINES) {
            line(&mut out, &format!("command `{}`: {}", quoted(&unit.shown()), assessed(assessment)));
        }
        if let Some(assessment) = &analysis.call {
            line(&mut out, &format!("the call: {}", assessed(assessment)));
        }
        if units.len() > LINES {
            line(&mut out, &format!("and {} more commands", units.len() - LINES));
        }
    }
    if out.is_empty() { out } else { format!("\n<gate-findings>\n{out}</gate-findings>") }
}

fn assessed(a: &Assessment) -> String {
    let effects: Vec<&str> = a.effects.iter().map(gate_core::Effect::name).collect();
    let mut text = if effects.is_empty() { "no effect known".to_owned() } else { effects.join(", ") };
    if !a.known {
        text.push_str("; not fully known");
    }
    for note in a.notes.iter().take(8) {
        // Writing to a text never fails.
        let _ = write!(text, "; {}", quoted(&note.why));
    }
    for Access { mode, shown, place, .. } in a.accesses.iter().take(8) {
        let mode = match mode {
            AccessMode::Read => "reads",
            AccessMode::Write => "writes",
            AccessMode::Delete => "deletes",
            AccessMode::Execute => "executes",
        };
        let _ = write!(text, "; {mode} `{}` ({})", quoted(shown), place.name());
    }
    text
}

fn line(out: &mut String, text: &str) {
    out.push_str("- ");
    out.push_str(text);
    out.push('\n');
}

/// One line of untrusted text, cut.
fn quoted(text: &str) -> String {
    let one_line: String = text.chars().take(QUOTE).map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let cut = if text.chars().nth(QUOTE).is_some() { "…" } else { "" };
    format!("{}{cut}", escape(&one_line))
}
