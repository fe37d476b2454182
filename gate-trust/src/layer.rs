//! The layer of stage `Trust`: what the settings snapshot found puts floors on calls until it is mended.

use async_trait::async_trait;
use gate_core::{Case, Doubt, Layer, Lift, Origin, Say, SettingsFloor, Stage, Subject, ToolKind, Vote, Votes};

use crate::draft::BAD_ASK;

/// Turns the floors of the settings into votes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Trust;

#[async_trait]
impl Layer for Trust {
    fn stage(&self) -> Stage {
        Stage::Trust
    }
    fn name(&self) -> &'static str {
        "trust"
    }
    async fn check(&self, case: &Case<'_>) -> Votes {
        case.settings.floors.iter().filter(|f| concerns(f, case)).map(vote).collect()
    }
}

/// Is the floor about this call's tool? Compared without case, under every name that rules may use for the tool; a
/// pattern counts as a match.
fn concerns(floor: &SettingsFloor, case: &Case<'_>) -> bool {
    let Some(tool) = &floor.tool else { return true };
    let call = &case.call.tool;
    // A pattern counts by what stands before its first wildcard.
    let head = tool.find(['*', '?']).map(|at| tool.get(..at).unwrap_or(""));
    let same = |name: &str| match head {
        Some(head) => name.get(..head.len()).is_some_and(|h| h.eq_ignore_ascii_case(head)),
        None => tool.eq_ignore_ascii_case(name),
    };
    if same(&call.name) {
        return true;
    }
    // `mcp__server` stands for all tools of the server.
    if call.name.get(..tool.len()).is_some_and(|head| tool.eq_ignore_ascii_case(head))
        && call.name.get(tool.len()..).is_some_and(|t| t.starts_with("__"))
    {
        return true;
    }
    if case.settings.shell_tools.iter().any(|t| t.tool == call.name) && same("bash") {
        return true;
    }
    // `Edit` covers every tool that writes, `Read` every tool that reads, and both cover what commands read and write.
    let names: &[&str] = match call.kind {
        ToolKind::Shell(_) => &["bash", "shell", "read", "edit", "write"],
        ToolKind::Read => &["read"],
        ToolKind::Write => &["write", "edit"],
        ToolKind::Edit => &["edit", "write", "multiedit"],
        ToolKind::List => &["ls", "list", "read"],
        ToolKind::Find => &["find", "glob", "read"],
        ToolKind::Grep => &["grep", "read"],
        ToolKind::Fetch => &["webfetch", "fetch"],
        ToolKind::WebSearch => &["websearch"],
        ToolKind::Skill => &["skill"],
        ToolKind::Agent => &["agent", "task"],
        ToolKind::Mcp => &["mcp"],
        ToolKind::Harmless | ToolKind::Own | ToolKind::Other => &[],
    };
    names.iter().any(|n| same(n))
}

fn vote(floor: &SettingsFloor) -> Vote {
    // What a lost deny would have denied must not run in yolo mode either; a lost ask would have been granted there.
    let kept = floor.reason.code != BAD_ASK;
    let doubt = Doubt { sentinel: "<rejected-settings>".into(), text: floor.reason.text.clone(), lift: Lift::default() };
    Vote { subject: Subject::Call, say: Say::Floor { doubt, kept }, reason: floor.reason.clone(), matched: None, origin: Origin::Gate }
}
