//! The settings files as types: only for schemas, samples and programs that write whole files. Reading goes by the
//! table of keys, which says more of a fault than a derived reader could.

use std::collections::BTreeMap;

use gate_core::{DangerRules, External, Mode, Opinion, Preset, WrapperPolicy};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::keys::{KEYS, Shape};
use crate::tuning::{Context, OnFailure, Protocol};

/// What `$schema` says in new settings files.
pub const SETTINGS_SCHEMA: &str = "urn:gate:schema:settings";
/// What `$schema` says in new `.gate/permissions.json` files.
pub const PERMISSIONS_SCHEMA: &str = "urn:gate:schema:permissions";

/// Settings of the gate: JSON with comments. Every key may be left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
pub struct SettingsFile {
    /// Where the schema of this file is.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// Who answers what is neither allowed nor denied: nobody has to (yolo), the model raced with you (auto), you (approve), you for all that is not denied (strict).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Mode>,
    /// false switches the gate off: every call runs. Only in your own settings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Lists of `tool` or `tool(pattern)`. A deny wins over everything, an ask over every allow.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Permissions>,
    /// Ordered rules; the last one that matches a command wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rules: Option<Vec<RuleFile>>,
    /// Which continuations of which commands are allowed: true, a list of next words, or an object by next word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<TreeFile>,
    /// Whether the rules for dangerous commands ask inside the project (graded) or always deny (strict).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub danger_rules: Option<DangerRules>,
    /// Paths that no tool and no command may touch; absolute patterns, `*` crosses folders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub denied_paths: Option<Vec<String>>,
    /// Paths whose change asks, besides the built-in ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub protected_paths: Option<Vec<String>>,
    /// Paths whose reading asks, besides the built-in ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sensitive_paths: Option<Vec<String>>,
    /// Everything inside the project runs without a question, except what changes protected paths.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_inside_working_directory: Option<bool>,
    /// Read-only tools are not allowed by their kind alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classify_read_only_tools: Option<bool>,
    /// What is thought of paths outside the project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalFile>,
    /// What is thought of an effect, everywhere or by place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<BTreeMap<EffectName, PolicyFile>>,
    /// The set of opinions that `policy` starts from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preset: Option<Preset>,
    /// Whether commands inside wrappers (`timeout`, `xargs`, `bash -c`) are judged by themselves (unwrap) or always ask (floor).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrappers: Option<WrapperPolicy>,
    /// Your own programs that only run the command after them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transparent_wrappers: Option<Vec<String>>,
    /// Tools of a host that are gated exactly like its shell, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shell_tools: Option<BTreeMap<String, ShellToolFile>>,
    /// The model that may answer questions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classifier: Option<ClassifierFile>,
    /// Limits of yolo mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub yolo: Option<YoloFile>,
    /// How you are asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt: Option<PromptFile>,
    /// What is logged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log: Option<LogFile>,
    /// Watching agents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agents: Option<AgentsFile>,
}

macro_rules! group {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $ty:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "camelCase", default, deny_unknown_fields)]
        pub struct $name {
            $($(#[$field_doc])* #[serde(skip_serializing_if = "Option::is_none")] pub $field: Option<$ty>,)*
        }
    };
}

