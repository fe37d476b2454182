//! Approvals: by hash, by session, and what they may answer.

use async_trait::async_trait;
use gate_core::*;
use gate_trust::{Approval, ApprovalStore, Change, ProjectFile, Scope, SessionApproval, SessionStore, Trust, suggest_call, suggest_unit};
use serde_json::json;

use crate::files::{Folder, places};

#[test]
fn by_hash_of_the_bytes_and_root() {
    let folder = Folder::new();
    let p = places(&folder);
    let (store, root) = (ApprovalStore::new(&p.state_dir), p.project_root.clone().unwrap());
    let is = |bytes: &[u8]| store.is_approved(&root, ProjectFile::Permissions, bytes);
    assert!(!is(b"{}"));
    store.approve(&root, ProjectFile::Permissions, b"{}", 7).unwrap();
    assert!(is(b"{}") && !is(b"{} ") && !store.is_approved(&root, ProjectFile::Local, b"{}"));
    assert!(!store.is_approved(&root.join("sub"), ProjectFile::Permissions, b"{}"));
    store.approve(&root, ProjectFile::Permissions, b"{\n1\n}", 8).unwrap();
    assert!(!is(b"{}"), "one version at a time");
    assert_eq!(store.list().len(), 1);
    let diff = store.diff(&root, ProjectFile::Permissions, "{\n2\n}");
    let expected = [Change::Same("{".into()), Change::Removed("1".into()), Change::Added("2".into()), Change::Same("}".into())];
    assert_eq!(diff, expected);
    assert_eq!(store.revoke(&root, None).unwrap(), 1);
    assert!(!is(b"{\n1\n}") && store.list().is_empty());
}

#[test]
fn a_broken_store_approves_nothing_and_is_left_alone() {
    let folder = Folder::new();
    let p = places(&folder);
    let (store, root) = (ApprovalStore::new(&p.state_dir), p.project_root.clone().unwrap());
    store.approve(&root, ProjectFile::Local, b"x", 1).unwrap();
    for text in ["{", "{\"version\": 2, \"files\": []}", "[]"] {
        std::fs::write(store.path(), text).unwrap();
        assert!(!store.is_approved(&root, ProjectFile::Local, b"x"));
        assert!(store.fault().is_some());
        assert!(store.approve(&root, ProjectFile::Local, b"x", 1).is_err());
        assert_eq!(std::fs::read_to_string(store.path()).unwrap(), text);
    }
}

#[test]
fn many_writers_lose_nothing() {
    let folder = Folder::new();
    let p = places(&folder);
    std::thread::scope(|scope| {
        for t in 0..8 {
            let state = p.state_dir.clone();
            scope.spawn(move || {
                for n in 0..10 {
                    let root = format!("/project/{t}/{n}");
                    ApprovalStore::new(&state).approve(root.as_ref(), ProjectFile::Local, b"x", 1).unwrap();
                    let one = SessionApproval::of_entry(format!("bash({t} {n})"), Scope::Session, 1, None);
                    SessionStore::new(&state, "h", "s").add(one).unwrap();
                }
            });
        }
    });
    assert_eq!(ApprovalStore::new(&p.state_dir).list().len(), 80);
    let all = SessionStore::new(&p.state_dir, "h", "s").list(2);
    let ids: std::collections::BTreeSet<_> = all.iter().map(|a| &a.id).collect();
    assert_eq!((all.len(), ids.len()), (80, 80));
    for entry in std::fs::read_dir(&p.state_dir).unwrap() {
        assert!(!entry.unwrap().file_name().to_string_lossy().ends_with(".tmp"));
    }
}

