//! What one source says, read but not yet merged.

use gate_core::{PolicyEntry, Reason, Rule, SettingsFloor, ShellTool, Source, Tree};

use crate::keys::Key;

/// Code of the floor of a rejected source.
pub const REJECTED: &str = "settings_rejected";
/// Code of the floor of a dropped entry that may have been a deny.
pub const BAD_DENY: &str = "settings_bad_deny";
/// Code of the floor of a dropped entry that was an ask.
pub const BAD_ASK: &str = "settings_bad_ask";

/// A value that passed its checks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Val {
    Bool(bool),
    Int(u64),
    Word(String),
    Texts(Vec<String>),
    Rules(Vec<Rule>),
    Tree(Tree),
    Policy(Vec<PolicyEntry>),
    ShellTools(Vec<ShellTool>),
}

/// A key that the source sets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Given {
    pub key: &'static Key,
    pub val: Val,
    /// Line from 1.
    pub line: u32,
    /// The value as written, shortened.
    pub shown: String,
}

/// Everything that one source says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft {
    pub source: Source,
    pub file: String,
    pub given: Vec<Given>,
    pub floors: Vec<SettingsFloor>,
    /// Only its tightening part counts; set when a deciding key could not be read.
    pub rejected: Option<String>,
    /// When the text was last changed; `None`: just now.
    pub changed: Option<u64>,
    /// When the text ceases to count.
    pub until: Option<u64>,
}

impl Draft {
    pub(crate) fn new(source: Source, file: &str) -> Self {
        Self { source, file: file.to_owned(), given: Vec::new(), floors: Vec::new(), rejected: None, changed: None, until: None }
    }

    /// Puts a floor on a tool (`None`: on all), once for each kind.
    pub(crate) fn floor(&mut self, code: &'static str, tool: Option<&str>, text: String) {
        if self.floors.iter().any(|f| f.reason.code == code && f.tool.as_deref() == tool) {
            return;
        }
        let floor = SettingsFloor {
            tool: tool.map(str::to_owned),
            reason: Reason::new(code, text).or("mend the settings; gate doctor lists what is wrong"),
        };
        self.floors.push(floor);
    }
}