group! {
    /// Permission lists.
    Permissions {
        /// Never runs, whatever else says.
        deny: Vec<String>,
        /// A person is asked, whatever allows it.
        ask: Vec<String>,
        /// Runs without a question. Not in files that a project shares.
        allow: Vec<String>,
    }
}
group! {
    /// Opinions on paths outside the project.
    ExternalFile {
        /// Reading.
        read: Opinion,
        /// Writing.
        write: Opinion,
    }
}
group! {
    /// The model.
    ClassifierFile {
        /// The model may be asked.
        enabled: bool,
        /// A quick look and a review (staged), or one risk assessment (risk).
        protocol: Protocol,
        /// `session` for the agent's own, `auto` for the cheapest, or `provider/id`.
        model: String,
        /// Sent to the model only when it stands here.
        reasoning_level: Reasoning,
        /// Tokens of the quick look.
        fast_max_tokens: u64,
        /// Tokens of the review.
        detailed_max_tokens: u64,
        /// Milliseconds for each request.
        timeout_ms: u64,
        /// Milliseconds for a risk assessment.
        risk_timeout_ms: u64,
        /// Budget for your messages, in approximate tokens.
        max_user_transcript_tokens: u64,
        /// Budget for earlier tool calls, in approximate tokens.
        max_tool_transcript_tokens: u64,
        /// What the model sees: messages and calls (full), messages (intent), the call alone (action).
        context: Context,
        /// What becomes of a question that the model cannot answer.
        on_failure: OnFailure,
        /// Risk protocol: a low-risk allow needs no person.
        auto_approve_low_risk: bool,
        /// Risk protocol: a high-risk allow becomes a deny.
        auto_deny_high_risk: bool,
        /// What the model is told of the surroundings; `$defaults` stands for the built-in texts.
        environment: Vec<String>,
        /// Exceptions to softDeny; `$defaults` stands for the built-in texts.
        allow: Vec<String>,
        /// Blocked unless an exception or your own words cover it; `$defaults` stands for the built-in texts.
        soft_deny: Vec<String>,
        /// Always blocked; `$defaults` stands for the built-in texts.
        hard_deny: Vec<String>,
        /// Lists without `$defaults` replace the built-in texts.
        replace_defaults: bool,
    }
}
group! {
    /// Limits of yolo mode.
    YoloFile {
        /// Asks that yolo denies instead of granting: a reason code, a sentinel or an entry.
        keep_asks: Vec<String>,
        /// How long yolo lasts after it was switched on.
        minutes: u64,
    }
}
group! {
    /// How a person is asked.
    PromptFile {
        /// Where: `host` for the agent's own dialog.
        r#where: String,
        /// Milliseconds until an unanswered question is denied.
        timeout_ms: u64,
        /// Milliseconds in which a just opened dialog takes no key.
        grace_ms: u64,
        /// A yes needs the key twice.
        double_press: bool,
        /// The model's answer closes an open dialog.
        ai_may_close: bool,
    }
}
group! {
    /// What is logged.
    LogFile {
        /// One line for each decision.
        decisions: bool,
        /// What is sent to and comes from the model.
        classifier_io: bool,
        /// A copy beside the host's session file.
        sidecar: bool,
    }
}
group! {
    /// Watching agents.
    AgentsFile {
        /// Commands that run when an agent's state changes.
        on_change: Vec<String>,
        /// Agents that nobody watches, too.
        headless: bool,
    }
}

/// Levels of reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum Reasoning {
    Minimal,
    Low,
    Medium,
    High,
    Xhigh,
    Max,
}

/// An ordered rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RuleFile {
    /// Names it in explanations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Tool name; `*` and `?` are wildcards. Absent: every tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The command, or the path of a file tool; `*` and `?` are wildcards. Absent: everything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// What it says.
    pub action: Opinion,
    /// For people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// A tool that is gated like the shell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShellToolFile {
    /// The input field that holds the command.
    pub command_argument: String,
    /// The input field that holds the working directory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workdir_argument: Option<String>,
}

/// `.gate/permissions.json`: the commands that a project wants to run without a question. Counts once you approved it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PermissionsFile {
    /// Where the schema of this file is.
    #[serde(rename = "$schema", skip_serializing_if = "Option::is_none")]
    pub schema: Option<String>,
    /// The command tree; not true as a whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow: Option<TreeFile>,
}

/// A command tree as it stands in a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TreeFile(pub Value);

impl JsonSchema for TreeFile {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "CommandTree".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let below = generator.subschema_for::<Self>();
        json_schema!({
            "description": "true (any further words), a list of next words, or an object by next word",
            "anyOf": [
                {"const": true},
                {"type": "array", "items": {"type": "string", "pattern": "^\\S+$"}},
                {"type": "object", "additionalProperties": below}
            ]
        })
    }
}

/// One opinion, or one by place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PolicyFile(pub Value);

impl JsonSchema for PolicyFile {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Policy".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let opinion = generator.subschema_for::<Opinion>();
        let places = ["*", "project", "temp", "home", "system", "outside", "sensitive", "protected", "control"];
        let properties: serde_json::Map<String, Value> = places.iter().map(|p| ((*p).to_owned(), opinion.clone().into())).collect();
        json_schema!({
            "description": "An opinion, or one by place; * stands for every place",
            "anyOf": [opinion, {"type": "object", "properties": properties, "additionalProperties": false}]
        })
    }
}

