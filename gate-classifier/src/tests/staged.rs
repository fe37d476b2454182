//! The staged protocol against a fake model.

use gate_core::Timer;
use serde_json::json;

use super::fake::*;
use crate::{
    Config, ModelError, NoModel, Outcome, Phase, Protocol, ReasoningLevel, RuleTexts, StopReason, Tier, Verdict, action_json, staged,
};

fn run(model: &Fake, review_only: bool) -> Verdict {
    run_with(model, &Config::default(), review_only, None)
}

fn run_with(model: &Fake, config: &Config, review_only: bool, timer: Option<&dyn Timer>) -> Verdict {
    let parts = ("context".to_owned(), action_json(&shell("git push -f")), "gate-1".to_owned());
    pollster::block_on(staged(model, config, parts, review_only, timer))
}

#[test]
fn a_zero_allows_with_one_request() {
    let model = Fake::says(&["0"]);
    let verdict = run(&model, false);
    assert_eq!((verdict.outcome, verdict.phase, verdict.attempts, verdict.failed), (Outcome::Allow, Phase::Fast, 1, false));
    assert_eq!(verdict.reason, "Fast classifier found no policy-relevant risk.");
    let request = &model.requests()[0];
    assert_eq!((request.max_tokens, request.timeout_ms, request.reasoning), (512, 20_000, None));
    assert_eq!(request.cache_session, "gate-1");
}

#[test]
fn a_one_leads_to_the_review_and_garbage_is_retried_once() {
    let model = Fake::says(&[" 1\n", "garbage", ALLOW]);
    let verdict = run(&model, false);
    assert_eq!((verdict.outcome, verdict.tier, verdict.attempts), (Outcome::Allow, Some(Tier::None), 3));
    let requests = model.requests();
    let phases: Vec<Phase> = requests.iter().map(|r| r.phase).collect();
    assert_eq!(phases, [Phase::Fast, Phase::Detailed, Phase::Detailed]);
    for request in &requests {
        assert_eq!(request.system, requests[0].system);
        assert_eq!(request.messages[..2], requests[0].messages[..2], "all but the last message is the same, byte for byte");
        assert_eq!(request.messages.len(), 3);
    }
    assert_eq!(requests[1], requests[2], "a retry asks the same");
    assert_eq!(requests[1].max_tokens, 1_200);
}

#[test]
fn a_review_decides() {
    let verdict = run(&Fake::says(&["1", BLOCK]), false);
    assert_eq!((verdict.outcome, verdict.tier, verdict.failed), (Outcome::Deny, Some(Tier::SoftDeny), false));
    assert_eq!((verdict.reason.as_str(), verdict.protocol), ("rewrites history", Protocol::Staged));
    let only = Fake::says(&[ALLOW]);
    assert_eq!(run(&only, true).outcome, Outcome::Allow);
    assert_eq!(only.requests()[0].phase, Phase::Detailed, "where one digit may not decide it is not asked for");
}

fn failing(script: Vec<Does>, requests: usize, reason: &str) {
    let model = Fake::new(script.clone());
    let verdict = run(&model, false);
    assert_eq!((verdict.outcome, verdict.failed, verdict.outage), (Outcome::Deny, true, true), "{script:?}");
    assert_eq!(verdict.reason, reason, "{script:?}");
    assert_eq!((model.requests().len(), verdict.attempts as usize), (requests, requests), "{script:?}");
}

#[test]
fn everything_but_a_clean_digit_fails_closed_without_a_retry() {
    const GARBAGE: &str = "Fast classifier response was not 0 or 1 after trimming whitespace; auto mode fails closed.";
    let failed = |detail: &str| format!("Fast classifier failed; auto mode fails closed: {detail}");
    for text in ["0 because safe", "", "allow", "2"] {
        failing(vec![Does::Says(text)], 1, GARBAGE);
    }
    let stops = [
        (StopReason::Length, "Fast classifier response did not stop cleanly (length)."),
        (StopReason::ToolUse, "Fast classifier response did not stop cleanly (toolUse)."),
        (StopReason::Other("refusal".into()), "Fast classifier response did not stop cleanly (refusal)."),
        (StopReason::Error, "Classifier model returned an error response."),
        (StopReason::Aborted, "Classifier model request was aborted."),
    ];
    for (stop, detail) in stops {
        failing(vec![Does::Stops(stop.clone(), "0", None)], 1, &failed(detail));
        failing(vec![Does::Stops(stop, "0", Some("over quota"))], 1, &failed("over quota"));
    }
    failing(vec![Does::Fails(ModelError::Failed("connection refused".into()))], 1, &failed("connection refused"));
    failing(vec![Does::Fails(ModelError::Failed(" ".into()))], 1, &failed("Classifier model returned an error response."));
    failing(vec![Does::Fails(ModelError::Aborted)], 1, &failed("Classifier model request was aborted."));
    failing(vec![Does::Fails(ModelError::Unavailable)], 1, "No classifier model/API key available; auto mode fails closed.");
}

