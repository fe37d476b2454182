//! Commands of a person, through the program.

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::Home;

#[test]
fn modes_by_scope_and_time() {
    let home = Home::new();
    assert_eq!(home.says(&["mode"]), "auto\n");
    assert_eq!(home.says(&["mode", "strict"]), "strict\n");
    let file = home.home().join(".config/gate/gate.json");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("$schema") && text.contains("\"mode\": \"strict\""), "{text}");
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(home.decides("s", "ls"), "ask");
    assert_eq!(home.says(&["mode", "yolo", "--for", "30m"]), "yolo, ends in 30m\n");
    assert_eq!(home.decides("s", "npm publish"), "allow");
    assert_eq!(home.says(&["mode", "auto"]), "auto\n", "a lasting choice ends what was switched for a while");
    assert_eq!(home.decides("s", "npm publish"), "ask");
    assert_eq!(home.says(&["mode", "yolo", "--session", "claude-code:s"]), "yolo\n");
    assert_eq!((home.decides("s", "npm publish"), home.decides("t", "npm publish")), ("allow".into(), "ask".into()));
    assert_eq!(home.says(&["mode", "off"]), "off\n");
    assert_eq!(home.decides("t", "npm publish"), "allow");
    assert_eq!(home.says(&["mode", "on"]), "auto\n");
    assert_eq!(home.says(&["mode", "approve", "--project"]), "approve\n");
    assert_eq!(home.says(&["trust", "list"]).lines().count(), 1, "the file was approved with the change");
    for (args, hint) in [
        (&["mode", "fast"][..], "one of: yolo"),
        (&["mode", "yolo", "--for", "soon"], "30m"),
        (&["mode", "yolo", "--for", "+5m"], "30m"),
        (&["mode", "--session", "yolo"], "as the last word"),
    ] {
        let said = home.fails(args);
        assert!(said.contains("hint: ") && said.contains(hint), "{args:?}: {said}");
    }
}

