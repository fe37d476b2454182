//! Many processes at the same stores: what was acknowledged is there, nothing is torn, no lock is left. A few seconds
//! with the other tests; `GATE_DURABILITY_SECONDS=10` for longer, or `--ignored`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gate_trust::{ApprovalStore, ProjectFile, Scope, SessionApproval, SessionStore, hex_digest};

use crate::files::Folder;

const STATE: &str = "GATE_DURABILITY_STATE";
const NAME: &str = "GATE_DURABILITY_NAME";
const MILLIS: &str = "GATE_DURABILITY_MILLIS";
/// Sessions that the processes share.
const SESSIONS: usize = 4;
/// Approvals that each keeps.
const KEPT: usize = 8;

/// The part of one process: every line that it says is a write that has succeeded.
fn write(state: &Path, name: &str, time: Duration) {
    let begun = Instant::now();
    let mut own = Vec::new();
    let say = |line: String| {
        let mut out = std::io::stdout().lock();
        writeln!(out, "#{line}").and_then(|()| out.flush()).unwrap();
    };
    for n in 0.. {
        if begun.elapsed() >= time {
            return;
        }
        let (slot, text) = (n % 4, format!("{name} {n}"));
        ApprovalStore::new(state).approve(format!("/p/{name}/{slot}").as_ref(), ProjectFile::Local, text.as_bytes(), 1).unwrap();
        say(format!("file {slot} {}", hex_digest(text.as_bytes())));
        let session = (n % SESSIONS).to_string();
        let store = SessionStore::new(state, "h", &session);
        let id = store.add(SessionApproval::of_entry(format!("bash({name} {n})"), Scope::Session, 1, None)).unwrap();
        say(format!("add {session} {id}"));
        own.push((session, id));
        if own.len() > KEPT {
            let (session, id) = own.remove(0);
            assert!(SessionStore::new(state, "h", &session).revoke(&id).unwrap(), "it was there");
            say(format!("revoke {session} {id}"));
        }
    }
}

fn start(state: &Path, name: &str, time: Duration) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "durability::a_few_seconds", "--nocapture"])
        .env(STATE, state)
        .env(NAME, name)
        .env(MILLIS, time.as_millis().to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn storm(seconds: u64) {
    let folder = Folder::new();
    let time = Duration::from_secs(seconds);
    let mut all: Vec<(String, Child)> = (0..50).map(|n| (n.to_string(), start(&folder.0, &n.to_string(), time))).collect();
    // Some are killed while they write.
    let reader = ApprovalStore::new(&folder.0);
    let begun = Instant::now();
    let mut killed = BTreeSet::new();
    while begun.elapsed() < time {
        assert_eq!(reader.fault(), None, "a reader never sees a torn store");
        let next = all.get_mut(killed.len()).filter(|_| killed.len() < 8 && begun.elapsed() > time / 10 * (killed.len() as u32 + 1));
        if let Some((name, child)) = next {
            child.kill().unwrap();
            killed.insert(name.clone());
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let (mut files, mut entries, mut writes) = (BTreeMap::new(), BTreeSet::new(), 0);
    for (name, child) in all {
        let out = child.wait_with_output().unwrap();
        let dead = killed.contains(&name);
        assert!(dead || out.status.success(), "{name}: {}", String::from_utf8_lossy(&out.stdout));
        // Of a killed one the last line may be missing, so that it proves only what came before.
        let text = String::from_utf8(out.stdout).unwrap();
        for line in text.lines().filter_map(|l| l.strip_prefix('#')).filter(|_| !dead) {
            writes += 1;
            match line.split(' ').collect::<Vec<_>>()[..] {
                ["file", slot, digest] => drop(files.insert(format!("/p/{name}/{slot}"), digest.to_owned())),
                ["add", session, id] => drop(entries.insert((session.to_owned(), id.to_owned()))),
                ["revoke", session, id] => drop(entries.remove(&(session.to_owned(), id.to_owned()))),
                _ => panic!("{line}"),
            }
        }
    }
    let found: BTreeMap<String, String> = reader.list().into_iter().map(|f| (f.project, f.sha256)).collect();
    for (project, digest) in &files {
        assert_eq!(found.get(project), Some(digest), "{project}");
    }
    let found: BTreeSet<(String, String)> = (0..SESSIONS)
        .flat_map(|s| SessionStore::new(&folder.0, "h", &s.to_string()).list(1).into_iter().map(move |a| (s.to_string(), a.id)))
        .collect();
    assert!(entries.is_subset(&found), "{:?}", entries.difference(&found));
    // No lock is left: the next writer does not wait.
    let begun = Instant::now();
    reader.approve("/last".as_ref(), ProjectFile::Local, b"x", 1).unwrap();
    assert!(begun.elapsed() < Duration::from_secs(2));
    println!("{writes} writes by 50 processes in {seconds} s, {} killed", killed.len());
}

#[test]
fn a_few_seconds() {
    if let (Some(state), Ok(name)) = (std::env::var_os(STATE), std::env::var(NAME)) {
        let millis = std::env::var(MILLIS).unwrap().parse().unwrap();
        return write(state.as_ref(), &name, Duration::from_millis(millis));
    }
    storm(std::env::var("GATE_DURABILITY_SECONDS").ok().and_then(|s| s.parse().ok()).unwrap_or(2));
}

#[test]
#[ignore = "ten seconds"]
fn ten_seconds() {
    storm(10);
}
