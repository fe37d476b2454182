//! Who wins.

use gate_core::{DangerRules, Effect, Mode, Opinion, Place, Source, Tree};
use gate_trust::{LastGood, SourceText, Sources, State, snapshot};

use crate::{shared, sources, text, user};

fn texts(entries: &[gate_core::Entry]) -> Vec<&str> {
    entries.iter().map(|e| e.text.as_str()).collect()
}

#[test]
fn shared_file_only_denies() {
    let snap = shared(
        r#"{"classifier": {"model": "a/b", "reasoningLevel": "max", "hardDeny": ["x"]}, "log": {"sidecar": true},
            "permissions": {"allow": ["bash(x)"], "deny": ["bash(y)"], "ask": ["bash(z)"]}}"#,
    );
    assert_eq!(snap.tuning, gate_trust::Tuning::default());
    assert!(snap.settings.allow.is_empty());
    assert_eq!((texts(&snap.settings.deny), texts(&snap.settings.ask)), (vec!["bash(y)"], vec!["bash(z)"]));
}

#[test]
fn model_and_reasoning_by_source() {
    let mut s = sources();
    s.user = text("u", r#"{"classifier": {"model": "u/1", "reasoningLevel": "low"}}"#);
    s.local = text("l", r#"{"classifier": {"model": "l/2", "reasoningLevel": "medium"}}"#);
    assert_eq!(snapshot(&s).tuning.classifier.model, "l/2");
    s.inline = text("i", r#"{"classifier": {"reasoningLevel": "max"}}"#);
    assert_eq!(snapshot(&s).tuning.classifier.reasoning_level.as_deref(), Some("max"));
    s.inline = text("i", r#"{"classifier": {"reasoningLevel": "extreme"}}"#);
    let snap = snapshot(&s);
    assert_eq!(snap.tuning.classifier.reasoning_level.as_deref(), Some("medium"));
    assert_eq!(snap.findings.len(), 1);
}

#[test]
fn built_in_rule_texts_stay() {
    let snap = user(r#"{"classifier": {"allow": ["mine"]}}"#);
    let c = &snap.tuning.classifier;
    assert!(c.allow.defaults && c.soft_deny.defaults && c.hard_deny.defaults && c.environment.defaults);
    let mut s = sources();
    s.user = text("u", r#"{"classifier": {"replaceDefaults": true, "allow": ["g"], "hardDeny": ["h"]}}"#);
    assert!(!snapshot(&s).tuning.classifier.allow.defaults);
    s.local = text("l", r#"{"classifier": {"allow": ["$defaults", "l"]}}"#);
    let snap = snapshot(&s);
    assert!(snap.tuning.classifier.allow.defaults, "any source that names them keeps them");
    assert_eq!(texts(&snap.tuning.classifier.allow.entries), ["g", "l"]);
    let local =
        Sources { local: text("l", r#"{"classifier": {"replaceDefaults": true, "hardDeny": ["x"], "softDeny": []}}"#), ..sources() };
    let c = snapshot(&local).tuning.classifier;
    assert!(c.hard_deny.defaults && c.soft_deny.defaults, "a project never drops them");
}

#[test]
fn lists_keep_the_order_of_sources() {
    let body = |w: &str| {
        format!(
            r#"{{"permissions": {{"deny": ["bash({w})"], "allow": ["bash({w})"]}}, "rules": [{{"pattern": "{w}", "action": "allow"}}]}}"#
        )
    };
    let one = |w: &str| text(w, &body(w));
    let s = Sources { managed: one("m"), user: one("u"), shared: one("s"), local: one("l"), inline: one("i"), ..sources() };
    let set = snapshot(&s).settings;
    assert_eq!(texts(&set.deny), ["bash(u)", "bash(s)", "bash(l)", "bash(i)", "bash(m)"]);
    assert_eq!(texts(&set.allow), ["bash(u)", "bash(l)", "bash(i)", "bash(m)"]);
    let rules: Vec<_> = set.rules.iter().map(|r| (r.id.as_str(), r.pattern.as_str())).collect();
    assert_eq!(rules, [("user-1", "u"), ("project-local-1", "l"), ("inline-1", "i"), ("managed-1", "m")]);
}

#[test]
fn scalars_by_precedence_and_managed_bounds() {
    let mut s = sources();
    s.user = text("u", r#"{"mode": "approve", "dangerRules": "graded"}"#);
    s.shared = text("s", r#"{"mode": "yolo", "dangerRules": "strict"}"#);
    let set = snapshot(&s).settings;
    assert_eq!((set.mode, set.danger_rules), (Mode::Approve, DangerRules::Strict));
    s.local = text("l", r#"{"mode": "yolo", "dangerRules": "graded"}"#);
    let set = snapshot(&s).settings;
    assert_eq!((set.mode, set.danger_rules), (Mode::Yolo, DangerRules::Graded), "an approved local file stands above the shared one");
    s.managed = text("m", r#"{"mode": "auto", "enabled": true}"#);
    s.inline = text("i", r#"{"enabled": false}"#);
    let set = snapshot(&s).settings;
    assert_eq!((set.mode, set.enabled), (Mode::Auto, true), "nothing loosens managed settings");
    s.inline = text("i", r#"{"mode": "strict"}"#);
    assert_eq!(snapshot(&s).settings.mode, Mode::Strict, "others may be stricter");
    let alone = Sources { managed: text("m", r#"{"mode": "yolo"}"#), ..sources() };
    assert_eq!(snapshot(&alone).settings.mode, Mode::Yolo);
}

#[test]
fn inline_in_a_hook_only_tightens() {
    let inline = r#"{"mode": "yolo", "enabled": false, "permissions": {"allow": ["bash(x)"], "deny": ["bash(d)"]}, "wrappers": "floor",
        "rules": [{"pattern": "a", "action": "allow"}, {"pattern": "b", "action": "deny"}], "commands": true}"#;
    let outside = snapshot(&Sources { inline: text("GATE_SETTINGS_JSON", inline), ..sources() }).settings;
    assert_eq!((outside.mode, outside.enabled, outside.commands.clone()), (Mode::Yolo, false, Some(Tree::Any)));
    let hook = snapshot(&Sources { inline: text("GATE_SETTINGS_JSON", inline), hook: true, ..sources() }).settings;
    assert_eq!((hook.mode, hook.enabled, hook.commands.clone()), (Mode::Auto, true, None));
    assert!(hook.allow.is_empty());
    assert_eq!((texts(&hook.deny), hook.wrappers), (vec!["bash(d)"], gate_core::WrapperPolicy::Floor));
    assert_eq!(hook.rules.iter().map(|r| r.pattern.as_str()).collect::<Vec<_>>(), ["b"]);
}

#[test]
fn external_reads_ask_when_the_project_is_open() {
    assert_eq!(user(r#"{"allowInsideWorkingDirectory": true}"#).settings.external.read, Opinion::Ask);
    assert_eq!(user(r#"{"allowInsideWorkingDirectory": true, "external": {"read": "allow"}}"#).settings.external.read, Opinion::Allow);
    assert_eq!(user("{}").settings.external, gate_core::External::default());
}

fn policy(s: &Sources) -> Vec<(Effect, Option<Place>, Opinion, Source)> {
    snapshot(s).settings.policy.iter().map(|e| (e.effect, e.place, e.opinion, e.source)).collect()
}

#[test]
fn policy_is_tightened_wherever_the_entry_speaks() {
    let mut s = sources();
    s.user = text("u", r#"{"policy": {"fetches": "allow", "writes": {"*": "ask", "project": "allow"}}}"#);
    s.shared = text("s", r#"{"policy": {"fetches": {"system": "allow", "home": "deny"}, "writes": "ask"}}"#);
    use {Effect::*, Opinion::*, Source::*};
    let expected = vec![
        (Writes, None, Ask, User),
        (Fetches, None, Allow, User),
        (Writes, Some(Place::Project), Ask, ProjectShared),
        (Fetches, Some(Place::Home), Deny, ProjectShared),
    ];
    assert_eq!(policy(&s), expected);
    s.shared = None;
    s.managed = text("m", r#"{"policy": {"writes": "deny"}, "preset": "cautious"}"#);
    assert_eq!(policy(&s), [(Writes, None, Deny, Managed), (Writes, Some(Place::Project), Deny, Managed)]);
}

#[test]
fn trees_are_added_and_a_project_never_allows_everything() {
    let mut s = sources();
    s.user = text("u", r#"{"commands": {"gh": {"issue": ["list"]}, "jj": ["log"]}}"#);
    s.permissions = text("p", r#"{"allow": {"gh": ["pr"], "jj": true, "make": ["test"]}}"#);
    let Some(Tree::Map(map)) = snapshot(&s).settings.commands else { panic!() };
    assert_eq!(map["jj"], Tree::Any);
    assert_eq!(gate_trust::tree::leaf_lines(&Tree::Map(map)), ["gh issue list", "gh pr", "jj", "make test"]);
    s.user = None;
    s.permissions = text("p", r#"{"allow": true}"#);
    s.local = text("l", r#"{"commands": true}"#);
    assert_eq!(snapshot(&s).settings.commands, None);
    assert_eq!(gate_trust::tree::leaf_lines(&Tree::Any), ["(all commands)"]);
}

#[test]
fn unapproved_files_do_not_count() {
    let local = r#"{"mode": "yolo", "permissions": {"allow": ["bash(x)"]}}"#;
    let s = Sources { local: text("l", local), permissions: text("p", r#"{"allow": ["make"]}"#), ..sources() };
    assert_eq!(snapshot(&s).settings.mode, Mode::Yolo);
    for s in [Sources { local_approved: false, permissions_approved: false, ..s.clone() }, Sources { trusted_project: false, ..s.clone() }]
    {
        let set = snapshot(&s).settings;
        assert_eq!((set.mode, set.allow.len(), set.commands, set.floors.len()), (Mode::Auto, 0, None, 0));
    }
}

#[test]
fn a_changed_local_file_keeps_the_denies_that_were_approved() {
    let last = r#"{"permissions": {"deny": ["bash(d)"], "allow": ["bash(a)"]}, "mode": "strict"}"#;
    let last_good = LastGood { local: Some(SourceText::new("last", last)), ..LastGood::default() };
    let s = Sources { local: text("l", "{}"), local_approved: false, last_good, ..sources() };
    let set = snapshot(&s).settings;
    assert_eq!((texts(&set.deny), set.allow.len(), set.mode), (vec!["bash(d)"], 0, Mode::Strict));
}

#[test]
fn a_rejected_source_keeps_its_denies_and_floors_everything() {
    let last =
        r#"{"permissions": {"deny": ["bash(old)"], "allow": ["bash(a)"]}, "mode": "yolo", "rules": [{"pattern": "r", "action": "deny"}]}"#;
    let last_good = LastGood { user: Some(SourceText::new("last", last)), ..LastGood::default() };
    let now = r#"{"mode": "off", "permissions": {"deny": ["bash(new)"], "allow": ["bash(b)"]}}"#;
    let snap = snapshot(&Sources { user: text("u", now), last_good: last_good.clone(), ..sources() });
    let set = &snap.settings;
    assert_eq!((texts(&set.deny), set.allow.len(), set.mode, set.rules.len()), (vec!["bash(old)", "bash(new)"], 0, Mode::Auto, 1));
    assert_eq!(set.floors.len(), 1);
    assert_eq!((set.floors[0].tool.clone(), set.floors[0].reason.code.as_ref()), (None, "settings_rejected"));
    let snap = snapshot(&Sources { user: Some(SourceText::unreadable("u", "permission denied")), last_good, ..sources() });
    assert_eq!((texts(&snap.settings.deny), snap.settings.floors.len()), (vec!["bash(old)"], 1));
}

#[test]
fn a_rejected_shared_file_floors_only_what_it_names() {
    let snap = shared(r#"{"mode": "off", "permissions": {"deny": ["Bash(x)"], "ask": ["mcp__db"]}}"#);
    let tools: Vec<_> = snap.settings.floors.iter().map(|f| f.tool.as_deref()).collect();
    assert_eq!(tools, [Some("Bash"), Some("mcp__db")]);
    assert!(shared("{ broken").settings.floors.is_empty());
}

#[test]
fn explain_says_who_won_and_why_others_lost() {
    let s = Sources {
        user: text("u.json", "{\n\"mode\": \"yolo\"}"),
        shared: text("s.json", r#"{"mode": "yolo"}"#),
        managed: text("m.json", r#"{"mode": "approve"}"#),
        ..sources()
    };
    let e = snapshot(&s).explain("mode").unwrap();
    insta::assert_json_snapshot!(e);
    let e = snapshot(&s).explain("classifier.timeoutMs").unwrap();
    assert!(e.default && e.values == ["20000"]);
    assert!(snapshot(&s).explain("modes").is_none());
}

#[test]
fn yolo_is_lent_for_its_minutes() {
    let at = |now: u64, body: &str| {
        let user = text("user.json", body).map(|t| t.at(Some(1_000), None));
        snapshot(&Sources { user, now, ..sources() })
    };
    let lent = r#"{"mode": "yolo", "yolo": {"minutes": 5}}"#;
    let mode = |now: u64| at(now, lent).settings.mode;
    assert_eq!([mode(1_000), mode(1_299), mode(1_300)], [Mode::Yolo, Mode::Yolo, Mode::Auto]);
    assert_eq!(mode(999), Mode::Auto, "a clock that went back ends it");
    assert_eq!(at(1_000, lent).mode_until, Some(1_300));
    let over = at(1_300, lent).explain("mode").unwrap();
    assert!(matches!(&over.setters[0].state, State::Lost(why) if why.contains("time is over")), "{over:?}");
    assert_eq!(at(9_999, r#"{"mode": "yolo"}"#).settings.mode, Mode::Yolo, "without minutes it lasts");
    assert_eq!(at(9_999, r#"{"mode": "strict", "yolo": {"minutes": 5}}"#).settings.mode, Mode::Strict, "only yolo is lent");
    // What a lower source says comes back.
    let user = text("user.json", r#"{"mode": "strict", "yolo": {"minutes": 5}}"#).map(|t| t.at(Some(1), None));
    let switches = vec![SourceText::new("switch", r#"{"mode": "yolo"}"#).at(Some(1_000), Some(1_200))];
    let with = |now| snapshot(&Sources { user: user.clone(), switches: switches.clone(), now, ..sources() });
    assert_eq!((with(1_100).settings.mode, with(1_100).mode_until), (Mode::Yolo, Some(1_200)));
    assert_eq!((with(1_300).settings.mode, with(1_300).mode_until), (Mode::Strict, None));
}
