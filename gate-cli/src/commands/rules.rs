//! `gate rules`: lists, adds and removes permission entries, and lints the settings. Comments and unknown keys stay.

use std::io::Write;

use gate_core::{Outcome, Unit};
use gate_trust::edit::{self, EditError};
use gate_trust::schema::SETTINGS_SCHEMA;
use gate_trust::{ApprovalStore, ProjectFile, SessionApproval, SessionStore, Severity, suggest_unit, tree};
use serde_json::json;

use super::{Failure, scope};
use crate::setup::{Around, Setup, now};

/// Arguments of `rules`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Add an entry: for one call, a session, this project, or everywhere.
    Add(Entry),
    /// Remove an entry, or an approval of a session by its id.
    Remove(Removed),
    /// Print the narrowest entries that would allow a command, for you to look at and to add.
    Suggest {
        /// The shell command.
        command: String,
    },
    /// Show what is wrong with the settings. Status 1: something protects less than it says.
    Lint,
}

#[derive(Debug, clap::Args)]
struct Entry {
    /// allow, ask or deny.
    list: String,
    /// `tool` or `tool(pattern)`: "Bash(git push:*)".
    pattern: String,
    #[command(flatten)]
    scope: Scope,
}

#[derive(Debug, clap::Args)]
struct Removed {
    /// allow, ask or deny; or the id of an approval.
    list: String,
    /// The entry as it was written.
    pattern: Option<String>,
    #[command(flatten)]
    scope: Scope,
}

#[derive(Debug, clap::Args)]
struct Scope {
    /// In your settings, for every project (the default).
    #[arg(long, conflicts_with_all = ["project", "session", "once"])]
    user: bool,
    /// In this project's .gate/gate.local.json, which is approved with it.
    #[arg(long, conflicts_with_all = ["session", "once"])]
    project: bool,
    /// For one session of one host; without a value the newest one of this project. Only allow.
    #[arg(long, value_name = "HOST:SESSION", num_args = 0..=1, default_missing_value = "")]
    session: Option<String>,
    /// For one call of the session.
    #[arg(long)]
    once: bool,
}

impl Scope {
    /// The session that is meant, when one is.
    fn session(&self, setup: &Setup) -> Result<Option<SessionStore>, Failure> {
        let Some(given) = self.session.as_deref().or(self.once.then_some("")) else { return Ok(None) };
        let (host, session) = scope::session(setup, given)?;
        Ok(Some(SessionStore::new(&setup.places.state_dir, &host, &session)))
    }
}

/// Runs `rules`.
///
/// # Errors
/// An entry that cannot match, settings that cannot be changed, output that breaks.
pub fn run(args: &Args) -> Result<u8, Failure> {
    let setup = Setup::new(&Around::default());
    match &args.action {
        None => list(&setup),
        Some(Action::Lint) => lint(&setup),
        Some(Action::Suggest { command }) => suggest(&setup, command),
        Some(Action::Add(e)) => add(&setup, e),
        Some(Action::Remove(e)) => remove(&setup, e),
    }
}

fn print(text: &str) -> Result<(), Failure> {
    write!(std::io::stdout(), "{text}").map_err(|e| Failure::new("the rules could not be printed").because(e))
}

