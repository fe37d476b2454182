//! The `gate` program: looks at its first argument before anything else, because a hook must start fast.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<std::ffi::OsString> = std::env::args_os().collect();
    if args.get(1).is_some_and(|a| a == "hook") {
        return gate_cli::commands::hook::main(&args);
    }
    gate_cli::commands::main(&args)
}
