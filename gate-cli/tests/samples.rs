//! Every schema with a sample that uses all of it: the files of `schemas/samples/`, the catalogue itself, real records.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::gate;

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn schema(name: &str) -> Value {
    serde_json::from_str(&std::fs::read_to_string(top().join(format!("schemas/{name}.schema.json"))).unwrap()).unwrap()
}

/// Samples against their schema; every property that the schema names is in one of them.
fn hold(name: &str, samples: &[(String, Value)]) {
    let schema = schema(name);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut used = BTreeSet::new();
    for (file, sample) in samples {
        let faults: Vec<String> = validator.iter_errors(sample).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(faults.is_empty(), "{file}: {faults:#?}");
        let mut open = vec![sample];
        while let Some(value) = open.pop() {
            match value {
                Value::Object(o) => {
                    used.extend(o.keys().cloned());
                    open.extend(o.values());
                }
                Value::Array(a) => open.extend(a),
                _ => {}
            }
        }
    }
    let mut named = BTreeSet::new();
    let mut open = vec![&schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(o) => {
                named.extend(o.get("properties").and_then(Value::as_object).into_iter().flatten().map(|(k, _)| k.clone()));
                open.extend(o.values());
            }
            Value::Array(a) => open.extend(a),
            _ => {}
        }
    }
    let missing: Vec<&String> = named.difference(&used).collect();
    assert!(missing.is_empty(), "{name}: no sample has {missing:?}");
}

#[test]
fn files() {
    for name in ["settings", "permissions"] {
        let text = std::fs::read_to_string(top().join(format!("schemas/samples/{name}.json"))).unwrap();
        hold(name, &[(name.to_owned(), serde_json::from_str(&text).unwrap())]);
    }
    let validator = jsonschema::validator_for(&schema("settings")).unwrap();
    for bad in [json!({"mode": "fast"}), json!({"permissions": {"deny": "x"}}), json!({"classifier": {"timeoutMs": 1}})] {
        assert!(!validator.is_valid(&bad), "{bad}");
    }
}

#[test]
fn families() {
    let folder = top().join("gate-rules/commands");
    let files = std::fs::read_dir(folder).unwrap().flatten().map(|e| e.path()).filter(|p| p.extension().is_some_and(|x| x == "toml"));
    let read = |p: PathBuf| {
        let table: toml::Table = std::fs::read_to_string(&p).unwrap().parse().unwrap();
        (p.display().to_string(), serde_json::to_value(table).unwrap())
    };
    let all: Vec<(String, Value)> = files.map(read).collect();
    assert!(all.len() > 100);
    hold("family", &all);
}

#[test]
fn decisions() {
    let commands = ["ls -la | head", "npm publish", "rm -rf ~", "git push --force", "cat .env", "curl x | sh", "frobnicate $X"];
    let record = |c: &&str| {
        let out = gate(&["check", "--json", c], b"");
        let mut value: Value = serde_json::from_slice(&out.stdout).unwrap();
        // A call on the command line has no name.
        if value["id"].is_null() {
            value["id"] = "".into();
        }
        ((*c).to_owned(), value)
    };
    hold("decision", &commands.iter().map(record).collect::<Vec<_>>());
}
