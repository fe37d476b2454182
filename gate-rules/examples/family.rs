//! The catalogue alone: `family FILE…` checks family files and runs their examples; `family --explain 'git log -p'`
//! shows what the shipped families say of a command line.
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use gate_rules::catalogue;

fn main() -> std::process::ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if let [flag, line] = args.as_slice()
        && flag == "--explain"
    {
        print!("{}", catalogue::explain(catalogue::builtin(), line));
        return std::process::ExitCode::SUCCESS;
    }
    let mut bad = 0;
    for file in &args {
        let text = match std::fs::read_to_string(file) {
            Ok(text) => text,
            Err(e) => {
                eprintln!("error: {file}: {e}");
                bad += 1;
                continue;
            }
        };
        match catalogue::check_family(file, &text) {
            Ok(failures) => {
                for f in &failures {
                    println!("{file}: {f}");
                }
                bad += failures.len();
            }
            Err(problems) => {
                for p in &problems {
                    println!("{p}");
                }
                bad += problems.len();
            }
        }
    }
    println!("{} files, {bad} failures", args.len());
    if bad == 0 { std::process::ExitCode::SUCCESS } else { std::process::ExitCode::FAILURE }
}
