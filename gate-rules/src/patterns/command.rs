//! Patterns on shell commands, as permission entries have them.
//! Deny and ask match wide (every spelling, clusters as sets, case folded); allow matches exactly what is written.

use super::view::{Spelling, View, exact};
use super::wild::{Tok, Wild, overlap, tokens};
use gate_core::{Unit, path};

/// A pattern on a command.
#[derive(Clone, Debug)]
pub(crate) struct Command {
    text: String,
    /// Every command.
    pub all: bool,
    /// `words:*`: these words, then anything.
    prefix: Option<String>,
    /// The pattern has a wildcard.
    wild: bool,
    /// Ends in a blank and a `*`: what stands before it also counts alone (not for allow in the automode notation).
    open: Option<String>,
    exact: Wild,
    folded: Wild,
}

impl Command {
    /// Reads a pattern. `claude`: `:*` at the end is a word boundary and anything.
    pub(crate) fn new(text: &str, claude: bool) -> Self {
        let text = text.trim();
        let prefix = if claude { text.strip_suffix(":*").map(|p| p.trim_end().to_owned()) } else { None };
        let all = text.is_empty() || text.chars().all(|c| c == '*') || prefix.as_deref() == Some("");
        let open = text.strip_suffix(" *").map(|t| t.trim_end().to_owned()).filter(|t| !t.contains('*'));
        let body = prefix.as_deref().map_or_else(|| text.to_owned(), |p| format!("{p}*"));
        Self {
            all,
            wild: text.contains('*'),
            open,
            exact: Wild::new(&body, false, false),
            folded: Wild::new(&body, false, true),
            prefix,
            text: text.to_owned(),
        }
    }

    /// Does a deny or ask entry match?
    pub(crate) fn hits(&self, view: &View) -> bool {
        self.all || view.spellings.iter().any(|s| self.hits_spelling(s)) || view.raw.iter().any(|r| self.hits_text(r))
    }