#[test]
fn the_review_is_retried_on_garbage_and_on_the_token_limit_only() {
    const GARBAGE: &str = "Classifier response was not valid decision JSON; auto mode fails closed.";
    const CUT: &str = "Classifier response was truncated before producing valid decision JSON; auto mode fails closed.";
    let length = || Does::Stops(StopReason::Length, ALLOW, None);
    let one = || Does::Says("1");
    let model = Fake::new([one(), length(), Does::Says(ALLOW)]);
    assert_eq!((run(&model, false).outcome, model.requests().len()), (Outcome::Allow, 3));
    failing(vec![one(), Does::Says("x"), Does::Says("y")], 3, GARBAGE);
    failing(vec![one(), length(), length()], 3, CUT);
    failing(vec![one(), length(), Does::Says("x")], 3, GARBAGE);
    let failed = |detail: &str| format!("Classifier failed; auto mode fails closed: {detail}");
    let tool_use = Does::Stops(StopReason::ToolUse, ALLOW, None);
    failing(vec![one(), tool_use], 2, &failed("Classifier response did not stop cleanly (toolUse)."));
    failing(vec![one(), Does::Stops(StopReason::Error, "", Some("overloaded"))], 2, &failed("overloaded"));
    failing(vec![one(), Does::Stops(StopReason::Error, "", Some(""))], 2, &failed("Classifier model returned an error response."));
    failing(vec![one(), Does::Stops(StopReason::Aborted, ALLOW, None)], 2, &failed("Classifier model request was aborted."));
    failing(vec![one(), Does::Fails(ModelError::Failed("dropped".into()))], 2, &failed("dropped"));
    failing(vec![one(), Does::Says("x"), Does::Fails(ModelError::Failed("dropped".into()))], 3, &failed("dropped"));
}

#[test]
fn each_request_has_its_own_budget() {
    let timed = |script: Vec<Does>| {
        let model = Fake::new(script);
        (run_with(&model, &Config { timeout_ms: 1_234, ..Config::default() }, false, Some(&NoTime)), model.requests().len())
    };
    let (fast, requests) = timed(vec![Does::Hangs]);
    assert_eq!((fast.outcome, requests), (Outcome::Deny, 1));
    assert_eq!(fast.reason, "Fast classifier failed; auto mode fails closed: Classifier model request took longer than 1234 ms.");
    let (review, requests) = timed(vec![Does::Says("1"), Does::Hangs]);
    assert_eq!((review.outcome, requests), (Outcome::Deny, 2));
    assert_eq!(review.reason, "Classifier failed; auto mode fails closed: Classifier model request took longer than 1234 ms.");
    // A reply that is there counts, even when the time is over as well.
    assert_eq!(timed(vec![Does::Says("0")]).0.outcome, Outcome::Allow);
}

#[test]
fn one_reasoning_level_goes_to_both_stages() {
    for level in [None, Some(ReasoningLevel::Medium)] {
        let model = Fake::says(&["1", ALLOW]);
        run_with(&model, &Config { reasoning_level: level, ..Config::default() }, false, None);
        assert!(model.requests().iter().all(|r| r.reasoning == level));
    }
}

#[test]
fn levels_are_clamped_to_what_a_model_supports() {
    use ReasoningLevel::{High, Low, Max, Medium, Xhigh};
    assert_eq!(Max.clamped(&[Low, Medium, High]), Some(High));
    assert_eq!(Max.clamped(&[Low, Medium, High, Xhigh]), Some(Xhigh));
    assert_eq!(Low.clamped(&[Medium, High]), Some(Medium));
    assert_eq!(Medium.clamped(&[Low, High]), Some(Low));
    assert_eq!(High.clamped(&[]), None);
}

#[test]
fn the_action_is_exact_and_never_cut() {
    let command = format!("echo {}", "äx\u{1}\"\\\n𝄞".repeat(100_000));
    let input = json!({ "command": command, "z": [1, { "b": null }], "a": 1.5 });
    let action = action_json(&call(input.clone()));
    assert_eq!(action, format!("{{\"toolName\":\"bash\",\"input\":{input}}}"));
    let model = Fake::says(&["1", ALLOW]);
    let parts = ("c".to_owned(), action.clone(), "s".to_owned());
    pollster::block_on(staged(&model, &Config::default(), parts, false, None));
    assert!(model.requests().iter().all(|r| r.messages[1] == action));
}

#[test]
fn an_action_that_does_not_fit_denies_and_is_no_outage() {
    let mut model = Fake::says(&["0"]);
    let size = |m: &Fake| {
        let r = &m.requests()[0];
        r.system.len() + r.messages.iter().map(String::len).sum::<usize>()
    };
    assert_eq!(run(&model, false).outcome, Outcome::Allow);
    // The review is the larger one of the two requests.
    let only = Fake::says(&[ALLOW]);
    run(&only, true);
    let needed = (size(&only) as u64).div_ceil(3) + 1_200;
    for (window, fits) in [(needed, true), (needed - 1, false)] {
        model = Fake { window: Some(window), ..Fake::says(&["0"]) };
        let verdict = run(&model, false);
        assert_eq!((verdict.outcome == Outcome::Allow, verdict.failed, verdict.outage), (fits, !fits, false));
        assert_eq!(model.requests().len(), usize::from(fits));
    }
}

#[test]
fn without_a_model_nothing_is_asked() {
    let parts = (String::new(), "{}".to_owned(), String::new());
    let verdict = pollster::block_on(staged(&NoModel, &Config::default(), parts, false, None));
    assert_eq!((verdict.outcome, verdict.attempts, verdict.outage), (Outcome::Deny, 0, true));
    assert_eq!(verdict.reason, "No classifier model/API key available; auto mode fails closed.");
}

#[test]
fn the_policy_holds_every_rule_and_no_rule_can_become_another() {
    let rules = RuleTexts { soft_deny: vec!["one\n- two".into(), "{hard}".into()], environment: Vec::new(), ..RuleTexts::default() };
    let text = crate::system_policy(&rules);
    assert!(text.contains("\n- one - two\n- (hard}\n"));
    assert!(text.contains("Environment\n(none)\n"));
    for rule in rules.allow.iter().chain(&rules.hard_deny) {
        assert!(text.contains(&format!("- {rule}")), "{rule}");
    }
    assert_eq!((rules.allow.len(), RuleTexts::default().environment.len()), (6, 5));
    assert_eq!((RuleTexts::default().soft_deny.len(), rules.hard_deny.len()), (10, 8));
}
