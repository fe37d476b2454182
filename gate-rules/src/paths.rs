//! Where a path is and what it is: `paths.toml` applied to absolute paths, lexical and resolved.

mod control;
mod overlap;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::cell::Cell;

use gate_core::{Access, AccessMode, Case, Piece, Place, Resolved, Word, limits, path};

use crate::analysis::Placer;
use crate::catalogue::glob;

pub(crate) use overlap::overlap;

mod data {
    include!(concat!(env!("OUT_DIR"), "/paths.rs"));
}

const TEMP: &[&str] = &["/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp", "/dev/shm", "/var/folders", "/private/var/folders"];
const SYSTEM: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/opt",
    "/private",
    "/proc",
    "/root",
    "/run",
    "/sbin",
    "/srv",
    "/sys",
    "/usr",
    "/var",
    "/System",
    "/Library",
    "/Applications",
    "/snap",
    "/nix",
];

/// Places words for one case.
pub struct Paths<'a> {
    case: &'a Case<'a>,
    /// How many more words with patterns are compared with the lists.
    patterns: Cell<usize>,
}

impl<'a> Paths<'a> {
    /// For this case's home, project and settings.
    #[must_use]
    pub const fn new(case: &'a Case<'a>) -> Self {
        Self { case, patterns: Cell::new(limits::PATTERN_WORDS) }
    }

    fn fold<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.case.facts.case_insensitive() { Cow::Owned(text.to_lowercase()) } else { Cow::Borrowed(text) }
    }

    /// Does the path, or a folder above it, match the pattern? `~` and `**/` as in `paths.toml`.
    fn under(&self, pattern: &str, path: &str, wild: bool) -> bool {
        let home = &self.case.call.home;
        if !wild && !self.case.facts.case_insensitive() {
            return listed(pattern, path, home);
        }
        let pattern = self.fold(pattern);
        let path = self.fold(path);
        if !wild {
            return listed(&pattern, &path, &self.fold(home));
        }
        let pattern = expand(&pattern, &self.fold(home));
        overlap(&pattern, &path) || overlap(&format!("{pattern}/*"), &path)
    }

    fn any(&self, list: &[&str], path: &str, wild: bool) -> bool {
        list.iter().any(|p| self.under(p, path, wild))
    }

    /// Is it a key, a credential, a history?
    #[must_use]
    pub fn sensitive(&self, path: &str, wild: bool) -> bool {
        let own = self.case.settings.sensitive_paths.iter().any(|e| e.text != "$defaults" && self.under(&e.text, path, wild));
        // Those with `**/` name files: for a pattern it does not count that a folder could have such a name.
        let file = |p: &str| wild && p.starts_with("**/") && !overlap(&expand(&self.fold(p), ""), &self.fold(path));
        let listed = data::SENSITIVE_PATTERNS.iter().any(|p| !file(p) && self.under(p, path, wild));
        own || (listed && (wild || !self.any(data::SENSITIVE_EXCEPT, path, false)))
    }

    /// Does it make programs run something?
    #[must_use]
    pub fn protected(&self, path: &str) -> bool {
        let folded = self.fold(path);
        let component = |name: &str| holds(&folded, &self.fold(name));
        // The user's own lines, then folders and files anywhere, then places.
        let lines = &self.case.settings.protected_paths;
        let own = |text: &str| text != "$defaults" && (self.under(text, path, false) || (!text.contains('/') && component(text)));
        let file = |f: &str| folded.strip_suffix(self.fold(f).as_ref()).is_some_and(|head| head.ends_with('/'));
        lines.iter().any(|e| own(&e.text))
            || data::PROTECTED_FOLDERS.iter().any(|f| component(f))
            || data::PROTECTED_FILES.iter().any(|f| file(f))
            || self.any(data::PROTECTED_PATTERNS, path, false)
    }

    /// The plain place of an absolute path.
    #[must_use]
    pub fn base(&self, at: &str) -> Place {
        let call = self.case.call;
        if path::within(at, &call.project) && call.project != "/" {
            return Place::Project;
        }
        if TEMP.iter().any(|t| path::within(at, t)) {
            return Place::Temp;
        }
        if path::within(at, &call.home) && call.home != "/" {
            return Place::Home;
        }
        if at == "/" || SYSTEM.iter().any(|s| path::within(at, s)) {
            return Place::System;
        }
        Place::Outside
    }

    /// The place that counts for this use of the path.
    #[must_use]
    pub fn place(&self, mode: AccessMode, at: &str, wild: bool) -> Place {
        if matches!(mode, AccessMode::Write | AccessMode::Delete) {
            if self.control(at) {
                return Place::Control;
            }
            if self.protected(at) && !TEMP.iter().any(|t| path::within(at, t) && at.matches('/').count() < 3) {
                return Place::Protected;
            }
        }
        if self.sensitive(at, wild) {
            return Place::Sensitive;
        }
        self.base(at)
    }
}

