//! SQL: a statement that only reads, or one that changes something. In doubt it changes.

use gate_core::{Effect, Effects};

use crate::catalogue::Finding;

pub(super) fn extra(f: &mut Finding) {
    let texts = std::mem::take(&mut f.sql);
    if texts.is_empty() {
        f.unknown("the statements are read from elsewhere");
        f.note("sql/unknown", Effects::of(Effect::Changes), "the statements are read from elsewhere");
        return;
    }
    if texts.len() > 1
        || texts
            .iter()
            .filter_map(|w| w.literal())
            .any(|t| tokens(t).is_some_and(|t| t.split(|x| x == ";").filter(|s| !s.is_empty()).count() > 1))
    {
        f.unknown("more than one statement");
    }
    for w in texts {
        match w.literal().map_or(Kind::Unknown, classify) {
            Kind::Reads => f.effects.add(Effect::Reads),
            Kind::Changes => f.note("sql/changes", Effects::of(Effect::Changes), "the statement changes the database"),
            Kind::Destroys => {
                f.note("sql/destroys", Effects(Effect::Changes as u16 | Effect::Destroys as u16), "the statement deletes data")
            }
            Kind::Unknown => {
                f.note("sql/unknown", Effects::of(Effect::Changes), "the statement is not understood");
                f.unknown("the statement is not understood");
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Reads,
    Changes,
    Destroys,
    Unknown,
}

/// Words that a reading statement may start with.
const READ: [&str; 9] = ["SELECT", "SHOW", "DESCRIBE", "DESC", "EXPLAIN", "WITH", "VALUES", "PRAGMA", "TABLE"];
/// Words that change something wherever they stand as a keyword.
const CHANGE: [&str; 40] = [
    "INSERT",
    "UPDATE",
    "CREATE",
    "ALTER",
    "GRANT",
    "REVOKE",
    "REPLACE",
    "MERGE",
    "COPY",
    "CALL",
    "DO",
    "EXECUTE",
    "EXEC",
    "LOAD",
    "IMPORT",
    "EXPORT",
    "ATTACH",
    "DETACH",
    "VACUUM",
    "REINDEX",
    "INTO",
    "SET",
    "LOCK",
    "UNLOCK",
    "REFRESH",
    "CLUSTER",
    "COMMENT",
    "INSTALL",
    "PREPARE",
    "DEALLOCATE",
    "HANDLER",
    "RENAME",
    "OPTIMIZE",
    "REPAIR",
    "KILL",
    "FLUSH",
    "RESET",
    "NOTIFY",
    "LISTEN",
    "UPSERT",
];
const DESTROY: [&str; 4] = ["DELETE", "DROP", "TRUNCATE", "PURGE"];

/// Functions that read or write files, run programs or take time.
const FUNCTIONS: [&str; 22] = [
    "PG_READ_FILE",
    "PG_READ_BINARY_FILE",
    "PG_LS_DIR",
    "PG_WRITE_FILE",
    "LO_IMPORT",
    "LO_EXPORT",
    "LO_UNLINK",
    "DBLINK",
    "DBLINK_EXEC",
    "LOAD_FILE",
    "LOAD_EXTENSION",
    "READFILE",
    "WRITEFILE",
    "EDIT",
    "SYS_EXEC",
    "SYS_EVAL",
    "XP_CMDSHELL",
    "PG_TERMINATE_BACKEND",
    "PG_CANCEL_BACKEND",
    "SETVAL",
    "NEXTVAL",
    "SET_CONFIG",
];

fn classify(sql: &str) -> Kind {
    // Commands of the client (`.shell`, `\!`) are no SQL.
    let Some(tokens) = tokens(sql) else { return Kind::Unknown };
    let mut worst = Kind::Reads;
    let mut any = false;
    for statement in tokens.split(|t| t == ";") {
        let Some(first) = statement.first() else { continue };
        any = true;
        worst = worst.max(one(first, statement));
    }
    if any { worst } else { Kind::Unknown }
}

fn one(first: &str, statement: &[String]) -> Kind {
    let word = |list: &[&str]| statement.iter().any(|t| list.contains(&t.as_str()));
    if DESTROY.contains(&first) || word(&DESTROY) {
        return Kind::Destroys;
    }
    if first == "PRAGMA" {
        return if statement.iter().any(|t| t == "=") || statement.len() > 5 { Kind::Changes } else { pragma(statement) };
    }
    if CHANGE.contains(&first) {
        return Kind::Changes;
    }
    if !READ.contains(&first) {
        return Kind::Unknown;
    }
    let calls = statement.windows(2).any(|w| matches!(w, [name, open] if open == "(" && (FUNCTIONS.contains(&name.as_str()) || name.starts_with("PG_ADVISORY") || name.starts_with("READ_"))));
    // SHOW CREATE TABLE reads.
    let show = matches!(first, "SHOW" | "DESCRIBE" | "DESC");
    if calls {
        return Kind::Unknown;
    }
    let replace_call = statement.windows(2).all(|w| !matches!(w, [n, o] if n == "REPLACE" && o != "("));
    let changes = statement.iter().any(|t| CHANGE.contains(&t.as_str()) && !(t == "REPLACE" && replace_call));
    if changes && !show { Kind::Changes } else { Kind::Reads }
}

/// Pragmas that only read, by name.
fn pragma(statement: &[String]) -> Kind {
    const READS: [&str; 18] = [
        "TABLE_INFO",
        "TABLE_XINFO",
        "TABLE_LIST",
        "INDEX_LIST",
        "INDEX_INFO",
        "INDEX_XINFO",
        "FOREIGN_KEY_LIST",
        "DATABASE_LIST",
        "COMPILE_OPTIONS",
        "FUNCTION_LIST",
        "COLLATION_LIST",
        "INTEGRITY_CHECK",
        "QUICK_CHECK",
        "FOREIGN_KEY_CHECK",
        "USER_VERSION",
        "SCHEMA_VERSION",
        "PAGE_COUNT",
        "JOURNAL_MODE",
    ];
    let plain = |n: &str| matches!(n, "USER_VERSION" | "SCHEMA_VERSION" | "JOURNAL_MODE" | "PAGE_COUNT");
    match statement.get(1) {
        Some(n) if READS.contains(&n.as_str()) && (!plain(n) || statement.len() == 2) => Kind::Reads,
        _ => Kind::Changes,
    }
}

/// Words in upper case and signs; strings become `'`, quoted names `"`. `None`: not understood.
fn tokens(sql: &str) -> Option<Vec<String>> {
    let mut out: Vec<String> = Vec::new();
    let mut chars = sql.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            _ if c.is_whitespace() => {}
            '-' if chars.peek() == Some(&'-') => while chars.next().is_some_and(|d| d != '\n') {},
            '/' if chars.peek() == Some(&'*') => {
                chars.next();
                // `/*! … */` is run by MySQL.
                if chars.peek() == Some(&'!') {
                    return None;
                }
                let mut last = ' ';
                loop {
                    let d = chars.next()?;
                    if last == '*' && d == '/' {
                        break;
                    }
                    last = d;
                }
            }
            '\'' | '"' | '`' => {
                loop {
                    let d = chars.next()?;
                    // What a backslash means in a string differs between databases.
                    if d == '\\' {
                        return None;
                    }
                    if d == c {
                        break;
                    }
                }
                out.push(c.to_string());
            }
            '\\' | '$' | '#' => return None,
            '.' if out.last().is_none_or(|t| t == ";") => return None,
            _ if c.is_alphanumeric() || c == '_' => {
                let mut word = c.to_uppercase().to_string();
                while let Some(d) = chars.peek().filter(|d| d.is_alphanumeric() || **d == '_') {
                    word.extend(d.to_uppercase());
                    chars.next();
                }
                out.push(word);
            }
            _ => out.push(c.to_string()),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_told_apart() {
        for s in [
            "select 1",
            "SELECT * FROM t WHERE a = 'delete'; show tables",
            "explain select 1",
            "with x as (select 1) select * from x",
            "pragma table_info(t)",
            "select replace(a,'b','c') from t",
        ] {
            assert_eq!(classify(s), Kind::Reads, "{s}");
        }
        for s in [
            "insert into t values (1)",
            "select 1 into outfile 'x'",
            "select 1; update t set a=1",
            "pragma journal_mode=wal",
            "explain analyze insert into t values(1)",
        ] {
            assert_eq!(classify(s), Kind::Changes, "{s}");
        }
        for s in ["drop table t", "select 1; DELETE FROM t", "with x as (delete from t returning 1) select 1"] {
            assert_eq!(classify(s), Kind::Destroys, "{s}");
        }
        for s in ["\\! id", ".shell id", "frob", "", "select pg_read_file('x')", "/*!50000 drop table t */"] {
            assert_eq!(classify(s), Kind::Unknown, "{s}");
        }
    }
}
