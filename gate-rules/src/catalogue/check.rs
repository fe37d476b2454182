//! What a family file must not say: a file that could lower effects without a closed list, rules without an
//! example, names that nothing would ever match. Compiled into `build.rs` as well.

use super::compile::{Compiler, PROGRAMS};
use super::format::{AnyOption, RawFamily, RawWhen};

impl Compiler<'_> {
    pub(super) fn check(&mut self, raw: &RawFamily) {
        if raw.names.is_empty() || raw.names.iter().any(|n| n.contains('/') || n.is_empty()) {
            self.wrong("names", "names", "names must be base names, at least one".to_owned());
        }
        if raw.about.trim().is_empty() {
            self.wrong("", "about", "about is empty".to_owned());
        }
        self.check_any(raw);
        self.check_base(raw);
        if let Some(p) = &raw.program
            && !PROGRAMS.contains(&p.as_str())
        {
            self.wrong("program", p, format!("no such function in programs/: {p}"));
        }
        if let Some(r) = &raw.repo_config
            && r != "git"
        {
            self.wrong("repo-config", r, format!("no such repository configuration: {r}"));
        }
        let mut ids: Vec<&str> = Vec::new();
        for w in &raw.when {
            if ids.contains(&w.id.as_str()) {
                self.wrong("", &w.id, format!("two rules with the id {}", w.id));
            }
            ids.push(&w.id);
            self.check_when(raw, w);
        }
        self.check_options(raw);
        self.check_examples(raw);
    }

    fn check_any(&mut self, raw: &RawFamily) {
        let reasons: Vec<&String> = match &raw.any_option {
            None => Vec::new(),
            Some(AnyOption::All(why)) => vec![why],
            Some(AnyOption::BySub(map)) => map.values().collect(),
        };
        if reasons.iter().any(|r| r.trim().len() < 10) {
            self.wrong("", "any-option", "any-option must say why no option writes, runs or sends".to_owned());
        }
    }

    fn check_base(&mut self, raw: &RawFamily) {
        if !raw.sub.is_empty() && raw.does.is_some() {
            self.wrong("", "does", "a program with [sub] has no effects of its own: use bare".to_owned());
        }
        if raw.sub.is_empty() && raw.bare.is_some() {
            self.wrong("", "bare", "bare is for programs with [sub]: use does".to_owned());
        }
        let lowered = raw.when.iter().any(|w| w.only.is_some());
        if raw.sub.is_empty() && raw.does.is_none() && !lowered {
            self.wrong("", "names", "nothing is known: give does, [sub] or an only rule".to_owned());
        }
    }

    fn check_when(&mut self, raw: &RawFamily, w: &RawWhen) {
        let at = format!("\"{}\"", w.id);
        let id_ok = !w.id.is_empty() && w.id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
        if !id_ok {
            self.wrong("", &w.id, format!("an id is of lower-case letters, digits and dashes: {:?}", w.id));
        }
        if w.has.is_empty() == w.only.is_none() {
            self.wrong(&at, &w.id, "a rule has either has or only".to_owned());
        }
        if w.only.is_none() && (w.dry_run || w.operands.is_some() || !w.needs.is_empty()) {
            self.wrong(&at, &w.id, "needs, operands and dry-run belong to only: has can only add effects".to_owned());
        }
        if w.only.is_none() && w.does.is_empty() && !["decodes", "downloads"].contains(&w.id.as_str()) {
            self.wrong(&at, &w.id, "has without effects does nothing".to_owned());
        }
        if w.only.is_none() && w.why.trim().is_empty() {
            self.wrong(&at, &w.id, "a rule that adds effects says why".to_owned());
        }
        if w.hits.is_empty() || w.misses.is_empty() {
            self.wrong(&at, &w.id, format!("{} needs hits and misses", w.id));
        }
        if let Some(only) = &w.only
            && only.iter().any(|o| o.contains('*'))
        {
            self.wrong(&at, &w.id, "a closed list has no patterns".to_owned());
        }
        if w.has.iter().any(|h| h == "*" || h == "-*") {
            return;
        }
        let listed = |p: &str| raw.sub.values().flatten().any(|s| s == p || s.contains('*') || p.contains('*'));
        for p in w.sub.to_vec() {
            if w.only.is_none() && !listed(&p) && !raw.when.iter().any(|o| o.only.is_some() && o.sub.to_vec().contains(&p)) {
                self.wrong(&at, &p, format!("subcommand {p} is not listed in [sub]"));
            }
        }
    }

    /// One option cannot take a value in one list and none in another that counts for the same subcommand.
    fn check_options(&mut self, raw: &RawFamily) {
        let split =
            |e: &String| e.split_once('=').map_or((e.clone(), ""), |(n, v)| (n.to_owned(), if v.starts_with('?') { "?" } else { "=" }));
        let all: Vec<(String, &str)> = raw.options.get("*").into_iter().flatten().map(split).collect();
        for (key, entries) in &raw.options {
            let mut seen: Vec<(String, &str)> = if key == "*" { Vec::new() } else { all.clone() };
            for e in entries {
                let (name, arity) = split(e);
                if seen.iter().any(|(n, a)| *n == name && *a != arity) {
                    self.wrong("[options]", e, format!("{name} stands in the lists for {key:?} with and without value"));
                }
                seen.push((name, arity));
            }
        }
    }

    fn check_examples(&mut self, raw: &RawFamily) {
        for key in raw.examples.keys() {
            if !["nothing", "unknown"].contains(&key.as_str()) && !super::compile::EFFECTS.iter().any(|(n, _)| n == key) {
                self.wrong("[examples]", key, format!("no such kind of example: {key}"));
            }
        }
        if raw.examples.values().flatten().count() == 0 {
            self.wrong("", "names", "no examples".to_owned());
        }
    }
}
