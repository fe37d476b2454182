//! Pieces of a text that was not understood, for denies only: quotes and backslashes gone, lines joined, cut at every
//! separator. Over-matching is wanted here; nothing vouches by it.

use gate_core::Word;

/// Most pieces that are kept.
const PIECES: usize = 512;
/// Most words of one piece.
const WORDS: usize = 64;

/// Every piece that might run.
pub fn of_text(text: &str) -> Vec<Vec<Word>> {
    let mut out: Vec<Vec<Word>> = Vec::new();
    let joined = text.replace("\\\n", "").replace("\\\r\n", "");
    let bare: String = joined
        .chars()
        .filter(|c| !matches!(c, '\'' | '"' | '\\') && !('\u{200b}'..='\u{200f}').contains(c) && !('\u{202a}'..='\u{202e}').contains(c))
        .collect();
    for source in [&bare, &joined] {
        let pieces = source.split(['\n', '\r', ';', '|', '&', '(', ')', '`', '{', '}']);
        for piece in pieces {
            if out.len() >= PIECES {
                return out;
            }
            let words: Vec<Word> = piece
                .split(|c: char| c.is_whitespace() || matches!(c, '<' | '>'))
                .filter(|w| !w.is_empty())
                .take(WORDS)
                .map(Word::text)
                .collect();
            if !words.is_empty() && !out.contains(&words) {
                out.push(words)
            }
        }
    }
    out
}