#[test]
fn what_waits_for_a_yes_is_shown() {
    let folder = Folder::new();
    let p = places(&folder);
    let local = "{\n  \"mode\": \"yolo\",\n  \"permissions\": {\"allow\": [\"Bash(git push:*)\"], \"deny\": [\"Read(x)\"]},\n  \"rules\": [{\"pattern\": \"rm *\", \"action\": \"allow\"}],\n  \"commands\": {\"make\": [\"test\"]}\n}\n";
    std::fs::write(p.local_settings().unwrap(), local).unwrap();
    std::fs::write(p.permissions().unwrap(), r#"{"allow": {"git": ["log", "diff"], "jj": true}}"#).unwrap();
    let look = || gate_trust::pending(&p, &gate_trust::files::load(&p, &gate_trust::files::Context::default()));
    let mut all = look();
    for one in &mut all {
        one.path = one.path.rsplit('/').next().unwrap().to_owned();
    }
    insta::assert_json_snapshot!(all);
    let (store, root) = (ApprovalStore::new(&p.state_dir), p.project_root.clone().unwrap());
    store.approve(&root, ProjectFile::Local, local.as_bytes(), 1).unwrap();
    assert_eq!(look().iter().map(|w| w.file).collect::<Vec<_>>(), [ProjectFile::Permissions]);
    std::fs::write(p.local_settings().unwrap(), local.replace("yolo", "auto")).unwrap();
    let again = look();
    assert!(again[0].changed);
    let changes = again[0].diff.iter().filter(|c| !matches!(c, Change::Same(_))).count();
    assert_eq!(changes, 2);
    let no = gate_trust::SeenVersions::refused(&p.state_dir, "h", "s");
    assert!(!no.has(&again[0].sha256));
    no.add(&again[0].sha256).unwrap();
    assert!(no.has(&again[0].sha256) && !gate_trust::SeenVersions::refused(&p.state_dir, "h", "t").has(&again[0].sha256));
}

#[test]
fn counters_count_and_keep_the_newest_denials() {
    let folder = Folder::new();
    let store = gate_trust::CounterStore::of_session(&folder.0, "h", "s");
    let call = call("make x");
    let settings = Settings::default();
    let case = Case::new(&call, &settings, Some(script("make x")), &NoFacts);
    let runner = |say: Option<Say>| {
        let votes = say.map_or_else(|| Says(Stage::Deny, Vec::new()), |s| vote(Stage::Deny, s));
        let b = Runner::builder().layer(votes).layer(Says(Stage::Structure, vec![])).layer(Says(Stage::Paths, vec![]));
        pollster::block_on(b.layer(vote(Stage::Allow, Say::Allow(Strength::Narrow))).build().unwrap().decide(&case))
    };
    for n in 0..15 {
        store.update(|c| c.count(&runner(Some(Say::Deny)), "Bash", &format!("make {n}"), n)).unwrap();
    }
    store.update(|c| c.count(&runner(None), "Bash", "make x", 20)).unwrap();
    let c = store.get();
    assert_eq!((c.checked, c.blocked, c.recent_denials.len(), c.recent_denials[0].at), (16, 15, 12, 3));
    assert_eq!(c.last_decision.as_deref(), Some("allow"));
    store.reset().unwrap();
    assert_eq!(store.get(), gate_trust::Counters::default());
}

#[test]
fn what_old_sessions_have_left_goes() {
    let folder = Folder::new();
    let count = |session: &str| gate_trust::CounterStore::of_session(&folder.0, "h", session).update(|c| c.of("h", session, "/p")).unwrap();
    count("old");
    gate_trust::SwitchStore::of_session(&folder.0, "h", "old")
        .set(&gate_trust::Switch { mode: Some(Mode::Strict), enabled: None, at: 1, until: None })
        .unwrap();
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(40 * 24 * 3_600);
    for entry in std::fs::read_dir(folder.0.join("sessions")).unwrap().flatten() {
        std::fs::File::options().append(true).open(entry.path()).unwrap().set_modified(past).unwrap();
    }
    count("new");
    let sessions: Vec<String> = gate_trust::sessions(&folder.0).into_iter().map(|c| c.session).collect();
    assert_eq!(sessions, ["new"]);
    assert!(gate_trust::SwitchStore::of_session(&folder.0, "h", "old").get(2).is_some(), "a stricter mode stays");
}

/// The child's part of the test below: writes approvals until it is killed or done.
fn child(state: &std::path::Path, name: &str) {
    for n in 0..25 {
        let root = format!("/project/{name}/{n}");
        ApprovalStore::new(state).approve(root.as_ref(), ProjectFile::Permissions, root.as_bytes(), 1).unwrap();
        SessionStore::new(state, "h", "s").add(SessionApproval::of_entry(format!("bash({name} {n})"), Scope::Session, 1, None)).unwrap();
    }
}

#[test]
fn processes_lose_nothing_and_a_killed_one_leaves_no_lock() {
    const STATE: &str = "GATE_TRUST_TEST_STATE";
    const NAME: &str = "GATE_TRUST_TEST_NAME";
    if let (Some(state), Ok(name)) = (std::env::var_os(STATE), std::env::var(NAME)) {
        return child(state.as_ref(), &name);
    }
    let folder = Folder::new();
    let start = |name: String| {
        std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "approvals::processes_lose_nothing_and_a_killed_one_leaves_no_lock"])
            .env(STATE, &folder.0)
            .env(NAME, name)
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut writers: Vec<_> = (0..4).map(|n| start(n.to_string())).collect();
    let mut killed: Vec<_> = (0..3).map(|n| start(format!("killed{n}"))).collect();
    for (n, k) in killed.iter_mut().enumerate() {
        std::thread::sleep(std::time::Duration::from_millis(30 + 20 * n as u64));
        k.kill().unwrap();
        k.wait().unwrap();
    }
    for w in &mut writers {
        assert!(w.wait().unwrap().success());
    }
    let store = ApprovalStore::new(&folder.0);
    assert_eq!(store.fault(), None, "never torn");
    let count = |w: &str| store.list().iter().filter(|a| a.project.starts_with(&format!("/project/{w}/"))).count();
    assert_eq!([count("0"), count("1"), count("2"), count("3")], [25; 4]);
    let sessions = SessionStore::new(&folder.0, "h", "s").list(1);
    assert!(sessions.iter().filter(|a| !a.entry.as_deref().unwrap().starts_with("bash(killed")).count() == 100);
    store.approve("/last".as_ref(), ProjectFile::Local, b"x", 1).unwrap();
}

