//! `gate status`: what holds here now, and what happened in the newest session.

use std::io::Write;

use gate_trust::doctor::counts;
use gate_trust::{CounterStore, Counters, Severity, sessions};
use serde_json::{Value, json};

use super::{Failure, mode, scope};
use crate::setup::{Around, Setup, now};

/// Arguments of `status`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Zero the counters of the session. What was switched or approved stays.
    #[arg(long)]
    reset: bool,
    /// The session; without a value the newest one of this project.
    #[arg(long, value_name = "HOST:SESSION", num_args = 0..=1, default_missing_value = "")]
    session: Option<String>,
    /// Print it as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs `status`.
///
/// # Errors
/// No session to reset; output that breaks.
pub fn run(args: &Args) -> Result<u8, Failure> {
    let mut around = Around::default();
    let mut setup = Setup::new(&around);
    let wanted = args.session.as_deref().or(args.reset.then_some(""));
    around.session = match wanted {
        Some(given) => Some(scope::session(&setup, given)?),
        None => scope::newest(&setup).map(|c| (c.host, c.session)),
    };
    setup = Setup::new(&around);
    let store = setup.session.as_ref().map(|(host, session)| CounterStore::of_session(&setup.places.state_dir, host, session));
    if let (true, Some(store)) = (args.reset, &store) {
        store.reset().map_err(|e| Failure::new("the counters could not be zeroed").because(e))?
    }
    let counters = store.map(|s| s.get());
    let text = if args.json {
        format!("{}\n", crate::render::ascii(&as_json(&setup, counters.as_ref())))
    } else {
        in_words(&setup, counters.as_ref())
    };
    write!(std::io::stdout(), "{text}").map_err(|e| Failure::new("the status could not be printed").because(e))?;
    Ok(0)
}

/// Files with the reason why they do not count.
fn ignored(setup: &Setup) -> Vec<(String, String)> {
    let codes = ["unapproved", "untrusted", "tracked", "unreadable"];
    let snapshot = &setup.loaded.snapshot;
    let whole = snapshot.findings.iter().filter(|f| codes.contains(&f.code));
    let mut out: Vec<(String, String)> = whole.map(|f| (f.file.clone(), f.message.clone())).collect();
    let rejected = snapshot.findings.iter().filter(|f| snapshot.rejected.contains(&f.source) && f.severity == Severity::Error);
    for f in rejected {
        if !out.iter().any(|(file, _)| *file == f.file) {
            out.push((f.file.clone(), format!("rejected, only what denies counts: {}", f.message)));
        }
    }
    out
}

fn read_files(setup: &Setup) -> Vec<String> {
    let s = &setup.loaded.sources;
    let all = [&s.user, &s.shared, &s.local, &s.permissions, &s.inline, &s.managed];
    let not = ignored(setup);
    all.into_iter().flatten().map(|t| t.name.clone()).filter(|n| !not.iter().any(|(file, _)| file == n)).collect()
}

fn as_json(setup: &Setup, counters: Option<&Counters>) -> Value {
    let snapshot = &setup.loaded.snapshot;
    json!({
        "mode": snapshot.settings.mode,
        "enabled": snapshot.settings.enabled,
        "modeUntil": snapshot.mode_until,
        "project": setup.project,
        "sources": read_files(setup),
        "ignored": ignored(setup).into_iter().map(|(file, why)| json!({"file": file, "why": why})).collect::<Vec<_>>(),
        "rules": counts(&setup.loaded),
        "model": snapshot.tuning.classifier.enabled.then(|| snapshot.tuning.classifier.model.clone()),
        "log": log(setup),
        "counters": counters,
    })
}

fn log(setup: &Setup) -> Option<String> {
    let wanted = setup.loaded.snapshot.tuning.log.decisions;
    wanted.then(|| setup.places.state_dir.join("log/decisions.jsonl").display().to_string())
}

fn in_words(setup: &Setup, counters: Option<&Counters>) -> String {
    let snapshot = &setup.loaded.snapshot;
    let n = counts(&setup.loaded);
    let files = read_files(setup);
    let files = if files.is_empty() { "none; the defaults are in force".to_owned() } else { files.join("\n          ") };
    let classifier = &snapshot.tuning.classifier;
    let model = if classifier.enabled { classifier.model.as_str() } else { "not asked" };
    let mut text = format!(
        "mode:     {}\nproject:  {}\nsettings: {files}\nrules:    {} deny, {} ask, {} allow, {} ordered, {} denied paths\nmodel:    {model}\nlog:      {}\n",
        mode::in_words(setup),
        setup
            .places
            .project_root
            .as_ref()
            .map_or_else(|| "none (home, temp and / are no projects)".to_owned(), |p| p.display().to_string()),
        n.deny,
        n.ask,
        n.allow,
        n.rules,
        n.denied_paths,
        log(setup).unwrap_or_else(|| "not written (log.decisions is false)".to_owned()),
    );
    for (file, why) in ignored(setup) {
        text.push_str(&format!("ignored:  {file}: {why}\n"));
    }
    match counters {
        Some(c) => text.push_str(&of_session(c)),
        None => text.push_str("session:  no agent has asked here yet\n"),
    }
    let others = sessions(&setup.places.state_dir).len().saturating_sub(usize::from(counters.is_some()));
    if others > 0 {
        text.push_str(&format!("          {others} other sessions are known\n"));
    }
    text
}

fn of_session(c: &Counters) -> String {
    let ago = scope::duration(now().saturating_sub(c.at));
    let mut text = format!(
        "session:  {}:{}\n          {} calls, {} denied, {} asked, {} granted by yolo, {} allowed and {} denied by the model; newest {ago} ago\n",
        c.host, c.session, c.checked, c.blocked, c.asked, c.granted, c.classifier_allowed, c.classifier_denied,
    );
    for d in c.recent_denials.iter().rev() {
        text.push_str(&format!("denied:   {} {} [{}]\n", d.tool, d.action, d.code));
    }
    text
}
