//! Replies that are read, and all the others.

use crate::parse::{detailed, fast, risk};
use crate::{Outcome, Risk, Tier};

#[test]
fn the_one_digit() {
    for (text, expected) in [("0", Some(false)), ("1", Some(true)), (" 1\n", Some(true)), ("\t0\r\n", Some(false))] {
        assert_eq!(fast(text), expected, "{text:?}");
    }
    for text in ["", " ", "2", "00", "0 because safe", "0.", "\"0\"", "allow", "0\n1", "٠", "-0", "+0", "0x0"] {
        assert_eq!(fast(text), None, "{text:?}");
    }
}

fn review(decision: &str, tier: &str) -> String {
    format!(r#"{{"decision":"{decision}","tier":"{tier}","reason":"because"}}"#)
}

#[test]
fn only_tiers_that_go_with_the_decision() {
    let tiers = ["allow", "explicit_intent", "none", "hard_deny", "soft_deny", "ALLOW", "unknown", ""];
    for decision in ["allow", "block", "deny", "ask", "Allow", ""] {
        for tier in tiers {
            let expected = match (decision, tier) {
                ("allow", "allow") => Some((Outcome::Allow, Tier::Allow)),
                ("allow", "explicit_intent") => Some((Outcome::Allow, Tier::ExplicitIntent)),
                ("allow", "none") => Some((Outcome::Allow, Tier::None)),
                ("block", "hard_deny") => Some((Outcome::Deny, Tier::HardDeny)),
                ("block", "soft_deny") => Some((Outcome::Deny, Tier::SoftDeny)),
                ("block", "none") => Some((Outcome::Deny, Tier::None)),
                _ => None,
            };
            let read = detailed(&review(decision, tier)).map(|r| (r.outcome, r.tier));
            assert_eq!(read, expected, "{decision} {tier}");
        }
    }
}

#[test]
fn a_review_in_other_clothes_is_none() {
    let good = review("allow", "none");
    assert!(detailed(&good).is_some());
    assert!(detailed(&format!("\n {good} \n")).is_some());
    assert!(detailed(&good.replace(':', " :\n ")).is_some());
    let bad = [
        "I think it is fine.".to_owned(),
        String::new(),
        "{}".to_owned(),
        "[]".to_owned(),
        "null".to_owned(),
        format!("```json\n{good}\n```"),
        format!("Sure: {good}"),
        format!("{good} Done."),
        format!("{good}{good}"),
        format!("[{good}]"),
        good.replace('}', r#","confidence":1}"#),
        r#"{"decision":"allow","reason":"because"}"#.to_owned(),
        r#"{"decision":"allow","tier":"none"}"#.to_owned(),
        r#"{"decision":"allow","tier":"none","reason":" \n "}"#.to_owned(),
        r#"{"decision":"allow","tier":null,"reason":"because"}"#.to_owned(),
        r#"{"decision":["allow"],"tier":"none","reason":"because"}"#.to_owned(),
        r#"{"decision":"allow","tier":"none","reason":"cut of"#.to_owned(),
        r#"{'decision':'allow','tier':'none','reason':'because'}"#.to_owned(),
        r#"{"decision":"allow","tier":"none","reason":"because",}"#.to_owned(),
        r#"{"Decision":"allow","tier":"none","reason":"because"}"#.to_owned(),
    ];
    for text in bad {
        assert_eq!(detailed(&text), None, "{text}");
    }
}

#[test]
fn no_key_counts_twice() {
    let bad = [
        r#"{"decision":"block","decision":"allow","tier":"none","reason":"because"}"#,
        r#"{"decision":"block","tier":"none","reason":"because","decision" : "allow"}"#,
        r#"{"decision":"allow","tier":"none","tier":"allow","reason":"because"}"#,
        r#"{"decision":"allow","tier":"none","reason":"because","reason":"because"}"#,
        // Spelled with escapes it is the same key.
        r#"{"decision":"block","\u0064ecision":"allow","tier":"none","reason":"because"}"#,
        r#"{"\u0064ecision":"allow","tier":"none","reason":"because"}"#,
        // A second object hidden in a value.
        r#"{"decision":"allow","tier":"none","reason":{"decision":"block"}}"#,
    ];
    for text in bad {
        assert_eq!(detailed(text), None, "{text}");
    }
    let quoted = r#"{"decision":"allow","tier":"none","reason":"it says \"decision\": \"block\""}"#;
    assert!(detailed(quoted).is_some(), "a quotation in the reason is no key");
}

#[test]
fn risk_replies_are_read_tolerantly() {
    let read = |text: &str| risk(text).map(|r| (r.outcome, r.risk, r.confidence));
    let good = r#"{"outcome":"allow","risk_level":"low","reasoning":"reads","confidence":0.9}"#;
    let low = Some((Outcome::Allow, Risk::Low, 0.9));
    assert_eq!(read(good), low);
    assert_eq!(read(&format!("```json\n{good}\n```\nHope that helps!")), low);
    assert_eq!(read(&good.replace("allow", "ALLOW").replace("low\"", "LOW\"").replace("0.9", "\" 0.9 \"")), low);
    assert_eq!(read(&good.replace("reasoning", "reason").replace("confidence", "score")), low);
    assert_eq!(read(&good.replace("0.9", "1.5")).unwrap().2, 1.0);
    assert_eq!(read(&good.replace("0.9", "-1")).unwrap().2, 0.0);
    assert_eq!(read(&good.replace("\"allow\"", "\"ask\"").replace("\"low\"", "\"medium\"")), Some((Outcome::Ask, Risk::Medium, 0.9)));
    assert_eq!(read(&good.replace("\"allow\"", "\"deny\"").replace("\"low\"", "\"high\"")), Some((Outcome::Deny, Risk::High, 0.9)));
}

#[test]
fn risk_replies_that_mean_nothing_certain_are_none() {
    let good = r#"{"outcome":"allow","risk_level":"low","reasoning":"reads","confidence":0.9}"#;
    let bad = [
        String::new(),
        "}{".to_owned(),
        "allow".to_owned(),
        format!("{good}\n{good}"),
        good.replace("\"allow\"", "\"maybe\""),
        good.replace("\"low\"", "\"tiny\""),
        good.replace("\"outcome\":\"allow\",", ""),
        good.replace("\"risk_level\":\"low\",", ""),
        good.replace("\"reasoning\":\"reads\",", ""),
        good.replace(",\"confidence\":0.9", ""),
        good.replace("0.9", "\"sure\""),
        good.replace("0.9", "\"NaN\""),
        good.replace("0.9", "\"inf\""),
        good.replace("0.9", "null"),
        good.replace("0.9", "true"),
        good.replace('{', r#"{"outcome":"deny","#),
        good.replace('{', r#"{"reason":"another","#),
        good.trim_end_matches('}').to_owned(),
    ];
    for text in bad {
        assert_eq!(risk(&text), None, "{text}");
    }
}
