//! `gate config`: where the settings are, what is in force, and why.

mod edit;

use std::io::Write;

use gate_trust::keys::KEYS;
use gate_trust::schema::describe;
use gate_trust::{State, keys};

use super::Failure;
use crate::setup::{Around, Setup};

/// Arguments of `config`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Print where the files are.
    Path,
    /// Print a key's value, who sets it, and why others lost.
    Explain {
        /// The key: `mode`, `classifier.timeoutMs`, …
        key: String,
    },
    /// Print every key with its default and what it is for.
    Defaults,
    /// Open the settings in $VISUAL or $EDITOR; they are checked before they count.
    Edit(edit::Args),
}

/// Runs `config`.
///
/// # Errors
/// An unknown key; output that breaks.
pub fn run(args: &Args) -> Result<u8, Failure> {
    let setup = Setup::new(&Around::default());
    let text = match &args.action {
        None => in_force(&setup),
        Some(Action::Path) => paths(&setup),
        Some(Action::Explain { key }) => explain(&setup, key)?,
        Some(Action::Edit(args)) => edit::run(&setup, args)?,
        Some(Action::Defaults) => {
            KEYS.iter().map(|k| format!("{} = {}\n    {}\n", k.path, k.default, describe(k.path).unwrap_or_default())).collect()
        }
    };
    write!(std::io::stdout(), "{text}").map_err(|e| Failure::new("the settings could not be printed").because(e))?;
    Ok(0)
}

fn in_force(setup: &Setup) -> String {
    let snapshot = &setup.loaded.snapshot;
    let values = KEYS
        .iter()
        .filter_map(|k| snapshot.explain(k.path))
        .map(|e| format!("{} = {}{}\n", e.key, e.values.join(" + "), if e.default { " (default)" } else { "" }));
    let findings = snapshot.findings.iter().map(|f| format!("{f}\n"));
    values.chain(findings).collect()
}

fn paths(setup: &Setup) -> String {
    let p = &setup.places;
    let files = [Some(p.managed.clone()), Some(p.user_settings()), p.shared_settings(), p.local_settings(), p.permissions()];
    let line = |path: std::path::PathBuf| format!("{}{}\n", path.display(), if path.exists() { "" } else { " (not there)" });
    files.into_iter().flatten().map(line).collect()
}

fn explain(setup: &Setup, key: &str) -> Result<String, Failure> {
    let e = setup.loaded.snapshot.explain(key).ok_or_else(|| {
        let near = keys::nearest(key).map_or_else(|| "gate config defaults lists every key".to_owned(), |k| format!("did you mean {k}?"));
        Failure::new(format!("there is no setting {key}")).hint(near)
    })?;
    let mut text = format!("{} = {}\n", e.key, e.values.join(" + "));
    if let Some(about) = describe(key) {
        text.push_str(&format!("    {about}\n"))
    }
    text.push_str(&format!("    may be set by: {}\n", e.who));
    if e.default {
        text.push_str("    nobody sets it: this is the default\n")
    }
    for s in &e.setters {
        let what = match &s.state {
            State::InForce => "in force".to_owned(),
            State::Adds => "part of it".to_owned(),
            State::Lost(why) => format!("no effect: {why}"),
        };
        text.push_str(&format!("    {}:{} ({:?}): {}: {what}\n", s.file, s.line, s.source, s.value));
    }
    Ok(text)
}
