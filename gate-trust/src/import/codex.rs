//! Codex: `prefix_rule(pattern = ["git", ["push", "fetch"]], decision = "prompt")`, the strictest that matches wins, as
//! with the lists of the gate. A small reader of just these calls; nothing is evaluated.

use super::Work;

/// Most commands that one rule's alternatives are written out to.
const ALTERNATIVES: usize = 64;

enum Value {
    Text(String),
    List(Vec<Value>),
}

pub(super) fn read(work: &mut Work, text: &str) -> Result<(), String> {
    let mut reader = Reader { text, at: 0 };
    while reader.skip() {
        let begun = reader.at;
        let name = reader.name().ok_or_else(|| reader.fault("a call such as prefix_rule(…)"))?;
        let arguments = reader.arguments()?;
        let shown = text.get(begun..reader.at).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
        match name {
            "prefix_rule" => rule(work, &arguments, &shown),
            _ => work.leave(shown, "only prefix rules can be said"),
        }
    }
    Ok(())
}

fn rule(work: &mut Work, arguments: &[(String, Value)], shown: &str) {
    let get = |name: &str| arguments.iter().find(|(n, _)| n == name).map(|(_, v)| v);
    let list = match get("decision") {
        None => "allow",
        Some(Value::Text(d)) if d == "allow" => "allow",
        Some(Value::Text(d)) if d == "prompt" => "ask",
        Some(Value::Text(d)) if d == "forbidden" => "deny",
        Some(_) => return work.leave(shown, "its decision is neither allow, prompt nor forbidden"),
    };
    let Some(Value::List(pattern)) = get("pattern") else { return work.leave(shown, "it has no pattern") };
    let mut commands: Vec<String> = vec![String::new()];
    for token in pattern {
        let words: Vec<&str> = match token {
            Value::Text(word) => vec![word],
            Value::List(all) => all.iter().filter_map(|v| if let Value::Text(w) = v { Some(w.as_str()) } else { None }).collect(),
        };
        let plain = |w: &&str| !w.is_empty() && !w.contains(|c: char| c.is_whitespace() || c.is_control() || "*?:()\\\"'".contains(c));
        if !words.iter().all(plain) {
            return work.leave(shown, "a word of its pattern means something else in an entry");
        }
        commands = commands
            .iter()
            .flat_map(|c| words.iter().map(move |w| if c.is_empty() { (*w).to_owned() } else { format!("{c} {w}") }))
            .collect();
        if commands.len() > ALTERNATIVES {
            return work.leave(shown, "it has too many alternatives");
        }
    }
    for command in commands.into_iter().filter(|c| !c.is_empty()) {
        work.entry(list, format!("Bash({command}:*)"));
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// Past blanks and comments; is anything left?
    fn skip(&mut self) -> bool {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start().len();
            if !self.rest().starts_with('#') {
                return !self.rest().is_empty();
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn take(&mut self, c: char) -> bool {
        let there = self.skip() && self.rest().starts_with(c);
        self.at += if there { c.len_utf8() } else { 0 };
        there
    }

    fn name(&mut self) -> Option<&'t str> {
        self.skip();
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).filter(|n| !n.is_empty())
    }

    fn fault(&self, wanted: &str) -> String {
        let line = self.text.get(..self.at).unwrap_or_default().matches('\n').count() + 1;
        format!("line {line}: {wanted} is expected")
    }

    fn arguments(&mut self) -> Result<Vec<(String, Value)>, String> {
        if !self.take('(') {
            return Err(self.fault("("));
        }
        let mut out = Vec::new();
        while !self.take(')') {
            let name = self.name().ok_or_else(|| self.fault("the name of an argument"))?.to_owned();
            if !self.take('=') {
                return Err(self.fault("="));
            }
            out.push((name, self.value()?));
            if !self.take(',') && !self.rest().starts_with(')') {
                return Err(self.fault(", or )"));
            }
        }
        Ok(out)
    }

    /// A text, or lists of texts. Lists that are open are kept in a stack.
    fn value(&mut self) -> Result<Value, String> {
        let mut open: Vec<Vec<Value>> = Vec::new();
        loop {
            let mut done = if self.take('[') {
                open.push(Vec::new());
                None
            } else if self.take(']') {
                Some(Value::List(open.pop().ok_or_else(|| self.fault("a value"))?))
            } else if open.last().is_some_and(|l| !l.is_empty()) && self.take(',') {
                None
            } else {
                Some(Value::Text(self.string()?))
            };
            if let Some(value) = done.take() {
                match open.last_mut() {
                    Some(list) => list.push(value),
                    None => return Ok(value),
                }
            }
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.skip();
        let quote = self.rest().chars().next().filter(|c| matches!(c, '"' | '\'')).ok_or_else(|| self.fault("a text in quotes"))?;
        let mut out = String::new();
        let mut escaped = false;
        for (i, c) in self.rest().char_indices().skip(1) {
            match c {
                _ if escaped => {
                    out.push(c);
                    escaped = false;
                }
                '\\' => escaped = true,
                c if c == quote => {
                    self.at += i + c.len_utf8();
                    return Ok(out);
                }
                c => out.push(c),
            }
        }
        Err(self.fault("the end of a text"))
    }
}
