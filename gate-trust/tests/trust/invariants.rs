//! The invariants L1 to L7 and L56 of the specification, by their numbers. (L8 and L50 go through the program:
//! `gate-cli/tests/session.rs`.)

use std::fs;
use std::os::unix::fs::PermissionsExt;

use gate_core::{Mode, Source, Unit, Word};
use gate_trust::edit::{self, edit_file};
use gate_trust::files::{Context, load, reload_key};
use gate_trust::{Severity, Sources, Tuning, snapshot, suggest_unit};
use serde_json::{Value, json};

use crate::files::{Folder, places};
use crate::{lines, shared, sources, text, user};

#[test]
fn l1_a_shared_file_changes_nothing_and_adds_denies() {
    let snap = shared(
        r#"{"classifier": {"model": "a/b", "allow": ["x"], "hardDeny": ["y"], "reasoningLevel": "max"}, "log": {"classifierIo": true},
            "permissions": {"deny": ["bash(d)"]}}"#,
    );
    let only = shared(r#"{"permissions": {"deny": ["bash(d)"]}}"#);
    assert_eq!((&snap.settings, &snap.tuning), (&only.settings, &Tuning::default()));
    assert_eq!(snap.settings.deny[0].text, "bash(d)");
    assert_eq!(snap.findings.iter().filter(|f| f.code == "ignored-key").count(), 5, "each ignored key is told");
}