/// The name of an effect, as a key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct EffectName(pub String);

impl JsonSchema for EffectName {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Effect".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "enum": gate_core::Effect::ALL.iter().map(|e| e.name()).collect::<Vec<_>>()})
    }
}

impl From<External> for ExternalFile {
    fn from(e: External) -> Self {
        Self { read: Some(e.read), write: Some(e.write) }
    }
}

/// The schema of settings files, with defaults and limits of every key.
fn settings_value() -> Value {
    let mut schema = without_null(schemars::schema_for!(SettingsFile).to_value());
    set(&mut schema, &["$id"], SETTINGS_SCHEMA.into());
    for key in KEYS {
        let mut at: Vec<String> = Vec::new();
        match key.path.split_once('.') {
            Some((group, name)) => {
                let definition = definition_of(&schema, group).unwrap_or_default();
                at.extend(["$defs".to_owned(), definition, "properties".to_owned(), name.to_owned()]);
            }
            None => at.extend(["properties".to_owned(), key.path.to_owned()]),
        }
        let path: Vec<&str> = at.iter().map(String::as_str).collect();
        let with = |last: &'static str| path.iter().copied().chain([last]).collect::<Vec<_>>();
        if let Ok(default) = serde_json::from_str::<Value>(key.default)
            && !default.is_null()
        {
            set(&mut schema, &with("default"), default);
        }
        if let Shape::Int { min, max } = key.shape {
            set(&mut schema, &with("minimum"), json!(min));
            set(&mut schema, &with("maximum"), json!(max));
        }
    }
    schema
}

/// Keys may be left out, but `null` is no value of any: the readers refuse it, so the schema does not offer it.
fn without_null(mut schema: Value) -> Value {
    let mut open: Vec<&mut Value> = vec![&mut schema];
    while let Some(node) = open.pop() {
        if let Some(object) = node.as_object_mut() {
            if let Some(Value::Array(types)) = object.get_mut("type") {
                types.retain(|t| t != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    object.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(any)) = object.get_mut("anyOf") {
                any.retain(|s| s.get("type").is_none_or(|t| t != "null"));
                if let [Value::Object(only)] = any.as_slice() {
                    let only = only.clone();
                    object.remove("anyOf");
                    object.extend(only);
                }
            }
        }
        match node {
            Value::Object(object) => open.extend(object.values_mut()),
            Value::Array(array) => open.extend(array.iter_mut()),
            _ => {}
        }
    }
    schema
}

/// The name of the definition that a top-level property refers to.
fn definition_of(schema: &Value, property: &str) -> Option<String> {
    let p = schema.get("properties")?.get(property)?;
    p.get("$ref")?.as_str()?.strip_prefix("#/$defs/").map(str::to_owned)
}

fn set(schema: &mut Value, path: &[&str], value: Value) {
    let Some((last, folders)) = path.split_last() else { return };
    let mut here = schema;
    for f in folders {
        match here.get_mut(*f) {
            Some(next) => here = next,
            None => return,
        }
    }
    if let Some(object) = here.as_object_mut() {
        object.insert((*last).to_owned(), value);
    }
}

fn as_schema(value: Value) -> Schema {
    Schema::try_from(value).unwrap_or_default()
}

/// The schema of settings files.
#[must_use]
pub fn schema() -> Schema {
    as_schema(settings_value())
}

/// The schema of `.gate/permissions.json`.
#[must_use]
pub fn permissions_schema() -> Schema {
    let mut schema = without_null(schemars::schema_for!(PermissionsFile).to_value());
    set(&mut schema, &["$id"], PERMISSIONS_SCHEMA.into());
    as_schema(schema)
}

/// What a key is for, from its schema: one sentence.
#[must_use]
pub fn describe(path: &str) -> Option<String> {
    let schema = settings_value();
    let node = match path.split_once('.') {
        Some((group, name)) => schema.get("$defs")?.get(definition_of(&schema, group)?)?.get("properties")?.get(name)?,
        None => schema.get("properties")?.get(path)?,
    };
    node.get("description")?.as_str().map(str::to_owned)
}