#[test]
fn the_newest_session_is_meant_without_a_name() {
    let home = Home::new();
    assert!(home.fails(&["mode", "strict", "--session"]).contains("HOST:SESSION"));
    home.decides("s-1", "ls");
    for _ in 0..100 {
        if home.says(&["status"]).contains("claude-code:s-1") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(home.says(&["mode", "strict", "--session"]), "strict\n");
    assert_eq!((home.decides("s-1", "ls"), home.decides("s-2", "ls")), ("ask".into(), "allow".into()));
}

#[test]
fn rules_by_scope() {
    let home = Home::new();
    let said = home.says(&["rules"]);
    assert!(said.contains("no entries") && said.contains("gate rules add"), "{said}");
    home.settings("{\n  // mine\n  \"mode\": \"auto\"\n}\n");
    home.says(&["rules", "add", "deny", "Bash(make release:*)"]);
    home.says(&["rules", "add", "allow", "Bash(make:*)", "--project"]);
    let id = home.says(&["rules", "add", "allow", "Bash(touch x)", "--session", "claude-code:s"]);
    let listed = home.says(&["rules"]);
    for part in ["deny \"Bash(make release:*)\" (user)", "allow \"Bash(make:*)\" (projectlocal)", id.trim(), "claude-code:s"] {
        assert!(listed.contains(part), "{part}: {listed}");
    }
    let text = std::fs::read_to_string(home.home().join(".config/gate/gate.json")).unwrap();
    assert!(text.contains("// mine"), "{text}");
    assert_eq!(
        (home.decides("s", "make all"), home.decides("s", "make release"), home.decides("s", "touch x")),
        ("allow".into(), "deny".into(), "allow".into())
    );
    home.says(&["rules", "remove", id.trim()]);
    assert_eq!(home.decides("s", "touch x"), "ask");
    home.says(&["rules", "remove", "allow", "Bash(make:*)", "--project"]);
    assert_eq!(home.decides("s", "make all"), "ask");
    home.says(&["rules", "remove", "deny", "Bash(make release:*)"]);
    assert!(home.says(&["rules"]).contains("no entries"));
    for (args, part) in [
        (&["rules", "add", "permit", "Bash(ls)"][..], "one of: allow, ask, deny"),
        (&["rules", "add", "deny", "Bash("], "caused by: "),
        (&["rules", "add", "deny", "Bash(ls)", "--session", "claude-code:s"], "only approvals"),
        (&["rules", "remove", "deny", "Bash(ls)"], "has no such entry"),
        (&["rules", "remove", "nothing"], "no approval nothing"),
    ] {
        let said = home.fails(args);
        assert!(said.contains(part), "{args:?}: {said}");
    }
}

#[test]
fn narrow_entries_are_suggested() {
    let home = Home::new();
    assert_eq!(home.says(&["rules", "suggest", "ls && git push origin main && npm run dev"]), "Bash(git push:*)\nBash(npm run dev:*)\n");
    assert_eq!(home.says(&["rules", "suggest", "python3 a.py"]), "bash(python3 a.py)\n");
    for nothing in ["ls", "rm -rf ~", "make $X > y"] {
        assert!(home.says(&["rules", "suggest", nothing]).starts_with("# no"), "{nothing}");
    }
    // What is suggested allows what it was suggested for.
    home.says(&["rules", "add", "allow", "Bash(git push:*)"]);
    assert_eq!(home.decides("s", "git push origin main"), "allow");
}

#[test]
fn a_project_file_of_somebody_else_is_not_approved_by_an_edit() {
    let home = Home::new();
    home.put("project/.gate/gate.local.json", r#"{"mode": "yolo"}"#);
    let said = home.fails(&["rules", "add", "deny", "Bash(x)", "--project"]);
    assert!(said.contains("is not approved") && said.contains("gate trust"), "{said}");
    assert_eq!(home.decides("s", "npm publish"), "ask");
}

#[test]
fn lint_and_explain_point_at_the_place() {
    let home = Home::new();
    assert_eq!(home.says(&["rules", "lint"]), "nothing is wrong with the settings\n");
    home.settings("{\n  \"mode\": \"auto\",\n  \"permisions\": {}\n}\n");
    let out = home.run(&["rules", "lint"]);
    assert_eq!(out.status.code(), Some(1));
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(said.contains("gate.json:3:3: ") && said.contains("permissions"), "{said}");
    home.settings(r#"{"mode": "approve"}"#);
    home.put("project/.gate/gate.json", r#"{"mode": "yolo"}"#);
    let said = home.says(&["config", "explain", "mode"]);
    assert!(
        said.starts_with("mode = \"approve\"\n") && said.contains("no effect: ") && said.contains("project/.gate/gate.json:1"),
        "{said}"
    );
    assert!(home.fails(&["config", "explain", "mod"]).contains("did you mean mode?"));
    let defaults = home.says(&["config", "defaults"]);
    assert!(gate_trust::keys::KEYS.iter().all(|k| defaults.contains(&format!("{} = {}\n", k.path, k.default))));
    assert!(home.says(&["config", "path"]).contains("gate.local.json (not there)"));
}

#[test]
fn unknown_keys_of_given_settings_are_told() {
    let home = Home::new();
    home.put("project/own.json", r#"{"colour": 1, "permissions": {"allow": ["Bash(make:*)"]}}"#);
    let out = home.run(&["check", "--settings", "own.json", "make all"]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(said.contains("own.json:1:2: ") && said.contains("colour"), "{said}");
    assert_eq!(out.status.code(), Some(0));
    home.put("project/own.json", r#"{"permission": {"allow": ["Bash(make:*)"]}}"#);
    let out = home.run(&["check", "--settings", "own.json", "make all"]);
    assert!(String::from_utf8_lossy(&out.stderr).contains("permissions"), "did you mean");
    assert_eq!(out.status.code(), Some(3));
}

#[test]
fn config_edit_checks_what_comes_back() {
    let home = Home::new();
    home.settings("{\n  // mine\n  \"mode\": \"auto\"\n}\n");
    let edit = |script: &str| {
        let editor = home.home().join("editor");
        std::fs::write(&editor, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&editor, PermissionsExt::from_mode(0o700)).unwrap();
        home.command(&["config", "edit"], &home.project()).env("EDITOR", &editor).output().unwrap()
    };
    let file = home.home().join(".config/gate/gate.json");
    let text = || std::fs::read_to_string(&file).unwrap();
    assert!(String::from_utf8_lossy(&edit("true").stdout).contains("nothing was changed"));
    let out = edit("sed -i 's/\"auto\"/\"fast\"/' \"$1\"");
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(1));
    assert!(said.contains("gate.json:3:") && said.contains("hint: "), "{said}");
    assert!(text().contains("\"auto\""), "the old settings stay");
    // The version with the mistake is where the next edit begins.
    assert!(edit("sed -i 's/\"fast\"/\"strict\"/' \"$1\"").status.success());
    assert!(text().contains("\"strict\"") && text().contains("// mine"));
    assert!(!home.home().join(".config/gate/gate.json.draft").exists());
    assert_eq!(edit("exit 3").status.code(), Some(1));
    assert!(home.fails(&["config", "edit"]).contains("EDITOR"));
}

#[test]
fn status_says_what_holds() {
    let home = Home::new();
    assert!(home.says(&["status"]).contains("no agent has asked here yet"));
    home.settings(r#"{"permissions": {"deny": ["Bash(x)"]}}"#);
    home.put("project/.gate/gate.local.json", "{}");
    home.decides("s", "rm -rf ~");
    let mut said = String::new();
    for _ in 0..100 {
        said = home.says(&["status"]);
        if said.contains("1 calls, 1 denied") {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    for part in [
        "mode:     auto",
        "1 deny",
        "claude-code:s",
        "1 calls, 1 denied",
        "denied:   Bash rm -rf ~",
        "decisions.jsonl",
        "ignored:",
        "gate.local.json",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let value: Value = serde_json::from_str(&home.says(&["status", "--json"])).unwrap();
    assert_eq!((&value["mode"], &value["rules"]["deny"], &value["counters"]["blocked"]), (&"auto".into(), &1.into(), &1.into()));
    assert!(home.says(&["status", "--reset"]).contains("0 calls, 0 denied"));
}

/// Every broken set-up is named with what mends it.
#[test]
fn the_doctor_names_what_is_broken() {
    let home = Home::new();
    let at = home.home().display().to_string();
    let look = || String::from_utf8_lossy(&home.run(&["doctor", "--home", &at]).stdout).into_owned();
    assert!(look().contains("no agent asks the gate") && look().contains("mend: gate install claude-code"), "{}", look());
    std::fs::create_dir_all(home.home().join(".claude")).unwrap();
    assert!(look().contains("do not hold the gate's hook"), "{}", look());
    let program = env!("CARGO_BIN_EXE_gate");
    let entry =
        |command: &str, more: &str| format!(r#"{{"hooks": [{{"type": "command", "command": "{command}", "onFailure": "block"}}]{more}}}"#);
    let wired = |command: &str, more: &str| {
        let e = entry(command, more);
        format!(r#"{{"hooks": {{"PreToolUse": [{e}], "PermissionRequest": [{e}], "PreSkillShellCommand": [{e}]}}}}"#)
    };
    let good = wired(&format!("{program} hook claude-code"), "");
    let claude = |text: &str| home.put(".claude/settings.json", text);
    claude(&good);
    let out = home.run(&["doctor", "--home", &at]);
    assert_eq!((out.status.code(), look().starts_with("all is well")), (Some(0), true), "{}", look());
    for (text, part) in [
        ("{", "is no JSON"),
        (&good.replacen('{', "{\"disableAllHooks\": true, ", 1), "switches every hook off"),
        (&wired(&format!("{program} hook claude-code"), r#", "matcher": "Bash""#), "hears only the tools"),
        (&wired("/nonexistent/gate hook claude-code", ""), "is not there"),
        (&wired("gate hook claude-code", ""), "without its folder"),
        (&good.replace("\"onFailure\": \"block\"", "\"timeout\": 5"), "lets the call run"),
        (&good.replace("PermissionRequest", "PostToolUse"), "does not hear PermissionRequest"),
    ] {
        claude(text);
        assert!(look().contains(part) && look().contains("mend: "), "{part}: {}", look());
    }
    claude(&good);
    home.put("project/.claude/settings.json", r#"{"disableAllHooks": true}"#);
    assert!(look().contains("project/.claude/settings.json switches every hook off"), "{}", look());
    home.put("project/.claude/settings.json", r#"{"permissions": {"deny": ["Bash(curl:*)"]}}"#);
    assert!(look().contains("gate import claude-code --write"), "{}", look());
    std::fs::remove_file(home.project().join(".claude/settings.json")).unwrap();
    home.settings(r#"{"mode": "fast"}"#);
    assert!(look().contains("gate.json:1"), "{}", look());
    home.settings(r#"{"enabled": false}"#);
    assert!(look().contains("switched off") && look().contains("gate mode on"), "{}", look());
    home.settings("{}");
    home.decides("s", "ls");
    std::fs::set_permissions(home.state(), PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::set_permissions(home.state().join("log"), PermissionsExt::from_mode(0o755)).unwrap();
    assert!(look().contains("chmod 700") && look().contains("chmod go-rwx"), "{}", look());
}

#[test]
fn a_healthy_machine_is_told_quickly() {
    let home = Home::new();
    let at = home.home().display().to_string();
    home.decides("s", "ls");
    let best = (0..5).map(|_| {
        let begun = std::time::Instant::now();
        home.run(&["doctor", "--home", &at]);
        begun.elapsed()
    });
    let best = best.min().unwrap();
    println!("gate doctor takes {best:?}");
    assert!(best < std::time::Duration::from_millis(if cfg!(debug_assertions) { 500 } else { 100 }), "{best:?}");
}

#[test]
fn imports_are_shown_and_written() {
    let home = Home::new();
    let at = home.home().display().to_string();
    assert!(home.fails(&["import", "claude"]).contains("one of: claude-code"));
    assert!(home.fails(&["import", "dippy", "--home", &at]).contains("gate import dippy FILE"));
    std::fs::create_dir_all(home.home().join(".claude")).unwrap();
    home.put(".claude/settings.json", r#"{"permissions": {"allow": ["Bash(make:*)"], "deny": ["Bash(make release:*)", "Bash("]}}"#);
    let out = home.run(&["import", "claude-code", "--home", &at]);
    let value: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(value["permissions"]["allow"][0], "Bash(make:*)");
    assert!(
        String::from_utf8_lossy(&out.stderr).contains("left out: deny: \\\"Bash(\\\"")
            || String::from_utf8_lossy(&out.stderr).contains("left out: deny:")
    );
    assert_eq!(home.decides("s", "make all"), "ask", "only shown");
    home.settings("{\n  // mine\n  \"permissions\": {\"deny\": [\"Bash(x)\"]}\n}\n");
    home.says(&["import", "claude-code", "--write", "--home", &at]);
    home.says(&["import", "claude-code", "--write", "--home", &at]);
    let text = std::fs::read_to_string(home.home().join(".config/gate/gate.json")).unwrap();
    assert!(text.contains("// mine") && text.contains("Bash(x)") && text.matches("make release").count() == 1, "{text}");
    assert_eq!((home.decides("s", "make all"), home.decides("s", "make release")), ("allow".into(), "deny".into()));
    home.put("project/rules", "prefix_rule(");
    assert!(home.fails(&["import", "codex", "rules"]).contains("line 1"));
}

/// What was approved for one root counts there alone, in this version alone.
#[test]
fn trust_is_by_root_and_version() {
    let home = Home::new();
    let tree = r#"{"allow": {"frobnicate": ["test"]}}"#;
    for at in ["project", "project/nested", "project/worktree"] {
        home.put(&format!("{at}/.gate/permissions.json"), tree);
    }
    std::fs::create_dir_all(home.project().join(".git")).unwrap();
    std::fs::create_dir_all(home.project().join("nested/.git")).unwrap();
    home.put("project/worktree/.git", "gitdir: ../.git/worktrees/x\n");
    std::fs::create_dir_all(home.project().join("plain")).unwrap();
    let allowed = |cwd: &str| {
        let at = home.project().join(cwd);
        home.command(&["check", "frobnicate test"], &at).output().unwrap().status.code() == Some(0)
    };
    assert!(!allowed("."));
    let out = home.run(&["trust"]);
    let shown = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(shown.contains("frobnicate test") && String::from_utf8_lossy(&out.stderr).contains("in a terminal"), "{shown}");
    let hash = shown.lines().find_map(|l| l.trim().strip_prefix("sha256 ")).unwrap().to_owned();
    assert!(home.fails(&["trust", "--yes", &hash.replace(|c: char| c.is_ascii_digit(), "x")]).contains("gate trust shows them"));
    assert!(home.says(&["trust", "--yes", &hash]).contains("approved: "));
    assert!(allowed(".") && allowed("plain"), "the project and its folders");
    assert!(!allowed("nested") && !allowed("worktree"), "another repository or work tree has its own");
    assert!(home.says(&["trust", "list"]).contains(&hash));
    home.put("project/.gate/permissions.json", &tree.replace("test", "tests"));
    assert!(!allowed("."));
    let out = home.run(&["trust"]);
    let shown = String::from_utf8_lossy(&out.stdout).into_owned();
    assert!(shown.contains("changed since it was approved") && shown.contains("- ") && shown.contains("+ "), "{shown}");
    home.put("project/.gate/permissions.json", tree);
    assert!(allowed("."), "the approved version again");
    assert!(home.says(&["trust", "revoke"]).contains("1 approvals"));
    assert!(!allowed("."));
}

#[test]
fn a_home_is_no_project() {
    let home = Home::new();
    let at = home.home().display().to_string();
    let run = |args: &[&str]| {
        let out = home.command(args, std::path::Path::new("/")).output().unwrap();
        (out.status.code(), String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout))
    };
    for args in [
        &["rules", "add", "deny", "Bash(x)", "--project"][..],
        &["mode", "strict", "--project"],
        &["trust", "revoke"],
        &["config", "edit", "--project"],
    ] {
        let (code, said) = run(args);
        assert!(code == Some(1) && said.contains("there is no project here") && said.contains("hint: "), "{args:?}: {said}");
    }
    assert!(run(&["status"]).1.contains("project:  none"));
    assert!(!run(&["config", "path"]).1.contains("/dev/null"));
    assert_eq!(run(&["check", "--home", &at, "ls"]).0, Some(0));
}
