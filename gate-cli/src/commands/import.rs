//! `gate import`: the rules of another tool as settings of the gate, with what cannot be said and why.

use std::io::Write;
use std::path::PathBuf;

use gate_trust::edit;
use gate_trust::import::{Dialect, Imported, import};
use gate_trust::schema::SETTINGS_SCHEMA;

use super::{Failure, doctor};
use crate::setup::{Around, Setup};

/// Arguments of `import`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Whose rules: claude-code, codex, opencode, gemini, pi-automode, pi-permission, pi-permission-system,
    /// pi-permission-gate, dippy, cc-safety-net.
    #[arg(value_name = "TOOL")]
    from: String,
    /// Its file; without one, those in your home.
    file: Option<PathBuf>,
    /// Add them to your settings. What your settings say already stays.
    #[arg(long)]
    write: bool,
    /// Look into this home instead of the account's.
    #[arg(long, value_name = "DIR")]
    home: Option<String>,
}

/// Runs `import`. Status 0 also when something was left out: that is said on standard error.
///
/// # Errors
/// An unknown tool; no file, or one that is not in that tool's form; settings that cannot be written.
pub fn run(args: &Args) -> Result<u8, Failure> {
    let names: Vec<&str> = Dialect::ALL.iter().map(|(n, _)| *n).collect();
    let dialect = Dialect::ALL.iter().find(|(n, _)| *n == args.from).map(|(_, d)| *d).ok_or_else(|| {
        Failure::new(format!("there are no rules of {} to import", args.from)).hint(format!("one of: {}", names.join(", ")))
    })?;
    let setup = Setup::new(&Around { home: args.home.clone(), ..Around::default() });
    let files = match &args.file {
        Some(file) => vec![file.clone()],
        None => doctor::foreign_files(&setup, dialect).into_iter().filter(|f| !f.starts_with(&setup.project)).collect(),
    };
    if files.is_empty() {
        return Err(
            Failure::new(format!("no file of {} is in your home", args.from)).hint(format!("name it: gate import {} FILE", args.from))
        );
    }
    for file in files {
        let shown = file.display();
        let text = std::fs::read_to_string(&file).map_err(|e| Failure::new(format!("cannot read {shown}")).because(e))?;
        let imported = import(dialect, &text).map_err(|e| {
            Failure::new(format!("{shown} is no file of {}", args.from)).because(e).hint("name the right tool, or mend the file")
        })?;
        for left in &imported.left_out {
            eprintln!("left out: {}: {}", left.rule, left.why);
        }
        if args.write { write(&setup, &imported)? } else { print(&imported)? }
    }
    Ok(0)
}

fn print(imported: &Imported) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(&imported.settings).map_err(|e| Failure::new("the settings could not be shown").because(e))?;
    writeln!(std::io::stdout(), "{text}").map_err(|e| Failure::new("the settings could not be printed").because(e))
}

fn write(setup: &Setup, imported: &Imported) -> Result<(), Failure> {
    let file = setup.places.user_settings();
    let mut kept = Vec::new();
    edit::edit_file(&file, SETTINGS_SCHEMA, |text| {
        let (text, there) = edit::merge(text, &imported.settings)?;
        kept = there;
        Ok(Some(text))
    })
    .map_err(|e| Failure::new("the settings were not changed").because(e))?;
    for key in kept {
        eprintln!("kept: {key}: your settings say something else already");
    }
    writeln!(std::io::stdout(), "{}", file.display()).map_err(|e| Failure::new("the file's name could not be printed").because(e))
}
