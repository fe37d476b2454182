//! A word as the program would receive it, as far as that is known before the shell runs.

use serde::Serialize;

/// A part of a [`Word`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Piece {
    /// Text that reaches the program exactly as it stands here (quotes removed, escapes decoded, `~` expanded).
    Text(String),
    /// Unquoted pattern characters (`*`, `?`, `[…]`): the word becomes every file name that matches, one word each.
    Glob(String),
    /// Known only to the shell at run time.
    Unknown {
        /// The source text, for people: `$X`, `$(date)`.
        source: String,
        /// Not quoted: may become no word or many, and may be expanded as a pattern.
        splits: bool,
    },
}

/// One decoded word. Empty words (`''`) have no piece or an empty text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Word {
    /// The parts, in order; adjacent texts are merged.
    pub pieces: Vec<Piece>,
    /// The source text, quotes and all. Equal to the text for words that no shell wrote.
    pub raw: String,
}

impl Word {
    /// A word of plain text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        let text = text.into();
        Self { raw: text.clone(), pieces: vec![Piece::Text(text)] }
    }

    /// A word of which nothing is known.
    #[must_use]
    pub fn unknown(source: impl Into<String>, splits: bool) -> Self {
        let source = source.into();
        Self { raw: source.clone(), pieces: vec![Piece::Unknown { source, splits }] }
    }

    /// The exact text, when all of it is known and no pattern is in it.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [] => Some(""),
            [Piece::Text(t)] => Some(t),
            _ => None,
        }
    }

    /// The known text before the first pattern or unknown part.
    #[must_use]
    pub fn prefix(&self) -> &str {
        match self.pieces.first() {
            Some(Piece::Text(t)) => t,
            _ => "",
        }
    }

    /// Is any part known only at run time?
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        self.pieces.iter().any(|p| matches!(p, Piece::Unknown { .. }))
    }

    /// Does an unquoted pattern stand in it?
    #[must_use]
    pub fn is_glob(&self) -> bool {
        self.pieces.iter().any(|p| matches!(p, Piece::Glob(_)))
    }

    /// May it become no word, or more than one?
    #[must_use]
    pub fn may_split(&self) -> bool {
        self.pieces.iter().any(|p| matches!(p, Piece::Glob(_) | Piece::Unknown { splits: true, .. }))
    }

    /// Is it one process substitution (`<(…)`, `>(…)`)? The program receives the path of a pipe that the shell makes.
    #[must_use]
    pub fn is_pipe(&self) -> bool {
        matches!(self.pieces.as_slice(), [Piece::Unknown { source, splits: false }] if source.starts_with("<(") || source.starts_with(">("))
    }

    /// May the program take it for an option? Text glued before an unknown part decides; a word that begins with
    /// a pattern or an unknown part may.
    #[must_use]
    pub fn may_be_option(&self) -> bool {
        match self.pieces.iter().find(|p| !matches!(p, Piece::Text(t) if t.is_empty())) {
            None => false,
            Some(Piece::Text(t)) => t.starts_with('-'),
            Some(Piece::Glob(_) | Piece::Unknown { .. }) => !self.is_pipe(),
        }
    }

    /// The word for matching and for people: known text as it is, patterns and unknown parts as their source.
    #[must_use]
    pub fn shown(&self) -> String {
        self.pieces
            .iter()
            .map(|p| match p {
                Piece::Text(t) | Piece::Glob(t) => t.as_str(),
                Piece::Unknown { source, .. } => source,
            })
            .collect()
    }

    /// Appends known text.
    pub fn push_text(&mut self, text: &str) {
        if let Some(Piece::Text(t)) = self.pieces.last_mut() { t.push_str(text) } else { self.pieces.push(Piece::Text(text.to_owned())) }
    }

    /// The word without its first `bytes` bytes of known text (for glued option values: `-C/etc`).
    /// `None` when the known text is shorter, or the cut is inside a character.
    #[must_use]
    pub fn without_prefix(&self, bytes: usize) -> Option<Self> {
        let rest = self.prefix().get(bytes..)?.to_owned();
        let mut pieces = Vec::with_capacity(self.pieces.len());
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest));
        }
        pieces.extend(self.pieces.iter().skip(1).cloned());
        let mut word = Self { pieces, raw: String::new() };
        word.raw = word.shown();
        Some(word)
    }
}
