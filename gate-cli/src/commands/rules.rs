//! `gate rules`: lists, adds and removes permission entries, and lints the settings. Comments and unknown keys stay.

use std::io::Write;

use gate_trust::edit::{self, EditError};
use gate_trust::schema::SETTINGS_SCHEMA;
use gate_trust::{ApprovalStore, ProjectFile, Severity};

use super::Failure;
use crate::setup::{Around, Setup, now};

/// Arguments of `rules`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Add an entry.
    Add(Entry),
    /// Remove an entry.
    Remove(Entry),
    /// Show what is wrong with the settings.
    Lint,
}

#[derive(Debug, clap::Args)]
struct Entry {
    /// allow, ask or deny.
    list: String,
    /// `tool` or `tool(pattern)`: "Bash(git push:*)".
    pattern: String,
    /// In your settings, for every project (the default).
    #[arg(long, conflicts_with = "project")]
    user: bool,
    /// In this project's .gate/gate.local.json, which is approved with it.
    #[arg(long)]
    project: bool,
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
        Some(Action::Add(e)) => change(&setup, e, true),
        Some(Action::Remove(e)) => change(&setup, e, false),
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
    print(&text)?;
    Ok(0)
}

fn lint(setup: &Setup) -> Result<u8, Failure> {
    let findings = &setup.loaded.snapshot.findings;
    print(&findings.iter().map(|f| format!("{f}\n")).collect::<String>())?;
    Ok(u8::from(findings.iter().any(|f| f.severity == Severity::Error)))
}

fn change(setup: &Setup, entry: &Entry, add: bool) -> Result<u8, Failure> {
    if !["allow", "ask", "deny"].contains(&entry.list.as_str()) {
        return Err(Failure::new(format!("there is no list {}", entry.list)).hint("one of: allow, ask, deny"));
    }
    let path = format!("permissions.{}", entry.list);
    let edit = |text: &str| if add { edit::add_entry(text, &path, &entry.pattern).map(Some) } else { edit::remove_entry(text, &path, &entry.pattern) };
    if entry.project {
        edit_local(setup, edit)?;
    } else {
        let file = setup.places.user_settings();
        let changed = edit::edit_file(&file, SETTINGS_SCHEMA, edit).map_err(|e| Failure::new("the settings were not changed").because(e))?;
        if !changed && !add {
            return Err(Failure::new(format!("{} has no such entry", file.display())).hint("gate rules"));
        }
    }
    Ok(0)
}

/// Changes the project-local settings. The person who runs this has said yes to the change, so an approved version
/// stays approved; a version that nobody approved does not become so by an edit.
///
/// # Errors
/// There is no project, the present version is not approved, or it cannot be written.
pub fn edit_local(setup: &Setup, change: impl FnOnce(&str) -> Result<Option<String>, EditError>) -> Result<(), Failure> {
    let places = &setup.places;
    let (Some(file), Some(root)) = (places.local_settings(), places.project_root.as_deref()) else {
        return Err(Failure::new("there is no project here"));
    };
    if setup.loaded.sources.local.is_some() && !setup.loaded.sources.local_approved {
        return Err(Failure::new(format!("{} is not approved", file.display())).hint("look at it first: gate trust"));
    }
    // The file stands on the mode of the user's settings: a new one says nothing of it.
    let start = |text: &str| if file.exists() { change(text) } else { change("{}") };
    let failed = |e: &dyn std::fmt::Display| Failure::new("the project-local settings were not changed").because(e);
    edit::edit_file(&file, SETTINGS_SCHEMA, start).map_err(|e| failed(&e))?;
    let bytes = std::fs::read(&file).map_err(|e| failed(&e))?;
    ApprovalStore::new(&places.state_dir).approve(root, ProjectFile::Local, &bytes, now()).map_err(|e| failed(&e))
}