/// Does the name (of one or more components) stand anywhere in the path?
fn holds(path: &str, name: &str) -> bool {
    path.match_indices(name).any(|(i, _)| {
        let before = path.get(..i).is_some_and(|h| h.ends_with('/'));
        before && path.get(i + name.len()..).is_some_and(|t| t.is_empty() || t.starts_with('/'))
    })
}

/// A path, or a folder above it, against a pattern of the lists, without allocation on the usual ways.
fn listed(pattern: &str, path: &str, home: &str) -> bool {
    let below = |pattern: &str, path: &str| {
        if !pattern.contains('*') {
            return path.strip_prefix(pattern).is_some_and(|t| t.is_empty() || t.starts_with('/'));
        }
        glob::matches(pattern, path)
            || path.match_indices('/').skip(1).any(|(i, _)| path.get(..i).is_some_and(|head| glob::matches(pattern, head)))
    };
    if let Some(rest) = ["~/", "$HOME/", "${HOME}/"].iter().find_map(|h| pattern.strip_prefix(h)) {
        return path
            .strip_prefix(home)
            .and_then(|r| r.strip_prefix('/'))
            .is_some_and(|rel| if rest.contains('*') { below(&format!("/{rest}"), &format!("/{rel}")) } else { below(rest, rel) });
    }
    match pattern.strip_prefix("**/") {
        Some(name) if !name.contains('*') => holds(path, name),
        Some(name) if !name.contains('/') => path.split('/').any(|c| !c.is_empty() && glob::matches(name, c)),
        _ if pattern.starts_with('/') && !pattern.contains("/**/") => below(pattern, path),
        _ => below(&expand(pattern, home), path),
    }
}

/// `~`, `$HOME` and `**/` of a pattern.
pub(crate) fn expand(pattern: &str, home: &str) -> String {
    let mut out = pattern.to_owned();
    for lead in ["~", "$HOME", "${HOME}"] {
        if let Some(rest) = pattern.strip_prefix(lead)
            && (rest.is_empty() || rest.starts_with('/'))
        {
            out = format!("{home}{rest}")
        }
    }
    // `**/x`: at any depth. `*` crosses folders here, so a leading slash is all that is needed.
    out.strip_prefix("**/").map_or(out.clone(), |rest| format!("*/{rest}")).replace("/**/", "/*")
}

impl Placer for Paths<'_> {
    fn access(&self, mode: AccessMode, word: &Word, cwd: Option<&str>, maybe: bool, recursive: bool) -> Access {
        let shown = word.shown();
        let mut out = Access { mode, shown, path: None, resolved: None, glob: false, recursive, place: Place::Project, maybe };
        if word.raw.len().max(out.shown.len()) > limits::PATH_BYTES {
            // No system opens it as it stands; in doubt it is the worst.
            out.maybe = true;
            out.place = if mode == AccessMode::Read { Place::Sensitive } else { Place::Protected };
            return out;
        }
        if let Some(text) = word.literal() {
            let text = text.strip_prefix("file://").unwrap_or(text);
            if !text.starts_with('/') && cwd.is_none() {
                out.maybe = true;
                out.place = unknown_place(mode);
                // The directory is not known, but the name is.
                let tail = format!("/{}", text.trim_start_matches("./"));
                let named = self.place(mode, &tail, false);
                if named >= Place::Sensitive {
                    out.place = named
                }
                if text.starts_with("..") || text.contains("/..") {
                    out.place = out.place.max(Place::Outside)
                }
                return out;
            }
            let at = path::resolve(cwd.unwrap_or("/"), text);
            out.place = self.place(mode, &at, false);
            // `..` behind a link leads to the parent of where the link leads.
            let walked = if text.starts_with('/') { text.to_owned() } else { format!("{}/{text}", cwd.unwrap_or("/")) };
            match self.case.facts.resolve(if walked.contains("..") { &walked } else { &at }) {
                Resolved::Same => {}
                Resolved::To(real) if real == at => {}
                Resolved::To(real) => {
                    out.place = out.place.max(self.place(mode, &real, false));
                    out.resolved = Some(real);
                }
                Resolved::Undecidable => {
                    out.place = out.place.max(if mode == AccessMode::Read { Place::Outside } else { Place::Protected })
                }
            }
            out.path = Some(at);
            return out;
        }
        let Some(left) = self.patterns.get().checked_sub(1) else {
            // What is not compared may match the worst.
            out.glob = true;
            out.maybe = true;
            out.place = if mode == AccessMode::Read { Place::Sensitive } else { Place::Protected };
            return out;
        };
        self.patterns.set(left);
        self.pattern(mode, word, cwd, out)
    }
}

