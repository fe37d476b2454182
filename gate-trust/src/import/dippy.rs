//! Dippy: one rule a line, the last that matches wins: `allow git *`, `ask npm publish "why"`, `deny-redirect /etc/*`.

use super::Work;

pub(super) fn read(work: &mut Work, text: &str) -> Result<(), String> {
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
            _ => return Err(format!("line {}: no rule of Dippy: {line}", number + 1)),
        }
    }
    Ok(())
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
    // There a rule for a command holds for its arguments too; for asking that is said, for allowing a person decides.
    let wider = action == "ask" && !pattern.ends_with('*');
    let pattern = if wider { format!("{pattern} *") } else { pattern.to_owned() };
    work.ordered("bash", &pattern, action, message);
}

fn redirect(work: &mut Work, path: &str, line: &str) {
    let absolute = path.starts_with(['/', '~', '*']);
    if !absolute || path.contains(['[', ']']) {
        return work.leave(line, "only absolute patterns of paths can be denied");
    }
    work.entry("deny", format!("edit({path})"));
}
