//! SQL texts: which ones only read.

use gate_core::{Assessment, Effect, Stdin, Unit, Word};

use super::doubt;

/// A client call: every text in it must only read. Options that carry texts: `-c`, `-e`, `--command`, `--execute`, `-Q`;
/// for the file databases the operands after the first.
pub(super) fn sql(unit: &Unit, out: &mut Assessment) {
    let mut texts: Vec<&Word> = Vec::new();
    let program = unit.program().unwrap_or_default();
    let file = program.contains("sqlite") || program.contains("duckdb");
    let mut operands = 0;
    let mut at = 1;
    while let Some(w) = unit.words.get(at) {
        at += 1;
        let t = w.prefix();
        let option = matches!(t, "-c" | "-e" | "--command" | "--execute" | "-Q" | "-q" | "-cmd" | "-s") && w.literal().is_some();
        if option && !(file && matches!(t, "-e" | "-s" | "-q")) {
            texts.extend(unit.words.get(at));
            at += 1;
        } else if let Some((name, _)) = t.split_once('=').filter(|(n, _)| matches!(*n, "--command" | "--execute")) {
            if w.without_prefix(name.len() + 1).and_then(|v| v.literal().map(only_reads)) != Some(true) {
                return doubt(out, Some(Effect::Changes), "the SQL may change something");
            }
            operands += 1;
        } else if !t.starts_with('-') && file {
            operands += 1;
            if operands > 1 {
                texts.push(w)
            }
        }
    }
    if let Stdin::Text(w) = &unit.stdin {
        texts.push(w)
    }
    let inline = !texts.is_empty() || operands > 1;
    for w in texts {
        match w.literal() {
            Some(t) if only_reads(t) => {}
            Some(_) => return doubt(out, Some(Effect::Changes), "the SQL may change something"),
            None => return doubt(out, Some(Effect::Changes), "the SQL is known only to the shell"),
        }
    }
    if !inline && matches!(unit.stdin, Stdin::Pipe | Stdin::File) {
        doubt(out, Some(Effect::Changes), "the SQL comes from elsewhere")
    }
    if !inline
        && matches!(unit.stdin, Stdin::Inherited)
        && unit.words.len() > 1
        && !unit.words.iter().any(|w| matches!(w.literal(), Some("-l" | "--list" | "-version" | "-V" | "-?")))
    {
        doubt(out, Some(Effect::Changes), "an interactive session")
    }
}

/// Statements that only read, and nothing that hides another.
pub(crate) fn only_reads(text: &str) -> bool {
    let Some(bare) = bare(text) else { return false };
    let statements: Vec<&str> = bare.split(';').map(str::trim).filter(|s| !s.is_empty()).collect();
    !statements.is_empty() && statements.iter().all(|s| statement(s))
}

fn statement(s: &str) -> bool {
    if let Some(dot) = s.strip_prefix('.') {
        let name = dot.split_whitespace().next().unwrap_or_default();
        return matches!(
            name,
            "tables"
                | "table"
                | "schema"
                | "indexes"
                | "indices"
                | "databases"
                | "mode"
                | "headers"
                | "header"
                | "width"
                | "show"
                | "timer"
                | "help"
                | "dbinfo"
                | "fullschema"
                | "quit"
                | "exit"
                | "nullvalue"
                | "separator"
        ) && !s.contains('|');
    }
    if let Some(back) = s.strip_prefix('\\') {
        let name = back.split_whitespace().next().unwrap_or_default();
        return name.starts_with('d') && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '+')
            || matches!(name, "l" | "l+" | "conninfo" | "x" | "timing" | "z" | "sf" | "sv" | "q");
    }
    let upper = s.to_ascii_uppercase();
    let words: Vec<&str> = upper.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|w| !w.is_empty()).collect();
    let first = words.first().copied().unwrap_or_default();
    let writes = [
        "INSERT", "UPDATE", "DELETE", "DROP", "CREATE", "ALTER", "TRUNCATE", "REPLACE", "MERGE", "GRANT", "REVOKE", "ATTACH", "DETACH",
        "VACUUM", "COPY", "CALL", "EXEC", "EXECUTE", "INTO", "LOAD", "INSTALL", "IMPORT", "EXPORT", "SET", "LOCK", "REINDEX", "OUTFILE",
        "DUMPFILE",
    ];
    let functions = [
        "LOAD_EXTENSION",
        "WRITEFILE",
        "READFILE",
        "EDIT",
        "PG_READ_FILE",
        "PG_TERMINATE_BACKEND",
        "PG_CANCEL_BACKEND",
        "LO_IMPORT",
        "LO_EXPORT",
        "LOAD_FILE",
        "SETVAL",
        "NEXTVAL",
        "DBLINK",
        "XP_CMDSHELL",
        "OPENROWSET",
        "SLEEP",
        "PG_SLEEP",
        "READ_CSV",
        "READ_TEXT",
        "READ_BLOB",
    ];
    if words.iter().any(|w| functions.contains(w)) {
        return false;
    }
    match first {
        "SELECT" | "WITH" | "VALUES" | "TABLE" | "SHOW" | "DESCRIBE" | "DESC" | "SUMMARIZE" => !words
            .iter()
            .skip(1)
            .any(|w| writes.contains(w) && !(first == "SHOW" || *w == "SET" || *w == "REPLACE" && upper.contains("REPLACE("))),
        "EXPLAIN" => !words.iter().any(|w| *w == "ANALYZE" || writes.contains(w)),
        "PRAGMA" => !s.contains('='),
        "USE" => true,
        _ => false,
    }
}

/// Without comments and texts. `None`: something does not end.
fn bare(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' | '`' => {
                loop {
                    match chars.next()? {
                        d if d == c => break,
                        '\\' => drop(chars.next()),
                        _ => {}
                    }
                }
                out.push('0');
            }
            '-' if chars.peek() == Some(&'-') => while chars.next_if(|d| *d != '\n').is_some() {},
            '/' if chars.peek() == Some(&'*') => {
                chars.next();
                // MySQL runs what stands in `/*! … */`.
                if chars.peek() == Some(&'!') {
                    return None;
                }
                loop {
                    if chars.next()? == '*' && chars.next_if_eq(&'/').is_some() {
                        break;
                    }
                }
                out.push(' ');
            }
            '$' if chars.peek() == Some(&'$') => return None,
            '\n' if out.trim_start().starts_with(['.', '\\']) || out.contains("\n.") => out.push(';'),
            c => out.push(c),
        }
    }
    Some(out)
}
