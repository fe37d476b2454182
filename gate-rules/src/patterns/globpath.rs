//! Patterns on paths: the automode notation (`*` crosses `/`, whole path) and the gitignore notation of Claude.
//! Both become one sequence of positions that is matched against absolute, lexically normal paths.

use gate_core::path;

use super::wild::{Tok, overlap};

/// What `~`, `./` and bare names stand for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Roots<'a> {
    pub home: &'a str,
    pub project: &'a str,
    pub cwd: &'a str,
}

/// How a pattern stands to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Hit {
    /// No path that is meant matches.
    No,
    /// One of the paths that are meant may match.
    May,
    /// Every path that is meant matches, or the one that does is known to be among them.
    Yes,
}

/// Longest path in bytes that an allow pattern is matched against (patterns are shorter; see `limits::PATTERN_UTF16`).
const LONGEST: usize = 4_096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    /// The text is an absolute path.
    Absolute,
    /// Below the home folder.
    Home,
    /// Below the project.
    Project,
    /// At any depth of any folder (deny and ask), of the project (allow).
    Anywhere,
    /// Below the working directory.
    Cwd,
    /// As it stands (`*…`).
    Raw,
}

/// One pattern on paths.
#[derive(Clone, Debug)]
pub(crate) struct PathPattern {
    text: String,
    anchor: Anchor,
    claude: bool,
}

impl PathPattern {
    /// Claude's notation. `absolute`: one leading slash means the root of the machine, not of the project.
    pub(crate) fn claude(text: &str, absolute: bool) -> Self {
        let text = text.trim();
        let (anchor, rest) = if let Some(rest) = text.strip_prefix("//") {
            (Anchor::Absolute, rest)
        } else if let Some(rest) = home_rest(text) {
            (Anchor::Home, rest)
        } else if let Some(rest) = text.strip_prefix('/') {
            (if absolute { Anchor::Absolute } else { Anchor::Project }, rest)
        } else if let Some(rest) = text.strip_prefix("./") {
            (Anchor::Project, rest)
        } else if text.trim_end_matches('/').contains('/') {
            (Anchor::Project, text)
        } else {
            (Anchor::Anywhere, text)
        };
        Self { text: rest.to_owned(), anchor, claude: true }
    }

    /// The automode notation.
    pub(crate) fn automode(text: &str) -> Self {
        let text = text.trim();
        let text = text.strip_prefix('@').unwrap_or(text).trim();
        let (anchor, rest) = if let Some(rest) = home_rest(text) {
            (Anchor::Home, rest)
        } else if text.starts_with('/') {
            (Anchor::Absolute, text.trim_start_matches('/'))
        } else if text.starts_with('*') {
            (Anchor::Raw, text)
        } else {
            (Anchor::Cwd, text)
        };
        Self { text: rest.to_owned(), anchor, claude: false }
    }

    /// Can it match an absolute path at all? (`deniedPaths` entries must.)
    pub(crate) const fn reaches(&self) -> bool {
        !matches!(self.anchor, Anchor::Cwd)
    }

    /// Does it name something, so that it is more than a bare wildcard?
    pub(crate) fn names_something(&self) -> bool {
        self.text.split('/').any(|s| s.chars().any(|c| c.is_alphanumeric()))
    }

    /// The absolute text of the pattern.
    pub(crate) fn absolute(&self, roots: &Roots<'_>) -> String {
        let join = |base: &str| {
            let base = base.trim_end_matches('/');
            let rest = self.text.strip_prefix("./").unwrap_or(&self.text);
            format!("{base}/{rest}")
        };
        match self.anchor {
            Anchor::Absolute => join(""),
            Anchor::Home => join(roots.home),
            Anchor::Project => join(roots.project),
            Anchor::Cwd => path::resolve(roots.cwd, &self.text),
            Anchor::Anywhere => format!("**/{}", self.text),
            Anchor::Raw => self.text.clone(),
        }
    }

    /// The positions of the pattern. `below`: what lies below a matching folder matches too.
    fn tokens(&self, roots: &Roots<'_>, wide: bool) -> Vec<Vec<Tok>> {
        let text = self.absolute(roots);
        let mut all = Vec::new();
        if self.claude {
            let text = match self.anchor {
                Anchor::Anywhere if wide => format!("/{text}"),
                Anchor::Anywhere => format!("{}/{text}", roots.project.trim_end_matches('/')),
                _ => text,
            };
            for tail in variants(text.trim_end_matches('/')) {
                let own = segment_tokens(&tail);
                let mut below = own.clone();
                below.extend([Tok::Char('/'), Tok::Many]);
                all.push(below);
                if !text.ends_with('/') || wide {
                    all.push(own);
                }
            }
        } else {
            let own = super::wild::tokens(text.trim_end_matches('/'), false);
            if wide {
                let mut below = own.clone();
                below.extend([Tok::Char('/'), Tok::Many]);
                all.push(below);
            }
            all.push(own);
        }
        all
    }

