//! A model that replies what it is told, and keeps what it was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use gate_core::{Call, ShellKind, Tool, ToolKind};
use serde_json::{Value, json};

use crate::{Model, ModelError, Reply, Request, StopReason, Usage};

/// One thing that the model does.
#[derive(Clone, Debug)]
pub enum Does {
    Says(&'static str),
    Stops(StopReason, &'static str, Option<&'static str>),
    Fails(ModelError),
    Hangs,
}

#[derive(Clone, Default)]
pub struct Fake {
    pub script: Arc<Mutex<VecDeque<Does>>>,
    pub asked: Arc<Mutex<Vec<Request>>>,
    pub window: Option<u64>,
}

impl Fake {
    pub fn new(script: impl IntoIterator<Item = Does>) -> Self {
        Self { script: Arc::new(Mutex::new(script.into_iter().collect())), ..Self::default() }
    }
    pub fn says(texts: &[&'static str]) -> Self {
        Self::new(texts.iter().map(|t| Does::Says(t)))
    }
    pub fn requests(&self) -> Vec<Request> {
        self.asked.lock().unwrap().clone()
    }
}

#[async_trait]
impl Model for Fake {
    async fn complete(&self, request: &Request) -> Result<Reply, ModelError> {
        self.asked.lock().unwrap().push(request.clone());
        let next = self.script.lock().unwrap().pop_front();
        match next.expect("asked more often than expected") {
            Does::Says(text) => Ok(Reply::stopped(text)),
            Does::Stops(stop, text, error) => Ok(Reply { text: text.into(), stop, error: error.map(Into::into), usage: Usage::default() }),
            Does::Fails(error) => Err(error),
            Does::Hangs => std::future::pending().await,
        }
    }
    fn id(&self) -> &str {
        "test/fake"
    }
    fn context_window(&self) -> Option<u64> {
        self.window
    }
}

/// Ends at once: every request that has to wait is over its budget.
pub struct NoTime;

#[async_trait]
impl gate_core::Timer for NoTime {
    async fn sleep(&self, _: u64) {}
}

pub const ALLOW: &str = r#"{"decision":"allow","tier":"none","reason":"only reads"}"#;
pub const BLOCK: &str = r#"{"decision":"block","tier":"soft_deny","reason":"rewrites history"}"#;

pub fn call(input: Value) -> Call {
    Call {
        id: "c".into(),
        host: "test".into(),
        session: Some("session-1".into()),
        tool: Tool { name: "bash".into(), kind: ToolKind::Shell(ShellKind::Bash) },
        input,
        cwd: "/p".into(),
        home: "/h".into(),
        project: "/p".into(),
        headless: false,
        cancelled: false,
        subagent: false,
    }
}

pub fn shell(command: &str) -> Call {
    call(json!({ "command": command }))
}
