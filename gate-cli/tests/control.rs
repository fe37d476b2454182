//! Self-protection: every control path times every write spelling, and every command that would switch the gate off or
//! answer for the person, in every mode. None is allowed.

use serde_json::{Value, json};

use crate::gate;

/// Files that decide what the gate does, or whether it is asked.
const FILES: &[&str] = &[
    "/home/u/.config/gate/gate.json",
    "/home/u/.local/state/gate/approvals.json",
    "/home/u/.local/state/gate/sessions/0.approvals.json",
    "/home/u/.local/state/gate/log/decisions.jsonl",
    "/etc/gate/gate.json",
    "/usr/local/bin/gate",
    "/home/u/.local/bin/gate",
    "/home/u/.cargo/bin/gate",
    "/home/u/proj/.gate/gate.json",
    "/home/u/proj/.gate/gate.local.json",
    "/home/u/proj/.gate/permissions.json",
    "/home/u/.claude/settings.json",
    "/home/u/proj/.claude/settings.json",
    "/home/u/proj/.claude/settings.local.json",
    "/home/u/.codex/config.toml",
    "/home/u/.codex/hooks.json",
    "/home/u/.codex/rules/default.rules",
    "/home/u/.gemini/settings.json",
    "/home/u/proj/.gemini/settings.json",
    "/home/u/.config/opencode/opencode.json",
    "/home/u/.config/opencode/plugin/gate.ts",
    "/home/u/proj/.opencode/plugin/gate.ts",
    "/home/u/.qwen/settings.json",
    "/home/u/.copilot/hooks/gate.json",
    "/home/u/proj/.github/hooks/gate.json",
    "/home/u/.cursor/hooks.json",
    "/home/u/proj/.cursor/hooks.json",
    "/home/u/.pi/agent/extensions/gate.ts",
    "/home/u/.pi/agent/settings.json",
    "/home/u/proj/.pi/extensions/gate.ts",
    "/home/u/.copilot/settings.json",
    "/home/u/.cline/hooks/PreToolUse",
    "/home/u/proj/.clinerules/hooks/PreToolUse",
    "/home/u/.config/amp/plugins/gate.ts",
    "/home/u/.factory/hooks.json",
    "/home/u/.kiro/hooks/gate.json",
    "/home/u/.openclaw/extensions/gate/index.js",
    "/home/u/.gemini/config/hooks.json",
    "/home/u/proj/.agents/hooks.json",
    "/home/u/.hermes/config.yaml",
    "/home/u/proj/.devin/hooks.v1.json",
    "/home/u/.codeium/windsurf/hooks.json",
    "/home/u/.config/kilo/plugins/gate.ts",
];

/// Ways to write a file: `{}` is its path, `{dir}` its folder, `{name}` its name, `{up}` the folder above that.
const WRITES: &[&str] = &[
    "echo x > {}",
    "echo x >> {}",
    "echo x >| {}",
    ": > {}",
    "echo x &> {}",
    "cat < x > {}",
    "cat <<'E' > {}\nx\nE",
    "echo x | tee {}",
    "echo x | tee -a {}",
    "cp x {}",
    "cp -f x {dir}/{name}",
    "cp -t {dir} {name}",
    "mv x {}",
    "mv {} x",
    "mv {dir} x",
    "mv {up} x",
    "ln -sf x {}",
    "ln -f {} x",
    "ln {} x",
    "install -m 600 x {}",
    "sed -i s/a/b/ {}",
    "sed -i.bak s/a/b/ {}",
    "sed s/a/b/w{} x",
    "perl -pi -e s/a/b/ {}",
    "dd if=x of={}",
    "truncate -s 0 {}",
    "tar -xf x.tar -C {dir}",
    "unzip -o x.zip -d {dir}",
    "rsync x {}",
    "rsync -a x/ {dir}/",
    "git checkout -- {}",
    "git checkout HEAD~1 {}",
    "git restore {}",
    "git -C {dir} checkout {name}",
    "rm {}",
    "rm -rf {dir}",
    "unlink {}",
    "shred {}",
    "touch {}",
    "chmod 000 {}",
    "chown nobody {}",
    "patch {} x.patch",
    "curl -o {} https://h.test/x",
    "wget -O {} https://h.test/x",
    "python3 -c \"open('{}','w').write('x')\"",
    "node -e \"require('fs').writeFileSync('{}','x')\"",
    "ruby -e \"File.write('{}','x')\"",
    "awk 'BEGIN{print \"x\" > \"{}\"}'",
    "find {dir} -name {name} -delete",
    "find {dir} -name {name} -exec rm {} ;",
    "sh -c 'echo x > {}'",
    "bash -c \"cp x {}\"",
    "env echo x > {}",
    "xargs -I@ cp x @ <<< {}",
    "cd {dir} && echo x > {name}",
    "cd {dir}; rm {name}",
    "F={}; echo x > $F",
    "D={dir}; rm $D/{name}",
    "(echo x > {})",
    "{ echo x; } > {}",
    "true && echo x > {} || true",
    "ln -s {dir} l && echo x > l/{name}",
    "sort -o {} x",
    "ed {} < x",
    "vim -es -c wq {}",
    "rename x y {}",
    "script -c ls {}",
    "openssl rand -out {} 9",
    "jq . x > {}",
    "printf x 1> {}",
    "exec 3> {}",
    "mkfifo {}",
    "mount --bind x {}",
    "setfacl -m u:x:w {}",
    "chattr +i {}",
    "sqlite3 x '.output {}'",
    "split x {}",
    "gpg -o {} -d x",
    "rclone copy x {dir}",
    "scp h:x {}",
    "base64 -d x > {}",
];

