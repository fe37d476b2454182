//! `cargo xtask`: tests, generated files, the oracle, and what CI runs.

mod ci;
mod codegen;
mod oracle;
mod shell;
mod star;

use std::process::ExitCode;

const HELP: &str = "usage: cargo xtask COMMAND

  test [LAYER]        run every test, or those of one crate (core, ast, rules, trust, yolo, classifier, agentstate, cli)
  codegen [--check]   write the generated files (schemas/, docs/reference/), or fail when they are out of step
  oracle [--kind grammar|soup|mutation] [--n N] [--seed S]
                      compare the gate with real bash in a sealed jail
  ci                  everything that must hold before a change lands";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let rest = args.get(1..).unwrap_or_default();
    let done = match args.first().map(String::as_str) {
        Some("test") => test(rest),
        Some("codegen") => codegen::run(rest.iter().any(|a| a == "--check")),
        Some("oracle") => oracle::run(rest),
        Some("ci") => ci::run(),
        Some("--help" | "-h" | "help") | None => {
            println!("{HELP}");
            Ok(())
        }
        Some(other) => Err(format!("no such command: {other}\n{HELP}")),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}

const LAYERS: &[&str] = &["core", "ast", "rules", "trust", "yolo", "classifier", "agentstate", "cli"];

fn test(args: &[String]) -> Result<(), String> {
    match args.first() {
        None => shell::cargo(&["test", "--workspace"]),
        Some(layer) => {
            let name = layer.strip_prefix("gate-").unwrap_or(layer);
            if !LAYERS.contains(&name) {
                return Err(format!("no such layer: {layer}; one of {}", LAYERS.join(", ")));
            }
            shell::cargo(&["test", "--package", &format!("gate-{name}")])
        }
    }
}
