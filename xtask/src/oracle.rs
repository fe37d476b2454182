//! `cargo xtask oracle`: if the gate allows a script, everything that real bash runs of it must be something that the
//! gate allows alone, and bash must create no file.

mod generate;
mod jail;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use generate::{Dice, Kind};
use jail::{Jail, Truth};

/// Scripts in one jail.
const PART: usize = 150;
/// Longest script in characters.
const LONGEST: usize = 400;

struct Options {
    kind: Kind,
    n: usize,
    seed: u64,
}

fn options(args: &[String]) -> Result<Options, String> {
    let mut out = Options { kind: Kind::Grammar, n: 1_000, seed: 1 };
    let mut it = args.iter();
    while let Some(flag) = it.next() {
        let value = it.next().ok_or_else(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--kind" => {
                out.kind = Kind::from_name(value).ok_or_else(|| format!("no such kind: {value}; one of grammar, soup, mutation"))?
            }
            "--n" => out.n = value.parse().map_err(|e| format!("--n {value}: {e}"))?,
            "--seed" => out.seed = value.parse().map_err(|e| format!("--seed {value}: {e}"))?,
            _ => return Err(format!("no such option: {flag}")),
        }
    }
    Ok(out)
}

/// Runs the comparison with the release build.
pub fn run(args: &[String]) -> Result<(), String> {
    let o = options(args)?;
    let jail = match Jail::new() {
        Ok(jail) => jail,
        Err(e) if std::env::var_os("CI").is_none() => {
            println!("   skipped: real bash ({e})");
            return Ok(());
        }
        Err(e) => return Err(format!("the jail for real bash: {e}")),
    };
    let examples = examples();
    let mut dice = Dice::new(o.seed);
    let mut scripts: Vec<String> = Vec::with_capacity(o.n);
    while scripts.len() < o.n {
        let s = generate::script(o.kind, &mut dice, &examples);
        if !s.is_empty() && !s.contains('\0') && s.chars().count() <= LONGEST {
            scripts.push(s)
        }
    }
    let mut found = Vec::new();
    let (mut ran, mut harmless, mut asked) = (0_usize, 0_usize, 0_usize);
    for part in scripts.chunks(PART) {
        let truths = jail.run(part).map_err(|e| format!("the jail: {e}"))?;
        for (script, truth, verdict) in judge(part, &truths)? {
            match verdict {
                Verdict::Quiet => {}
                Verdict::Unsound(what) => {
                    ran += 1;
                    found.push((script, what))
                }
                Verdict::Fine { asks } => {
                    ran += 1;
                    harmless += 1;
                    asked += usize::from(asks)
                }
                Verdict::Right => ran += 1,
            }
            let _ = truth;
        }
    }
    println!(
        "   {:?} seed {}: {} scripts, {ran} ran, {} unsound, {harmless} harmless of which {asked} ask",
        o.kind,
        o.seed,
        scripts.len(),
        found.len()
    );
    for (script, what) in found.iter().take(10) {
        let small = minimise(&jail, script);
        println!("   UNSOUND {script:?}\n     runs {what}\n     smallest {small:?}");
    }
    if found.is_empty() { Ok(()) } else { Err(format!("{} scripts are allowed that run something else", found.len())) }
}

enum Verdict {
    /// Bash ran nothing.
    Quiet,
    /// Allowed, though bash ran or wrote something that is not allowed alone.
    Unsound(String),
    /// Everything was harmless.
    Fine { asks: bool },
    /// Not allowed, and not harmless.
    Right,
}

fn judge(scripts: &[String], truths: &[Truth]) -> Result<Vec<(String, Truth, Verdict)>, String> {
    let said = gate(scripts)?;
    let alone: BTreeSet<&Vec<String>> = truths.iter().flat_map(|t| &t.argvs).collect();
    let quoted: Vec<String> = alone.iter().map(|w| w.iter().map(|x| quote(x)).collect::<Vec<_>>().join(" ")).collect();
    let verdicts: BTreeMap<&Vec<String>, String> = alone.iter().copied().zip(gate(&quoted)?).collect();
    let judged = scripts.iter().zip(truths).zip(said).map(|((s, t), d)| {
        let bad: Vec<&Vec<String>> = t.argvs.iter().filter(|w| verdicts.get(w).map(String::as_str) != Some("allow")).collect();
        let verdict = if !t.ran || (t.argvs.is_empty() && t.files.is_empty()) {
            Verdict::Quiet
        } else if d == "allow" && (!bad.is_empty() || !t.files.is_empty()) {
            Verdict::Unsound(format!("{bad:?} files {:?}", t.files))
        } else if bad.is_empty() && t.files.is_empty() && !t.syntax {
            Verdict::Fine { asks: d != "allow" }
        } else {
            Verdict::Right
        };
        (s.clone(), t.clone(), verdict)
    });
    Ok(judged.collect())
}

/// Makes an unsound script smaller as long as it stays unsound.
fn minimise(jail: &Jail, script: &str) -> String {
    let mut best = script.to_owned();
    for _ in 0..40 {
        let chars: Vec<char> = best.chars().collect();
        let mut smaller: Vec<String> = Vec::new();
        for cut in [16, 8, 4, 2, 1] {
            if cut >= chars.len() {
                continue;
            }
            for at in (0..=chars.len() - cut).step_by((cut / 2).max(1)) {
                smaller.push(chars.iter().take(at).chain(chars.iter().skip(at + cut)).collect());
            }
        }
        smaller.truncate(400);
        let Ok(truths) = jail.run(&smaller) else { break };
        let Ok(judged) = judge(&smaller, &truths) else { break };
        let Some((s, ..)) = judged.into_iter().filter(|(_, _, v)| matches!(v, Verdict::Unsound(_))).min_by_key(|(s, ..)| s.len()) else {
            break;
        };
        best = s;
    }
    best
}

fn quote(word: &str) -> String {
    let plain = !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphanumeric() || b"_@%+=:,./-".contains(&b));
    if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\"'\"'")) }
}

/// What the gate says to each script.
fn gate(scripts: &[String]) -> Result<Vec<String>, String> {
    let binary = crate::shell::root().join("target/release/gate");
    if !binary.is_file() {
        return Err("there is no release build; run `cargo build --release -p gate-cli`".to_owned());
    }
    let lines: String = scripts
        .iter()
        .enumerate()
        .map(|(i, s)| format!("{}\n", json!({"id": i, "tool": "bash", "input": {"command": s}, "cwd": "/w/0"})))
        .collect();
    let mut child =
        Command::new(binary).args(["check", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|e| e.to_string())?;
    let mut stdin = child.stdin.take().ok_or("no input")?;
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let out = child.wait_with_output().map_err(|e| e.to_string())?;
    // A broken pipe shows in the missing answers.
    let _ = writer.join();
    let answers: Vec<String> = String::from_utf8_lossy(&out.stdout)
        .lines()
        .filter_map(|l| serde_json::from_str::<Value>(l).ok()?.get("decision")?.as_str().map(ToOwned::to_owned))
        .collect();
    if answers.len() == scripts.len() { Ok(answers) } else { Err(format!("{} answers to {} scripts", answers.len(), scripts.len())) }
}

/// The example command lines of the catalogue.
fn examples() -> Vec<String> {
    let mut out = Vec::new();
    let mut files: Vec<_> =
        std::fs::read_dir(crate::shell::root().join("gate-rules/commands")).into_iter().flatten().flatten().map(|e| e.path()).collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        if let Ok(family) = gate_cli::family_examples(&file.display().to_string(), &text) {
            out.extend(family.into_iter().filter(|e| !e.contains("kill")))
        }
    }
    out
}
