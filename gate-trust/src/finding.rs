//! What is wrong with a source, said so that a person can mend it.

use std::fmt;

use gate_core::Source;
use serde::Serialize;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Note,
    /// Something was ignored.
    Warning,
    /// Something that protects may be missing: the gate asks where it would have allowed.
    Error,
}

/// One thing that is wrong with one source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// Stable name of the kind of finding.
    pub code: &'static str,
    /// Which source.
    pub source: Source,
    /// The file, or the name of what stands for one.
    pub file: String,
    /// Line from 1; 0 when the whole file is meant.
    pub line: u32,
    /// Column from 1, in characters; 0 when the whole line or file is meant.
    pub column: u32,
    /// The key's path (`permissions.deny[2]`), empty for the whole file.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What mends it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if self.column > 0 {
            write!(f, ":{}", self.column)?;
        }
        let word = match self.severity {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(f, ": {word}: ")?;
        if !self.key.is_empty() {
            write!(f, "{}: ", self.key)?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}
