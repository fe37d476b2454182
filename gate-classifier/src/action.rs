//! The exact action as the model sees it: complete, never cut, never redacted.

use gate_core::Call;
use serde::Serialize;
use serde_json::Value;

/// What is judged.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Action<'a> {
    /// The tool as the host named it.
    pub tool_name: &'a str,
    /// Its input as the host sent it.
    pub input: &'a Value,
}

/// `{"toolName":…,"input":…}` of a call.
#[must_use]
pub fn action_json(call: &Call) -> String {
    let action = Action { tool_name: &call.tool.name, input: &call.input };
    // Values always serialise; if that ever failed, the empty text is refused by the caller as too little to judge.
    serde_json::to_string(&action).unwrap_or_default()
}
