//! What no setting, mode or person lifts: deletion of root, home and system folders, file systems and raw devices,
//! shell profiles, login keys, the gate's own controls, weakened TLS, persistence, fork bombs.
//! Owns the triggers; which texts they run on (units, suspects, file tools) is the Deny layer's business.

mod delete;
mod device;
mod network;
mod persist;
mod targets;
#[cfg(test)]
mod tests;

use gate_core::{Word, path};

pub(crate) use delete::{place_of_ruin, removes_recursively};
pub(crate) use device::fork_bomb;
pub(crate) use targets::target;

/// A trigger that fired: stable code and a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hard {
    pub code: &'static str,
    pub text: String,
    pub instead: Option<&'static str>,
}

impl Hard {
    pub(crate) fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), instead: None }
    }
}

/// Folders that relative paths and `~` start from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'a> {
    pub home: &'a str,
    pub project: &'a str,
    /// `None`: not known.
    pub cwd: Option<&'a str>,
}

impl At<'_> {
    /// The absolute path of a text, `~` and `$HOME` included. `None`: relative to a folder that is not known.
    pub(crate) fn resolve(&self, text: &str) -> Option<String> {
        for lead in ["${HOME}", "$HOME", "~"] {
            if let Some(rest) = text.strip_prefix(lead)
                && (rest.is_empty() || rest.starts_with('/'))
            {
                return Some(path::resolve(self.home, rest.trim_start_matches('/')));
            }
        }
        let text = text.strip_prefix("file://").unwrap_or(text);
        if text.starts_with('/') { Some(path::resolve("/", text)) } else { self.cwd.map(|c| path::resolve(c, text)) }
    }
}

/// The words of a unit as hard-deny reads them: program base name, and the texts of the rest.
pub(crate) struct Line<'a> {
    pub program: &'a str,
    pub words: Vec<String>,
    pub at: At<'a>,
}

impl<'a> Line<'a> {
    pub(crate) fn new(words: &'a [Word], at: At<'a>) -> Option<Self> {
        let program = path::name(words.first()?.literal()?);
        Some(Self { program: program.strip_suffix(".exe").unwrap_or(program), words: words.iter().skip(1).map(text).collect(), at })
    }

    /// Options before `--`.
    pub(crate) fn options(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str).take_while(|w| *w != "--").filter(|w| w.len() > 1 && w.starts_with('-'))
    }

    /// Everything that is no option.
    pub(crate) fn operands(&self) -> Vec<&str> {
        let mut out = Vec::new();
        let mut over = false;
        for w in &self.words {
            if !over && w == "--" {
                over = true;
            } else if over || !w.starts_with('-') || w == "-" {
                out.push(w.as_str());
            }
        }
        out
    }

    pub(crate) fn has(&self, options: &[&str]) -> bool {
        self.options().any(|o| options.iter().any(|w| o == *w || o.strip_prefix(w).is_some_and(|r| w.starts_with("--") && r.starts_with('='))))
    }

    /// A short option, in a cluster too.
    pub(crate) fn short(&self, letter: char) -> bool {
        self.options().any(|o| !o.starts_with("--") && o.chars().skip(1).take_while(char::is_ascii_alphabetic).any(|c| c == letter))
    }

    /// A long option or an abbreviation of it of at least `least` characters.
    pub(crate) fn long(&self, name: &str, least: usize) -> bool {
        self.options().any(|o| {
            let o = o.split('=').next().unwrap_or(o);
            o.len() >= least && name.starts_with(o)
        })
    }
}

/// A word's text: unknown parts become a mark that no path or option has; `$HOME` stays readable.
fn text(word: &Word) -> String {
    use gate_core::Piece;
    let mut out = String::new();
    for p in &word.pieces {
        match p {
            Piece::Text(t) | Piece::Glob(t) => out.push_str(t),
            Piece::Unknown { source, .. } if matches!(source.as_str(), "$HOME" | "${HOME}") => out.push_str(source),
            Piece::Unknown { .. } => out.push('\u{1}'),
        }
    }
    out
}

/// The first trigger that the words of one command fire.
pub(crate) fn words(words: &[Word], at: At<'_>) -> Option<Hard> {
    let line = Line::new(words, at)?;
    network::check(&line)
        .or_else(|| persist::check(&line))
        .or_else(|| delete::check(&line))
        .or_else(|| device::check(&line))
        .or_else(|| targets::check(&line))
}

/// The first trigger of an assignment that reaches programs.
pub(crate) fn assignment(name: &str, value: &Word) -> Option<Hard> {
    network::assignment(name, value.literal()?)
}
