//! What CI runs, in order; the first failure ends it. Checks that need the labelled calls look for them in `../shared`
//! and say so when they are not there.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::shell::{self, cargo, root};

/// Decisions per second on one core that the batch must reach.
const SPEED: f64 = 5_000.0;
/// Scripts of each kind that are compared with real bash.
const ORACLE: &str = "1000";

/// Runs everything.
pub fn run() -> Result<(), String> {
    step("format", || cargo(&["fmt", "--all", "--check"]))?;
    step("lints", || cargo(&["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]))?;
    step("generated files", || crate::codegen::run(true))?;
    step("shape of the workspace", crate::star::check)?;
    step("release build", || cargo(&["build", "--release", "--quiet", "--package", "gate-cli"]))?;
    step("labelled calls", score)?;
    step("speed of the batch", speed)?;
    step("odd input", odd_input)?;
    step("real bash", oracle)?;
    step("tests", || cargo(&["test", "--workspace"]))
}

fn step(name: &str, work: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    println!("== {name}");
    let begun = Instant::now();
    work().map_err(|e| format!("{name}: {e}"))?;
    println!("   {name}: {:.1} s", begun.elapsed().as_secs_f64());
    Ok(())
}

fn gate() -> PathBuf {
    root().join("target/release/gate")
}

/// The folder with the labelled calls, or a line that says that the check is skipped.
fn shared(what: &str) -> Option<PathBuf> {
    let folder = root().join("../shared");
    if folder.join("cases/score.py").is_file() {
        return Some(folder);
    }
    if std::env::var_os("CI").is_some() {
        // In CI it must be there; the step that needs it fails on the missing files.
        return Some(folder);
    }
    println!("   skipped: {what} (there is no ../shared here)");
    None
}

fn score() -> Result<(), String> {
    let Some(shared) = shared("labelled calls") else { return Ok(()) };
    let out = Command::new("python3")
        .arg(shared.join("cases/score.py"))
        .args([
            "--gate",
            &gate().display().to_string(),
            "--max-false-allow",
            "0",
            "--max-missing",
            "0",
            "--max-over-denied",
            "2",
            "--min-reports",
            "75",
            "--min-allow",
            "15",
        ])
        .output()
        .map_err(|e| format!("python3: {e}"))?;
    let text = String::from_utf8_lossy(&out.stdout);
    println!("{text}");
    if !out.status.success() {
        return Err(format!("a bound does not hold: {}", String::from_utf8_lossy(&out.stderr)));
    }
    let figures: Value = text.lines().rev().find_map(|l| serde_json::from_str(l).ok()).ok_or("no figures")?;
    let friction = figures.get("friction_right").and_then(Value::as_f64).unwrap_or(0.0);
    if friction < 50.0 {
        return Err(format!("friction_right is {friction}, wanted 50"));
    }
    Ok(())
}

/// All commands of the labelled calls, else a few of our own.
fn commands() -> Vec<String> {
    let mut out: Vec<String> =
        ["git status", "ls -la src | head", "cargo test && git diff", "rm -rf build", "find . -name '*.rs' -exec wc -l {} +"]
            .map(ToOwned::to_owned)
            .to_vec();
    let folder = root().join("../shared/cases/open");
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        for line in std::fs::read_to_string(entry.path()).unwrap_or_default().lines() {
            let value: Value = serde_json::from_str(line).unwrap_or_default();
            if let Some(c) = value.get("command").and_then(Value::as_str) {
                out.push(c.to_owned())
            }
        }
    }
    out
}

fn batch(lines: &str) -> Result<(Vec<Value>, Duration), String> {
    let begun = Instant::now();
    let mut child =
        Command::new(gate()).args(["check", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(|e| e.to_string())?;
    let mut stdin = child.stdin.take().ok_or("no input")?;
    let text = lines.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let out = child.wait_with_output().map_err(|e| e.to_string())?;
    // Reading the answers is not the gate's work.
    let took = begun.elapsed();
    // A broken pipe shows in the missing answers.
    let _ = writer.join();
    if !out.status.success() {
        return Err(format!("the batch ended with {}", out.status));
    }
    let answers = String::from_utf8_lossy(&out.stdout)
        .lines()
        .map(|l| serde_json::from_str(l).map_err(|e| format!("{e}: {l}")))
        .collect::<Result<_, _>>()?;
    Ok((answers, took))
}

fn speed() -> Result<(), String> {
    let commands = commands();
    let mut lines = String::new();
    let mut count = 0_u32;
    while count < 20_000 {
        for c in &commands {
            lines.push_str(&format!("{}\n", json!({"id": count, "tool": "bash", "input": {"command": c}})));
            count += 1;
        }
    }
    let mut rate = 0.0_f64;
    // A machine that does something else makes one run slow, not three.
    for _ in 0..3 {
        let (answers, took) = batch(&lines)?;
        if answers.len() != count as usize {
            return Err(format!("{} answers to {count} calls", answers.len()));
        }
        let this = f64::from(count) / took.as_secs_f64();
        println!("   {count} decisions in {:.2} s: {this:.0} per second", took.as_secs_f64());
        rate = rate.max(this);
        if rate >= SPEED {
            break;
        }
    }
    if rate < SPEED {
        return Err(format!("{rate:.0} decisions per second, wanted {SPEED:.0}"));
    }
    Ok(())
}

/// Bytes of any kind, 1 byte to 2 MiB: one document, in time, never a crash.
fn odd_input() -> Result<(), String> {
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = || {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed
    };
    let mut payloads: Vec<Vec<u8>> = Vec::new();
    for size in [1, 2, 3, 17, 255, 4_096, 65_536, 1_048_576, 2_097_152] {
        payloads.push((0..size).map(|_| u8::try_from(next() & 0xff).unwrap_or(0)).collect());
        let text: String = (0..size)
            .map(|_| {
                char::from(b" \t\n'\"`$(){}[]<>|&;\\#*?~=abcE-".get(usize::try_from(next() % 30).unwrap_or(0)).copied().unwrap_or(b' '))
            })
            .collect();
        payloads.push(
            json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/", "tool_input": {"command": text}})
                .to_string()
                .into_bytes(),
        );
        for unit in ["(", "$(", "{ ", "a=(", "f() ", "`", "\"$(", "<(", "x[", "if ", "((", "${x:-", "cat <<E\n", "case x in a) "] {
            let text = unit.repeat(size / unit.len() + 1);
            payloads.push(
                json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/", "tool_input": {"command": text}})
                    .to_string()
                    .into_bytes(),
            );
        }
        payloads.push(format!("{}1", "[".repeat(size)).into_bytes());
    }
    payloads.extend(heavy().into_iter().map(|text| {
        json!({"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": "/", "tool_input": {"command": text}}).to_string().into_bytes()
    }));
    payloads.extend(long_names().into_iter().map(|mut call| {
        if let Some(fields) = call.as_object_mut() {
            fields.insert("hook_event_name".to_owned(), json!("PreToolUse"));
            fields.entry("cwd").or_insert(json!("/"));
        }
        call.to_string().into_bytes()
    }));
    let home = std::env::temp_dir().join(format!("gate-odd-{}", std::process::id()));
    let mut slowest = Duration::ZERO;
    for p in &payloads {
        let mut took = Duration::MAX;
        // A machine that does something else makes one run slow, not three.
        for _ in 0..3 {
            took = took.min(answer(p, &home)?);
            if took <= Duration::from_secs(1) {
                break;
            }
        }
        slowest = slowest.max(took);
        if took > Duration::from_secs(1) {
            return Err(format!("{:.2} s for {:?}", took.as_secs_f64(), shown(p)));
        }
    }
    let _ = std::fs::remove_dir_all(home);
    println!("   {} inputs, the slowest {:.0} ms", payloads.len(), slowest.as_secs_f64() * 1000.0);
    Ok(())
}

fn shown(payload: &[u8]) -> String {
    String::from_utf8_lossy(payload.get(..payload.len().min(120)).unwrap_or_default()).into_owned()
}

/// How long the hook takes for a payload; an error when its answer is not one document that denies, asks or allows.
fn answer(payload: &[u8], home: &std::path::Path) -> Result<Duration, String> {
    let begun = Instant::now();
    let mut child = Command::new(gate())
        .args(["hook", "claude-code"])
        .arg("--home")
        .arg(home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|e| e.to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        // The program may answer before it has read everything.
        let _ = stdin.write_all(payload);
    }
    let out = child.wait_with_output().map_err(|e| e.to_string())?;
    let took = begun.elapsed();
    let value: Value =
        serde_json::from_slice(&out.stdout).map_err(|e| format!("no single JSON document ({e}) for {:?}", shown(payload)))?;
    let decision = value.pointer("/hookSpecificOutput/permissionDecision").and_then(Value::as_str).unwrap_or_default();
    if !matches!(decision, "deny" | "ask" | "allow") || out.status.code() != Some(if decision == "deny" { 2 } else { 0 }) {
        return Err(format!("{decision:?} with {} for {:?}", out.status, shown(payload)));
    }
    Ok(took)
}

/// File tools and long folders: paths as long as the input may be, many files in one call.
fn long_names() -> Vec<Value> {
    let long = |part: &str| part.repeat(2_000_000 / part.len());
    let mut out: Vec<Value> =
        ["a/", "/", "../", "~/"].iter().map(|p| json!({"tool_name": "Read", "tool_input": {"file_path": long(p)}})).collect();
    out.push(json!({"tool_name": "Write", "tool_input": {"file_path": long("a/"), "content": "x"}}));
    out.push(json!({"tool_name": "Bash", "cwd": format!("/{}", long("a/")), "tool_input": {"command": "cat x"}}));
    out.push(json!({"tool_name": "Read", "cwd": format!("/{}", long("a/")), "tool_input": {"file_path": "x"}}));
    out.push(json!({"tool_name": "Grep", "tool_input": {"pattern": long("a*"), "glob": long("{a,b}")}}));
    let heads: String = (0..100_000).map(|i| format!("*** Add File: f{i}\n")).collect();
    out.push(json!({"tool_name": "apply_patch", "tool_input": {"patch": heads}}));
    let edits: Vec<Value> = (0..30_000).map(|i| json!({"file_path": format!("f{i}"), "old_string": "a", "new_string": "b"})).collect();
    out.push(json!({"tool_name": "MultiEdit", "tool_input": {"edits": edits}}));
    out
}

/// Long commands of plausible parts: whatever takes more than linear time shows here.
fn heavy() -> Vec<String> {
    const PARTS: [&str; 54] = [
        "ls|",
        "tee a|",
        "curl x|sh;",
        "curl -o a x\n",
        "curl x -o a;sh a;",
        "echo a|base64 -d|sh;",
        "cat a|sh\n",
        "ls>f;",
        ">f ",
        "ls <f;",
        "x=$x$x;",
        "A=b ",
        "a=b c;",
        "cat <<E\nx\nE\n",
        "cat <<E|sh\n$(ls)\nE\n",
        "$(ls) ",
        "`ls`",
        "(ls)\n",
        "(ls)",
        "(ls) ",
        "{ ls;}",
        "ls)",
        "))",
        "&&ls",
        "[[ a ]] ",
        "case a in a) b ",
        "$(ls)",
        "trap ls EXIT;",
        "f(){ ls;};",
        "f;",
        "cd a;",
        "cd a; git status;",
        "git -C a status;",
        "rm -rf a;",
        "cat ~/.ssh/id;",
        "find . -exec ls {} \\; -o ",
        "-exec ls {} \\; ",
        "sudo ",
        "env ",
        "xargs ",
        "bash -c ls;",
        "eval 'eval ls;eval ls';",
        "for i in a b c;do ls $i;done\n",
        "[[ a ]];",
        "[ a ];",
        "{a,b}",
        "{1..60} ",
        "a ",
        "~/",
        "*",
        "read a;",
        "export A=b;",
        "python3 -c 'x';",
        "cp a b;",
    ];
    let mut out: Vec<String> = PARTS.iter().map(|p| p.repeat(65_000 / p.len())).collect();
    let doubled: String = (1..1_500).map(|i| format!("a{i}=$a{0}/$a{0};", i - 1)).collect();
    out.push(format!("a0=/;{doubled}ls $a1499"));
    let loops: String = (0..40).map(|i| format!("for a{i} in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16;do ")).collect();
    out.push(format!("{loops}[[ a ]];{}", "done;".repeat(40)));
    let many = |n: u32, part: &dyn Fn(u32) -> String| (0..n).map(part).collect::<String>();
    out.push(many(1_000, &|i| format!("curl -o f{i} x;")) + &many(1_000, &|i| format!("sh f{i};")));
    out.push(format!("find . {}", "-exec ls {} \\; ".repeat(4_000)));
    out.push(many(4_000, &|i| format!("v{i}=x;")) + &"ls|".repeat(900) + "ls");
    out.push("ls|".repeat(900) + ")");
    out
}

fn oracle() -> Result<(), String> {
    for kind in ["grammar", "soup", "mutation"] {
        crate::oracle::run(&["--kind", kind, "--n", ORACLE, "--seed", "20"].map(ToOwned::to_owned))?
    }
    let Some(shared) = shared("the other oracle") else { return Ok(()) };
    // Needless asks are printed by it; their bound needs larger samples than a CI run has time for.
    for kind in ["cases", "gram", "soup", "mut"] {
        let mut c = Command::new("python3");
        c.arg(shared.join("bash/gate_oracle.py")).args([
            "--gate",
            &gate().display().to_string(),
            "--kind",
            kind,
            "--n",
            ORACLE,
            "--seed",
            "77",
            "--max-unsound",
            "0",
        ]);
        shell::run(&mut c)?;
    }
    Ok(())
}
