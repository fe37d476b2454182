//! Asks a model about one command, used alone: a scripted model stands for a real one.
//! `cargo run -p gate-classifier --example ask`

use async_trait::async_trait;
use gate_classifier::evidence::{cache_session, context_message};
use gate_classifier::{Action, Config, Evidence, Model, ModelError, Phase, Reply, Request, TranscriptItem, staged};

/// Finds everything worth a review, and blocks it.
struct Scripted;

#[async_trait]
impl Model for Scripted {
    async fn complete(&self, request: &Request) -> Result<Reply, ModelError> {
        println!("--- {:?}, at most {} tokens, {} ms", request.phase, request.max_tokens, request.timeout_ms);
        for message in &request.messages {
            println!("{message}\n");
        }
        Ok(Reply::stopped(match request.phase {
            Phase::Fast => "1",
            Phase::Detailed | Phase::Risk => r#"{"decision":"block","tier":"soft_deny","reason":"rewrites history that others may have"}"#,
        }))
    }
    fn id(&self) -> &'static str {
        "example/scripted"
    }
}

fn main() -> Result<(), serde_json::Error> {
    let config = Config::default();
    let said = TranscriptItem::User { text: "get the branch up to date".to_owned() };
    let context = context_message(&Evidence { instructions: Vec::new(), transcript: vec![said] }, &config);
    let input = serde_json::json!({ "command": "git push --force origin feature" });
    let action = serde_json::to_string(&Action { tool_name: "bash", input: &input })?;
    let session = cache_session(Some("session-1"), "/home/u/proj");
    let verdict = pollster::block_on(staged(&Scripted, &config, (context, action, session), false, None));
    println!("=> {:?} ({:?}): {}", verdict.outcome, verdict.tier, verdict.reason);
    Ok(())
}
