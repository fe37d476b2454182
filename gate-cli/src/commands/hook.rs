//! `gate hook HOST`: one event in, one answer out, always. Fails closed: whatever goes wrong here ends in the host's own
//! form of a deny, before the host's patience ends.

use std::ffi::OsString;
use std::io::{Read, Write};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use gate_core::{Outcome, limits};

use crate::aftermath::{self, Aftermath};
use crate::deadline;
use crate::hosts::{self, Event, Host, Reply, Request};
use crate::log::DecisionLog;
use crate::setup::{Around, Setup};

/// Answers the event on standard input.
#[must_use]
pub fn main(args: &[OsString]) -> ExitCode {
    let word = |n: usize| args.get(n).and_then(|a| a.to_str()).unwrap_or_default().to_owned();
    let name = word(2);
    if matches!(name.as_str(), "--help" | "-h" | "") {
        let help = "usage: gate hook claude-code [--home DIR] < EVENT\n\nAnswers one hook event of an agent on standard input with one JSON document on standard output.\nPreToolUse and PreSkillShellCommand: allow, ask, or deny (exit status 2, reason on standard error).\nPermissionRequest: allow or deny; nothing while the person is asked. Every other event: no output.\nWhatever cannot be read or decided is denied. --home: this home instead of the account's.\n Each decision is a line in ~/.local/state/gate/log/decisions.jsonl.";
        if name.is_empty() {
            eprintln!("{help}");
            return ExitCode::from(super::DENY);
        }
        println!("{help}");
        return ExitCode::SUCCESS;
    }
    let Some(host) = hosts::find(&name) else {
        // A hook that is set up wrongly must block: this is the form that most hosts read as a deny.
        let refused = hosts::claude_code::ClaudeCode.refuse(None, &format!("`gate hook {name}`: no such host; known: claude-code"));
        return send(&refused, None);
    };
    // Arguments are written by whoever set the hook up; variables may come from a project.
    let home = match (word(3).as_str(), word(4)) {
        ("", _) => None,
        ("--home", dir) if dir.starts_with('/') && args.len() == 5 => Some(dir),
        _ => return send(&host.refuse(None, "`gate hook` takes the host and --home with an absolute folder, nothing else"), None),
    };
    // Panics are answered, not printed.
    std::panic::set_hook(Box::new(|_| {}));
    // The event's name is kept here, so that a late answer has its form too.
    let event = Arc::new(Mutex::new(None));
    let seen = Arc::clone(&event);
    let (reply, after) = deadline::within(limits::DECISION_MS, move || answer(host, home, &seen)).unwrap_or_else(|| {
        let name = event.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (host.refuse(name.as_deref(), "the gate did not answer in time, or broke"), None)
    });
    send(&reply, after)
}

fn send(reply: &Reply, after: Option<Aftermath>) -> ExitCode {
    let written = std::io::stdout().write_all(reply.stdout.as_bytes()).and_then(|()| std::io::stdout().flush());
    // Standard error is for people; the document and the exit code decide.
    let _ = std::io::stderr().write_all(reply.stderr.as_bytes());
    let code = if written.is_err() { super::DENY } else { reply.code };
    if let Some(after) = after {
        after.keep()
    }
    // The deciding thread may still spin; leaving now ends it.
    std::process::exit(i32::from(code))
}

/// The event's name in a text that is not read as a whole: what stands behind the first such key.
fn event_of(bytes: &[u8]) -> Option<String> {
    let key = b"\"hook_event_name\"";
    let at = bytes.windows(key.len()).position(|w| w == key)?;
    let rest = bytes.get(at + key.len()..)?.get(..128)?;
    let mut parts = rest.split(|b| *b == b'"');
    parts.next().filter(|p| p.iter().all(|b| b.is_ascii_whitespace() || *b == b':'))?;
    String::from_utf8(parts.next()?.to_vec()).ok()
}

fn answer(host: &'static dyn Host, home: Option<String>, seen: &Mutex<Option<String>>) -> (Reply, Option<Aftermath>) {
    match read(host) {
        Event::Quiet => (Reply::default(), None),
        Event::Ended(session) => {
            aftermath::ended(host.name(), &session, home);
            (Reply::default(), None)
        }
        Event::Refuse { event, why } => (host.refuse(event.as_deref(), &why), None),
        Event::Call(request) => {
            *seen.lock().unwrap_or_else(PoisonError::into_inner) = Some(request.event.clone());
            decide(host, home, request)
        }
    }
}

fn read(host: &'static dyn Host) -> Event {
    let refuse = |event, why: String| Event::Refuse { event, why };
    let mut bytes = Vec::new();
    let most = u64::try_from(limits::CALL_BYTES).unwrap_or(u64::MAX);
    if let Err(e) = std::io::stdin().lock().take(most + 1).read_to_end(&mut bytes) {
        return refuse(None, format!("the hook's input could not be read: {e}"));
    }
    if bytes.len() > limits::CALL_BYTES {
        return refuse(event_of(&bytes), "the call is larger than the gate looks at (4 MiB)".to_owned());
    }
    let Ok(text) = String::from_utf8(bytes) else { return refuse(None, "the hook's input is not UTF-8".to_owned()) };
    host.read(&text)
}

fn decide(host: &dyn Host, home: Option<String>, request: Request) -> (Reply, Option<Aftermath>) {
    // Fixed when the session started: where the agent is by now does not move it.
    let project = std::env::var("CLAUDE_PROJECT_DIR").ok().filter(|p| p.starts_with('/'));
    let session = request.session.clone().map(|s| (host.name().to_owned(), s));
    let around = Around { cwd: request.cwd.clone(), home, project, hook: true, session, ..Around::default() };
    let setup = Setup::new(&around);
    let wanted = setup.loaded.snapshot.tuning.log.decisions;
    let log = wanted.then(|| Box::new(DecisionLog::new(&setup.places.state_dir)) as Box<dyn gate_core::Log>);
    let engine = match setup.engine(log) {
        Ok(engine) => engine,
        Err(e) => return (host.refuse(Some(&request.event), &e.to_string()), None),
    };
    let mut tool = request.tool;
    if engine.settings().shell_tools.iter().any(|s| s.tool == tool.name) {
        tool.kind = gate_core::ToolKind::Shell(gate_core::ShellKind::Bash)
    }
    let mut call = setup.call(tool, request.input);
    call.id = request.id;
    call.host = host.name().to_owned();
    call.session = request.session;
    call.headless = request.headless;
    call.subagent = request.subagent;
    let notice = aftermath::notice(&setup);
    let (mut reply, decision) = engine.decide(&call, &setup.machine, |_, decision| {
        let reason = decision.reason();
        let mut text = format!("{} [{}]", reason.text, reason.code);
        if decision.outcome() != Outcome::Allow
            && let Some(instead) = &reason.instead
        {
            text.push_str(&format!(" Instead: {instead}"))
        }
        (host.reply(&request.event, decision.outcome(), &text), decision.clone())
    });
    if let Some(notice) = &notice {
        reply = host.notify(reply, &notice.text)
    }
    // The host asks again about a call that was decided before: it is counted once.
    let again = request.event == "PermissionRequest";
    (reply, (!again).then(|| Aftermath::of(setup, &call, &decision, notice)))
}