#[test]
fn sessions_are_apart_and_end() {
    let folder = Folder::new();
    let store = |s: &str| SessionStore::new(&folder.0, "host", s);
    let id = store("a").add(SessionApproval::of_entry("bash(x)", Scope::Session, 1, Some(100))).unwrap();
    assert_eq!((store("a").list(99).len(), store("a").list(100).len(), store("b").list(1).len()), (1, 0, 0));
    assert!(store("a").revoke(&id).unwrap() && !store("a").revoke(&id).unwrap());
    let once = store("a").add(SessionApproval::of_entry("bash(x)", Scope::Once, 1, None)).unwrap();
    assert!(store("a").take(std::slice::from_ref(&once)) && !store("a").take(&[once]), "once is once");
    store("a").clear().unwrap();
    assert!(!store("a").path().exists());
}

/// Says what it is told to, at its stage.
struct Says(Stage, Votes);

#[async_trait]
impl Layer for Says {
    fn stage(&self) -> Stage {
        self.0
    }
    fn name(&self) -> &'static str {
        "says"
    }
    async fn check(&self, _: &Case<'_>) -> Votes {
        self.1.clone()
    }
}

fn unit(words: &[&str]) -> Unit {
    Unit { words: words.iter().map(|w| Word::text(*w)).collect(), raw: words.join(" "), ..Unit::default() }
}

fn call(command: &str) -> Call {
    Call {
        id: "1".into(),
        host: "h".into(),
        session: Some("s".into()),
        tool: Tool { name: "Bash".into(), kind: ToolKind::Shell(ShellKind::Bash) },
        input: json!({"command": command}),
        cwd: "/p".into(),
        home: "/h".into(),
        project: "/p".into(),
        headless: false,
        cancelled: false,
        subagent: false,
    }
}

fn script(command: &str) -> Script {
    let units = command.split("; ").map(|c| unit(&c.split(' ').collect::<Vec<_>>())).collect();
    Script { raw: command.into(), units, ..Script::default() }
}

fn vote(stage: Stage, say: Say) -> Says {
    let (reason, matched) = (Reason::new("x", "x"), None);
    Says(stage, vec![Vote { subject: Subject::Unit(0), say, reason, matched, origin: Origin::User }])
}

fn floor(kept: bool) -> Says {
    let doubt = Doubt { sentinel: "<x>".into(), text: String::new(), lift: Lift::default() };
    vote(Stage::Structure, Say::Floor { doubt, kept })
}