/// Other spellings of a path.
fn spellings(path: &str) -> Vec<String> {
    let (dir, name) = path.rsplit_once('/').unwrap();
    let mut all = vec![
        path.to_owned(),
        format!("{dir}/./{name}"),
        format!("{dir}/../{}/{name}", dir.rsplit_once('/').unwrap().1),
        format!("'{path}'"),
    ];
    all.push(format!("{dir}//{name}"));
    // The same file where names are compared without case.
    all.push(format!("{dir}/{}", name.to_uppercase()));
    all.push(format!("{}/{name}", dir.replace("/.", "/.\u{1}").replace("\u{1}g", "G").replace("\u{1}c", "C").replace('\u{1}', "")));
    all.push(format!("{dir}/{}'{}'", &name[..1], &name[1..]));
    all.push(format!("{dir}/\\{name}"));
    all.push(format!("{dir}/{}?{}", &name[..1], &name[2..]));
    all.push(format!("{dir}/{}*", &name[..2]));
    all.push(format!("{dir}/{{{name},x}}"));
    if let Some(tail) = path.strip_prefix("/home/u/") {
        all.extend([
            format!("~/{tail}"),
            format!("$HOME/{tail}"),
            format!("${{HOME}}/{tail}"),
            format!("\"$HOME\"/{tail}"),
            format!("~u/{tail}"),
        ]);
    }
    if let Some(tail) = path.strip_prefix("/home/u/proj/") {
        all.extend([tail.to_owned(), format!("./{tail}"), format!("../proj/{tail}"), format!("$PWD/{tail}")]);
    }
    all
}

fn command(write: &str, path: &str) -> String {
    let (dir, name) = path.rsplit_once('/').unwrap_or((".", path));
    let up = dir.rsplit_once('/').map_or("..", |(u, _)| u);
    // `{}` of find's own stays.
    let write = write.replace("-exec rm {} ;", "-exec rm \u{1} \\;");
    write.replace("{dir}", dir).replace("{name}", name).replace("{up}", up).replace("{}", path).replace('\u{1}', "{}")
}

/// A mistake of the user that would open everything else.
fn generous() -> Value {
    json!({"permissions": {"allow": ["Bash(*)", "Edit(//**)", "Read(//**)", "Write(//**)"]}, "policy": {"writes": "allow", "runs": "allow", "destroys": "allow"},
        "rules": [{"pattern": "*", "action": "allow"}], "external": {"read": "allow", "write": "allow"}, "allowInsideWorkingDirectory": true})
}

fn allowed(calls: &[(String, Value)]) -> Vec<String> {
    let line = |(n, (_, line)): (usize, &(String, Value))| {
        let mut line = line.clone();
        line["id"] = n.into();
        format!("{line}\n")
    };
    let input: String = calls.iter().enumerate().map(line).collect();
    let out = gate(&["check", "--batch"], input.as_bytes());
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stderr));
    let answers: Vec<Value> = String::from_utf8(out.stdout).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(answers.len(), calls.len());
    let answered = |a: &Value| calls[usize::try_from(a["id"].as_u64().unwrap()).unwrap()].0.clone();
    for a in &answers {
        assert!(a["decision"].is_string(), "{}: {a}", answered(a));
    }
    answers.iter().filter(|a| a["decision"] == "allow").map(answered).collect()
}

