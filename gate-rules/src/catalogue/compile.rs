//! From the written form to the compiled form, with everything checked that can be checked without running it.
//! Compiled into `build.rs` as well, so it knows nothing of the rest of the crate.

use super::format::{AnyOption, RawFamily, RawWhen, RawWrapper};
use super::model::{Family, InnerAt, Keyed, List, Sub, When, Wrapper};

/// A mistake in a family file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub cause: String,
}

/// Names of effects with their bits, the same as in gate-core (a test compares).
pub const EFFECTS: [(&str, u16); 9] = [
    ("reads", 1),
    ("writes", 2),
    ("changes", 4),
    ("fetches", 8),
    ("sends", 16),
    ("runs", 32),
    ("destroys", 64),
    ("reveals", 128),
    ("escalates", 256),
];

/// Roles of operands and option values.
pub const ROLES: [&str; 12] = ["text", "read", "write", "delete", "run", "dir", "cwd", "url", "host", "command", "script", "sql"];

/// Functions in `gate-rules/src/programs/`.
pub const PROGRAMS: [&str; 9] = ["awk", "curl", "find", "git", "jq", "search", "sed", "sql", "tar"];

/// Reads and checks one file. `id` is its name without `.toml`.
///
/// # Errors
/// Every mistake, with its line.
pub fn compile(id: &str, text: &str) -> Result<(Family, RawFamily), Vec<Mistake>> {
    let raw: RawFamily = toml::from_str(text).map_err(|e| {
        let line = e.span().and_then(|s| text.get(..s.start)).map_or(1, |t| t.matches('\n').count() + 1);
        vec![Mistake { line, cause: e.message().to_owned() }]
    })?;
    let mut c = Compiler { text, mistakes: Vec::new() };
    let family = c.family(id, &raw);
    c.check(&raw);
    if c.mistakes.is_empty() { Ok((family, raw)) } else { Err(c.mistakes) }
}

pub(super) struct Compiler<'a> {
    text: &'a str,
    mistakes: Vec<Mistake>,
}

fn leak<T>(items: Vec<T>) -> &'static [T] {
    Vec::leak(items)
}

fn text(s: &str) -> &'static str {
    if s.is_empty() { "" } else { String::leak(s.to_owned()) }
}

fn list(items: &[String]) -> List {
    List(text(&items.join("\n")))
}

