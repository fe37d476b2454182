//! Whatever stands in a file, there are settings.

use gate_trust::{Sources, snapshot};

use crate::{sources, text};

/// A small generator with a fixed seed: the same inputs on every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(n).unwrap()).unwrap()
    }
}

#[test]
fn any_mutation_of_a_file_gives_settings() {
    let seed = r#"{"mode": "strict", /* c */ "enabled": true, "permissions": {"deny": ["bash(rm *)", "Read(//etc/**)"], "ask": ["mcp__x"]},
        "rules": [{"id": "a", "tool": "bash", "pattern": "git *", "action": "deny"}], "commands": {"git": ["log"], "jj": true},
        "deniedPaths": ["~/.ssh/*"], "policy": {"sends": {"project": "deny"}}, "shellTools": {"run": {"commandArgument": "c"}},
        "classifier": {"timeoutMs": 2000, "hardDeny": ["$defaults"]}, "yolo": {"keepAsks": ["x"], "minutes": 5}}"#;
    let pieces = [
        "{", "}", "[", "]", "\"", ",", ":", "null", "true", "-1", "1e999", "\\u0000", "\\ud800", "//", "/*", "*/", "mode", "é", "\u{202e}",
        "\n",
    ];
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    for _ in 0..4_000 {
        let mut chars: Vec<char> = seed.chars().collect();
        for _ in 0..=dice.roll(6) {
            if chars.is_empty() {
                chars.push('x');
            }
            let at = dice.roll(chars.len());
            match dice.roll(4) {
                0 => drop(chars.remove(at)),
                1 => chars.truncate(at.max(1)),
                2 => {
                    let to = (at + dice.roll(40)).min(chars.len());
                    drop(chars.drain(at..to));
                }
                _ => {
                    let piece: Vec<char> = pieces[dice.roll(pieces.len())].chars().collect();
                    chars.splice(at..at, piece);
                }
            }
        }
        let body: String = chars.into_iter().collect();
        let s = Sources {
            user: text("u", &body),
            shared: text("s", &body),
            local: text("l", &body),
            permissions: text("p", &body),
            ..sources()
        };
        let snap = snapshot(&s);
        let lost = snap.settings.deny.is_empty() && snap.settings.denied_paths.is_empty();
        let silent = snap.settings.floors.is_empty() && snap.findings.is_empty();
        assert!(!lost || !silent || !body.contains("bash(rm"), "denies vanished without a word: {body}");
        let _ = snap.findings.iter().map(ToString::to_string).count();
    }
}

#[test]
fn large_and_odd_texts() {
    for body in [
        "\u{feff}",
        "\0",
        "\"",
        "{\"a\":",
        "//",
        "/*",
        "{\"\":\"\"}",
        "9".repeat(1_000_000).as_str(),
        "[".repeat(1_000_000).as_str(),
        " ".repeat(1_048_577).as_str(),
    ] {
        let snap = snapshot(&Sources { user: text("u", body), ..sources() });
        assert!(!snap.findings.is_empty(), "{:?}", body.get(..10));
    }
    let many = format!("{{\"permissions\": {{\"deny\": [{}\"x\"]}}}}", "\"bash(a)\",".repeat(50_000));
    assert_eq!(snapshot(&Sources { user: text("u", &many), ..sources() }).settings.deny.len(), 50_001);
}
