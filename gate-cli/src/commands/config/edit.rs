//! `gate config edit`: the settings in the person's editor. What comes back is checked before it counts; a version with
//! mistakes is kept aside, so that no work is lost and nothing breaks.

use std::fs;
use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;

use gate_core::Source;
use gate_trust::schema::SETTINGS_SCHEMA;
use gate_trust::{Severity, SourceText, Sources, edit, snapshot};

use crate::commands::{Failure, rules};
use crate::setup::Setup;

/// Arguments of `config edit`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// This project's .gate/gate.local.json, which is approved with it, instead of your settings.
    #[arg(long)]
    project: bool,
}

pub(super) fn run(setup: &Setup, args: &Args) -> Result<String, Failure> {
    let user = setup.places.user_settings();
    let file = if args.project { setup.places.local_settings() } else { Some(user) };
    let file = file.ok_or_else(rules::no_project)?;
    let old = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => edit::new_settings(SETTINGS_SCHEMA),
        Err(e) => return Err(Failure::new(format!("cannot read {}", file.display())).because(e)),
    };
    // Beside the user's settings: a folder that agents cannot write to.
    let draft = setup.places.config_dir.join(if args.project { "gate.local.json.draft" } else { "gate.json.draft" });
    let failed = |e: &dyn std::fmt::Display| Failure::new("the settings were not changed").because(e);
    if !draft.exists() {
        let _lock = gate_trust::files::Lock::of(&setup.places.config_dir).map_err(|e| failed(&e))?;
        gate_trust::files::write_private(&draft, old.as_bytes()).map_err(|e| failed(&e))?;
    }
    open(&draft)?;
    let new = fs::read_to_string(&draft).map_err(|e| failed(&e))?;
    if new == old {
        let _ = fs::remove_file(&draft);
        return Ok("nothing was changed\n".to_owned());
    }
    check(&new, args.project, &file, &draft)?;
    let change = |text: &str| {
        // The file as it was when the editor opened; a missing one has the text of a new one.
        let same = text == old || args.project && !file.exists();
        if same { Ok(Some(new.clone())) } else { Err(edit::EditError::Void("it was changed by somebody else meanwhile".to_owned())) }
    };
    if args.project {
        rules::edit_local(setup, change)?;
    } else {
        edit::edit_file(&file, SETTINGS_SCHEMA, change).map_err(|e| failed(&e))?;
    }
    let _ = fs::remove_file(&draft);
    Ok(format!("{}\n", file.display()))
}

/// A version that would be rejected, or would lose an entry, does not count.
fn check(new: &str, project: bool, file: &Path, draft: &Path) -> Result<(), Failure> {
    let text = Some(SourceText::new(file.display().to_string(), new));
    let sources = if project {
        Sources { local: text, local_approved: true, ..Sources::default() }
    } else {
        Sources { user: text, ..Sources::default() }
    };
    let mistakes: Vec<String> = snapshot(&sources)
        .findings
        .iter()
        .filter(|f| f.severity == Severity::Error && matches!(f.source, Source::User | Source::ProjectLocal))
        .map(ToString::to_string)
        .collect();
    if mistakes.is_empty() {
        return Ok(());
    }
    Err(Failure::new("the new settings have mistakes, and the old ones stay in force")
        .because(mistakes.join("\n"))
        .hint(format!("your version is kept in {}; run gate config edit again to mend it", draft.display())))
}

fn open(draft: &Path) -> Result<(), Failure> {
    let named = ["VISUAL", "EDITOR"].iter().find_map(|n| std::env::var(n).ok().filter(|v| !v.trim().is_empty()));
    if named.is_none() && !std::io::stdin().is_terminal() {
        return Err(Failure::new("there is no editor and no terminal here").hint("set EDITOR, or run it in a terminal"));
    }
    let editor = named.unwrap_or_else(|| "vi".to_owned());
    // The variable may hold options, as everywhere.
    let status = Command::new("/bin/sh").arg("-c").arg(format!("{editor} \"$1\"")).arg("sh").arg(draft).status();
    let failed =
        || Failure::new(format!("the editor {editor} did not do its work")).hint("set EDITOR to one that works; nothing was changed");
    match status {
        Ok(s) if s.success() => Ok(()),
        Ok(s) => Err(failed().because(s)),
        Err(e) => Err(failed().because(e)),
    }
}
