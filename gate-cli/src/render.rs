//! A decision as JSON and for people. Owns how things look; decides nothing.

use std::fmt::Write as _;

use gate_core::{Case, Decision, DecisionRecord, Effect, Nesting, Outcome, Say, Stage, Subject};
use serde_json::{Value, json};

/// The record of a decision, as `check --json` and the batch print it.
#[must_use]
pub fn record(id: &Value, case: &Case<'_>, decision: &Decision) -> Value {
    let mut out = json!(DecisionRecord::new(case, decision));
    if let Some(map) = out.as_object_mut() {
        map.insert("id".to_owned(), id.clone());
        if let Some(review) = decision.review() {
            map.insert("review".to_owned(), json!(review));
        }
    }
    out
}

/// JSON on one line in ASCII only.
#[must_use]
pub fn ascii(value: &Value) -> String {
    let text = value.to_string();
    if text.is_ascii() {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c)
        } else {
            let mut units = [0_u16; 2];
            for u in c.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{u:04x}");
            }
        }
    }
    out
}

/// Makes every character visible that could deceive a reader or a terminal.
#[must_use]
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push('\n'),
            '\t' => out.push_str("    "),
            '\u{1b}' => out.push_str("\\e"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() || is_format(c) || (c.is_whitespace() && c != ' ') => {
                let _ = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}

fn is_format(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}')
}

/// Colours, or none.
#[derive(Clone, Copy)]
pub struct Paint(pub bool);

impl Paint {
    fn on(self, code: &str, text: &str) -> String {
        if self.0 { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
    fn outcome(self, word: &str) -> String {
        let code = match word {
            "allow" => "32",
            "deny" => "31",
            "ask" => "33",
            _ => "36",
        };
        self.on(code, word)
    }
    fn dim(self, text: &str) -> String {
        self.on("2", text)
    }
}

const fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Allow => "allow",
        Outcome::Ask => "ask",
        Outcome::Deny => "deny",
    }
}

/// One line for `check`.
#[must_use]
pub fn line(decision: &Decision, paint: Paint) -> String {
    let mut out = format!(
        "{}  {} {}",
        paint.outcome(word(decision.outcome())),
        visible(&decision.reason().text),
        paint.dim(&format!("[{}]", decision.reason().code))
    );
    if let Some(instead) = &decision.reason().instead {
        let _ = write!(out, "\n  instead: {}", visible(instead));
    }
    out
}

/// The whole trail, part by part.
#[must_use]
pub fn explain(case: &Case<'_>, decision: &Decision, paint: Paint) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "{}", line(decision, paint));
    let _ = writeln!(
        out,
        "{}",
        paint.dim(&format!(
            "decided by {} (stage {:?}), origin {:?}{}",
            decision.layer(),
            decision.stage(),
            decision.origin(),
            decision.matched().map(|m| format!(", matched {}", visible(m))).unwrap_or_default()
        ))
    );
    if let Some(script) = &case.script {
        for (i, unit) in script.units.iter().enumerate() {
            part(&mut out, case, decision, i, unit, paint);
        }
        if !script.understood() {
            // What is not understood is shown as it was sent, every character visible.
            let shown = visible(&script.raw).replace('\n', "\n    ");
            let _ = writeln!(out, "  {}", paint.on("1", &shown));
        }
        for d in &script.doubts {
            let _ = writeln!(out, "  ? {} {}", paint.outcome("open"), visible(&d.text));
        }
    }
    let call: Vec<_> = decision.trail().iter().filter(|t| t.vote.subject == Subject::Call).collect();
    if !call.is_empty() {
        let _ = writeln!(out, "the call as a whole:");
    }
    for t in call {
        vote(&mut out, t, paint, "  ")
    }
    out
}

fn depth(case: &Case<'_>, mut id: usize) -> usize {
    let mut n = 0;
    while let Some(p) = case.script.as_ref().and_then(|s| s.units.get(id)).and_then(|u| u.parent) {
        if p >= id || n > 20 {
            break;
        }
        id = p;
        n += 1;
    }
    n
}

fn part(out: &mut String, case: &Case<'_>, decision: &Decision, i: usize, unit: &gate_core::Unit, paint: Paint) {
    let indent = "  ".repeat(1 + depth(case, i));
    let outcome = decision.units().get(i);
    let nesting = match unit.nesting {
        Nesting::TopLevel => "",
        Nesting::CommandSubstitution => " inside $(…)",
        Nesting::ProcessSubstitution => " inside <(…)",
        Nesting::Subshell => " in a subshell",
        Nesting::Control => " in a branch or loop",
        Nesting::Function => " in a function",
        Nesting::Wrapped => " run by the command above",
        Nesting::ShellText => " in a script text",
    };
    let shown = if unit.words.is_empty() { visible(&unit.raw) } else { visible(&unit.shown()) };
    let shown = shown.replace('\n', &format!("\n{indent}    "));
    let _ = writeln!(out, "{indent}{} {}{}", paint.outcome(outcome.map_or("open", |o| o.vote)), paint.on("1", &shown), paint.dim(nesting));
    if let Some(a) = case.known_analysis().and_then(|a| a.units.get(i)) {
        let effects: Vec<&str> = a.effects.iter().map(Effect::name).collect();
        if !effects.is_empty() {
            let _ = writeln!(out, "{indent}    {}", paint.dim(&format!("effects: {}", effects.join(", "))));
        }
        for x in &a.accesses {
            if x.maybe && x.place < gate_core::Place::Sensitive {
                continue;
            }
            // What an interpreter is given on its command line is code, not a place.
            if x.mode == gate_core::AccessMode::Execute && x.shown.contains([' ', '\n', ';', '(']) {
                let _ = writeln!(out, "{indent}    {}", paint.dim(&format!("executes the code {}", visible(&x.shown))));
                continue;
            }
            let to = x.resolved.as_deref().map(|r| format!(" -> {}", visible(r))).unwrap_or_default();
            let _ = writeln!(
                out,
                "{indent}    {}",
                paint.dim(
                    &format!("{:?} {}{to} ({})", x.mode, visible(x.path.as_deref().unwrap_or(&x.shown)), x.place.name()).to_lowercase()
                )
            );
        }
        for n in &a.notes {
            let _ = writeln!(out, "{indent}    {} {}", n.why, paint.dim(&format!("[{}]", n.code)));
        }
        if let Some(why) = &a.unknown_because {
            let _ = writeln!(out, "{indent}    {}", visible(why));
        }
    }
    for t in decision.trail().iter().filter(|t| t.vote.subject == Subject::Unit(i)) {
        vote(out, t, paint, &format!("{indent}    "))
    }
}

fn vote(out: &mut String, t: &gate_core::TrailEntry, paint: Paint, indent: &str) {
    let said = match &t.vote.say {
        Say::Allow(_) => "allow",
        Say::Ask { .. } => "ask",
        Say::Deny => "deny",
        Say::Floor { .. } if t.lifted => "floor, lifted",
        Say::Floor { .. } => "floor",
    };
    let stage = match t.stage {
        Stage::Allow => "allow tiers".to_owned(),
        s => format!("{s:?}").to_lowercase(),
    };
    let matched = t.vote.matched.as_deref().map(|m| format!(" {}", visible(m))).unwrap_or_default();
    let _ = writeln!(out, "{indent}{}", paint.dim(&format!("{stage}: {said}: {}{matched}", visible(&t.vote.reason.text))));
}