fn modes(label: &str, tool: &str, input: &Value, calls: &mut Vec<(String, Value)>) {
    for mode in ["auto", "yolo", "strict"] {
        let line = json!({"tool": tool, "input": input, "mode": mode});
        // Whatever auto and strict allow, they allow with generous settings too.
        if mode == "yolo" {
            calls.push((format!("[{mode}] {label}"), line.clone()));
        }
        let mut open = line;
        open["settings"] = generous();
        calls.push((format!("[{mode}, everything allowed] {label}"), open));
    }
}

fn bash(text: &str, calls: &mut Vec<(String, Value)>) {
    modes(text, "bash", &json!({"command": text}), calls);
}

fn none_allowed(calls: &[(String, Value)]) {
    let through = allowed(calls);
    assert!(through.is_empty(), "{} of {} are allowed:\n{}", through.len(), calls.len(), through.join("\n"));
    println!("{} calls, none allowed", calls.len());
}

#[test]
fn every_control_file_and_every_way_to_write() {
    let mut calls = Vec::new();
    for file in FILES {
        for write in WRITES {
            bash(&command(write, file), &mut calls);
        }
    }
    assert!(calls.len() > 400 * 4);
    none_allowed(&calls);
}

#[test]
fn every_spelling_of_a_path() {
    let mut calls = Vec::new();
    // The spellings are those of the path, whichever file it is.
    for file in FILES.iter().step_by(3) {
        for path in spellings(file) {
            for write in ["echo x > {}", "tee {}", "cp x {}", "rm -f {}", "sed -i s/a/b/ {}", "dd of={}"] {
                // With three operands the last is a folder; and `of=` is part of the word that a pattern would match.
                if write.starts_with("cp") && path.contains('{') || write.starts_with("dd") && path.contains(['*', '?']) {
                    continue;
                }
                bash(&write.replace("{}", &path), &mut calls);
            }
        }
    }
    none_allowed(&calls);
}

#[test]
fn every_file_tool() {
    let mut calls = Vec::new();
    for file in FILES {
        for path in spellings(file).into_iter().filter(|p| !p.contains(['\'', '"', '*', '?', '\\', '{', '$']) && !p.starts_with("~u")) {
            for (tool, key) in
                [("write", "path"), ("Write", "file_path"), ("edit", "path"), ("MultiEdit", "file_path"), ("NotebookEdit", "notebook_path")]
            {
                modes(
                    &format!("{tool} {path}"),
                    tool,
                    &json!({key: path, "content": "x", "old_string": "a", "new_string": "b"}),
                    &mut calls,
                );
            }
        }
        let patch = format!("*** Begin Patch\n*** Add File: {file}\n+x\n*** End Patch\n");
        modes(&format!("apply_patch {file}"), "apply_patch", &json!({"input": patch}), &mut calls);
    }
    none_allowed(&calls);
}

#[test]
fn links_that_lead_to_a_control_file() {
    let mut calls = Vec::new();
    for file in FILES {
        let (dir, name) = file.rsplit_once('/').unwrap();
        for (links, path) in [(json!({"/home/u/proj/l": file}), "l".to_owned()), (json!({"/home/u/proj/d": dir}), format!("d/{name}"))] {
            for mode in ["auto", "yolo", "strict"] {
                for write in ["echo x > {}", "cp x {}", "tee {}", "rm {}", "sed -i s/a/b/ {}"] {
                    let text = write.replace("{}", &path);
                    let line = json!({"tool": "bash", "input": {"command": text}, "mode": mode, "facts": {"symlinks": links}, "settings": generous()});
                    // The link itself may go; what it leads to may not.
                    if !(write.starts_with("rm") && path == "l") {
                        calls.push((format!("[{mode}] {text} -> {file}"), line));
                    }
                }
                let line = json!({"tool": "write", "input": {"path": path, "content": "x"}, "mode": mode, "facts": {"symlinks": links}, "settings": generous()});
                calls.push((format!("[{mode}] write {path} -> {file}"), line));
            }
        }
    }
    none_allowed(&calls);
}

