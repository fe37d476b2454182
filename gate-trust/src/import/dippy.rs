//! Dippy: one rule a line, the last that matches wins: `allow git *`, `ask npm publish "why"`, `deny-redirect /etc/*`.

use super::Work;

pub(super) fn read(work: &mut Work, text: &str) -> Result<(), String> {
    let (mut known, mut first_unknown) = (false, None);
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let (rest, message) = message(rest.trim());
        match word {
            "allow" | "ask" | "deny" if !rest.is_empty() => command(work, word, rest, message, line),
            "deny-redirect" if !rest.is_empty() => redirect(work, rest, line),
            "allow-redirect" | "ask-redirect" => {
                work.leave(line, "where commands may write is said by an entry Edit(path) or by external.write: choose yourself");
            }
            "allow-mcp" | "ask-mcp" | "deny-mcp" if !rest.is_empty() => {
                work.entry(word.trim_end_matches("-mcp"), rest.to_owned());
            }
            "set" | "alias" | "after" | "after-mcp" | "cd-allow" => work.leave(line, super::UNKNOWN),
            // Skipped there too.
            _ => {
                first_unknown.get_or_insert_with(|| format!("line {}: no rule of Dippy: {line}", number + 1));
                work.leave(line, "no rule of Dippy");
                continue;
            }
        }
        known = true;
    }
    match first_unknown {
        Some(fault) if !known => Err(fault),
        _ => Ok(()),
    }
}

/// The text in quotes at the end of a rule.
fn message(rest: &str) -> (&str, Option<&str>) {
    let inner = rest.strip_suffix('"').and_then(|r| r.rsplit_once(" \""));
    inner.map_or((rest, None), |(pattern, message)| (pattern.trim_end(), Some(message)))
}

fn command(work: &mut Work, action: &str, pattern: &str, message: Option<&str>, line: &str) {
    if pattern.contains(['[', ']']) {
        return work.leave(line, "a set of characters ([…]) cannot be said in a rule's pattern");
    }
    // The whole command there, as here; a deny also holds with arguments.
    work.ordered("bash", pattern, action, message);
}

fn redirect(work: &mut Work, path: &str, line: &str) {
    if path.contains(['[', ']', '(', ')']) {
        return work.leave(line, "a set of characters ([…]) cannot be said in an entry");
    }
    match path.starts_with(['/', '~', '*']) {
        true => work.entry("deny", format!("edit({path})")),
        // From the working directory there, from the project here.
        false => work.entry("deny", format!("Edit(./{})", path.trim_start_matches("./"))),
    }
}