impl Compiler<'_> {
    /// Remembers a mistake at the first line that holds the needle (after the line that holds `behind`).
    pub(super) fn wrong(&mut self, behind: &str, needle: &str, cause: String) {
        let from = if behind.is_empty() { 0 } else { self.text.find(behind).unwrap_or(0) };
        let quoted = format!("\"{needle}\"");
        let rest = self.text.get(from..).unwrap_or("");
        let at = rest.find(&quoted).or_else(|| rest.find(needle)).map_or(from, |i| from + i);
        let line = self.text.get(..at).map_or(1, |t| t.matches('\n').count() + 1);
        self.mistakes.push(Mistake { line, cause });
    }

    fn effects(&mut self, names: &[String], behind: &str) -> u16 {
        let mut bits = 0;
        for name in names {
            match EFFECTS.iter().find(|(n, _)| n == name) {
                Some((_, b)) => bits |= b,
                None => self.wrong(behind, name, format!("no such effect: {name}")),
            }
        }
        bits
    }

    fn entries(&mut self, entries: &[String], behind: &str) -> List {
        for e in entries {
            let bad = e.chars().any(char::is_whitespace) || !e.starts_with('-') && !e.starts_with('+') || e.len() < 2;
            if bad {
                self.wrong(behind, e, format!("no option entry: {e:?} (want -x, --long, -x=, --long=ROLE, --long=?, -#, -W*)"));
            }
            if let Some((_, value)) = e.split_once('=') {
                let role = value.trim_start_matches('?');
                if !role.is_empty() && !ROLES.contains(&role) {
                    self.wrong(behind, e, format!("no such role: {role}"));
                }
            }
        }
        list(entries)
    }

    fn plain(&mut self, items: &[String], behind: &str) -> List {
        for i in items {
            if i.is_empty() || i.contains('\n') {
                self.wrong(behind, i, "an empty text, or one with a line end".to_owned());
            }
        }
        list(items)
    }

    fn family(&mut self, id: &str, raw: &RawFamily) -> Family {
        let does = raw.does.as_ref().map(|d| self.effects(d, "does"));
        let bare = raw.bare.as_ref().map(|d| self.effects(d, "bare"));
        let subs = raw
            .sub
            .iter()
            .map(|(effect, patterns)| {
                let does = if effect == "nothing" { 0 } else { self.effects(std::slice::from_ref(effect), "[sub]") };
                Sub { does, patterns: self.plain(patterns, "[sub]") }
            })
            .collect();
        let options = raw.options.iter().map(|(k, v)| Keyed { sub: text(k), list: self.entries(v, "[options]") }).collect();
        let operands = raw.operands.iter().map(|(k, v)| Keyed { sub: text(k), list: self.roles(v) }).collect();
        let any = match &raw.any_option {
            None => Vec::new(),
            Some(AnyOption::All(_)) => vec!["*", ""],
            Some(AnyOption::BySub(map)) => map.keys().map(|k| text(k)).collect(),
        };
        Family {
            id: text(id),
            names: self.plain(&raw.names, "names"),
            does,
            bare,
            takes_value: {
                // The `=` goes without saying here.
                let with: Vec<String> = raw.takes_value.iter().map(|t| if t.contains('=') { t.clone() } else { format!("{t}=") }).collect();
                self.entries(&with, "takes-value")
            },
            global: self.entries(&raw.global, "global"),
            any_option: leak(any),
            clusters: raw.clusters.unwrap_or(true),
            abbreviations: raw.abbreviations.unwrap_or(true),
            help: raw.help.unwrap_or(true),
            builtin: raw.builtin,
            stdin_runs: raw.stdin_runs,
            downloads: raw.downloads,
            options_first: raw.options_first,
            env_runs: self.plain(&raw.env_runs, "env-runs"),
            loads: self.plain(&raw.loads, "loads"),
            repo_config: text(raw.repo_config.as_deref().unwrap_or("")),
            program: text(raw.program.as_deref().unwrap_or("")),
            punctuation: self.plain(&raw.punctuation, "punctuation"),
            subs: leak(subs),
            options: leak(options),
            operands: leak(operands),
            whens: leak(raw.when.iter().map(|w| self.when(w)).collect()),
            wrappers: leak(raw.wrapper.iter().map(|w| self.wrapper(w)).collect()),
        }
    }

    fn roles(&mut self, roles: &[String]) -> List {
        let repeated = roles.iter().filter(|r| r.ends_with("...")).count();
        if repeated > 1 {
            self.wrong("[operands]", "...", "only one role can repeat".to_owned());
        }
        for r in roles {
            let name = r.trim_end_matches("...");
            if name != "none" && !ROLES.contains(&name) {
                self.wrong("[operands]", r, format!("no such role: {r}"));
            }
        }
        list(roles)
    }

    fn when(&mut self, w: &RawWhen) -> When {
        let behind = format!("\"{}\"", w.id);
        if let Some(only) = &w.only {
            self.entries(only, &behind);
        }
        for h in &w.has {
            if h.is_empty() || h.contains('\n') {
                self.wrong(&behind, h, "an empty entry in has".to_owned());
            }
        }
        When {
            id: text(&w.id),
            sub: self.plain(&w.sub.to_vec(), &behind),
            has: list(&w.has),
            only: list(w.only.as_deref().unwrap_or(&[])),
            closed: w.only.is_some(),
            needs: list(&w.needs),
            operands: w.operands.map_or(-1, |n| i8::try_from(n).unwrap_or(i8::MAX)),
            dry_run: w.dry_run,
            does: self.effects(&w.does, &behind),
            why: text(&w.why),
            instead: text(&w.instead),
        }
    }

    fn wrapper(&mut self, w: &RawWrapper) -> Wrapper {
        let inner = match w.inner.as_str() {
            "operands" => InnerAt::Operands,
            "script-option" => InnerAt::ScriptOption,
            "stdin" => InnerAt::Stdin,
            "file" => InnerAt::File,
            "find" => InnerAt::Find,
            "joined" => InnerAt::Joined,
            "hidden" => InnerAt::Hidden,
            other => {
                self.wrong("[[wrapper]]", other, format!("no such place of an inner command: {other}"));
                InnerAt::Hidden
            }
        };
        if matches!(inner, InnerAt::ScriptOption | InnerAt::Find) && w.options.is_empty() {
            self.wrong("[[wrapper]]", &w.inner, format!("{} needs options", w.inner));
        }
        if !["", "name", "bash", "sh", "zsh", "ksh", "fish", "powershell", "cmd"].contains(&w.shell.as_str()) {
            self.wrong("[[wrapper]]", &w.shell, format!("no such shell: {}", w.shell));
        }
        let kind = w.kind.as_deref().unwrap_or("indirection");
        if !["indirection", "opaque"].contains(&kind) {
            self.wrong("[[wrapper]]", kind, format!("no such kind of wrapper: {kind}"));
        }
        Wrapper {
            sub: list(&w.sub.to_vec()),
            inner,
            skip: w.skip,
            options: list(&w.options),
            unless: list(&w.unless),
            needs: list(&w.needs),
            placeholder: list(&w.placeholder),
            shell: text(&w.shell),
            opaque: kind == "opaque",
            transparent: w.transparent,
            named: w.named,
            appends: w.appends,
            elsewhere: w.elsewhere,
            assignments: w.assignments,
            does: w.does.as_ref().map(|d| self.effects(d, "[[wrapper]]")),
        }
    }
}
