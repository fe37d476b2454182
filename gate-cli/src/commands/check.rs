//! `gate check`: the whole pipeline for one call, or for many lines.

use std::io::{IsTerminal, Write};

use gate_trust::{Severity, SourceText};
use serde_json::{Value, json};

use super::{Failure, status};
use crate::setup::{Around, Setup};
use crate::{batch, render, tools};

/// Arguments shared by `check` and `explain`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct What {
    /// The shell command to decide.
    pub command: Option<String>,
    /// Decide a call of this tool instead of a shell command.
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// The tool's input as JSON.
    #[arg(long, value_name = "JSON", requires = "tool")]
    pub input: Option<String>,
    /// Decide as if called in this folder.
    #[arg(long, value_name = "DIR")]
    pub cwd: Option<String>,
    /// Decide as if this were the user's home.
    #[arg(long, value_name = "DIR")]
    pub home: Option<String>,
    /// Use this file in the place of the user's settings.
    #[arg(long, value_name = "FILE")]
    pub settings: Option<String>,
    /// Nobody can be asked, so the answer is final.
    #[arg(long)]
    pub headless: bool,
    /// Do not ask a model.
    #[arg(long)]
    pub offline: bool,
    /// Print the decision as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    what: What,
    /// Read calls as JSON lines from standard input and answer each with one.
    #[arg(long, conflicts_with_all = ["command", "tool", "cwd", "home", "settings", "headless", "json"])]
    batch: bool,
}

/// A call and everything around it.
pub struct Ready {
    /// This machine.
    pub setup: Setup,
    /// The call.
    pub call: gate_core::Call,
}

/// Builds the call that the arguments describe.
///
/// # Errors
/// An unreadable settings file, input that is no JSON, no call at all.
pub fn ready(what: &What) -> Result<Ready, Failure> {
    let settings = what
        .settings
        .as_ref()
        .map(|file| {
            std::fs::read_to_string(file).map(|t| SourceText::new(file, t)).map_err(|e| {
                Failure::new(format!("cannot read the settings file {file}"))
                    .because(e)
                    .hint("give --settings a file that exists and that you may read")
            })
        })
        .transpose()?;
    let around = Around { cwd: what.cwd.clone().unwrap_or_default(), home: what.home.clone(), settings, ..Around::default() };
    let setup = Setup::new(&around);
    report(&setup);
    let (name, input) = match (&what.tool, &what.command) {
        (Some(_), Some(_)) => return Err(Failure::new("a shell command and --tool were both given").hint("give one of them")),
        (Some(tool), None) => {
            let text = what.input.as_deref().unwrap_or("{}");
            let input: Value = serde_json::from_str(text).map_err(|e| {
                Failure::new("--input is no JSON").because(e).hint("example: --tool read --input '{\"path\": \"src/main.rs\"}'")
            })?;
            (tool.clone(), input)
        }
        (None, Some(command)) => ("bash".to_owned(), json!({"command": command})),
        (None, None) => return Err(Failure::new("nothing to decide").hint("gate check 'git status'")),
    };
    let mut call = setup.call(tools::tool(&name, &input, &setup.loaded.snapshot.settings), input);
    call.headless = what.headless;
    Ok(Ready { setup, call })
}

/// Says what is wrong with the settings.
fn report(setup: &Setup) {
    for f in setup.loaded.snapshot.findings.iter().filter(|f| f.severity >= Severity::Warning) {
        eprintln!("warning: {f}")
    }
}

/// Runs `check`.
///
/// # Errors
/// See [`ready`]; also input or output that breaks.
pub fn run(args: &Args) -> Result<u8, Failure> {
    if args.batch {
        let mut out = std::io::BufWriter::new(std::io::stdout().lock());
        batch::run(std::io::stdin().lock(), &mut out).map_err(|e| Failure::new("the batch broke off").because(e))?;
        return Ok(super::ALLOW);
    }
    let ready = ready(&args.what)?;
    let engine = ready.setup.engine(None).map_err(|e| Failure::new("the gate cannot be put together").because(e))?;
    let (text, code) = engine.decide(&ready.call, &ready.setup.machine, |case, decision| {
        let paint = render::Paint(std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none());
        let text =
            if args.what.json { render::ascii(&render::record(&Value::Null, case, decision)) } else { render::line(decision, paint) };
        (text, status(decision.outcome()))
    });
    writeln!(std::io::stdout(), "{text}").map_err(|e| Failure::new("the answer could not be printed").because(e))?;
    Ok(code)
}
