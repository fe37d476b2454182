//! `gate check --batch`: JSON lines in, JSON lines out. Only what a line says is used: no file, setting or variable of
//! this machine.

use std::collections::HashMap;
use std::io::{BufRead, Read, Write};
use std::rc::Rc;

use gate_core::{Call, Facts, GitConfig, Mode, PathKind, ProgramAt, Resolved, path};
use gate_trust::{SourceText, Sources};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::decide::{Approvals, Engine};
use crate::render;
use crate::tools;

/// One input line. Absent fields have the values of a plain machine.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Line {
    #[serde(default)]
    id: Value,
    tool: String,
    #[serde(default)]
    input: Value,
    cwd: Option<String>,
    home: Option<String>,
    project: Option<String>,
    mode: Option<Mode>,
    settings: Option<Value>,
    project_settings: Option<Value>,
    local_settings: Option<Value>,
    managed_settings: Option<Value>,
    #[serde(default)]
    approvals: Vec<String>,
    #[serde(default)]
    headless: bool,
    #[serde(default)]
    facts: LineFacts,
}

/// Facts that a line states.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct LineFacts {
    trusted_project: bool,
    symlinks: HashMap<String, String>,
    git_config: HashMap<String, Value>,
    programs: HashMap<String, String>,
}

impl Default for LineFacts {
    fn default() -> Self {
        Self { trusted_project: true, symlinks: HashMap::new(), git_config: HashMap::new(), programs: HashMap::new() }
    }
}

struct Stated<'l> {
    facts: &'l LineFacts,
    project: &'l str,
}

/// Most links that are followed.
const LINKS: usize = 40;

impl Facts for Stated<'_> {
    fn kind(&self, _: &str) -> PathKind {
        PathKind::Unknown
    }
    fn resolve(&self, at: &str) -> Resolved {
        let mut now = at.to_owned();
        for _ in 0..LINKS {
            // The shortest prefix that is a link is followed first.
            let hit = now.match_indices('/').map(|(i, _)| i).chain([now.len()]).filter(|i| *i > 0).find_map(|i| {
                let head = now.get(..i)?;
                Some((head.to_owned(), now.get(i..)?.to_owned(), self.facts.symlinks.get(head)?.clone()))
            });
            let Some((head, tail, target)) = hit else { return if now == at { Resolved::Same } else { Resolved::To(now) } };
            let folder = head.rsplit_once('/').map_or("/", |(d, _)| d);
            now = path::resolve("/", &format!("{}{tail}", path::resolve(folder, &target)));
        }
        Resolved::Undecidable
    }
    fn program(&self, name: &str) -> ProgramAt {
        match self.facts.programs.get(name) {
            None => ProgramAt::Trusted(format!("/usr/bin/{name}")),
            Some(at) if path::within(at, self.project) || path::within(at, "/tmp") => ProgramAt::Untrusted(at.clone()),
            Some(at) => ProgramAt::Trusted(at.clone()),
        }
    }
    fn git_config(&self, _: &str) -> Option<GitConfig> {
        let entries = self
            .facts
            .git_config
            .iter()
            .map(|(k, v)| (k.to_lowercase(), v.as_str().map_or_else(|| v.to_string(), ToOwned::to_owned)))
            .collect();
        Some(GitConfig { entries, ..GitConfig::default() })
    }
    fn tracked(&self, _: &str) -> bool {
        false
    }
    fn trusted_project(&self) -> bool {
        self.facts.trusted_project
    }
}

/// Engines by the text of their settings, so that a file with one set of settings builds one.
#[derive(Default)]
struct Engines {
    known: HashMap<String, Rc<Engine>>,
}

/// Most engines that are kept.
const ENGINES: usize = 256;