impl Paths<'_> {
    /// A word with patterns or unknown parts: where its known beginning leads, and what it may match.
    fn pattern(&self, mode: AccessMode, word: &Word, cwd: Option<&str>, mut out: Access) -> Access {
        out.glob = true;
        out.maybe = true;
        let bare = word.pieces.iter().all(|p| matches!(p, Piece::Unknown { .. }));
        if bare {
            out.place = unknown_place(mode);
            return out;
        }
        let text: String = word
            .pieces
            .iter()
            .map(|p| match p {
                Piece::Text(t) | Piece::Glob(t) => t.clone(),
                Piece::Unknown { .. } => "\u{1}".to_owned(),
            })
            .collect();
        let anchored = text.starts_with('/');
        let floating = text.starts_with('\u{1}');
        if !anchored && (floating || cwd.is_none()) {
            let at = if floating { text.clone() } else { format!("\u{1}/{text}") };
            out.place = unknown_place(mode);
            if self.names(mode, &at) >= Place::Sensitive {
                out.place = self.names(mode, &at)
            }
            return out;
        }
        let at = path::resolve(cwd.unwrap_or("/"), &text);
        let root = at.split(['*', '?', '[', '\u{1}']).next().unwrap_or("/");
        let root = root.rsplit_once('/').map_or("/", |(r, _)| if r.is_empty() { "/" } else { r });
        out.place = self.place(mode, root, false);
        // What comes after an unknown part may climb out again.
        if at.contains('\u{1}') && mode != AccessMode::Read {
            out.place = out.place.max(Place::Outside)
        }
        // `*` alone stands for whatever the folder holds, like a recursive scope does.
        // But not below a hidden folder: those hold settings and secrets.
        let hidden = at.contains("/.") && !path::within(root, &self.case.call.project);
        let telling = hidden || at.rsplit('/').next().is_some_and(|last| last.chars().any(|c| c.is_alphanumeric() || c == '.'));
        if telling || mode != AccessMode::Read {
            out.place = out.place.max(self.names(mode, &at))
        }
        out.path = Some(at.replace('\u{1}', "*"));
        out
    }

    /// What a pattern may match among the listed paths.
    fn names(&self, mode: AccessMode, at: &str) -> Place {
        let wild = at.replace('\u{1}', "*");
        if matches!(mode, AccessMode::Write | AccessMode::Delete) {
            let control = data::CONTROL_PATTERNS.iter().any(|p| overlap(&expand(p, &self.case.call.home), &wild))
                && wild.chars().any(char::is_alphanumeric);
            let telling = wild.rsplit('/').next().is_some_and(|l| l.chars().any(char::is_alphanumeric));
            if control && telling {
                return Place::Control;
            }
        }
        if self.sensitive(&wild, true) {
            return Place::Sensitive;
        }
        Place::Project
    }
}

/// A wholly unknown operand is a plain project file for reads and an unknown place for everything else.
const fn unknown_place(mode: AccessMode) -> Place {
    match mode {
        AccessMode::Read => Place::Project,
        _ => Place::Outside,
    }
}