    /// Does a deny or ask entry match a text?
    pub(crate) fn hits_text(&self, text: &str) -> bool {
        if super::wild::utf16(text, gate_core::limits::ARGUMENT_UTF16) > gate_core::limits::ARGUMENT_UTF16 {
            return true;
        }
        match self.head() {
            Some(head) => {
                let head = head.to_lowercase();
                text.strip_prefix(head.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
                    || self.wild_hit(text)
            }
            None => self.wild_hit(text),
        }
    }

    fn wild_hit(&self, text: &str) -> bool {
        self.prefix.is_none() && self.folded.matches(text)
    }

    /// The words that must stand first, when anything may follow: `words:*`, `words *`, and `words` alone.
    fn head(&self) -> Option<&str> {
        self.prefix.as_deref().or(self.open.as_deref()).or((!self.wild).then_some(self.text.as_str())).filter(|h| !h.contains('*'))
    }

    fn hits_spelling(&self, words: &Spelling) -> bool {
        let joined = words.join(" ");
        if self.hits_text(&joined) {
            return true;
        }
        match self.head() {
            Some(head) => head_hits(head, words),
            None => self.clusters_hit(words),
        }
    }

    /// A wildcard pattern with short clusters, compared with the clusters of the words as sets.
    fn clusters_hit(&self, words: &Spelling) -> bool {
        let pattern: Vec<String> = self.text.to_lowercase().split_whitespace().map(str::to_owned).collect();
        if !pattern.iter().any(|w| is_cluster(w)) {
            return false;
        }
        let wanted: Vec<Vec<char>> = merged(&pattern).into_iter().filter_map(|(w, set)| w.is_none().then_some(set)).collect();
        let line = merged(words).into_iter().map(|(w, set)| {
            w.unwrap_or_else(|| {
                let take = wanted.iter().find(|p| p.iter().all(|c| set.contains(c))).unwrap_or(&set);
                format!("-{}", take.iter().collect::<String>())
            })
        });
        let line = line.collect::<Vec<_>>().join(" ");
        let own = merged(&pattern).into_iter().map(|(w, set)| w.unwrap_or_else(|| format!("-{}", set.iter().collect::<String>())));
        Wild::new(&own.collect::<Vec<_>>().join(" "), false, true).matches(&line)
    }

    /// May the unit match once the shell knows its words?
    pub(crate) fn may_hit(&self, template: &[Tok]) -> bool {
        let body = self.head().map_or_else(|| self.text.clone(), |h| format!("{h} *"));
        let own = tokens(&body.to_lowercase(), false);
        let alone = self.head().map(|h| tokens(&h.to_lowercase(), false));
        overlap(&own, template) || alone.is_some_and(|a| overlap(&a, template))
    }

    /// Does an allow entry cover the unit? Case counts, nothing is skipped.
    pub(crate) fn covers(&self, unit: &Unit) -> bool {
        if self.all {
            return true;
        }
        let line = exact(&unit.words);
        if super::wild::utf16(&line, gate_core::limits::ARGUMENT_UTF16) > gate_core::limits::ARGUMENT_UTF16 {
            return false;
        }
        match &self.prefix {
            Some(p) if p.contains('*') => {
                Wild::new(p, false, false).matches(&line) || Wild::new(&format!("{p} *"), false, false).matches(&line)
            }
            Some(p) => line.strip_prefix(p.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')),
            None if self.wild => self.exact.matches(&line),
            None => line == self.text || unit.raw.trim() == self.text,
        }
    }

    /// Is the pattern exactly this text, without wildcard?
    pub(crate) fn is_exactly(&self, text: &str) -> bool {
        !self.wild && self.prefix.is_none() && self.text == text.trim()
    }

    /// Does it name a wrapper with at least one literal operand, or an interpreter?
    pub(crate) fn names(&self, unit: &Unit) -> bool {
        let body = self.prefix.as_deref().unwrap_or(&self.text);
        let mut words = body.split_whitespace();
        let Some(program) = words.next().filter(|w| !w.contains('*')) else { return false };
        if unit.program() != Some(program) {
            return false;
        }
        interpreter(path::name(program)) || words.any(|w| !w.starts_with('-') && w.chars().any(char::is_alphanumeric))
    }
}

/// Programs that run code in their own language.
fn interpreter(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    matches!(
        stem,
        "python"
            | "pypy"
            | "node"
            | "nodejs"
            | "ruby"
            | "perl"
            | "php"
            | "lua"
            | "deno"
            | "bun"
            | "Rscript"
            | "julia"
            | "tsx"
            | "ts-node"
            | "awk"
            | "gawk"
            | "osascript"
    )
}

fn is_cluster(word: &str) -> bool {
    word.len() > 1 && word.strip_prefix('-').is_some_and(|r| r.bytes().all(|b| b.is_ascii_alphabetic()))
}

/// Runs of short clusters become one sorted set; other words stay.
fn merged(words: &[String]) -> Vec<(Option<String>, Vec<char>)> {
    let mut out: Vec<(Option<String>, Vec<char>)> = Vec::new();
    for w in words {
        if is_cluster(w) {
            let letters = w.chars().skip(1);
            match out.last_mut() {
                Some((None, set)) => set.extend(letters),
                _ => out.push((None, letters.collect())),
            }
            if let Some((None, set)) = out.last_mut() {
                set.sort_unstable();
                set.dedup();
            }
        } else {
            out.push((Some(w.clone()), Vec::new()));
        }
    }
    out
}

/// The operands of the pattern are the first operands of the unit, and its options are somewhere in the unit.
fn head_hits(head: &str, words: &Spelling) -> bool {
    let head = head.to_lowercase();
    let option = |w: &&str| w.starts_with('-') && w.len() > 1;
    let (want_options, want): (Vec<&str>, Vec<&str>) = head.split_whitespace().partition(option);
    if want_options.is_empty() || want.is_empty() {
        return false;
    }
    let (options, operands): (Vec<&str>, Vec<&str>) = words.iter().map(String::as_str).take_while(|w| *w != "--").partition(option);
    if !want.iter().enumerate().all(|(i, w)| operands.get(i) == Some(w)) {
        return false;
    }
    let letters: Vec<char> = options.iter().filter(|o| is_cluster(o)).flat_map(|o| o.chars().skip(1)).collect();
    want_options.iter().all(|o| {
        let long = || options.iter().any(|have| have == o || have.strip_prefix(o).is_some_and(|r| r.starts_with('=')));
        if is_cluster(o) { o.chars().skip(1).all(|c| letters.contains(&c)) || long() } else { long() }
    })
}
