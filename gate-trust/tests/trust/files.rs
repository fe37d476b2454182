//! Real files: where they are, what is odd about them, writing and crashing.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use gate_core::Mode;
use gate_trust::edit::{self, edit_file};
use gate_trust::files::{Context, Places, load, reload_key, remember, write_private};
use gate_trust::{ApprovalStore, ProjectFile, Switch, SwitchStore};

/// A folder of its own for one test, removed at its end.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new() -> Self {
        static N: AtomicU32 = AtomicU32::new(0);
        let name = format!("gate-trust-{}-{}", std::process::id(), N.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Self(fs::canonicalize(path).unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn places(folder: &Folder) -> Places {
    let at = |n: &str| folder.0.join(n);
    for n in ["etc", "config", "project/.gate"] {
        fs::create_dir_all(at(n)).unwrap();
        fs::set_permissions(at(n), fs::Permissions::from_mode(0o755)).unwrap();
    }
    Places { managed: at("etc/gate.json"), config_dir: at("config"), state_dir: at("state"), project_root: Some(at("project")) }
}

fn put(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
}

#[test]
fn no_files_no_findings() {
    let folder = Folder::new();
    let loaded = load(&places(&folder), &Context::default());
    assert!(loaded.snapshot.findings.is_empty() && loaded.snapshot.settings.floors.is_empty());
    assert_eq!(loaded.snapshot.settings.mode, Mode::Auto);
}

#[test]
fn project_local_counts_in_the_approved_version_only() {
    let folder = Folder::new();
    let p = places(&folder);
    let (root, local) = (p.project_root.clone().unwrap(), p.local_settings().unwrap());
    let text = r#"{"mode": "approve", "permissions": {"deny": ["bash(d)"]}}"#;
    put(&local, text);
    let mode = |c: &Context<'_>| load(&p, c).snapshot.settings.mode;
    assert_eq!(mode(&Context::default()), Mode::Auto);
    ApprovalStore::new(&p.state_dir).approve(&root, ProjectFile::Local, text.as_bytes(), 1).unwrap();
    assert_eq!(mode(&Context::default()), Mode::Approve);
    assert_eq!(
        mode(&Context { tracked: &|_| true, ..Context::default() }),
        Mode::Approve,
        "a tracked file only tightens, as last approved"
    );
    put(&local, &format!("{text} "));
    let set = load(&p, &Context::default()).snapshot.settings;
    assert_eq!((set.deny.len(), set.mode), (1, Mode::Approve), "what was approved still tightens");
    let other = Places { project_root: Some(root.join("sub")), ..p.clone() };
    fs::create_dir_all(root.join("sub/.gate")).unwrap();
    put(&other.local_settings().unwrap(), text);
    assert_eq!(load(&other, &Context::default()).snapshot.settings.mode, Mode::Auto, "nested projects do not inherit");
}

#[test]
fn odd_files_are_reported() {
    let folder = Folder::new();
    let p = places(&folder);
    let real = folder.0.join("real.json");
    put(&real, r#"{"mode": "approve"}"#);
    symlink(&real, p.user_settings()).unwrap();
    let codes = || -> Vec<&str> { load(&p, &Context::default()).snapshot.findings.iter().map(|f| f.code).collect() };
    assert_eq!(codes(), ["symlink"]);
    fs::set_permissions(&real, fs::Permissions::from_mode(0o666)).unwrap();
    assert_eq!(codes(), ["symlink", "writable-by-others"]);
    fs::set_permissions(&p.config_dir, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(codes().contains(&"folder-writable-by-others"));
}

#[test]
fn a_project_file_that_leads_out_of_the_project_is_rejected() {
    let folder = Folder::new();
    let p = places(&folder);
    put(&folder.0.join("out.json"), r#"{"permissions": {"deny": ["bash(d)"]}}"#);
    symlink(folder.0.join("out.json"), p.shared_settings().unwrap()).unwrap();
    let snap = load(&p, &Context::default()).snapshot;
    assert!(snap.settings.deny.is_empty());
    assert!(snap.findings.iter().any(|f| f.code == "unreadable"), "{:?}", snap.findings);
}

#[test]
fn what_is_no_plain_text_file_is_a_rejected_source() {
    let folder = Folder::new();
    let p = places(&folder);
    let user = p.user_settings();
    let floors = || load(&p, &Context::default()).snapshot.settings.floors.len();
    fs::create_dir(&user).unwrap();
    assert_eq!(floors(), 1);
    fs::remove_dir(&user).unwrap();
    fs::write(&user, b"{\"mode\": \"\xff\"}").unwrap();
    assert_eq!(floors(), 1);
    fs::write(&user, vec![b' '; gate_trust::FILE_BYTES + 1]).unwrap();
    assert_eq!(floors(), 1);
    fs::remove_file(&user).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&user).status().unwrap().success());
    assert_eq!(floors(), 1, "a pipe does not stop the gate");
}

#[test]
fn last_good_denies_stay() {
    let folder = Folder::new();
    let p = places(&folder);
    put(&p.user_settings(), r#"{"permissions": {"deny": ["bash(d)"], "allow": ["bash(a)"]}}"#);
    remember(&p, &load(&p, &Context::default())).unwrap();
    put(&p.user_settings(), r#"{"permissions": {"deny": ["#);
    let loaded = load(&p, &Context::default());
    let set = &loaded.snapshot.settings;
    assert_eq!((set.deny.len(), set.allow.len(), set.floors.len()), (1, 0, 1));
    remember(&p, &loaded).unwrap();
    assert_eq!(load(&p, &Context::default()).snapshot.settings.deny.len(), 1, "a rejected version is not remembered");
    put(&p.user_settings(), "{}");
    let loaded = load(&p, &Context::default());
    assert!(loaded.snapshot.settings.deny.is_empty() && loaded.snapshot.settings.floors.is_empty());
    let mode = fs::metadata(p.state_dir.join("last-good")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn the_reload_key_sees_every_change() {
    let folder = Folder::new();
    let p = places(&folder);
    let before = reload_key(&p);
    put(&p.user_settings(), "{}");
    let there = reload_key(&p);
    assert_ne!(before, there);
    // Same size, same modification time, other contents.
    let time = fs::metadata(p.user_settings()).unwrap().modified().unwrap();
    put(&p.user_settings(), "[]");
    fs::File::options().write(true).open(p.user_settings()).unwrap().set_modified(time).unwrap();
    assert_ne!(there, reload_key(&p));
    assert_eq!(reload_key(&p), reload_key(&p));
}

#[test]
fn switches_by_session_and_by_time() {
    let folder = Folder::new();
    let p = places(&folder);
    put(&p.user_settings(), r#"{"mode": "approve"}"#);
    let at = |now: u64, session| load(&p, &Context { now, session, hook: true, ..Context::default() }).snapshot.settings.mode;
    let switch = |mode, until| Switch { mode: Some(mode), enabled: None, at: 100, until };
    SwitchStore::of_user(&p.state_dir).set(&switch(Mode::Yolo, Some(200))).unwrap();
    assert_eq!([at(50, None), at(150, None), at(200, None)], [Mode::Approve, Mode::Yolo, Mode::Approve]);
    let session = SwitchStore::of_session(&p.state_dir, "host", "s1");
    session.set(&switch(Mode::Strict, None)).unwrap();
    assert_eq!([at(150, Some(("host", "s1"))), at(150, Some(("host", "s2")))], [Mode::Strict, Mode::Yolo]);
    put(&p.managed, r#"{"mode": "auto"}"#);
    assert_eq!(at(150, None), Mode::Auto, "nothing loosens managed settings");
    session.clear().unwrap();
    session.clear().unwrap();
}

#[test]
fn edits_keep_everything_else() {
    let text = "{\n  // mine\n  \"mode\": \"auto\", // why\n  \"colour\": 1,\n  \"permissions\": {\n    \"deny\": [\n      \"bash(a)\" // first\n    ]\n  }\n}\n";
    let added = edit::add_entry(text, "permissions.deny", "bash(b)").unwrap();
    insta::assert_snapshot!(added);
    assert_eq!(edit::add_entry(&added, "permissions.deny", "bash(b)").unwrap(), added, "once");
    let removed = edit::remove_entry(&added, "permissions.deny", "bash(b)").unwrap().unwrap();
    assert!(removed.contains("// first") && removed.contains("// mine") && !removed.contains("bash(b)"));
    assert_eq!(edit::remove_entry(text, "permissions.ask", "x").unwrap(), None);
    let set = edit::set_value(text, "classifier.timeoutMs", &5000.into()).unwrap();
    assert!(set.contains("// why") && set.contains("\"timeoutMs\": 5000"), "{set}");
    let mode = edit::set_value(text, "mode", &"strict".into()).unwrap();
    assert!(mode.contains("\"mode\": \"strict\", // why"), "{mode}");
    assert!(!edit::unset(text, "mode").unwrap().unwrap().contains("\"mode\""));
}

#[test]
fn edits_that_make_no_sense_are_refused() {
    for (text, path, entry) in [
        ("[]", "permissions.deny", "bash"),
        ("{", "permissions.deny", "bash"),
        ("{}", "permissions.dney", "bash"),
        ("{}", "permissions.deny", "bash("),
        ("{\"permissions\": 3}", "permissions.deny", "bash"),
        ("{}", "mode", "x"),
    ] {
        assert!(edit::add_entry(text, path, entry).is_err(), "{text} {path} {entry}");
    }
    assert!(edit::set_value("{}", "mode", &"off".into()).unwrap_err().to_string().contains("expected one of"));
    assert!(edit::set_value("{}", "classifier.timeoutMs", &5.into()).is_err());
}

#[test]
fn a_missing_file_is_made_private_and_links_stay() {
    let folder = Folder::new();
    let path = folder.0.join("new/gate.json");
    let deny = |t: &str| edit::add_entry(t, "permissions.deny", "bash(x)").map(Some);
    assert!(edit_file(&path, "schema", deny).unwrap());
    assert!(!edit_file(&path, "schema", deny).unwrap(), "nothing to change");
    insta::assert_snapshot!(fs::read_to_string(&path).unwrap());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
    let link = folder.0.join("link.json");
    symlink(&path, &link).unwrap();
    assert!(edit_file(&link, "schema", |t| edit::set_value(t, "mode", &"strict".into()).map(Some)).unwrap());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(fs::read_to_string(&path).unwrap().contains("strict"));
    fs::write(&path, "[]").unwrap();
    assert!(edit_file(&path, "schema", deny).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "[]");
}

#[test]
fn writing_leaves_no_temporary_file() {
    let folder = Folder::new();
    write_private(&folder.0.join("a"), b"x").unwrap();
    assert!(write_private(&folder.0.join("missing/a"), b"x").is_err());
    let names: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(names, ["a"]);
}

#[test]
fn the_doctor_names_each_fault_and_its_mend() {
    let folder = Folder::new();
    let p = places(&folder);
    let look = |p: &Places| gate_trust::doctor::checks(p, &load(p, &Context::default()));
    assert!(look(&p).iter().all(|c| c.ok), "{:?}", look(&p));
    put(&p.user_settings(), r#"{"mode": "off"}"#);
    put(&p.permissions().unwrap(), r#"{"allow": {"make": ["test"]}}"#);
    fs::create_dir_all(&p.state_dir).unwrap();
    fs::set_permissions(&p.state_dir, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(p.state_dir.join("approvals.json"), "{").unwrap();
    let broken: Vec<&str> = look(&p).iter().filter(|c| !c.ok).map(|c| c.name).collect();
    assert_eq!(broken, ["settings", "state-folder", "approvals", "trust"]);
    assert!(look(&p).iter().all(|c| c.ok || c.mend.is_some()));
    put(&p.user_settings(), r#"{"enabled": false}"#);
    assert!(look(&p).iter().any(|c| c.name == "enabled" && !c.ok));
}

/// Four small files in well under a millisecond, even without optimisation.
#[test]
fn loading_is_quick() {
    let folder = Folder::new();
    let p = places(&folder);
    let body = r#"{"mode": "auto", "permissions": {"deny": ["bash(a)", "bash(b)"], "allow": ["Bash(git push:*)"]}, "classifier": {"timeoutMs": 5000}}"#;
    for path in [p.managed.clone(), p.user_settings(), p.shared_settings().unwrap(), p.local_settings().unwrap()] {
        put(&path, body);
    }
    let best = (0..50).map(|_| {
        let start = std::time::Instant::now();
        let _ = load(&p, &Context::default());
        start.elapsed()
    });
    let best = best.min().unwrap();
    println!("loading four files takes {best:?}");
    assert!(best < std::time::Duration::from_millis(5), "{best:?}");
}