impl Engines {
    fn get(&mut self, line: &Line) -> Result<Rc<Engine>, String> {
        let key = json!([
            line.settings,
            line.project_settings,
            line.local_settings,
            line.managed_settings,
            line.mode,
            line.facts.trusted_project,
            line.approvals
        ])
        .to_string();
        if let Some(e) = self.known.get(&key) {
            return Ok(Rc::clone(e));
        }
        if self.known.len() >= ENGINES {
            self.known.clear()
        }
        let text = |v: &Option<Value>, name: &str| v.as_ref().map(|v| SourceText::new(name, v.to_string()));
        let sources = Sources {
            managed: text(&line.managed_settings, "managedSettings"),
            user: text(&line.settings, "settings"),
            shared: text(&line.project_settings, "projectSettings"),
            local: text(&line.local_settings, "localSettings"),
            local_approved: line.local_settings.is_some(),
            trusted_project: line.facts.trusted_project,
            ..Sources::default()
        };
        let mut settings = gate_trust::snapshot(&sources).settings;
        if let Some(mode) = line.mode {
            settings.mode = mode
        }
        let engine = Rc::new(Engine::new(settings, Approvals::Entries(line.approvals.clone()), None).map_err(|e| e.to_string())?);
        self.known.insert(key, Rc::clone(&engine));
        Ok(engine)
    }
}

/// Longest line in bytes; a call is refused long before.
const LINE: u64 = 16 * 1024 * 1024;

/// Drops the rest of a line, piece by piece.
fn skip_line(input: &mut impl BufRead) -> std::io::Result<()> {
    loop {
        let part = input.fill_buf()?;
        let (len, ended) = part.iter().position(|b| *b == b'\n').map_or((part.len(), part.is_empty()), |i| (i + 1, true));
        input.consume(len);
        if ended {
            return Ok(());
        }
    }
}

/// Answers every line.
///
/// # Errors
/// Input or output broke.
pub fn run(input: impl BufRead, output: &mut impl Write) -> std::io::Result<()> {
    let mut engines = Engines::default();
    let mut input = input;
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        if (&mut input).take(LINE).read_until(b'\n', &mut buffer)? == 0 {
            break;
        }
        if !buffer.ends_with(b"\n") && buffer.len() as u64 == LINE {
            skip_line(&mut input)?;
            writeln!(output, "{}", json!({"id": null, "error": "this line is longer than 16 MiB"}))?;
            continue;
        }
        let Ok(text) = std::str::from_utf8(&buffer) else {
            writeln!(output, "{}", json!({"id": null, "error": "this line is not UTF-8"}))?;
            continue;
        };
        if text.trim().is_empty() {
            continue;
        }
        let answer = answer(text.trim(), &mut engines);
        writeln!(output, "{}", render::ascii(&answer))?;
    }
    output.flush()
}

fn answer(text: &str, engines: &mut Engines) -> Value {
    let failed = |id: Value, why: String| json!({"id": id, "error": why});
    let line: Line = match serde_json::from_str(text) {
        Ok(line) => line,
        Err(e) => {
            let id = serde_json::from_str::<Value>(text).ok().and_then(|v| v.get("id").cloned()).unwrap_or(Value::Null);
            return failed(id, format!("this line is no call: {e}"));
        }
    };
    let decided = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let engine = engines.get(&line)?;
        let cwd = line.cwd.clone().unwrap_or_else(|| "/home/u/proj".to_owned());
        let project = line.project.clone().or_else(|| line.cwd.clone()).unwrap_or_else(|| "/home/u/proj".to_owned());
        let call = Call {
            id: String::new(),
            host: String::new(),
            session: None,
            tool: tools::tool(&line.tool, &line.input, engine.settings()),
            input: line.input.clone(),
            cwd: path::resolve("/", &cwd),
            home: path::resolve("/", line.home.as_deref().unwrap_or("/home/u")),
            project: path::resolve("/", &project),
            headless: line.headless,
            cancelled: false,
            subagent: false,
        };
        let facts = Stated { facts: &line.facts, project: &call.project };
        Ok::<Value, String>(engine.decide(&call, &facts, |case, decision| render::record(&line.id, case, decision)))
    }));
    match decided {
        Ok(Ok(answer)) => answer,
        Ok(Err(why)) => failed(line.id, why),
        Err(_) => {
            json!({"id": line.id, "decision": "deny", "code": "gate_error", "layer": "runner", "origin": "gate", "reason": "the gate failed on this call", "units": []})
        }
    }
}
