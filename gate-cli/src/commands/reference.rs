//! The pages of `docs/reference/`, written from the help texts and the table of settings.

use clap::CommandFactory;
use gate_trust::keys::{KEYS, Tightening};
use gate_trust::schema::describe;

const MADE: &str = "<!-- Written by `cargo xtask codegen`; change the help texts instead. -->\n";

/// Every page: its name, and its text.
#[must_use]
pub fn pages() -> Vec<(&'static str, String)> {
    vec![("cli.md", commands()), ("settings.md", settings())]
}

/// Every subcommand with its help, in the order of the program's own help.
fn commands() -> String {
    let mut root = super::Cli::command().term_width(100);
    root.build();
    let mut out = format!("# Commands\n\n{MADE}");
    let mut open = vec![(root, String::new(), 1)];
    while let Some((mut command, above, depth)) = open.pop() {
        let name = format!("{above}{}", command.get_name());
        if !above.is_empty() {
            out.push_str(&format!("\n{} `{name}`\n", "#".repeat(depth)));
        }
        let help = command.render_long_help().to_string();
        let lines: Vec<&str> = help.trim().lines().map(str::trim_end).collect();
        out.push_str(&format!("\n```text\n{}\n```\n", lines.join("\n")));
        let inner: Vec<clap::Command> = command.get_subcommands().filter(|c| c.get_name() != "help" && !c.is_hide_set()).cloned().collect();
        open.extend(inner.into_iter().rev().map(|c| (c, format!("{name} "), depth + 1)));
    }
    out
}

/// Every key of a settings file.
fn settings() -> String {
    let mut out = format!(
        "# Settings\n\n{MADE}\nManaged, user, approved project-local and inline settings may set every key. What project-shared settings\n(`.gate/gate.json`), and inline settings inside a hook, may do stands with each.\n"
    );
    for key in KEYS {
        let shared = match key.tightening {
            Tightening::Adds => "adds to it",
            Tightening::Stricter => "only what is stricter",
            Tightening::DeniesOnly => "only what denies",
            Tightening::Nothing => "not at all",
        };
        let about = describe(key.path).unwrap_or_default();
        out.push_str(&format!("\n## `{}`\n\n{about}\n\nDefault: `{}`. Project-shared: {shared}.\n", key.path, key.default));
    }
    out
}