fn list(setup: &Setup) -> Result<u8, Failure> {
    let s = &setup.loaded.snapshot.settings;
    let source = |source: gate_core::Source| format!("{source:?}").to_lowercase();
    let mut text = String::new();
    for (word, entries) in [("deny", &s.deny), ("ask", &s.ask), ("allow", &s.allow), ("denied path", &s.denied_paths)] {
        for e in entries {
            text.push_str(&format!("{word} {:?} ({})\n", e.text, source(e.source)));
        }
    }
    for r in &s.rules {
        let action = format!("{:?}", r.action).to_lowercase();
        text.push_str(&format!("rule {:?}: {action} {:?} of {:?} ({})\n", r.id, r.pattern, r.tool, source(r.source)));
    }
    for command in s.commands.iter().flat_map(tree::leaf_lines) {
        text.push_str(&format!("allow command {command}\n"));
    }
    for store in SessionStore::all(&setup.places.state_dir) {
        for a in store.list(now()) {
            let what = a.entry.as_ref().map_or_else(|| "one identical call".to_owned(), |e| format!("{e:?}"));
            let scope = if a.scope == gate_trust::Scope::Once { "once" } else { "session" };
            text.push_str(&format!("allow {what} ({scope} {}:{}, id {})\n", store.host(), store.session(), a.id));
        }
    }
    if text.is_empty() {
        text.push_str("no entries: the built-in rules alone decide\nadd one: gate rules add allow|ask|deny \"Bash(git push:*)\"\n");
    }
    print(&text)?;
    Ok(0)
}

/// Of each part that is open; what no entry can say is told.
fn suggest(setup: &Setup, command: &str) -> Result<u8, Failure> {
    let call = setup.call(crate::tools::tool("bash", &json!({}), &setup.loaded.snapshot.settings), json!({"command": command}));
    let engine = setup.engine(None).map_err(|e| Failure::new("the gate cannot be put together").because(e))?;
    let text = engine.decide(&call, &setup.machine, |case, decision| {
        if decision.outcome() != Outcome::Ask {
            return format!("# nothing to add: {}\n", decision.reason().text);
        }
        let units = case.script.iter().flat_map(|s| &s.units).zip(decision.units()).enumerate();
        let open = units.filter(|(_, (_, outcome))| outcome.vote != "allow");
        let one = |(i, (unit, _)): (usize, (&Unit, _))| {
            let known = case.known_analysis().and_then(|a| a.units.get(i));
            let s = suggest_unit(unit, known);
            match s.entry {
                Some(entry) => format!("{entry}\n"),
                None => format!("# no entry says just this: {}\n", s.shown),
            }
        };
        let mut lines: Vec<String> = open.map(one).collect();
        lines.dedup();
        lines.concat()
    });
    print(if text.is_empty() { "# no entry can allow this: approve the call itself\n" } else { &text })?;
    Ok(0)
}

fn lint(setup: &Setup) -> Result<u8, Failure> {
    let findings = &setup.loaded.snapshot.findings;
    let text: String = findings.iter().map(|f| format!("{f}\n")).collect();
    print(if text.is_empty() { "nothing is wrong with the settings\n" } else { &text })?;
    Ok(u8::from(findings.iter().any(|f| f.severity == Severity::Error)))
}

fn list_path(list: &str) -> Result<String, Failure> {
    if ["allow", "ask", "deny"].contains(&list) {
        return Ok(format!("permissions.{list}"));
    }
    Err(Failure::new(format!("there is no list {list}")).hint("one of: allow, ask, deny"))
}

fn add(setup: &Setup, entry: &Entry) -> Result<u8, Failure> {
    let path = list_path(&entry.list)?;
    let change = |text: &str| edit::add_entry(text, &path, &entry.pattern).map(Some);
    let failed = |e: &dyn std::fmt::Display| Failure::new("the entry was not added").because(e);
    if let Some(store) = entry.scope.session(setup)? {
        if entry.list != "allow" {
            return Err(Failure::new("for a session there are only approvals").hint("leave --session out, or write --project"));
        }
        // The same checks as for a lasting entry.
        change("{}").map_err(|e| failed(&e))?;
        let lasts = if entry.scope.once { gate_trust::Scope::Once } else { gate_trust::Scope::Session };
        let id = store.add(SessionApproval::of_entry(&entry.pattern, lasts, now(), None)).map_err(|e| failed(&e))?;
        print(&format!("{id}\n"))?;
    } else if entry.scope.project {
        edit_local(setup, change)?;
    } else {
        edit::edit_file(&setup.places.user_settings(), SETTINGS_SCHEMA, change).map_err(|e| failed(&e))?;
    }
    Ok(0)
}

