//! Places of absolute paths: lexical and canonical, special ones by the table and by the settings' own lists.

use gate_core::{Case, Facts, Place, Resolved, path};

use super::{RULES, Rule};
use crate::catalogue::glob;
use crate::patterns::{PathPattern, Roots};

/// A rule of `paths.toml` that holds for a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Special {
    /// Names the rule.
    pub id: &'static str,
    /// Where the path counts.
    pub place: Place,
    /// Why, for people.
    pub why: &'static str,
    /// Writing is denied outright, with this code.
    pub hard: Option<&'static str>,
}

/// Folders for temporary files.
const TEMP: [&str; 6] = ["/tmp", "/var/tmp", "/dev/shm", "/private/tmp", "/private/var/tmp", "/var/folders"];
/// Folders of the operating system.
pub(crate) const SYSTEM: [&str; 19] = [
    "/bin", "/boot", "/dev", "/etc", "/lib", "/lib32", "/lib64", "/private", "/proc", "/run", "/sbin", "/sys", "/usr", "/var", "/System", "/Library", "/Applications", "/snap",
    "/nix",
];

/// Where paths are, for one call.
pub struct Places<'a> {
    pub(super) facts: &'a dyn Facts,
    pub(super) roots: Roots<'a>,
    fold: bool,
    own: Vec<(Place, PathPattern)>,
}

impl<'a> Places<'a> {
    /// The places of a case, with the settings' own sensitive and protected paths.
    #[must_use]
    pub fn new(case: &'a Case<'a>) -> Self {
        let s = case.settings;
        let list = |place, entries: &[gate_core::Entry]| entries.iter().map(move |e| (place, pattern(&e.text))).collect::<Vec<_>>();
        let mut own = list(Place::Sensitive, &s.sensitive_paths);
        own.extend(list(Place::Protected, &s.protected_paths));
        Self {
            facts: case.facts,
            roots: Roots { home: &case.call.home, project: &case.call.project, cwd: &case.call.cwd },
            fold: case.facts.case_insensitive(),
            own,
        }
    }

    /// The special rules that hold for an absolute path. With `glob` the path is a pattern that a shell expands.
    pub fn special(&self, at: &str, glob: bool) -> impl Iterator<Item = Special> {
        let parts: Vec<&str> = at.split('/').filter(|p| !p.is_empty()).collect();
        let (fold, home) = (self.fold, self.roots.home);
        RULES.iter().filter(move |r| holds(r, &parts, home, fold, glob)).map(Rule::special)
    }

    /// Where an absolute, lexically normal path is; links are not followed.
    #[must_use]
    pub fn lexical(&self, at: &str, glob: bool) -> Place {
        let worst = self.special(at, glob).map(|s| s.place).chain(self.own_place(at, glob)).max();
        worst.unwrap_or_else(|| self.ordinary(at))
    }

    fn own_place(&self, at: &str, glob: bool) -> Option<Place> {
        self.own.iter().filter(|(_, p)| p.covers(at, glob, false, &self.roots) != crate::patterns::Hit::No).map(|(place, _)| *place).max()
    }

    fn ordinary(&self, at: &str) -> Place {
        let literal = at.find(['*', '?', '[']).and_then(|i| at.get(..i)).and_then(|t| t.rfind('/').and_then(|i| t.get(..i.max(1)))).unwrap_or(at);
        let under = |root: &str| self.within(literal, root);
        if is_stream(literal) || self.roots.project != "/" && under(self.roots.project) {
            Place::Project
        } else if TEMP.iter().any(|t| under(t)) {
            Place::Temp
        } else if self.roots.home != "/" && under(self.roots.home) {
            Place::Home
        } else if SYSTEM.iter().any(|t| under(t)) {
            Place::System
        } else {
            Place::Outside
        }
    }

    fn within(&self, at: &str, root: &str) -> bool {
        path::within(at, root) || self.fold && path::within(&at.to_lowercase(), &root.to_lowercase())
    }

    /// Where links lead, when that is another path; the place counts both. Undecidable links count as outside.
    pub(super) fn follow(&self, at: &str) -> (Option<String>, Option<Place>) {
        match self.facts.resolve(at) {
            Resolved::Same => (None, None),
            Resolved::To(to) if to == at => (None, None),
            Resolved::To(to) => {
                let place = self.lexical(&to, false);
                (Some(to), Some(place))
            }
            Resolved::Undecidable => (None, Some(Place::Outside)),
        }
    }
}