/// An entry covers a unit that starts with its words.
fn starts(entry: &str, case: &Case<'_>, subject: Subject) -> bool {
    let Subject::Unit(i) = subject else { return false };
    let inner = entry.trim_start_matches("bash(").trim_end_matches(')');
    case.script.as_ref().is_some_and(|s| s.units[i].shown().starts_with(inner))
}

fn decide(command: &str, settings: &Settings, said: Vec<Says>, approvals: Vec<SessionApproval>, facts: &dyn Facts) -> Outcome {
    let call = call(command);
    let case = Case::new(&call, settings, Some(script(command)), facts);
    let mut builder = Runner::builder().layer(Trust).authority(Approval::of(approvals, starts, 10));
    let stages: Vec<Stage> = said.iter().map(|s| s.0).collect();
    for s in said {
        builder = builder.layer(s);
    }
    for stage in [Stage::Structure, Stage::Deny, Stage::Paths].into_iter().filter(|s| !stages.contains(s)) {
        builder = builder.layer(Says(stage, Vec::new()));
    }
    pollster::block_on(builder.build().unwrap().decide(&case)).outcome()
}

#[test]
fn an_approval_turns_ask_into_allow_and_nothing_else() {
    let settings = Settings::default();
    let yes = || vec![SessionApproval::of_entry("bash(make)", Scope::Session, 1, None)];
    let run = |command: &str, settings: &Settings, said, approvals| decide(command, settings, said, approvals, &NoFacts);
    assert_eq!(run("make x", &settings, vec![], vec![]), Outcome::Deny, "nobody to ask");
    assert_eq!(run("make x", &settings, vec![], yes()), Outcome::Allow);
    assert_eq!(run("make x; rm y", &settings, vec![], yes()), Outcome::Deny, "every unit");
    assert_eq!(run("make x", &settings, vec![vote(Stage::Ask, Say::Ask { kept: false })], yes()), Outcome::Allow);
    assert_eq!(run("make x", &settings, vec![vote(Stage::Deny, Say::Deny)], yes()), Outcome::Deny);
    let strict = Settings { mode: Mode::Strict, ..Settings::default() };
    assert_eq!(run("make x", &strict, vec![], yes()), Outcome::Deny);
    let ended = vec![SessionApproval::of_entry("bash(make)", Scope::Session, 1, Some(10))];
    assert_eq!(run("make x", &settings, vec![], ended), Outcome::Deny);
}

#[test]
fn a_floor_is_lifted_for_the_identical_call_only() {
    let settings = Settings::default();
    let given = |command: &str| {
        let call = call(command);
        let case = Case::new(&call, &settings, Some(script(command)), &NoFacts);
        vec![SessionApproval::of(&case, Scope::Session, Some("bash(make)".into()), 1, None)]
    };
    let run = |command: &str, said, approvals| decide(command, &settings, said, approvals, &NoFacts);
    assert_eq!(run("make x", vec![floor(false)], given("make x")), Outcome::Allow);
    assert_eq!(run("make y", vec![floor(false)], given("make x")), Outcome::Deny);
    assert_eq!(run("make y", vec![], given("make x")), Outcome::Allow);
    assert_eq!(run("make x", vec![floor(true)], given("make x")), Outcome::Deny, "a kept ask is a person's");
    let reason = Reason::new(gate_trust::REJECTED, "broken");
    let rejected = Settings { floors: vec![SettingsFloor { tool: None, reason }], ..Settings::default() };
    assert_eq!(decide("make x", &rejected, vec![], given("make x"), &NoFacts), Outcome::Deny);
}

/// `make` is somewhere else.
struct Moved;

impl Facts for Moved {
    fn kind(&self, p: &str) -> PathKind {
        NoFacts.kind(p)
    }
    fn resolve(&self, p: &str) -> Resolved {
        NoFacts.resolve(p)
    }
    fn program(&self, name: &str) -> ProgramAt {
        ProgramAt::Untrusted(format!("/p/bin/{name}"))
    }
    fn git_config(&self, d: &str) -> Option<GitConfig> {
        NoFacts.git_config(d)
    }
    fn tracked(&self, _: &str) -> bool {
        false
    }
    fn trusted_project(&self) -> bool {
        true
    }
}

