//! Words as paths: what is known of them before the shell runs.

use gate_core::{Access, AccessMode, Piece, Place, Word, path};

use super::Places;
use crate::analysis::Placer;

impl Places<'_> {
    /// The text of a word as a path pattern: unknown parts are `**`, `~` and `$HOME` at the start are the home.
    fn template(&self, word: &Word) -> (String, bool, bool) {
        let mut text = String::new();
        let (mut glob, mut unknown) = (false, false);
        for (i, piece) in word.pieces.iter().enumerate() {
            match piece {
                Piece::Text(t) => text.push_str(t),
                Piece::Glob(g) => {
                    glob = true;
                    text.push_str(g);
                }
                Piece::Unknown { source, .. } if i == 0 && matches!(source.as_str(), "$HOME" | "${HOME}" | "~") => text.push_str(self.roots.home),
                Piece::Unknown { source, .. } if i == 0 && matches!(source.as_str(), "$PWD" | "${PWD}") => text.push_str(self.roots.cwd),
                Piece::Unknown { .. } => {
                    unknown = true;
                    glob = true;
                    text.push_str("**");
                }
            }
        }
        if text == "~" || text.starts_with("~/") {
            text.replace_range(..1, self.roots.home);
        }
        (text, glob, unknown)
    }
}

impl Placer for Places<'_> {
    fn access(&self, mode: AccessMode, word: &Word, cwd: Option<&str>, maybe: bool, recursive: bool) -> Access {
        let (text, glob, unknown) = self.template(word);
        let text = text.strip_prefix("file://").map_or(text.as_str(), |rest| if rest.starts_with('/') { rest } else { text.as_str() });
        let shown = word.shown();
        let reads = matches!(mode, AccessMode::Read);
        let mut access = Access { mode, shown, path: None, resolved: None, glob, recursive, place: Place::Project, maybe: maybe || glob };
        // Nothing is known of it: a plain file of the project for reads, anywhere for the rest.
        let nothing = unknown && text.trim_start_matches("./").starts_with("**");
        let base = match cwd {
            Some(c) => c,
            None if text.starts_with('/') => "/",
            None => {
                // The folder is not known: names still tell.
                let at = path::resolve("/*", text);
                let named = self.special(&at, true).map(|s| s.place).max();
                access.place = named.unwrap_or(Place::Outside);
                access.glob = true;
                access.path = named.map(|_| at);
                return access;
            }
        };
        let at = path::resolve(base, text);
        let lexical = self.lexical(&at, glob);
        access.place = lexical;
        if nothing {
            let named = self.special(&at, true).map(|s| s.place).max();
            access.place = named.unwrap_or(if reads { Place::Project } else { Place::Outside });
        } else if unknown && !reads {
            // `..` may stand in the unknown part.
            access.place = lexical.max(Place::Outside);
        }
        if !glob {
            let (to, place) = self.follow(&at);
            access.resolved = to;
            if let Some(p) = place {
                access.place = if p == Place::Outside && access.resolved.is_none() && !reads { Place::Protected } else { access.place.max(p) };
            }
        } else if !nothing {
            let root = at.find(['*', '?', '[']).and_then(|i| at.get(..i)).and_then(|t| t.rfind('/').and_then(|i| t.get(..i.max(1)))).unwrap_or("/");
            if let (Some(to), Some(place)) = self.follow(root) {
                access.place = access.place.max(place);
                access.resolved = Some(to);
            }
        }
        access.path = Some(at);
        access
    }
}
