//! The narrowest useful entry for what a person has just allowed. Wide ones are never offered for programs that run
//! what they are given, or lose what cannot be had back.

use gate_core::{Assessment, Call, Effect, Piece, ToolKind, Unit};
use serde::Serialize;

/// An entry that a person may save, shown and editable before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Suggestion {
    /// The entry for a permission list. `None`: no entry says just this; only the identical call can be approved.
    pub entry: Option<String>,
    /// The same for people: `git push *`.
    pub shown: String,
    /// It covers just what was asked.
    pub exact: bool,
}

/// Programs that run what they are given, gain rights, or send anywhere: no prefix of them is narrow.
const NEVER_WIDE: &[&str] = &[
    ".",
    "ash",
    "awk",
    "bash",
    "bun",
    "bunx",
    "busybox",
    "command",
    "csh",
    "curl",
    "dash",
    "dd",
    "deno",
    "doas",
    "env",
    "eval",
    "exec",
    "expect",
    "find",
    "fd",
    "fish",
    "flock",
    "gawk",
    "gdb",
    "ionice",
    "irb",
    "java",
    "julia",
    "kill",
    "killall",
    "ksh",
    "lua",
    "mawk",
    "mkfs",
    "mv",
    "nc",
    "ncat",
    "nice",
    "node",
    "nodejs",
    "nohup",
    "npx",
    "nsenter",
    "osascript",
    "parallel",
    "perl",
    "php",
    "pkexec",
    "pkill",
    "pnpx",
    "powershell",
    "pwsh",
    "python",
    "python2",
    "python3",
    "rm",
    "rmdir",
    "rscript",
    "rsync",
    "ruby",
    "scp",
    "script",
    "sed",
    "setsid",
    "sh",
    "shred",
    "socat",
    "source",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "tar",
    "taskset",
    "tclsh",
    "tee",
    "telnet",
    "time",
    "timeout",
    "truncate",
    "unshare",
    "uvx",
    "watch",
    "wget",
    "xargs",
    "zsh",
];

/// How many words name what is done, for programs with subcommands. The longest prefix counts.
const ARITY: &[(&str, usize)] = &[
    ("apt", 2),
    ("apt-get", 2),
    ("aws", 3),
    ("az", 3),
    ("bazel", 2),
    ("brew", 2),
    ("bundle", 2),
    ("bundle exec", 3),
    ("cargo", 2),
    ("dnf", 2),
    ("docker", 2),
    ("docker compose", 3),
    ("docker container", 3),
    ("docker image", 3),
    ("docker network", 3),
    ("docker volume", 3),
    ("fly", 2),
    ("gcloud", 3),
    ("gh", 2),
    ("gh issue", 3),
    ("gh pr", 3),
    ("gh repo", 3),
    ("git", 2),
    ("go", 2),
    ("go run", 3),
    ("helm", 2),
    ("hg", 2),
    ("jj", 2),
    ("kubectl", 2),
    ("npm", 2),
    ("npm exec", 3),
    ("npm run", 3),
    ("pip", 2),
    ("pip3", 2),
    ("pnpm", 2),
    ("pnpm dlx", 3),
    ("pnpm exec", 3),
    ("pnpm run", 3),
    ("podman", 2),
    ("podman compose", 3),
    ("pulumi", 2),
    ("service", 2),
    ("svn", 2),
    ("systemctl", 2),
    ("terraform", 2),
    ("tofu", 2),
    ("uv", 2),
    ("uv pip", 3),
    ("uv run", 3),
    ("vercel", 2),
    ("wrangler", 2),
    ("yarn", 2),
    ("yarn run", 3),
    ("yum", 2),
];

/// Programs without subcommands whose every use is alike.
const PLAIN: &[&str] = &[
    "ag", "cat", "df", "diff", "du", "echo", "grep", "head", "la", "less", "ll", "ls", "mkdir", "more", "printf", "rg", "tail", "touch",
    "uniq", "wc",
];

/// Subcommands that run what comes after them.
const RUNS_WORDS: &[&str] = &["dlx", "exec", "run", "x"];

/// `None`: nothing is known of the program.
fn arity(words: &[&str]) -> Option<usize> {
    let joined = |n: usize| words.get(..n).map(|w| w.join(" ").to_lowercase());
    let of = |n: usize| joined(n).and_then(|key| ARITY.iter().find(|(k, _)| *k == key).map(|(_, a)| *a));
    of(2).or_else(|| of(1)).or_else(|| words.first().filter(|w| PLAIN.contains(w)).map(|_| 1))
}

