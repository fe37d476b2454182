//! Decides calls with the deterministic layers alone; what would be asked is `ask`.

use gate_core::{
    Answer, Call, Case, Decision, Entry, Layer, NoFacts, Opinion, Outcome, ParseContext, ParseShell, Question, Rule, Runner, Settings, ShellKind, Source, Stage, Tool,
    ToolKind,
};
use gate_rules::RuleBook;

struct Person;

#[async_trait::async_trait]
impl Layer for Person {
    fn stage(&self) -> Stage {
        Stage::Human
    }
    fn name(&self) -> &'static str {
        "person"
    }
    async fn answer(&self, _: &Question<'_>) -> Answer {
        Answer::HandOver
    }
}

pub fn entries(texts: &[&str]) -> Vec<Entry> {
    texts.iter().map(|t| Entry { text: (*t).to_owned(), source: Source::User }).collect()
}

pub fn rule(pattern: &str, action: Opinion) -> Rule {
    Rule { id: pattern.to_owned(), tool: "bash".to_owned(), pattern: pattern.to_owned(), action, description: None, source: Source::User }
}

pub fn call(tool: &str, kind: ToolKind, input: serde_json::Value) -> Call {
    Call {
        id: "1".to_owned(),
        host: String::new(),
        session: None,
        tool: Tool { name: tool.to_owned(), kind },
        input,
        cwd: "/home/u/proj".to_owned(),
        home: "/home/u".to_owned(),
        project: "/home/u/proj".to_owned(),
        headless: false,
        cancelled: false,
        subagent: false,
    }
}

pub fn decide(settings: &Settings, call: &Call) -> Decision {
    let book = RuleBook::new(settings);
    let mut builder = Runner::builder().layer(gate_ast::Structure).authority(Person);
    for layer in gate_rules::layers(&book) {
        builder = builder.boxed(layer);
    }
    let runner = builder.build().unwrap();
    let script = call.shell().zip(call.command()).map(|(shell, text)| {
        gate_ast::Bash.parse(text, &ParseContext { shell, home: Some(&call.home), cwd: Some(&call.cwd), wrappers: book.as_ref() })
    });
    let case = Case::new(call, settings, script, &NoFacts);
    pollster::block_on(runner.decide(&case))
}

pub fn bash(settings: &Settings, command: &str) -> Decision {
    decide(settings, &call("bash", ToolKind::Shell(ShellKind::Bash), serde_json::json!({ "command": command })))
}

/// Every command must come to that outcome; all that do not are listed at once.
pub fn all(settings: &Settings, want: Outcome, commands: &[&str]) {
    let wrong: Vec<String> = commands
        .iter()
        .filter_map(|c| {
            let d = bash(settings, c);
            (d.outcome() != want).then(|| format!("{c:?}: {:?} {}", d.outcome(), d.reason().code))
        })
        .collect();
    assert!(wrong.is_empty(), "not {want:?}:\n{}", wrong.join("\n"));
}

/// No command may come to that outcome.
pub fn none(settings: &Settings, not: Outcome, commands: &[&str]) {
    let wrong: Vec<String> = commands
        .iter()
        .filter_map(|c| {
            let d = bash(settings, c);
            (d.outcome() == not).then(|| format!("{c:?}: {}", d.reason().code))
        })
        .collect();
    assert!(wrong.is_empty(), "{not:?}:\n{}", wrong.join("\n"));
}