/// Commands by which an agent would switch the gate off, or answer in the person's place.
const SWITCHES: &[&str] = &[
    "gate mode yolo",
    "gate mode off",
    "gate mode yolo --for 1h",
    "gate mode strict",
    "gate rules add allow 'Bash(*)'",
    "gate rules remove deny 'Bash(x)'",
    "gate trust",
    "gate trust revoke",
    "gate config edit",
    "gate import claude-code --write",
    "gate status --reset",
    "gate install claude-code",
    "gate uninstall claude-code",
    "gate init",
    "gate inbox approve 1",
    "gate inbox deny 1",
    "gate questions answer 1 yes",
    "gate questions dismiss 1",
    "gate hook claude-code",
];

/// Ways to run a command: `{}` is the command, `{q}` the same in single quotes, `{args}` its arguments.
const WAYS: &[&str] = &[
    "{}",
    "  {}  ",
    "/usr/local/bin/{}",
    "/home/u/.local/bin/{}",
    "~/.cargo/bin/{}",
    "./{}",
    "../x/{}",
    "env {}",
    "env A=b {}",
    "command {}",
    "exec {}",
    "nohup {}",
    "time {}",
    "timeout 5 {}",
    "nice -n 5 {}",
    "setsid {}",
    "stdbuf -o0 {}",
    "sudo {}",
    "xargs {} < x",
    "echo x | xargs {}",
    "sh -c {q}",
    "bash -lc {q}",
    "bash -c {q} x y",
    "eval {q}",
    "G=gate; $G {args}",
    "G=/usr/local/bin/gate; \"$G\" {args}",
    "g() { {}; }; g",
    "alias g=gate; g {args}",
    "ga\\te {args}",
    "g'a'te {args}",
    "\"gate\" {args}",
    "g$(printf a)te {args}",
    "$(which gate) {args}",
    "`command -v gate` {args}",
    "true; {}",
    "false || {}",
    "true && {}",
    "ls | {}",
    "{} &",
    "({})",
    "{ {}; }",
    "if true; then {}; fi",
    "for i in 1; do {}; done",
    "while {}; do :; done",
    "echo $({})",
    "cat <({})",
    "! {}",
    "A=b {}",
    "{} > /dev/null 2>&1",
    "sh <<'E'\n{}\nE",
    "sh <<< {q}",
    "echo {q} | sh",
    "echo {q} > x && sh x",
    "find . -exec {} \\;",
    "python3 -c \"import os; os.system('gate mode yolo')\"",
    "ssh localhost {}",
    "script -c {q} /dev/null",
    "watch {q}",
    "tmux send-keys {q} Enter",
    "tmux new-session -d {q}",
    "screen -dm {}",
    "at now <<< {q}",
    "systemd-run --user {}",
    "busybox sh -c {q}",
    "cp /usr/local/bin/gate y && ./y {args}",
    "ln -s /usr/local/bin/gate y; ./y {args}",
];

#[test]
fn what_switches_the_gate_off_in_every_wrapper() {
    let mut calls = Vec::new();
    for switch in SWITCHES {
        let quoted = format!("'{}'", switch.replace('\'', "\""));
        let arguments = switch.strip_prefix("gate ").unwrap();
        for way in WAYS {
            bash(&way.replace("{}", switch).replace("{q}", &quoted).replace("{args}", arguments), &mut calls);
        }
    }
    none_allowed(&calls);
}

/// A program put before the gate on the search path answers in its place.
#[test]
fn the_search_path_of_the_hook() {
    let mut calls = Vec::new();
    for file in [
        "~/.bashrc",
        "~/.profile",
        "~/.zshenv",
        "~/.config/fish/config.fish",
        "/etc/environment",
        "/etc/profile.d/x.sh",
        "~/.pam_environment",
        "~/.config/environment.d/x.conf",
    ] {
        bash(&format!("echo 'PATH=/tmp/x:$PATH' >> {file}"), &mut calls);
    }
    for text in [
        "cp x ~/.local/bin/gate",
        "ln -s /tmp/x ~/bin/gate",
        "install x /usr/bin/gate",
        "mv x /usr/local/bin/gate",
        "chmod -x /usr/local/bin/gate",
        "rm ~/.cargo/bin/gate",
        "cargo uninstall gate-cli",
        "cargo install --path . gate-cli",
        "npm uninstall -g gate",
        "brew uninstall gate",
        "apt remove gate",
        "pkill gate",
        "killall -9 gate",
        "kill $(pgrep gate)",
    ] {
        bash(text, &mut calls);
    }
    none_allowed(&calls);
}