#[test]
fn a_program_that_moved_is_another_program() {
    let settings = Settings::default();
    let call = call("make x");
    let case = Case::new(&call, &settings, Some(script("make x")), &NoFacts);
    let given = vec![SessionApproval::of(&case, Scope::Session, Some("bash(make)".into()), 1, None)];
    assert_eq!(decide("make x", &settings, vec![], given.clone(), &NoFacts), Outcome::Allow);
    assert_eq!(decide("make x", &settings, vec![], given, &Moved), Outcome::Deny);
}

#[test]
fn trust_floors_by_tool() {
    let floors = |tool: Option<&str>, code: &'static str| Settings {
        floors: vec![SettingsFloor { tool: tool.map(Into::into), reason: Reason::new(code, "broken") }],
        ..Settings::default()
    };
    let allow = || vec![vote(Stage::Allow, Say::Allow(Strength::Narrow))];
    let run = |settings: &Settings| decide("make x", settings, allow(), vec![], &NoFacts);
    for (tool, outcome) in [
        (None, Outcome::Deny),
        (Some("bash"), Outcome::Deny),
        (Some("Read"), Outcome::Deny),
        (Some("mcp__x"), Outcome::Allow),
        (Some("mcp__*"), Outcome::Allow),
        (Some("ba*"), Outcome::Deny),
        (Some("*"), Outcome::Deny),
    ] {
        assert_eq!(run(&floors(tool, gate_trust::REJECTED)), outcome, "{tool:?}");
    }
    let votes = |code| {
        let (call, settings) = (call("x"), floors(None, code));
        let case = Case::new(&call, &settings, None, &NoFacts);
        pollster::block_on(Trust.check(&case))
    };
    insta::assert_json_snapshot!(votes(gate_trust::REJECTED));
    assert!(matches!(votes(gate_trust::BAD_ASK)[0].say, Say::Floor { kept: false, .. }));
    assert!(matches!(votes(gate_trust::BAD_DENY)[0].say, Say::Floor { kept: true, .. }));
}

#[test]
fn suggestions() {
    let of =
        |command: &str| suggest_unit(&unit(&command.split(' ').collect::<Vec<_>>()), None).entry.unwrap_or_else(|| "only this call".into());
    let lines: String = [
        "git push origin main",
        "git",
        "git -C x push",
        "npm run dev",
        "npm test",
        "cargo build --release",
        "docker compose up -d",
        "docker run alpine",
        "kubectl get pods",
        "kubectl exec pod",
        "gh pr create",
        "make all",
        "terraform apply",
        "rm -rf x",
        "sudo ls",
        "bash x.sh",
        "python3.12 a.py",
        "node a.js",
        "find . -name x",
        "curl https://x",
        "env A=b",
        "xargs rm",
        "./run.sh a",
        "uv run pytest",
        "go run ./x",
        "bundle exec rspec",
        "ls a*",
        "frobnicate x y",
        "npm run build:prod",
        "uv run python3 x",
        "npm exec sh",
    ]
    .iter()
    .map(|c| format!("{c} -> {}\n", of(c)))
    .collect();
    insta::assert_snapshot!(lines);
    let destroys = Assessment { known: true, effects: Effects::of(Effect::Destroys), ..Assessment::default() };
    assert!(suggest_unit(&unit(&["git", "clean", "-fd"]), Some(&destroys)).exact);
    let mut dynamic = unit(&["git", "add", "x"]);
    dynamic.words[2] = Word::unknown("$X", true);
    assert_eq!(suggest_unit(&dynamic, None).entry.as_deref(), Some("Bash(git add:*)"));
    dynamic.words[1] = Word::unknown("$Y", true);
    assert_eq!(suggest_unit(&dynamic, None).entry, None);
    let file = Call { tool: Tool { name: "Read".into(), kind: ToolKind::Read }, input: json!({"file_path": "src/a.rs"}), ..call("") };
    assert_eq!(suggest_call(&file).entry.as_deref(), Some("Read(//p/src/a.rs)"));
    let fetch =
        Call { tool: Tool { name: "WebFetch".into(), kind: ToolKind::Fetch }, input: json!({"url": "https://user@x.org/a"}), ..call("") };
    assert_eq!(suggest_call(&fetch).entry, None);
}
