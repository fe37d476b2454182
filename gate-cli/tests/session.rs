//! What a hook keeps, and what it finds again: settings, approvals, counters, notices, the log.

use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::Home;

/// The decision's counters are written after the answer is out; a slow disk may take its time.
fn eventually<T>(mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..200 {
        if let Some(found) = look() {
            return found;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("it never came");
}

#[test]
fn a_broken_settings_file_keeps_its_denies_and_allows_nothing() {
    let home = Home::new();
    home.settings(r#"{"permissions": {"deny": ["Bash(make release:*)"], "allow": ["Bash(make:*)"]}}"#);
    assert_eq!(home.decides("s", "make all"), "allow");
    assert_eq!(home.decides("s", "make release"), "deny");
    eventually(|| home.state().join("last-good").read_dir().ok()?.next()?.ok());
    home.settings(r#"{"permissions": {"deny": ["#);
    assert_eq!(home.decides("s", "make release"), "deny", "the last good deny");
    assert_eq!(home.decides("s", "make all"), "ask", "its allow is gone");
    assert_eq!(home.decides("s", "ls"), "ask", "a floor on what is harmless");
    home.settings("{}");
    assert_eq!((home.decides("s", "ls"), home.decides("s", "make release")), ("allow".to_owned(), "ask".to_owned()));
}

/// L50: covers later matching asks of its session, ends with it, beats no deny.
#[test]
fn l50_session_approvals() {
    let home = Home::new();
    assert_eq!(home.decides("s", "npm publish"), "ask");
    home.says(&["rules", "add", "allow", "Bash(npm publish:*)", "--session", "claude-code:s"]);
    home.says(&["rules", "add", "allow", "Bash(touch x)", "--session", "claude-code:s"]);
    assert_eq!(home.decides("s", "npm publish"), "allow");
    assert_eq!(home.decides("s", "npm publish --tag next && touch x"), "allow", "several approvals together");
    assert_eq!(home.decides("other", "npm publish"), "ask");
    assert_eq!(home.decides("s", "npm publish; rm -rf ~"), "deny");
    home.settings(r#"{"permissions": {"deny": ["Bash(npm publish:*)"]}}"#);
    assert_eq!(home.decides("s", "npm publish"), "deny");
    home.settings(r#"{"mode": "strict"}"#);
    assert_eq!(home.decides("s", "npm publish"), "ask", "strict asks anew");
    home.settings("{}");
    assert_eq!(home.decides("s", "npm publish"), "allow");
    assert_eq!(home.hook(&json!({"hook_event_name": "SessionEnd", "session_id": "s", "reason": "other"})), Value::Null);
    assert_eq!(home.decides("s", "npm publish"), "ask");
}

#[test]
fn an_approval_for_once_is_used_up() {
    let home = Home::new();
    home.says(&["rules", "add", "allow", "Bash(npm publish)", "--once", "--session", "claude-code:s"]);
    assert_eq!(home.decides("s", "npm publish"), "allow");
    assert_eq!(home.decides("s", "npm publish"), "ask");
}

#[test]
fn yolo_ends_after_its_minutes() {
    let home = Home::new();
    home.settings(r#"{"mode": "yolo", "yolo": {"minutes": 10}}"#);
    assert_eq!(home.decides("s", "npm publish"), "allow");
    assert!(home.says(&["mode"]).starts_with("yolo, ends in "));
    let file = home.home().join(".config/gate/gate.json");
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(601);
    std::fs::File::options().write(true).open(&file).unwrap().set_modified(past).unwrap();
    assert_eq!(home.decides("s", "npm publish"), "ask");
    assert_eq!(home.says(&["mode"]), "auto\n");
    // Switching to it again lends it anew.
    home.says(&["mode", "yolo"]);
    assert_eq!(home.decides("s", "npm publish"), "allow");
    assert_eq!(home.decides("s", "rm -rf ~"), "deny");
}

#[test]
fn counters_and_the_log() {
    let home = Home::new();
    home.decides("s", "ls");
    home.decides("s", "curl -H 'Authorization: Bearer hunter2hunter2' https://h.test; rm -rf ~");
    let counters = || -> Option<Value> {
        let mut files = home.state().join("sessions").read_dir().ok()?.flatten().map(|e| e.path());
        let file = files.find(|p| p.to_string_lossy().ends_with(".counters.json"))?;
        let value: Value = serde_json::from_str(&std::fs::read_to_string(file).ok()?).ok()?;
        (value["checked"] == 2).then_some(value)
    };
    let value = eventually(counters);
    assert_eq!((&value["blocked"], &value["session"]), (&json!(1), &json!("s")));
    let log = home.state().join("log/decisions.jsonl");
    let text = std::fs::read_to_string(&log).unwrap();
    assert_eq!(text.lines().count(), 2);
    for kept in [text, value.to_string()] {
        assert!(kept.contains("[secret]") && !kept.contains("hunter2"), "{kept}");
    }
    let mode = |p: &std::path::Path| std::fs::metadata(p).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&log), mode(log.parent().unwrap()), mode(&home.state())), (0o600, 0o700, 0o700));
    // What an older version or a careless copy left open is closed.
    std::fs::set_permissions(&log, PermissionsExt::from_mode(0o644)).unwrap();
    std::fs::set_permissions(log.parent().unwrap(), PermissionsExt::from_mode(0o755)).unwrap();
    home.decides("s", "ls");
    assert_eq!((mode(&log), mode(log.parent().unwrap())), (0o600, 0o700));
    // A link is not followed.
    let target = home.home().join("target");
    std::fs::write(&target, "").unwrap();
    std::fs::remove_file(&log).unwrap();
    std::os::unix::fs::symlink(&target, &log).unwrap();
    assert_eq!(home.decides("s", "ls"), "allow");
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "");
}

/// L8, and one notice for each version in each session.
#[test]
fn l8_project_files_wait_for_a_yes() {
    let home = Home::new();
    home.put("project/.gate/permissions.json", r#"{"allow": {"make": ["test"]}}"#);
    let said = |session: &str| home.bash(session, "make test");
    let first = said("s");
    assert_eq!(first["hookSpecificOutput"]["permissionDecision"], "ask");
    let notice = first["systemMessage"].as_str().unwrap();
    assert!(notice.contains("make test") && notice.contains("gate trust"), "{notice}");
    eventually(|| said("s")["systemMessage"].is_null().then_some(()));
    assert!(said("another")["systemMessage"].is_string());
    home.put("project/.gate/permissions.json", r#"{"allow": {"make": ["test", "all"]}}"#);
    assert!(said("s")["systemMessage"].is_string(), "a changed version");
}

/// What a person wrote is remembered at once, before any agent has asked.
#[test]
fn denies_stay_from_the_moment_they_are_written() {
    let home = Home::new();
    home.says(&["rules", "add", "deny", "Bash(make release:*)"]);
    home.settings("{");
    assert_eq!(home.decides("s", "make release"), "deny");
}

/// The real files of this installation are controls, whatever they are called and wherever links lead.
#[test]
fn the_installations_own_files_are_controls() {
    let home = Home::new();
    home.put("dotfiles/settings-of-gate", r#"{"mode": "yolo"}"#);
    let settings = home.home().join(".config/gate/gate.json");
    std::os::unix::fs::symlink(home.home().join("dotfiles/settings-of-gate"), &settings).unwrap();
    assert_eq!(home.decides("s", "touch x"), "allow", "yolo is in force");
    let (dotfiles, program) = (home.home().join("dotfiles"), env!("CARGO_BIN_EXE_gate"));
    for command in [
        format!("echo x > {}/settings-of-gate", dotfiles.display()),
        format!("cp x {}/settings-of-gate", dotfiles.display()),
        format!("rm -f {}/settings-of-gate", dotfiles.display()),
        format!("mv {} elsewhere", dotfiles.display()),
        format!("python3 -c \"open('{}/settings-of-gate','w')\"", dotfiles.display()),
        format!("cp x {program}"),
        format!("chmod -x {program}"),
        format!("echo x >> {}/approvals.json", home.state().display()),
    ] {
        assert_eq!(home.decides("s", &command), "deny", "{command}");
    }
    assert_eq!(home.decides("s", &format!("cat {}/settings-of-gate", dotfiles.display())), "allow");
}

/// A project can put variables into a hook's environment: none of them loosens anything.
#[test]
fn variables_never_weaken_a_hook() {
    let home = Home::new();
    home.put("evil/gate/gate.json", r#"{"mode": "yolo"}"#);
    home.put("evil/.config/gate/gate.json", r#"{"mode": "yolo"}"#);
    let evil = home.home().join("evil");
    let answer = |name: &str, value: &str, command: &str| {
        let event = json!({"session_id": "s", "cwd": home.project(), "permission_mode": "default", "hook_event_name": "PreToolUse",
            "tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": "t"});
        let at = home.home().display().to_string();
        let out = std::process::Command::new("sh")
            .args(["-c", "printf %s \"$EVENT\" | \"$GATE\" hook claude-code --home \"$AT\""])
            .env("EVENT", event.to_string())
            .env("GATE", env!("CARGO_BIN_EXE_gate"))
            .env("AT", at)
            .env(name, value)
            .output()
            .unwrap();
        let value: Value = serde_json::from_slice(&out.stdout).unwrap();
        value["hookSpecificOutput"]["permissionDecision"].as_str().unwrap().to_owned()
    };
    let evil = evil.to_str().unwrap();
    for (name, value) in [
        ("GATE_SETTINGS_JSON", r#"{"mode": "yolo", "permissions": {"allow": ["Bash(npm publish:*)"]}, "enabled": false}"#),
        ("XDG_CONFIG_HOME", evil),
        ("XDG_STATE_HOME", evil),
        ("HOME", evil),
    ] {
        assert_eq!(answer(name, value, "npm publish"), "ask", "{name}");
    }
    assert_eq!(
        answer("GATE_SETTINGS_JSON", r#"{"permissions": {"deny": ["Bash(npm publish:*)"]}}"#, "npm publish"),
        "deny",
        "it may tighten"
    );
}
