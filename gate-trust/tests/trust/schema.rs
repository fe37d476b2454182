//! The schemas say what the table of keys says, and the sample file holds every key.

use gate_trust::keys::{KEYS, Shape};
use gate_trust::permissions_schema;
use gate_trust::schema::{PermissionsFile, SettingsFile, describe};
use gate_trust::{Sources, snapshot};
use serde_json::Value;

use crate::{sources, text};

const SAMPLE: &str = include_str!("../../../schemas/samples/settings.json");

#[test]
fn every_key_is_in_the_schema_with_words_default_and_limits() {
    let schema = gate_trust::schema().to_value().to_string();
    for key in KEYS {
        assert!(describe(key.path).is_some_and(|d| d.len() > 5), "{}", key.path);
        if let Shape::Int { min, .. } = key.shape {
            assert!(schema.contains(&format!("\"minimum\":{min}")), "{}", key.path);
        }
    }
    assert!(!schema.contains("null"), "null is no value of any key");
    insta::assert_json_snapshot!(permissions_schema());
}

#[test]
fn the_sample_has_every_key_and_both_readers_take_it() {
    let snap = snapshot(&Sources { user: text("sample.json", SAMPLE), ..sources() });
    assert!(snap.findings.is_empty(), "{:?}", snap.findings);
    for key in KEYS {
        assert!(snap.setters.iter().any(|s| s.key == key.path), "{} is not in the sample", key.path);
    }
    let file: SettingsFile = serde_json::from_str(SAMPLE).unwrap();
    let written: Value = serde_json::to_value(&file).unwrap();
    assert_eq!(written, serde_json::from_str::<Value>(SAMPLE).unwrap(), "nothing of it is lost");
    // Each key of the types is one that the reader knows.
    let again = snapshot(&Sources { user: text("again", &written.to_string()), ..sources() });
    assert_eq!(again.settings, snap.settings);
    assert!(serde_json::from_str::<PermissionsFile>(r#"{"allow": {"git": ["log"]}}"#).is_ok());
}