#[test]
fn l2_local_beats_user_and_inline_beats_both() {
    let level = |l: &str| format!(r#"{{"classifier": {{"reasoningLevel": "{l}"}}}}"#);
    let with = |inline: &str| {
        let model = r#"{"classifier": {"model": "u/one", "reasoningLevel": "low"}}"#;
        let local = r#"{"classifier": {"model": "l/two", "reasoningLevel": "medium"}}"#;
        snapshot(&Sources { user: text("u", model), local: text("l", local), inline: text("i", inline), ..sources() })
    };
    let snap = with(&level("max"));
    assert_eq!((snap.tuning.classifier.model.as_str(), snap.tuning.classifier.reasoning_level.as_deref()), ("l/two", Some("max")));
    let bad = with(&level("extreme"));
    assert_eq!(bad.tuning.classifier.reasoning_level.as_deref(), Some("medium"), "the lower valid one stays");
    assert_eq!(bad.findings.len(), 1);
}

#[test]
fn l3_defaults_stay_where_a_list_does_not_name_them() {
    let c = user(r#"{"classifier": {"allow": ["mine"]}}"#).tuning.classifier;
    assert!(c.soft_deny.defaults && c.hard_deny.defaults && c.environment.defaults);
    let both = |name: &str| format!(r#"{{"classifier": {{"allow": ["$defaults", "{name}"]}}}}"#);
    let snap = snapshot(&Sources { user: text("u", &both("one")), local: text("l", &both("two")), ..sources() });
    let allow = snap.tuning.classifier.allow;
    let entries: Vec<&str> = allow.entries.iter().map(|e| e.text.as_str()).collect();
    assert_eq!((allow.defaults, entries), (true, vec!["one", "two"]));
}

/// Each has a finding with file, line, column, the key's path; where something was meant, that too.
#[test]
fn l4_every_diagnostic() {
    for (body, key, part) in [
        (r#"{"colour": 1}"#, "colour", "unknown"),
        (r#"{"denyedPaths": []}"#, "denyedPaths", "deniedPaths"),
        (r#"{"enabled": "yes"}"#, "enabled", "true or false"),
        (r#"{"classifier": {"allow": ["x"]}}"#, "classifier.allow", "$defaults"),
        (r#"{"classifier": {"hardDeny": [42]}}"#, "classifier.hardDeny[0]", ""),
        (r#"{"permissions": {"dney": []}}"#, "permissions.dney", "deny"),
        (r#"{"permissions": {"deny": "bash(x)"}}"#, "permissions.deny", "list"),
        (r#"{"classifier": {"maxUserTranscriptTokens": 31}}"#, "classifier.maxUserTranscriptTokens", "32"),
        (r#"{"classifier": {"maxToolTranscriptTokens": 1}}"#, "classifier.maxToolTranscriptTokens", "32"),
        (r#"{"classifier": {"fastMaxTokens": 8}}"#, "classifier.fastMaxTokens", "16"),
        (r#"{"classifier": {"timeoutMs": 999}}"#, "classifier.timeoutMs", "1000"),
        (r#"{"classifyReadOnlyTools": 1}"#, "classifyReadOnlyTools", "true or false"),
        (r#"{"allowInsideWorkingDirectory": "no"}"#, "allowInsideWorkingDirectory", "true or false"),
        (r#"{"deniedPaths": "~/.ssh"}"#, "deniedPaths", "list"),
        (r#"{"deniedPaths": [""]}"#, "deniedPaths[0]", "empty"),
        (r#"{"deniedPaths": ["config.json"]}"#, "deniedPaths[0]", "**/config.json"),
        (r#"{"deniedPaths": ["src/secret.txt"]}"#, "deniedPaths[0]", "**/src/secret.txt"),
        (r#"{"deniedPaths": ["~foo"]}"#, "deniedPaths[0]", ""),
        (r#"{"mode": "Yolo"}"#, "mode", "yolo"),
        ("{", "", ""),
    ] {
        let snap = user(body);
        let found = snap.findings.iter().find(|f| f.key == key).unwrap_or_else(|| panic!("{body}: {}", lines(&snap)));
        assert!(found.severity >= Severity::Note && found.line == 1 && found.column > 0, "{body}: {found:?}");
        let said = found.to_string();
        assert!(said.starts_with("user.json:1:") && said.contains(part), "{body}: {said}");
    }
    let fine = r#"{"deniedPaths": ["$defaults", "*.env", "**/id_rsa", "~/.ssh/*", "$HOME/x", "${HOME}/y", "/etc/*"]}"#;
    assert!(user(fine).findings.is_empty() && user(fine).settings.denied_paths.len() == 6);
}

#[test]
fn l5_writing_a_model_keeps_everything_else() {
    let folder = Folder::new();
    let file = folder.0.join("gate.json");
    let set = |t: &str| edit::set_value(t, "classifier.model", &"a/b".into()).map(Some);
    let read = || -> Value { serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap() };
    edit_file(&file, "schema", set).unwrap();
    assert_eq!(read(), json!({"$schema": "schema", "mode": "auto", "classifier": {"model": "a/b"}}));
    fs::write(&file, r#"{"enabled": true, "classifier": {"allow": ["$defaults", "x"]}, "permissions": {"deny": ["bash(d)"]}}"#).unwrap();
    edit_file(&file, "schema", set).unwrap();
    let expected =
        json!({"enabled": true, "classifier": {"allow": ["$defaults", "x"], "model": "a/b"}, "permissions": {"deny": ["bash(d)"]}});
    assert_eq!(read(), expected);
}

#[test]
fn l6_files_are_private_faults_are_told_and_changes_are_seen() {
    let folder = Folder::new();
    let p = places(&folder);
    let mode = || load(&p, &Context::default()).snapshot.settings.mode;
    let deny = |t: &str| edit::set_value(t, "mode", &"strict".into()).map(Some);
    edit_file(&p.user_settings(), "schema", deny).unwrap();
    assert_eq!(fs::metadata(p.user_settings()).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(mode(), Mode::Strict);
    let (one, two) = (load(&p, &Context::default()), load(&p, &Context::default()));
    assert!(one == two && one.key == two.key, "equal loads for an equal state");
    let before = reload_key(&p);
    edit_file(&p.user_settings(), "schema", |t| edit::set_value(t, "mode", &"approve".into()).map(Some)).unwrap();
    assert!(before != reload_key(&p) && mode() == Mode::Approve, "a saved change is seen at once");
    for (body, expected) in [("{", Mode::Auto), (r#"{"mode": "fast"}"#, Mode::Auto)] {
        fs::write(p.user_settings(), body).unwrap();
        let snap = load(&p, &Context::default()).snapshot;
        assert_eq!((snap.settings.mode, snap.settings.floors.len()), (expected, 1), "never back to yolo: {body}");
    }
    fs::write(p.user_settings(), r#"{"rules": [{"pattern": "a", "action": "deny"}, {"pattern": 3, "action": "deny"}]}"#).unwrap();
    assert_eq!(load(&p, &Context::default()).snapshot.settings.rules.len(), 1, "what cannot be read is filtered");
    let closed = folder.0.join("closed");
    fs::create_dir(&closed).unwrap();
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o500)).unwrap();
    let result = edit_file(&closed.join("gate.json"), "schema", deny);
    // Root writes everywhere.
    if fs::write(closed.join("probe"), "").is_err() {
        assert!(result.unwrap_err().to_string().contains("failed to save"));
    }
    fs::set_permissions(&closed, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn l7_one_bad_deciding_value_rejects_the_source() {
    let snap = user(r#"{"permissions": {"allow": ["bash(a)"], "deny": ["bash(d)"]}, "mode": "fast"}"#);
    assert_eq!((snap.rejected.as_slice(), snap.settings.allow.len(), snap.settings.deny.len()), (&[Source::User][..], 0, 1));
    assert_eq!(snap.settings.floors.len(), 1);
    // Tuning and unknown keys do not.
    let snap = user(r#"{"permissions": {"allow": ["bash(a)"]}, "classifier": {"timeoutMs": 1}, "colour": 1}"#);
    assert_eq!((snap.rejected.len(), snap.settings.allow.len(), snap.findings.len()), (0, 1, 2));
    let wide = |body: &str| user(body).findings.iter().any(|f| f.code == "wide-allow");
    assert!(wide(r#"{"permissions": {"allow": ["Bash"]}}"#) && !wide(r#"{"permissions": {"allow": ["Bash(make:*)"]}}"#));
}

#[test]
fn l56_suggested_patterns() {
    let of = |command: &str| {
        let unit = Unit { words: command.split(' ').map(Word::text).collect(), raw: command.to_owned(), ..Unit::default() };
        suggest_unit(&unit, None).entry.unwrap_or_default()
    };
    for (command, entry) in [
        ("git push origin main", "Bash(git push:*)"),
        ("npm run dev", "Bash(npm run dev:*)"),
        ("docker compose up -d", "Bash(docker compose up:*)"),
        ("gh pr create", "Bash(gh pr create:*)"),
        ("cargo build --release", "Bash(cargo build:*)"),
        // Nothing wide for what runs its words, or loses things; a program that nobody knows is allowed as it stands.
        ("sudo ls", "bash(sudo ls)"),
        ("bash x.sh", "bash(bash x.sh)"),
        ("python3 a.py", "bash(python3 a.py)"),
        ("rm -rf x", "bash(rm -rf x)"),
        ("find . -name x", "bash(find . -name x)"),
        ("frobnicate x y", "bash(frobnicate x y)"),
    ] {
        assert_eq!(of(command), entry, "{command}");
    }
    // At a word boundary: `npm run dev` does not cover `npm run devils`.
    assert!(of("npm run dev").ends_with(":*)"));
}

#[test]
fn the_layer_keeps_to_its_stage() {
    gate_core::conformance::check_layer(&gate_trust::Trust).unwrap();
}
