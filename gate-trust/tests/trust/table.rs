//! The table of keys: every key with every source.

use gate_trust::keys::{KEYS, Key, Shape, Tightening};
use gate_trust::{Snapshot, Sources, State, snapshot};
use serde_json::{Value, json};

use crate::{sources, text};

/// A tighter and a looser value than the default, as far as there are such.
fn samples(key: &Key) -> (Value, Value) {
    match (key.path, key.shape) {
        (_, Shape::Bool { strict }) => (json!(strict.unwrap_or(true)), json!(!strict.unwrap_or(true))),
        (_, Shape::Int { min, .. }) => (json!(min), json!(min + 1)),
        ("external.read", _) => (json!("deny"), json!("allow")),
        (_, Shape::Choice { of, .. }) => (json!(of[of.len() - 1]), json!(of[0])),
        (_, Shape::Text) => (json!("a"), json!("b")),
        (_, Shape::Model) => (json!("a/b"), json!("c/d")),
        (_, Shape::Entries) => (json!(["bash(a)"]), json!(["bash(b)"])),
        (_, Shape::AbsolutePaths | Shape::Paths | Shape::Texts) => (json!(["/a"]), json!(["/b"])),
        (_, Shape::RuleTexts) => (json!(["$defaults", "a"]), json!(["$defaults", "b"])),
        (_, Shape::Rules) => (json!([{"pattern": "a", "action": "deny"}]), json!([{"pattern": "a", "action": "allow"}])),
        (_, Shape::Tree) => (json!({"a": true}), json!({"b": true})),
        (_, Shape::Policy) => (json!({"fetches": "deny"}), json!({"fetches": "allow"})),
        (_, Shape::ShellTools) => (json!({"t": {"commandArgument": "c"}}), json!({"u": {"commandArgument": "c"}})),
    }
}

fn file(path: &str, value: &Value) -> String {
    match path.split_once('.') {
        Some((group, name)) => json!({group: {name: value}}),
        None => json!({path: value}),
    }
    .to_string()
}

fn effective(snap: &Snapshot, path: &str) -> bool {
    let state = &snap.setters.iter().find(|s| s.key == path).expect("the key is read").state;
    !matches!(state, State::Lost(_))
}

#[test]
fn every_key_in_every_source() {
    let plain = snapshot(&Sources::default());
    for key in KEYS {
        let (tight, loose) = samples(key);
        for value in [&tight, &loose] {
            let body = file(key.path, value);
            let with = |name: &str| {
                let mut s = sources();
                match name {
                    "managed" => s.managed = text(name, &body),
                    "user" => s.user = text(name, &body),
                    "shared" => s.shared = text(name, &body),
                    "local" => s.local = text(name, &body),
                    "unapproved" => (s.local, s.local_approved) = (text(name, &body), false),
                    _ => (s.inline, s.hook) = (text(name, &body), name == "hook"),
                }
                snapshot(&s)
            };
            for name in ["managed", "user", "local", "inline"] {
                let snap = with(name);
                assert!(snap.findings.iter().all(|f| f.code == "no-defaults"), "{body} {:?}", snap.findings);
                assert!(effective(&snap, key.path), "{} from {name}", key.path);
            }
            let same = with("unapproved");
            assert_eq!((&same.settings, &same.tuning), (&plain.settings, &plain.tuning), "{} unapproved", key.path);
            for name in ["shared", "hook"] {
                let snap = with(name);
                let counts = match key.tightening {
                    Tightening::Adds => true,
                    Tightening::Stricter | Tightening::DeniesOnly => {
                        value == &tight && file(key.path, value) != file(key.path, &default(key))
                    }
                    Tightening::Nothing => false,
                };
                assert_eq!(effective(&snap, key.path), counts, "{} = {value} from {name}", key.path);
                let changed = (&snap.settings, &snap.tuning) != (&plain.settings, &plain.tuning);
                assert_eq!(changed, counts, "{} = {value} from {name}", key.path);
            }
        }
    }
}

fn default(key: &Key) -> Value {
    serde_json::from_str(key.default).unwrap()
}

#[test]
fn defaults_of_the_table_are_those_in_force() {
    let plain = snapshot(&Sources::default());
    for key in KEYS.iter().filter(|k| k.default != "null") {
        let set = snapshot(&Sources { user: text("u", &file(key.path, &default(key))), ..sources() });
        let mut expected = plain.settings.clone();
        // An empty tree is a tree; it allows nothing.
        if key.path == "commands" {
            expected.commands = Some(gate_core::Tree::Map(std::collections::BTreeMap::new()));
        }
        assert_eq!((&set.settings, &set.tuning), (&expected, &plain.tuning), "{}", key.path);
        assert!(set.findings.is_empty(), "{:?}", set.findings);
    }
}
