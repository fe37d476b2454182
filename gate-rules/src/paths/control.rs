//! Controls: what no agent writes. The list of `paths.toml`, and where this installation's own files really are.

use std::borrow::Cow;

use gate_core::path;

use super::{Paths, data, listed};

/// Folders of programs in which the gate's own is looked up; the second kind below the home.
const SEARCHED: &[&str] = &["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin", "/.local/bin", "/.cargo/bin"];

impl Paths<'_> {
    /// The installation's own files, in lower case.
    fn own(&self) -> impl Iterator<Item = String> {
        self.case.settings.control_paths.iter().map(|p| p.to_lowercase())
    }

    /// Is it a control of the gate or of an agent? Names are compared without case, because the cost of a miss is high.
    #[must_use]
    pub fn control(&self, path: &str) -> bool {
        let (lower, home) = (path.to_lowercase(), self.case.call.home.to_lowercase());
        data::CONTROL_PATTERNS.iter().any(|p| listed(p, &lower, &home)) || self.own().any(|c| path::within(&lower, &c))
    }

    /// Is this the project's root, or a folder above it?
    #[must_use]
    pub fn is_project_or_above(&self, at: &str) -> bool {
        path::within(&self.case.call.project, at)
    }

    /// Does the folder hold a control: directly, or (`above`) somewhere below it?
    #[must_use]
    pub fn holds_control(&self, at: &str, above: bool) -> bool {
        let (at, call) = (at.to_lowercase(), self.case.call);
        let at = at.trim_end_matches('/');
        // A project holds its controls, and so does what holds the project.
        if above && path::within(&call.project.to_lowercase(), at) {
            return true;
        }
        let home = call.home.to_lowercase();
        // Where the folder stands below the home; nothing is built for each pattern, since this is asked of every word.
        let relative = at.strip_prefix(home.as_str()).and_then(|r| r.strip_prefix('/'));
        let above_home = path::within(&home, at);
        data::CONTROL_PATTERNS.iter().any(|pattern| {
            if let Some(rest) = pattern.strip_prefix("~/") {
                // The home itself holds everything; what is put into it by its name is looked at by its name.
                let parent = rest.rsplit_once('/').map_or("", |(p, _)| p);
                return above && (above_home || relative.is_some_and(|r| path::within(rest, r)))
                    || !parent.is_empty() && relative == Some(parent);
            }
            let Some((parent, _)) = pattern.rsplit_once('/') else { return false };
            match parent.strip_prefix("**/") {
                // A folder of that name anywhere; `bin` alone says too little.
                Some(folder) => folder != "bin" && at.strip_suffix(folder).is_some_and(|head| head.ends_with('/')),
                None if parent == "**" => false,
                None => parent == at && at != home || above && path::within(pattern, at),
            }
        }) || self.own().any(|c| c.rsplit_once('/').is_some_and(|(parent, _)| parent == at) || above && path::within(&c, at))
            || SEARCHED.iter().any(|b| {
                let below = relative.is_some_and(|r| b.strip_prefix('/').is_some_and(|b| r == b || above && path::within(b, r)));
                at == *b || below || above && (path::within(b, at) || above_home)
            })
    }

    /// Does a text (code, a script, a list of names) name a control, in whatever quotes?
    #[must_use]
    pub fn names_control(&self, text: &str) -> bool {
        let home = self.case.call.home.to_lowercase();
        let plain: String = text.chars().filter(|c| !matches!(c, '"' | '\'' | '\\')).collect::<String>().to_lowercase();
        let user = format!("~{}/", path::name(&home));
        let plain = ["${home}/", "$home/", "~/", user.as_str()].iter().fold(plain, |t, lead| t.replace(lead, &format!("{home}/")));
        let own: Vec<String> = self.own().collect();
        data::CONTROL_PATTERNS.iter().copied().chain(own.iter().map(String::as_str)).any(|pattern| {
            let (needle, floating) = match (pattern.strip_prefix("~/"), pattern.strip_prefix("**/")) {
                (Some(rest), _) => (Cow::Owned(format!("{home}/{rest}")), false),
                (_, Some(rest)) => (Cow::Borrowed(rest), true),
                _ => (Cow::Borrowed(pattern), false),
            };
            let needle = needle.split('*').next().unwrap_or_default();
            // The folder alone stands for what it holds; one that holds much else does not.
            let folder = needle.rsplit_once('/').map_or("", |(f, _)| f);
            let folder = if folder.contains("/.") || folder.starts_with('.') { folder } else { "" };
            let names = |needle: &str, folder: bool| {
                needle.len() > 4
                    && occurrences(&plain, needle).any(|i| {
                        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
                        let after = plain.get(i + needle.len()..).and_then(|t| t.chars().next());
                        let before = plain.get(..i).and_then(|t| t.chars().next_back());
                        let rest = plain.get(i + needle.len()..).unwrap_or_default().trim_start_matches('/').chars().next();
                        let whole = !after.is_some_and(|c| part(c) || c == '.') || needle.len() < pattern.len() && pattern.contains('*');
                        let alone = !folder || !rest.is_some_and(|c| part(c) || c == '.');
                        whole && alone && (!floating || !before.is_some_and(|c| part(c) || c == '.'))
                    })
            };
            names(needle, false) || names(folder, true)
        })
    }
}

/// Where the needle stands. The texts are short and the needles many: a searcher for each costs more than it saves.
fn occurrences<'t>(text: &'t str, needle: &'t str) -> impl Iterator<Item = usize> + 't {
    let first = needle.as_bytes().first().copied();
    let ends = (text.len() + 1).saturating_sub(needle.len());
    text.as_bytes()
        .iter()
        .take(ends)
        .enumerate()
        .filter(move |(_, b)| Some(**b) == first)
        .map(|(i, _)| i)
        .filter(move |i| text.get(*i..).is_some_and(|rest| rest.starts_with(needle)))
}
