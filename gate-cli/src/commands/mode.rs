//! `gate mode`: shows or switches who answers what is open. Never called by a hook; an agent that runs it is denied.

use std::io::Write;
use std::path::Path;

use gate_core::Mode;
use gate_trust::schema::SETTINGS_SCHEMA;
use gate_trust::{Switch, SwitchStore, edit};

use super::{Failure, scope};
use crate::setup::{Around, Setup, now};

/// Arguments of `mode`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// yolo, auto, approve, strict, on or off; nothing: show it.
    mode: Option<String>,
    /// In your settings, for every project (the default).
    #[arg(long, conflicts_with_all = ["project", "session"])]
    user: bool,
    /// In this project's .gate/gate.local.json, which is approved with it.
    #[arg(long, conflicts_with = "session")]
    project: bool,
    /// For one session of one host; without a value the newest one of this project.
    #[arg(long, value_name = "HOST:SESSION", num_args = 0..=1, default_missing_value = "")]
    session: Option<String>,
    /// For a while only: 45s, 30m, 2h, 1d. What held before comes back by itself.
    #[arg(long = "for", value_name = "TIME", conflicts_with = "project")]
    time: Option<String>,
}

enum Wish {
    Mode(Mode),
    Enabled(bool),
}

fn wish(word: &str) -> Result<Wish, Failure> {
    Ok(match word {
        "yolo" => Wish::Mode(Mode::Yolo),
        "auto" => Wish::Mode(Mode::Auto),
        "approve" => Wish::Mode(Mode::Approve),
        "strict" => Wish::Mode(Mode::Strict),
        "on" => Wish::Enabled(true),
        "off" => Wish::Enabled(false),
        _ => return Err(Failure::new(format!("there is no mode {word}")).hint("one of: yolo, auto, approve, strict, on, off")),
    })
}

/// Runs `mode`.
///
/// # Errors
/// An unknown mode or time; settings or state that cannot be written.
pub fn run(args: &Args) -> Result<u8, Failure> {
    let mut around = Around::default();
    let mut setup = Setup::new(&around);
    if let Some(given) = &args.session {
        around.session = Some(scope::session(&setup, given)?);
        setup = Setup::new(&around);
    }
    if let Some(word) = &args.mode {
        let wish = wish(word)?;
        switch(args, &setup, word, &wish)?;
        setup = Setup::new(&around);
        wins(&setup, word, &wish);
    }
    writeln!(std::io::stdout(), "{}", in_words(&setup)).map_err(|e| Failure::new("the mode could not be printed").because(e))?;
    Ok(0)
}

/// The mode in force and its end.
#[must_use]
pub fn in_words(setup: &Setup) -> String {
    let snapshot = &setup.loaded.snapshot;
    if !snapshot.settings.enabled {
        return "off".to_owned();
    }
    let mode = format!("{:?}", snapshot.settings.mode).to_lowercase();
    match snapshot.mode_until {
        Some(until) => format!("{mode}, ends in {}", scope::duration(until.saturating_sub(now()))),
        None => mode,
    }
}

/// Says so when something else decides.
fn wins(setup: &Setup, word: &str, wish: &Wish) {
    let settings = &setup.loaded.snapshot.settings;
    let (key, done) = match wish {
        Wish::Mode(m) => ("mode", settings.mode == *m),
        Wish::Enabled(on) => ("enabled", settings.enabled == *on),
    };
    if !done {
        eprintln!("warning: {word} was written, but another source decides\nhint: gate config explain {key}");
    }
}

fn switch(args: &Args, setup: &Setup, word: &str, wish: &Wish) -> Result<(), Failure> {
    let at = now();
    let until = args.time.as_deref().map(scope::seconds).transpose()?.map(|s| at + s);
    let failed = |e: &dyn std::fmt::Display| Failure::new("the mode could not be switched").because(e);
    let state = &setup.places.state_dir;
    if let Some((host, session)) = &setup.session {
        return store(&SwitchStore::of_session(state, host, session), wish, at, until).map_err(|e| failed(&e));
    }
    let user = SwitchStore::of_user(state);
    if until.is_some() {
        return store(&user, wish, at, until).map_err(|e| failed(&e));
    }
    let (key, value) = match wish {
        Wish::Mode(_) => ("mode", serde_json::Value::from(word)),
        Wish::Enabled(on) => ("enabled", (*on).into()),
    };
    let change = |text: &str| edit::set_value(text, key, &value).map(Some);
    if args.project {
        super::rules::edit_local(setup, change)?;
        return setup.places.local_settings().map_or(Ok(()), |f| lend(&f).map_err(|e| failed(&e)));
    }
    // What was switched for a while ends with a lasting choice.
    user.clear().map_err(|e| failed(&e))?;
    let file = setup.places.user_settings();
    edit::edit_file(&file, SETTINGS_SCHEMA, change).map_err(|e| failed(&e))?;
    lend(&file).map_err(|e| failed(&e))
}

/// Yolo mode with `yolo.minutes` lasts from the file's last change; a file that said it already is changed now.
fn lend(file: &Path) -> std::io::Result<()> {
    std::fs::File::options().append(true).open(file)?.set_modified(std::time::SystemTime::now())
}

fn store(store: &SwitchStore, wish: &Wish, at: u64, until: Option<u64>) -> Result<(), gate_trust::files::WriteError> {
    let before = store.get(at);
    let (mode, enabled) = match wish {
        Wish::Mode(m) => (Some(*m), before.and_then(|b| b.enabled)),
        Wish::Enabled(on) => (before.and_then(|b| b.mode), Some(*on)),
    };
    store.set(&Switch { mode, enabled, at, until })
}