/// The entry for one unit of a script. `assessment`: what the catalogue says of it.
#[must_use]
pub fn suggest_unit(unit: &Unit, assessment: Option<&Assessment>) -> Suggestion {
    let literal: Vec<&str> = unit.words.iter().map_while(|w| w.literal()).collect();
    let exact = || exact(unit);
    let Some(program) = literal.first().copied() else { return exact() };
    let bare = program.rsplit('/').next().unwrap_or(program).to_lowercase();
    let stem = bare.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let never = |name: &str| NEVER_WIDE.contains(&name);
    let worst = |a: &Assessment| [Effect::Destroys, Effect::Escalates, Effect::Reveals].iter().any(|e| a.effects.has(*e));
    let odd = unit.words.len() < 2 || !unit.doubts.is_empty() || unit.calls_function || program.contains('/') || !unit.redirects.is_empty();
    if odd || never(&bare) || never(stem) || assessment.is_some_and(worst) || !unit.assignments.is_empty() {
        return exact();
    }
    let named = assessment.and_then(|a| a.subcommand.as_ref()).map(|s| s.split_whitespace().count() + 1);
    // Of a program that nobody knows, or that has no subcommands and runs or sends things, any arguments may mean anything.
    let Some(n) = arity(&literal).max(named) else { return exact() };
    let active = |a: &Assessment| a.effects.has(Effect::Runs) || a.effects.has(Effect::Sends);
    let Some(prefix) = literal.get(..n).filter(|_| n > 1 || !assessment.is_some_and(active)) else { return exact() };
    let runs = |w: &&str| RUNS_WORDS.contains(w);
    let plain = |w: &&str| w.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ':' | '@' | '+')) && !w.starts_with('-');
    // `docker run`, `kubectl exec`: the words after are a command of their own, and no prefix of it is narrow.
    let hands_over = prefix.last().is_some_and(runs) || (prefix.len() < unit.words.len() && bare == "kubectl" && prefix.iter().any(runs));
    if !prefix.iter().all(plain) || hands_over || prefix.iter().any(|w| never(w.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.')))
    {
        return exact();
    }
    let words = prefix.join(" ");
    Suggestion { entry: Some(format!("Bash({words}:*)")), shown: format!("{words} *"), exact: false }
}

fn exact(unit: &Unit) -> Suggestion {
    let shown = unit.shown();
    let known = unit.words.iter().flat_map(|w| &w.pieces).all(|p| matches!(p, Piece::Text(_)));
    // A star in an entry is a wildcard, so that no entry says just this command.
    let sayable = known && !unit.words.is_empty() && unit.redirects.is_empty() && unit.assignments.is_empty() && !shown.contains('*');
    let entry = format!("bash({shown})");
    let entry = (sayable && crate::notation::entry(&entry).is_ok()).then_some(entry);
    Suggestion { entry, shown: crate::json::shown_whole(&shown), exact: true }
}

/// The entry for a call without a script.
#[must_use]
pub fn suggest_call(call: &Call) -> Suggestion {
    let name = call.tool.name.as_str();
    let one = |entry: String, shown: String, exact: bool| {
        let entry = crate::notation::entry(&entry).is_ok().then_some(entry);
        Suggestion { entry, shown, exact }
    };
    let glob_free = |p: &&str| !p.contains(['*', '?', '[', '{', '\\', '(', ')']);
    match call.tool.kind {
        ToolKind::Read | ToolKind::Write | ToolKind::Edit => {
            let verb = if call.tool.kind == ToolKind::Read { "Read" } else { "Edit" };
            match call.path().filter(glob_free) {
                Some(path) => {
                    let absolute = gate_core::path::resolve(&call.cwd, path);
                    one(format!("{verb}(/{absolute})"), format!("{verb} {absolute}"), true)
                }
                None => Suggestion { entry: None, shown: name.to_owned(), exact: true },
            }
        }
        ToolKind::Fetch => match call.url().and_then(domain) {
            Some(domain) => one(format!("WebFetch(domain:{domain})"), format!("fetch from {domain}"), false),
            None => Suggestion { entry: None, shown: name.to_owned(), exact: true },
        },
        // One tool of a server, never the server.
        ToolKind::Mcp | ToolKind::WebSearch => one(name.to_owned(), format!("{} with any input", crate::json::shown_whole(name)), false),
        _ => Suggestion { entry: None, shown: crate::json::shown_whole(name), exact: true },
    }
}

fn domain(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"))?;
    let host = rest.split(['/', '?', '#', ':']).next()?;
    let plain = !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    plain.then_some(host)
}
