//! A layer of one's own: nothing is sent on Fridays. `cargo run -p gate-core --example own_layer`

use async_trait::async_trait;
use gate_core::{Call, Case, Layer, NoFacts, Origin, Reason, Runner, Say, Settings, Stage, Subject, Tool, ToolKind, Vote, Votes};

struct NoFridays {
    friday: bool,
}

#[async_trait]
impl Layer for NoFridays {
    fn stage(&self) -> Stage {
        Stage::Deny
    }
    fn name(&self) -> &'static str {
        "no-fridays"
    }
    async fn check(&self, case: &Case<'_>) -> Votes {
        if !self.friday || case.call.tool.name != "deploy" {
            return Votes::new();
        }
        let reason = Reason::new("no_fridays", "nothing is deployed on Fridays").or("wait until Monday");
        vec![Vote { subject: Subject::Call, say: Say::Deny, reason, matched: None, origin: Origin::User }]
    }
}

/// Stands for the layers that a real gate takes from gate-ast and gate-rules.
struct Silent(Stage);

#[async_trait]
impl Layer for Silent {
    fn stage(&self) -> Stage {
        self.0
    }
    fn name(&self) -> &'static str {
        "silent"
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    gate_core::conformance::check_layer(&NoFridays { friday: true })?;
    let gate = Runner::builder().layer(Silent(Stage::Structure)).layer(NoFridays { friday: true }).layer(Silent(Stage::Paths)).build()?;
    let tool = Tool { name: "deploy".to_owned(), kind: ToolKind::Other };
    let place = || "/home/u/proj".to_owned();
    let (id, host, home, session, input) = ("1".to_owned(), String::new(), "/home/u".to_owned(), None, serde_json::json!({}));
    let call =
        Call { id, host, session, tool, input, cwd: place(), home, project: place(), headless: true, cancelled: false, subagent: false };
    let settings = Settings::default();
    let decision = pollster::block_on(gate.decide(&Case::new(&call, &settings, None, &NoFacts)));
    println!("{:?}: {}", decision.outcome(), decision.reason().text);
    Ok(())
}
