//! `gate mode`: shows or switches who answers what is open. Never called by a hook; an agent that runs it is denied.

use std::io::Write;

use gate_core::Mode;
use gate_trust::schema::SETTINGS_SCHEMA;
use gate_trust::{Switch, SwitchStore, edit};

use super::Failure;
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
    /// For one session of one host: HOST:SESSION.
    #[arg(long, value_name = "HOST:SESSION")]
    session: Option<String>,
    /// For a while only: 30m, 2h, 1d.
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

fn seconds(text: &str) -> Option<u64> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let factor = match unit {
        "s" => 1,
        "m" => 60,
        "h" => 3_600,
        "d" => 86_400,
        _ => return None,
    };
    number.parse::<u64>().ok().filter(|n| *n > 0)?.checked_mul(factor)
}

/// Runs `mode`.
///
/// # Errors
/// An unknown mode or time; settings or state that cannot be written.
pub fn run(args: &Args) -> Result<u8, Failure> {
    let setup = Setup::new(&Around::default());
    if let Some(word) = &args.mode {
        switch(args, &setup, word)?;
    }
    let after = Setup::new(&Around::default());
    let settings = &after.loaded.snapshot.settings;
    let text = if settings.enabled { format!("{:?}", settings.mode).to_lowercase() } else { "off".to_owned() };
    writeln!(std::io::stdout(), "{text}").map_err(|e| Failure::new("the mode could not be printed").because(e))?;
    Ok(0)
}

fn switch(args: &Args, setup: &Setup, word: &str) -> Result<(), Failure> {
    let wish = wish(word)?;
    let at = now();
    let until = match &args.time {
        None => None,
        Some(text) => Some(at + seconds(text).ok_or_else(|| Failure::new(format!("{text} is no time")).hint("write 30m, 2h or 1d"))?),
    };
    let failed = |e: &dyn std::fmt::Display| Failure::new("the mode could not be switched").because(e);
    let state = &setup.places.state_dir;
    if let Some(session) = &args.session {
        let (host, session) = session.split_once(':').ok_or_else(|| Failure::new("no host in --session").hint("--session claude-code:ID"))?;
        return store(&SwitchStore::of_session(state, host, session), &wish, at, until).map_err(|e| failed(&e));
    }
    let user = SwitchStore::of_user(state);
    if until.is_some() {
        return store(&user, &wish, at, until).map_err(|e| failed(&e));
    }
    let (key, value) = match wish {
        Wish::Mode(_) => ("mode", serde_json::Value::from(word)),
        Wish::Enabled(on) => ("enabled", on.into()),
    };
    let change = |text: &str| edit::set_value(text, key, &value).map(Some);
    if args.project {
        return super::rules::edit_local(setup, change);
    }
    // What was switched for a while ends with a lasting choice.
    user.clear().map_err(|e| failed(&e))?;
    edit::edit_file(&setup.places.user_settings(), SETTINGS_SCHEMA, change).map_err(|e| failed(&e))?;
    Ok(())
}

fn store(store: &SwitchStore, wish: &Wish, at: u64, until: Option<u64>) -> Result<(), gate_trust::files::WriteError> {
    let before = store.get(at);
    let (mode, enabled) = match wish {
        Wish::Mode(m) => (Some(*m), before.and_then(|b| b.enabled)),
        Wish::Enabled(on) => (before.and_then(|b| b.mode), Some(*on)),
    };
    store.set(&Switch { mode, enabled, at, until })
}
