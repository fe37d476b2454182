//! The layer at stage Structure: doubts become floors, with their lifts.

use gate_core::{Call, Case, Layer, NoFacts, Say, Settings, Stage, Subject, Tool, ToolKind, WrapperPolicy};

use crate::Structure;

fn call(command: &str) -> Call {
    Call {
        id: "1".into(),
        host: String::new(),
        session: None,
        tool: Tool { name: "bash".into(), kind: ToolKind::Shell(gate_core::ShellKind::Bash) },
        input: serde_json::json!({ "command": command }),
        cwd: "/p".into(),
        home: "/home/u".into(),
        project: "/p".into(),
        headless: false,
        cancelled: false,
        subagent: false,
    }
}

fn votes(command: &str, settings: &Settings) -> gate_core::Votes {
    let call = call(command);
    let case = Case::new(&call, settings, Some(super::script(command)), &NoFacts);
    pollster::block_on(Structure.check(&case))
}

/// Subject, sentinel, and what lifts it.
fn trail(command: &str, settings: &Settings) -> Vec<String> {
    votes(command, settings)
        .iter()
        .map(|v| match &v.say {
            Say::Floor { doubt, kept } => format!("{:?} {} vouched={:?} kept={kept}", v.subject, doubt.sentinel, doubt.lift.vouched),
            other => format!("{other:?}"),
        })
        .collect()
}

#[test]
fn stands_at_its_stage_and_says_floors_only() {
    assert_eq!(Structure.stage(), Stage::Structure);
    let settings = Settings::default();
    for text in ["ls", "ls \"", "timeout 5 ls", "eval ls", "$X", "> x", "ls; ((x))"] {
        assert!(votes(text, &settings).iter().all(|v| matches!(v.say, Say::Floor { .. })), "{text:?}");
    }
    assert!(votes("ls && git status | head", &settings).is_empty());
    assert!(votes("ls \"", &settings).iter().any(|v| v.subject == Subject::Call));
}

#[test]
fn trails() {
    let unwrap = Settings::default();
    let floor = Settings { wrappers: WrapperPolicy::Floor, ..Settings::default() };
    insta::assert_debug_snapshot!("unwrap", trail("timeout 5 ls; eval pwd; $X; > out", &unwrap));
    insta::assert_debug_snapshot!("floor", trail("timeout 5 ls; bash -c 'ls'", &floor));
    insta::assert_debug_snapshot!("not_understood", trail("ls \"", &unwrap));
}

/// Backslashes that only hide an option are a doubt; those that a pattern needs are none.
#[test]
fn hidden_options() {
    let doubted = |text: &str| {
        crate::parse(text, crate::Limits::default()).units.iter().any(|u| u.doubts.iter().any(|d| d.sentinel == crate::OBFUSCATED))
    };
    assert!(doubted("find . -e\\xec id \\;") && doubted("rg --pr\\e=./x y"));
    assert!(!doubted("grep -e a\\.b x") && !doubted("find . -name \\*.rs") && !doubted("grep 'x\\d' y") && !doubted("\\ls -l"));
}

#[test]
fn the_layer_keeps_to_its_stage() {
    gate_core::conformance::check_layer(&Structure).unwrap();
}