/// `sensitivePaths` and `protectedPaths` are written like Claude's, with one slash for the root of the machine.
fn pattern(text: &str) -> PathPattern {
    PathPattern::claude(text, true)
}

/// The standard streams and devices without content.
fn is_stream(at: &str) -> bool {
    matches!(at, "/dev/null" | "/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/tty" | "/dev/zero" | "/dev/random" | "/dev/urandom" | "/dev/full")
        || at.strip_prefix("/dev/fd/").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}

impl Rule {
    pub(crate) const fn special(&self) -> Special {
        Special { id: self.id, place: self.place, why: self.why, hard: self.hard }
    }
}

fn holds(rule: &Rule, parts: &[&str], home: &str, fold: bool, glob: bool) -> bool {
    let hit = rule.paths.iter().any(|pattern| {
        let (first, rest) = match pattern.split_first() {
            Some((&"~", rest)) => {
                let depth = home.split('/').filter(|p| !p.is_empty()).count();
                let below = home.split('/').filter(|p| !p.is_empty()).zip(parts).all(|(h, p)| segment(h, p, fold, false));
                return below && parts.len() > depth && starts(rest, parts.get(depth..).unwrap_or(&[]), fold, glob);
            }
            Some((&"", rest)) => return starts(rest, parts, fold, glob),
            Some((first, rest)) => (first, rest),
            None => return false,
        };
        parts.iter().enumerate().any(|(i, p)| segment(first, p, fold, glob) && starts(rest, parts.get(i + 1..).unwrap_or(&[]), fold, glob))
    });
    let last = parts.last().copied().unwrap_or("");
    hit && !rule.except.iter().any(|e| if glob && last.contains(['*', '?', '[']) { last.ends_with(e.trim_start_matches('*')) } else { segment(e, last, fold, false) })
}

fn starts(pattern: &[&str], parts: &[&str], fold: bool, glob: bool) -> bool {
    // `**` in a shell's pattern may stand for the rest.
    pattern.len() <= parts.len() && pattern.iter().zip(parts).all(|(want, p)| segment(want, p, fold, glob))
}

/// Does one segment match? A shell's pattern needs something in common with the rule besides wildcards.
fn segment(want: &str, part: &str, fold: bool, glob: bool) -> bool {
    if fold && part.bytes().any(|b| b.is_ascii_uppercase()) {
        return segment(&want.to_ascii_lowercase(), &part.to_ascii_lowercase(), false, glob);
    }
    if glob && part.contains(['*', '?', '[']) {
        return shell_segment(want, part);
    }
    if want.contains('*') { glob::matches(want, part) } else { want == part }
}

/// May a segment with a shell's pattern stand for a name that the rule means?
fn shell_segment(want: &str, part: &str) -> bool {
    use crate::patterns::wild::{overlap, tokens};
    // A leading wildcard does not stand for a leading dot.
    if part.starts_with(['*', '?', '[']) && want.starts_with('.') {
        return false;
    }
    let letters = part.chars().filter(|c| c.is_alphanumeric()).count();
    let lead = part.find(['*', '?', '[']).unwrap_or(part.len());
    let by_end = part.starts_with('*') && !want.starts_with('*');
    // `*.json` is not about `credentials.json`; `*rsa` and `.s*` are about what they begin or end with.
    let extension = by_end && part.get(1..).is_some_and(|t| t.starts_with('.') && !t.contains('*'));
    let specific = letters >= 1 && (lead > 0 || want.starts_with('*') || part.starts_with('[')) || letters >= 2 && !extension;
    let class: String = classes(part);
    specific && overlap(&tokens(want, false), &tokens(&class, true))
}

/// `[…]` as one character.
fn classes(part: &str) -> String {
    let mut out = String::with_capacity(part.len());
    let mut rest = part;
    while let Some(i) = rest.find('[') {
        let (before, from) = rest.split_at(i);
        out.push_str(before);
        match from.get(2..).and_then(|t| t.find(']')) {
            Some(end) => {
                out.push('?');
                rest = from.get(end + 3..).unwrap_or("");
            }
            None => {
                out.push_str(from);
                rest = "";
            }
        }
    }
    out.push_str(rest);
    out
}