    /// Does the one path match? `wide` (deny and ask): folders stand for what is below, case does not count.
    pub(crate) fn matches(&self, at: &str, roots: &Roots<'_>, wide: bool) -> bool {
        let text = fold(at, wide);
        if !wide && text.len() > LONGEST {
            return false;
        }
        let toks: Vec<Tok> = text.chars().map(Tok::Char).collect();
        let hit = |t: &[Tok]| self.tokens(roots, wide).iter().any(|p| overlap(&folded(p, wide), t));
        if hit(&toks) {
            return true;
        }
        // The automode notation shows paths relative to the working directory.
        if !self.claude && self.anchor == Anchor::Raw {
            let base = format!("{}/", roots.cwd.trim_end_matches('/'));
            if let Some(rel) = at.strip_prefix(&base) {
                let rel: Vec<Tok> = fold(rel, wide).chars().map(Tok::Char).collect();
                return hit(&rel);
            }
        }
        false
    }

    /// How the pattern stands to a pattern that a shell expands, or to everything below a folder.
    pub(crate) fn covers(&self, at: &str, glob: bool, recursive: bool, roots: &Roots<'_>) -> Hit {
        if self.matches(at, roots, true) {
            return Hit::Yes;
        }
        if !glob && !recursive {
            return Hit::No;
        }
        // Everything below a folder, when the pattern names all that is below it.
        let all = self.text.strip_suffix("/**").filter(|t| recursive && !glob && !t.is_empty());
        if all.is_some_and(|t| Self { text: t.to_owned(), ..self.clone() }.matches(at, roots, true)) {
            return Hit::Yes;
        }
        let mut scope: Vec<Tok> = if glob { shell_tokens(&fold(at, true)) } else { fold(at, true).chars().map(Tok::Char).collect() };
        if recursive {
            let root = at.trim_end_matches('/');
            scope = if root.is_empty() { Vec::new() } else { scope };
            scope.extend([Tok::Char('/'), Tok::Many]);
        }
        let meets = self.tokens(roots, true).iter().any(|p| overlap(&folded(p, true), &scope));
        if meets { Hit::May } else { Hit::No }
    }
}

/// The rest after `~/`, `$HOME/` or `${HOME}/`.
fn home_rest(text: &str) -> Option<&str> {
    ["~", "${HOME}", "$HOME"].iter().find_map(|h| {
        let rest = text.strip_prefix(h)?;
        if rest.is_empty() { Some("") } else { rest.strip_prefix('/') }
    })
}

fn fold(text: &str, wide: bool) -> String {
    if wide { text.to_lowercase() } else { text.to_owned() }
}

fn folded(tokens: &[Tok], wide: bool) -> Vec<Tok> {
    if !wide {
        return tokens.to_vec();
    }
    tokens.iter().map(|t| if let Tok::Char(c) = t { Tok::Char(c.to_lowercase().next().unwrap_or(*c)) } else { *t }).collect()
}

/// `/**/` also stands for a single slash: every reading, as long as there are few.
fn variants(text: &str) -> Vec<String> {
    let mut all = vec![text.to_owned()];
    for _ in 0..4 {
        let more: Vec<String> = all.iter().filter_map(|t| t.find("/**/").map(|_| t.replacen("/**/", "/", 1))).collect();
        for m in more {
            if !all.contains(&m) {
                all.push(m);
            }
        }
    }
    all
}

/// gitignore: `*` within a segment, `**` across, `?` and `[…]` one character.
fn segment_tokens(text: &str) -> Vec<Tok> {
    let mut out = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '*' if chars.peek() == Some(&'*') => {
                chars.next();
                if out.last() != Some(&Tok::Many) {
                    out.push(Tok::Many);
                }
            }
            '*' => out.push(Tok::Within),
            '?' => out.push(Tok::One),
            '[' => class(&mut chars, &mut out),
            '\\' => out.extend(chars.next().map(Tok::Char)),
            c => out.push(Tok::Char(c)),
        }
    }
    out
}

fn class(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut Vec<Tok>) {
    if chars.clone().any(|c| c == ']') {
        let mut first = true;
        for c in chars.by_ref() {
            if c == ']' && !first {
                break;
            }
            first = false;
        }
        out.push(Tok::One);
    } else {
        out.push(Tok::Char('['));
    }
}

/// A pattern of the shell as it stands in an access: `*` and `?` within a segment, unknown parts as `*`.
fn shell_tokens(text: &str) -> Vec<Tok> {
    let mut out = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '*' if chars.peek() == Some(&'*') => {
                chars.next();
                out.push(Tok::Many);
            }
            '*' => out.push(Tok::Within),
            '?' => out.push(Tok::One),
            '[' => class(&mut chars, &mut out),
            c => out.push(Tok::Char(c)),
        }
    }
    out
}