fn remove(setup: &Setup, entry: &Removed) -> Result<u8, Failure> {
    let failed = |e: &dyn std::fmt::Display| Failure::new("nothing was removed").because(e);
    let Some(pattern) = &entry.pattern else {
        for store in SessionStore::all(&setup.places.state_dir) {
            if store.revoke(&entry.list).map_err(|e| failed(&e))? {
                return Ok(0);
            }
        }
        return Err(Failure::new(format!("there is no approval {}", entry.list))
            .hint("gate rules lists them; an entry is removed by its list and its text"));
    };
    let path = list_path(&entry.list)?;
    let change = |text: &str| edit::remove_entry(text, &path, pattern);
    let missing = |place: &str| Failure::new(format!("{place} has no such entry")).hint("gate rules");
    if let Some(store) = entry.scope.session(setup)? {
        let found: Vec<_> = store.list(now()).into_iter().filter(|a| entry.list == "allow" && a.entry.as_ref() == Some(pattern)).collect();
        if found.is_empty() {
            return Err(missing("the session"));
        }
        for a in found {
            store.revoke(&a.id).map_err(|e| failed(&e))?;
        }
        return Ok(0);
    }
    if entry.scope.project {
        return if edit_local(setup, change)? { Ok(0) } else { Err(missing("the project")) };
    }
    let file = setup.places.user_settings();
    if !file.exists() {
        return Err(missing(&file.display().to_string()));
    }
    let changed = edit::edit_file(&file, SETTINGS_SCHEMA, change).map_err(|e| failed(&e))?;
    if changed { Ok(0) } else { Err(missing(&file.display().to_string())) }
}

/// Home, temp and `/` are no projects.
#[must_use]
pub fn no_project() -> Failure {
    Failure::new("there is no project here").hint("run it in the folder of a project")
}

/// Changes the project-local settings. The person who runs this has said yes to the change, so an approved version
/// stays approved; a version that nobody approved does not become so by an edit.
///
/// # Errors
/// There is no project, the present version is not approved, or it cannot be written.
pub fn edit_local(setup: &Setup, change: impl FnOnce(&str) -> Result<Option<String>, EditError>) -> Result<bool, Failure> {
    let places = &setup.places;
    let (Some(file), Some(root)) = (places.local_settings(), places.project_root.as_deref()) else {
        return Err(no_project());
    };
    if setup.loaded.sources.local.is_some() && !setup.loaded.sources.local_approved {
        return Err(Failure::new(format!("{} is not approved", file.display())).hint("look at it first: gate trust"));
    }
    // The file stands on the mode of the user's settings: a new one says nothing of it.
    let fresh = format!("{{\n  \"$schema\": {}\n}}\n", serde_json::Value::from(SETTINGS_SCHEMA));
    // Only what was approved, with this one change, is approved again: not what somebody put there meanwhile.
    let known = match setup.loaded.sources.local.as_ref().map(|t| &t.text) {
        None => edit::new_settings(SETTINGS_SCHEMA),
        Some(text) => text.clone().unwrap_or_default(),
    };
    let start = if setup.loaded.sources.local.is_some() { known.clone() } else { fresh };
    let mut written = None;
    let checked = |text: &str| {
        if text != known {
            return Err(EditError::Void("it was changed meanwhile".to_owned()));
        }
        written = change(&start)?;
        Ok(written.clone())
    };
    let failed = |e: &dyn std::fmt::Display| Failure::new("the project-local settings were not changed").because(e);
    let changed = edit::edit_file(&file, SETTINGS_SCHEMA, checked).map_err(|e| failed(&e))?;
    if let (true, Some(text)) = (changed, &written) {
        ApprovalStore::new(&places.state_dir).approve(root, ProjectFile::Local, text.as_bytes(), now()).map_err(|e| failed(&e))?;
    }
    Ok(changed)
}
