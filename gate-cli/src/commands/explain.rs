//! `gate explain`: the trail of a decision, part by part.

use std::io::{IsTerminal, Write};

use serde_json::{Value, json};

use super::Failure;
use super::check::{What, ready};
use crate::render;

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    what: What,
}

/// Runs `explain`. Its exit status says only whether it worked.
///
/// # Errors
/// See [`ready`]; also output that breaks.
pub fn run(args: &Args) -> Result<u8, Failure> {
    let ready = ready(&args.what)?;
    let engine = ready.setup.engine(None).map_err(|e| Failure::new("the gate cannot be put together").because(e))?;
    let text = engine.decide(&ready.call, &ready.setup.machine, |case, decision| {
        if args.what.json {
            let mut record = render::record(&Value::Null, case, decision);
            if let Some(map) = record.as_object_mut() {
                map.insert("trail".to_owned(), json!(decision.trail()));
                map.insert("script".to_owned(), json!(case.script));
                map.insert("analysis".to_owned(), json!(case.known_analysis()));
            }
            return render::ascii(&record);
        }
        let paint = render::Paint(std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none());
        render::explain(case, decision, paint).trim_end().to_owned()
    });
    writeln!(std::io::stdout(), "{text}").map_err(|e| Failure::new("the explanation could not be printed").because(e))?;
    Ok(0)
}
