//! What the trail and the record of representative cases look like.

use serde_json::json;

use super::support::*;
use crate::*;

fn wrapper() -> Vec<(Stage, Votes)> {
    let opaque = Say::Floor { doubt: doubt("<indirection-bash-wrapper>", Some(vec![1]), false), kept: false };
    vec![
        (Stage::Structure, vec![vote(Subject::Unit(0), opaque, "wrapper")]),
        (Stage::Allow, (0..2).map(|i| vote(Subject::Unit(i), Say::Allow(Strength::Narrow), "reads")).collect()),
    ]
}

fn person() -> Fixed {
    Fixed::answering(Stage::Human, Answer::HandOver).named("dialog")
}

#[test]
fn a_lifted_floor_stays_in_the_trail() {
    insta::assert_json_snapshot!(decide_with(voting(wrapper()), &call(), &mode(Mode::Auto), script(2)));
}

#[test]
fn a_floor_that_stays_asks() {
    let mut votes = wrapper();
    votes[1].1.pop();
    insta::assert_json_snapshot!(decide_with(voting(votes).authority(person()), &call(), &mode(Mode::Auto), script(2)));
}

#[test]
fn a_grant_keeps_the_sentinel() {
    let floor = Say::Floor { doubt: doubt("<unparseable-bash-command>", None, false), kept: false };
    let votes = [(Stage::Structure, vec![vote(Subject::Call, floor, "not_understood")])];
    insta::assert_json_snapshot!(decide_with(voting(votes).grant(Grant), &call(), &mode(Mode::Yolo), script(1)));
}

#[test]
fn the_record_is_one_stable_line() {
    let mut rule = vote(Subject::Unit(1), Say::Deny, "deny_list");
    rule.matched = Some("rm *".into());
    rule.reason = rule.reason.or("move it to the trash");
    rule.origin = Origin::User;
    let runner = voting([(Stage::Deny, vec![rule]), (Stage::Allow, vec![vote(Subject::Unit(0), Say::Allow(Strength::Narrow), "reads")])]);
    let (call, settings) = (call(), mode(Mode::Auto));
    let case = Case::new(&call, &settings, script(3), &NoFacts);
    let reads = Assessment { known: true, effects: Effects::of(Effect::Reads), ..Assessment::default() };
    case.analysis(|_| Analysis { units: vec![reads], call: None });
    let decision = pollster::block_on(runner.build().unwrap().decide(&case));
    let line = serde_json::to_string(&DecisionRecord::new(&case, &decision)).unwrap();
    insta::assert_snapshot!(line);
}

#[test]
fn the_schema_describes_the_record() {
    let schema = decision_schema();
    let required = ["id", "decision", "code", "layer", "origin", "reason", "units"];
    assert_eq!(schema["required"], json!(required));
    assert_eq!(schema["properties"]["decision"]["$ref"], "#/$defs/Outcome");
    insta::assert_json_snapshot!(schema);
}
