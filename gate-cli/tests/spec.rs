//! Invariants of the specification, by their number, through the real binary. What concerns the user's settings and the
//! order of the tiers stands here; the tables of single commands stand in gate-rules.

use serde_json::{Value, json};

use crate::gate;

fn ask(lines: &[Value]) -> Vec<Value> {
    let input: String = lines.iter().map(|l| format!("{l}\n")).collect();
    let out = gate(&["check", "--batch"], input.as_bytes());
    String::from_utf8(out.stdout).unwrap().lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

/// The decision on a command, with these settings.
fn bash(settings: &Value, command: &str) -> String {
    word(&json!({"tool": "bash", "cwd": "/home/u/p", "home": "/home/u", "settings": settings, "input": {"command": command}}))
}

fn word(line: &Value) -> String {
    ask(std::slice::from_ref(line)).remove(0)["decision"].as_str().unwrap().to_owned()
}

fn rules(list: &[(&str, &str, &str)]) -> Value {
    json!({"rules": list.iter().map(|(t, p, a)| json!({"tool": t, "pattern": p, "action": a})).collect::<Vec<_>>()})
}

fn allow(entry: &str) -> Value {
    json!({"permissions": {"allow": [entry]}})
}

/// Every command comes out so.
fn all(settings: &Value, expected: &str, commands: &[&str]) {
    for c in commands {
        assert_eq!(bash(settings, c), expected, "{c} with {settings}");
    }
}

#[test]
fn l9_entries_cover_words_and_no_second_command() {
    for entry in ["bash(zz status*)", "Bash(zz status:*)", "Bash(zz status *)"] {
        all(&allow(entry), "allow", &["zz status --short", "zz status -v && zz status -s"]);
        all(&allow(entry), "ask", &["zz push --force", "zz status; zz push", "zz status $(zz push)"]);
        assert_eq!(bash(&allow(entry), "zz status; rm -rf /"), "deny");
    }
}

#[test]
fn l10_wildcards() {
    let rule = |p: &str| rules(&[("bash", p, "allow")]);
    all(&rule("zz *"), "allow", &["zz", "zz push origin main"]);
    all(&rule("zz *"), "ask", &["zzsomething", "yy push", "ZZ push"]);
    all(&rule("zz ?"), "allow", &["zz a"]);
    all(&rule("zz ?"), "ask", &["zz ab", "zz"]);
    for settings in [rule("zz a.b+"), allow("bash(zz a.b+)")] {
        all(&settings, "allow", &["zz a.b+"]);
        all(&settings, "ask", &["zz axbb", "zz a.bb"]);
    }
    for settings in [rule("zz"), allow("bash(zz)")] {
        all(&settings, "allow", &["zz", " zz"]);
        all(&settings, "ask", &["zzx", "zz x"]);
    }
    all(&rule(""), "ask", &["zz"]);
}

#[test]
fn l11_l12_long_arguments() {
    // The command itself is bounded lower than an argument: a tool that is matched on its input shows the limit.
    let entry = |list: &str| json!({"permissions": {list: ["mcp__x(*a*a*a*a*b)"]}});
    let call = |list: &str| json!({"tool": "mcp__x", "settings": entry(list), "input": {"t": "a".repeat(1_048_600)}});
    let begun = std::time::Instant::now();
    assert_eq!(word(&call("deny")), "deny");
    assert_eq!(word(&call("allow")), "ask");
    assert!(begun.elapsed().as_secs() < 5);
}

#[test]
fn l13_l14_l15_last_match_wins() {
    all(&rules(&[("bash", "zz*", "deny"), ("bash", "zz*", "allow")]), "allow", &["zz x"]);
    all(&rules(&[("bash", "zz*", "allow"), ("bash", "zz*", "deny")]), "deny", &["zz x"]);
    all(&rules(&[("bash", "yy*", "allow")]), "ask", &["zz x"]);
    all(&rules(&[("bash", "ls*", "deny")]), "deny", &["ls", "ls -la"]);
    all(&rules(&[("bash", "ls*", "deny"), ("bash", "ls -la", "allow")]), "allow", &["ls -la"]);
    all(&rules(&[("bash", "ls*", "ask")]), "ask", &["ls"]);
    let danger = rules(&[("bash", "git push --force*", "allow"), ("bash", "rm*", "allow")]);
    all(&danger, "allow", &["git push --force origin x"]);
    all(&danger, "deny", &["rm -rf /", "rm -rf ~"]);
    all(&rules(&[("read", "*", "deny")]), "allow", &["ls", "cat a"]);
    // A danger is lifted by an entry that names it, never by `*`.
    all(&rules(&[("bash", "*", "allow")]), "deny", &["git push --force origin x"]);
    all(&allow("bash(*)"), "deny", &["git push --force origin x"]);
    all(&allow("bash(git push --force*)"), "allow", &["git push --force origin x"]);
}

#[test]
fn l16_command_trees() {
    let tree = json!({"commands": {"zz": {"pr": {"list": true}}, "yy": {"log": true}}});
    all(&tree, "allow", &["zz pr list --author me", "yy log"]);
    all(&tree, "ask", &["zz pr create", "yy", "zz pr", "zz list"]);
}

#[test]
fn l17_l25_controls_and_profiles_are_denied_whatever_allows() {
    let generous =
        json!({"permissions": {"allow": ["bash(*)", "write", "edit"], "ask": ["bash(echo*)"]}, "allowInsideWorkingDirectory": true});
    for settings in [json!({}), generous.clone()] {
        all(
            &settings,
            "deny",
            &[
                "echo test >> ~/.zshrc",
                "git config --global http.sslVerify false",
                "cat key.pub >> ~/.ssh/authorized_keys",
                "echo safe && git config --global http.sslVerify false",
                "printf test > ~/.zshrc",
                "echo key > \"$HOME/.ssh/authorized_keys\"",
                "echo nope | tee .pi/automode.local.json",
            ],
        );
    }
    let write = json!({"tool": "write", "cwd": "/home/u/p", "home": "/home/u", "settings": generous, "input": {"path": ".pi/automode.local.json", "content": "{}"}});
    assert_eq!(word(&write), "deny");
}

#[test]
fn l18_homes_and_roots() {
    let rm = |home: &str, at: &str| {
        let line = json!({"tool": "bash", "cwd": format!("{home}/src/pkg"), "home": home, "input": {"command": format!("rm -rf {at}")}});
        ask(&[line]).remove(0)["code"].as_str().unwrap().to_owned()
    };
    for at in ["/var/home/jdoe", "/var", "/var/log", "/var/lib/pkg", "/etc", "/usr/share/x", "/"] {
        assert_eq!(rm("/var/home/jdoe", at), "hard/delete", "{at}");
    }
    for at in ["/var/home/jdoe/projects/foo/build", "/opt/app"] {
        assert_ne!(rm("/var/home/jdoe", at), "hard/delete", "{at}");
    }
    assert_eq!(rm("/home/jdoe", "/home/jdoe"), "hard/delete");
    assert_eq!(rm("/home/jdoe", "/etc/hosts"), "hard/delete");
    assert_ne!(rm("/home/jdoe", "/home/jdoe/src/pkg/build"), "hard/delete");
}

fn file(tool: &str, path: &str, settings: &Value, links: &Value) -> String {
    word(&json!({
        "tool": tool, "cwd": "/home/u/p", "home": "/home/u", "settings": settings,
        "facts": {"symlinks": links}, "input": {"path": path, "content": "x", "old_string": "a", "new_string": "b"}
    }))
}

#[test]
fn l19_links() {
    let inside = json!({"allowInsideWorkingDirectory": true});
    let links = json!({"/home/u/p/a": "/home/u/p/.pi/automode.json", "/home/u/p/out": "/srv/x"});
    assert_eq!(file("write", "a", &inside, &links), "deny");
    assert_eq!(file("write", "out", &inside, &links), "ask");
    assert_eq!(file("write", "src/x", &inside, &links), "allow");
    assert_eq!(file("write", "/other/.git/config", &json!({"permissions": {"allow": ["write"]}}), &json!({})), "ask");
}

#[test]
fn l21_the_first_deny_names_the_reason() {
    let settings = json!({"permissions": {"deny": ["bash(rm*)"]}});
    let line = json!({"tool": "bash", "settings": settings, "input": {"command": "rm -rf /"}});
    assert_eq!(ask(&[line]).remove(0)["code"], "deny_list");
}

#[test]
fn l22_l23_reading_and_the_working_directory() {
    let none = json!({});
    for tool in ["read", "grep", "find", "ls"] {
        assert_eq!(file(tool, "src/x", &none, &none), "allow", "{tool}");
        assert_eq!(file(tool, "src/x", &json!({"classifyReadOnlyTools": true}), &none), "ask", "{tool}");
    }
    let both = json!({"allowInsideWorkingDirectory": true, "classifyReadOnlyTools": true});
    assert_eq!(file("read", "src/x", &both, &none), "allow");
    assert_eq!(file("read", "/etc/hosts", &both, &none), "ask");
    assert_eq!(file("read", ".git/config", &both, &none), "allow");
    assert_eq!(file("write", "src/app.ts", &both, &none), "allow");
    for at in [".git/hooks/pre-commit", ".husky/pre-commit"] {
        assert_eq!(file("write", at, &both, &none), "ask", "{at}");
        assert_eq!(file("edit", at, &both, &none), "ask", "{at}");
    }
}

#[test]
fn l24_denied_paths() {
    let settings = json!({"deniedPaths": ["~/.ssh/**", "~/private/**"], "allowInsideWorkingDirectory": true});
    let links = json!({"/home/u/p/link": "/home/u/private/x"});
    assert_eq!(file("read", "~/.ssh/id_rsa", &settings, &links), "deny");
    assert_eq!(file("read", "link", &settings, &links), "deny");
    assert_eq!(file("write", "/srv/x", &settings, &links), "ask");
    all(&settings, "deny", &["cat ~/.ssh/id_rsa", "cat ~/private/a"]);
}

#[test]
fn l25_l26_an_ask_entry_turns_every_allow_tier_off() {
    let settings = json!({"permissions": {"ask": ["bash(ls*)"], "allow": ["bash(ls)"]}});
    all(&settings, "ask", &["ls", "ls && pwd"]);
    assert_eq!(file("write", "../x", &json!({"allowInsideWorkingDirectory": true}), &json!({})), "ask");
}

#[test]
fn l27_headless_without_a_model_denies() {
    let line = json!({"tool": "bash", "headless": true, "input": {"command": "zz"}});
    assert_eq!(word(&line), "deny");
}

#[test]
fn l41_l42_l45_what_is_read_and_what_is_not() {
    let any = rules(&[("bash", "*", "allow")]);
    for c in
        ["ls -la", "echo hi", "git status", "ls && pwd", "echo 'str' | wc -l", "rg -g\"*.py\" x", "ls\npwd", "ls && pwd; echo 'hi' | wc -l"]
    {
        assert_eq!(bash(&json!({}), c), "allow", "{c}");
    }
    for c in ["ls &&", "((incomplete", "echo 'open", "> out.txt", "2>&1", "ls; 'npm' publish $(", "$X publish"] {
        assert_ne!(bash(&any, c), "allow", "{c}");
    }
    all(&rules(&[("bash", "ls*", "allow")]), "ask", &["ls; 'npm' publish"]);
    all(&rules(&[("bash", "*", "deny")]), "deny", &["> out.txt", "2>&1", "ls &&"]);
    assert_eq!(bash(&any, &format!("ls {}", "a".repeat(65_534))), "ask");
}

#[test]
fn l43_each_part_counts() {
    all(&rules(&[("bash", "npm *", "deny")]), "deny", &["cd /repo && npm install x", "echo $(npm install x)", "A=b npm ci"]);
    all(&rules(&[("bash", "rm *", "deny")]), "deny", &["echo $(rm -rf foo)"]);
    all(&json!({"permissions": {"deny": ["bash(aws*)"]}}), "deny", &["AWS_PROFILE=prod aws s3 ls"]);
}

#[test]
fn l44_wrappers_keep_their_floor() {
    let any = rules(&[("bash", "*", "allow")]);
    for c in
        ["bash -c 'zz'", "/bin/bash -c 'zz'", "eval zz", "xargs zz", "find . -exec zz {} +", "env -S 'zz'", "ssh h zz", "python3 -c 'x'"]
    {
        assert_eq!(bash(&any, c), "ask", "{c}");
        assert_eq!(bash(&rules(&[("bash", "*", "deny")]), c), "deny", "{c}");
    }
    assert_eq!(bash(&any, "find . -name x"), "allow");
    // The plain floor, when a user wants it.
    all(&json!({"wrappers": "floor"}), "ask", &["timeout 5 ls", "xargs ls"]);
    all(&json!({}), "allow", &["timeout 5 ls", "xargs ls"]);
}

/// Whatever is put around a denied command, it is never allowed; and a harmless neighbour makes nothing milder.
#[test]
fn l46_wrapping_is_never_milder() {
    let deny = json!({"permissions": {"deny": ["bash(zz*)"]}, "rules": [{"tool": "bash", "pattern": "*", "action": "allow"}]});
    let around: &[&dyn Fn(&str) -> String] = &[
        &|c| format!("\"{c}\" x").replace("\"zz\"", "\"zz\""),
        &|c| format!("'z''z' {c}"),
        &|c| format!("A=b {c}"),
        &|c| format!("env A=b {c}"),
        &|c| format!("timeout 5 {c}"),
        &|c| format!("nohup {c} &"),
        &|c| format!("{c} > /dev/null 2>&1"),
        &|c| format!("({c})"),
        &|c| format!("{{ {c}; }}"),
        &|c| format!("if true; then {c}; fi"),
        &|c| format!("for i in a; do {c}; done"),
        &|c| format!("while {c}; do :; done"),
        &|c| format!("! {c}"),
        &|c| format!("\t{c}\t"),
        &|c| format!("ls && {c}"),
        &|c| format!("ls | {c} | cat"),
        &|c| format!("echo $({c})"),
        &|c| format!("cat <({c})"),
        &|c| format!("bash -c '{c}'"),
        &|c| format!("eval {c}"),
        &|c| format!("f() {{ {c}; }}; f"),
        &|c| format!("echo a\n{c}"),
        &|c| format!("cat <<E\n$({c})\nE"),
        &|c| format!("xargs {c}"),
        &|c| format!("find . -exec {c} {{}} +"),
        &|c| c.replace("zz", "z\\z"),
        &|c| c.replace("zz", "/usr/bin/zz"),
    ];
    for wrap in around {
        let text = wrap("zz x");
        assert_ne!(bash(&deny, &text), "allow", "{text}");
        for more in [format!("ls; {text}"), format!("{text}\nls")] {
            assert_ne!(bash(&deny, &more), "allow", "{more}");
        }
    }
}

#[test]
fn l48_the_mode_is_read_for_each_call() {
    let line = |mode: &str| json!({"tool": "bash", "mode": mode, "input": {"command": "zz"}});
    let got = ask(&[line("auto"), line("yolo"), line("auto"), line("strict"), line("yolo")]);
    let words: Vec<_> = got.iter().map(|d| d["decision"].as_str().unwrap()).collect();
    assert_eq!(words, ["ask", "allow", "ask", "ask", "allow"]);
    assert_eq!((&got[1]["origin"], &got[1]["review"]["resolution"]), (&json!("yolo"), &json!("auto_approved")));
    assert_eq!(word(&json!({"tool": "bash", "mode": "yolo", "input": {"command": "rm -rf /"}})), "deny");
}

#[test]
fn l49_calls_that_are_no_calls() {
    for call in [
        json!({"input": {"command": "ls"}}),
        json!({"tool": "", "input": {}}),
        json!({"tool": "bash", "input": {"command": 5}}),
        json!({"tool": "bash", "input": {}}),
    ] {
        let got = ask(std::slice::from_ref(&call)).remove(0);
        assert_ne!(got["decision"], "allow", "{call}");
        assert_ne!(got["decision"], "ask", "{call}");
    }
}
