//! Reads the values that are more than a word: entries, rules, trees, policies, shell tools.

use std::collections::BTreeMap;

use gate_core::{Effect, Opinion, Place, PolicyEntry, Rule, ShellTool, Source, Tree};
use jsonc_parser::ast::{ObjectProp, Value};

use super::{Loss, Reader, at};
use crate::draft::Val;
use crate::finding::Severity;
use crate::json;
use crate::keys::{Key, Shape};
use crate::notation::{self, Void};
use crate::typo;

const OPINIONS: [(&str, Opinion); 3] = [("allow", Opinion::Allow), ("ask", Opinion::Ask), ("deny", Opinion::Deny)];
const PLACES: [Place; 8] =
    [Place::Project, Place::Temp, Place::Home, Place::System, Place::Outside, Place::Sensitive, Place::Protected, Place::Control];
/// Stands for the built-in entries of a list.
pub(crate) const DEFAULTS: &str = "$defaults";

fn void(message: impl Into<String>, hint: Option<String>, tool: Option<&str>) -> Void {
    Void { message: message.into(), hint, tool: tool.map(str::to_owned) }
}

fn opinion(text: &str) -> Option<Opinion> {
    OPINIONS.iter().find(|(n, _)| *n == text).map(|(_, o)| *o)
}

fn opinion_names() -> impl Iterator<Item = &'static str> {
    OPINIONS.iter().map(|(n, _)| *n)
}

fn place(name: &str) -> Option<Place> {
    PLACES.into_iter().find(|p| p.name() == name)
}

impl Reader<'_, '_> {
    /// The elements of a list; a wrong type is reported.
    fn list<'v, 'a>(&mut self, key: &Key, value: &'v Value<'a>) -> Option<&'v [Value<'a>]> {
        match value {
            Value::Array(a) => Some(&a.elements),
            _ => self.wrong(key, value, "a list"),
        }
    }

    /// The texts of a list that pass a check; the others are dropped and reported.
    fn checked(&mut self, key: &Key, value: &Value<'_>, loss: Loss, check: impl Fn(&str) -> Result<(), Void>) -> Option<Vec<String>> {
        let mut texts = Vec::new();
        for (i, element) in self.list(key, value)?.iter().enumerate() {
            let result = match element {
                Value::StringLit(s) => check(&s.value).map(|()| s.value.trim().to_owned()),
                other => Err(void(format!("expected text, found {}", json::kind(other)), None, None)),
            };
            match result {
                Ok(text) => texts.push(text),
                Err(v) => self.drop_entry(&format!("{}[{i}]", key.path), at(element), loss, v),
            }
        }
        Some(texts)
    }

    pub(super) fn entries(&mut self, key: &Key, value: &Value<'_>) -> Option<Val> {
        let loss = match key.path {
            "permissions.deny" => Loss::Deny,
            "permissions.ask" => Loss::Ask,
            _ => Loss::Nothing,
        };
        let check = if loss == Loss::Nothing { notation::allow_entry } else { notation::entry };
        let texts = self.checked(key, value, loss, check)?;
        if loss == Loss::Nothing {
            let wide =
                |t: &&String| matches!(t.trim_start_matches('@').to_ascii_lowercase().as_str(), "bash" | "bash()" | "bash(*)" | "bash(**)");
            if let Some(t) = texts.iter().find(wide) {
                let message = format!("\"{t}\" allows every command that nothing else denies or asks about");
                self.report(
                    Severity::Warning,
                    "wide-allow",
                    key.path,
                    at(value),
                    message,
                    Some("name the commands: bash(git push*)".to_owned()),
                );
            }
        }
        Some(Val::Texts(texts))
    }

    pub(super) fn texts(&mut self, key: &Key, value: &Value<'_>) -> Option<Val> {
        let loss = match key.path {
            "deniedPaths" => Loss::Deny,
            "protectedPaths" | "sensitivePaths" => Loss::Ask,
            // A kept ask denies in yolo mode, so losing one may lose a deny.
            "yolo.keepAsks" => Loss::Deny,
            _ => Loss::Nothing,
        };
        let check = |text: &str| match key.shape {
            _ if text == DEFAULTS => Ok(()),
            Shape::AbsolutePaths => notation::absolute_path(text),
            Shape::Paths => notation::path(text),
            _ => notation::plain(text),
        };
        let mut texts = self.checked(key, value, loss, check)?;
        // Built-in paths always stay, so that the word has no effect here.
        texts.retain(|t| t != DEFAULTS);
        Some(Val::Texts(texts))
    }

    pub(super) fn rule_texts(&mut self, key: &Key, value: &Value<'_>) -> Option<Val> {
        let texts = self.checked(key, value, Loss::Nothing, notation::plain)?;
        if !texts.iter().any(|t| t == DEFAULTS) {
            let message = format!("the list does not name \"{DEFAULTS}\"");
            let hint = "add \"$defaults\"; the built-in entries are left out only with classifier.replaceDefaults".to_owned();
            self.report(Severity::Warning, "no-defaults", key.path, at(value), message, Some(hint));
        }
        Some(Val::Texts(texts))
    }

    pub(super) fn rules(&mut self, key: &Key, value: &Value<'_>) -> Option<Val> {
        let mut rules = Vec::new();
        for (i, element) in self.list(key, value)?.iter().enumerate() {
            let path = format!("{}[{i}]", key.path);
            match self.rule(&path, i, element) {
                Ok(rule) => {
                    let all = |text: &str| text.chars().all(|c| c == '*');
                    if rule.action == Opinion::Allow && all(&rule.pattern) && (all(&rule.tool) || rule.tool.eq_ignore_ascii_case("bash")) {
                        let message = "the rule allows every command that nothing else denies or asks about";
                        self.report(
                            Severity::Warning,
                            "wide-allow",
                            &path,
                            at(element),
                            message,
                            Some("name the commands: \"git push*\"".to_owned()),
                        );
                    }
                    rules.push(rule);
                }
                Err((loss, v)) => self.drop_entry(&path, at(element), loss, v),
            }
        }
        Some(Val::Rules(rules))
    }

    fn rule(&mut self, path: &str, index: usize, element: &Value<'_>) -> Result<Rule, (Loss, Void)> {
        const FIELDS: [&str; 5] = ["id", "tool", "pattern", "action", "description"];
        let Some(properties) = json::properties(element) else {
            return Err((Loss::Deny, void(format!("expected an object, found {}", json::kind(element)), None, None)));
        };
        let text = |name: &str| properties.iter().find(|p| p.name.as_str() == name).map(|p| &p.value);
        let string = |name: &str| match text(name) {
            Some(Value::StringLit(s)) => Ok(Some(s.value.as_ref())),
            None => Ok(None),
            Some(other) => Err(format!("{name}: expected text, found {}", json::kind(other))),
        };
        let action = string("action").ok().flatten();
        // What is lost depends on what it would have said; what cannot be read may have been a deny.
        let loss = match action {
            Some("allow") => Loss::Nothing,
            Some("ask") => Loss::Ask,
            _ => Loss::Deny,
        };
        let tool = string("tool").map_err(|m| (loss, void(m, None, None)))?;
        let of = tool.filter(|t| *t != "*");
        let fail = |m: String| (loss, void(m, None, of));
        for p in properties {
            let name = p.name.as_str();
            if FIELDS.contains(&name) {
                continue;
            }
            let hint = typo::hint(name, FIELDS);
            let message = format!("unknown key \"{}\"", json::shown(name));
            if hint.is_some() {
                return Err((loss, void(message, hint, of)));
            }
            self.report(
                Severity::Warning,
                "unknown-key",
                &format!("{path}.{name}"),
                p.range.start,
                format!("{message}; it has no effect"),
                None,
            );
        }
        let word =
            string("action").map_err(fail)?.ok_or_else(|| (loss, void("no action", Some("add \"action\": \"deny\"".to_owned()), of)))?;
        let Some(action) = opinion(word) else {
            let message = format!("action: expected \"allow\", \"ask\" or \"deny\", found \"{}\"", json::shown(word));
            return Err((loss, void(message, typo::hint(word, opinion_names()), of)));
        };
        let pattern = string("pattern").map_err(fail)?.unwrap_or("*");
        let tool = tool.unwrap_or("*");
        for (name, value) in [("tool", tool), ("pattern", pattern)] {
            notation::plain(value).map_err(|v| (loss, void(format!("{name}: {}", v.message), v.hint, of)))?;
        }
        let id = match string("id").map_err(fail)? {
            Some(id) if !id.trim().is_empty() => id.to_owned(),
            _ => format!("{}-{}", source_word(self.draft.source), index + 1),
        };
        let description = string("description").map_err(fail)?.map(str::to_owned);
        Ok(Rule { id, tool: tool.to_owned(), pattern: pattern.to_owned(), action, description, source: self.draft.source })
    }

    /// A command tree; `any`: the whole tree may be `true`. Levels are bounded by the JSON reader.
    pub(super) fn tree(&mut self, path: &str, value: &Value<'_>, any: bool) -> Option<Tree> {
        match value {
            Value::BooleanLit(b) if b.value && any => Some(Tree::Any),
            Value::BooleanLit(b) if b.value => {
                let message = "a project may not allow every command";
                self.drop_entry(path, at(value), Loss::Nothing, void(message, Some("list the commands".to_owned()), None));
                None
            }
            Value::Array(a) => {
                let mut words = Vec::new();
                for (i, element) in a.elements.iter().enumerate() {
                    match self.tree_word(element) {
                        Ok(w) => words.push(w),
                        Err(v) => self.drop_entry(&format!("{path}[{i}]"), at(element), Loss::Nothing, v),
                    }
                }
                Some(Tree::Words(words))
            }
            Value::Object(o) => {
                let mut map = BTreeMap::new();
                for p in &o.properties {
                    let name = p.name.as_str();
                    let below = format!("{path}.{name}");
                    if let Err(v) = word_of_tree(name) {
                        self.drop_entry(&below, p.range.start, Loss::Nothing, v);
                    } else if let Some(tree) = self.tree(&below, &p.value, true) {
                        map.insert(name.to_owned(), tree);
                    }
                }
                Some(Tree::Map(map))
            }
            other => {
                let message = format!("expected true, a list of words or an object, found {}", json::kind(other));
                // The root itself has a type of its own: a wrong one is a fault of the key, not of an entry.
                if path == "commands" {
                    self.bad(path, at(other), message, None)
                } else {
                    self.drop_entry(path, at(other), Loss::Nothing, void(message, None, None))
                }
                None
            }
        }
    }

    fn tree_word(&self, element: &Value<'_>) -> Result<String, Void> {
        match element {
            Value::StringLit(s) => word_of_tree(&s.value).map(|()| s.value.to_string()),
            other => Err(void(format!("expected text, found {}", json::kind(other)), None, None)),
        }
    }

    pub(super) fn policy(&mut self, key: &Key, value: &Value<'_>) -> Option<Val> {
        let Some(properties) = json::properties(value) else { return self.wrong(key, value, "an object") };
        let mut entries = Vec::new();
        for p in properties {
            let name = p.name.as_str();
            let path = format!("{}.{name}", key.path);
            let Some(effect) = Effect::from_name(name) else {
                self.unknown_part(&path, p, "effect", Effect::ALL.iter().map(|e| e.name()));
                continue;
            };
            let Some(places) = json::properties(&p.value) else {
                if let Some(opinion) = self.opinion(&path, &p.value) {
                    entries.push(PolicyEntry { effect, place: None, opinion, source: self.draft.source });
                }
                continue;
            };
            for q in places {
                let below = format!("{path}.{}", q.name.as_str());
                let at_place = match (q.name.as_str(), place(q.name.as_str())) {
                    ("*", _) => None,
                    (_, Some(p)) => Some(p),
                    _ => {
                        self.unknown_part(&below, q, "place", PLACES.iter().map(|p| p.name()));
                        continue;
                    }
                };
                if let Some(opinion) = self.opinion(&below, &q.value) {
                    entries.push(PolicyEntry { effect, place: at_place, opinion, source: self.draft.source });
                }
            }
        }
        Some(Val::Policy(entries))
    }

    fn unknown_part<'k>(&mut self, path: &str, p: &ObjectProp<'_>, what: &str, known: impl Iterator<Item = &'k str> + Clone) {
        let name = p.name.as_str();
        let message = format!("unknown {what} \"{}\"", json::shown(name));
        match typo::nearest(name, known.clone()) {
            Some((n, typo::Near::Typo)) => self.reject("unknown-key", path, p.range.start, message, Some(format!("did you mean \"{n}\"?"))),
            near => {
                let list = || format!("one of {}", known.collect::<Vec<_>>().join(", "));
                let hint = near.map_or_else(list, |(n, _)| format!("did you mean \"{n}\"?"));
                self.report(Severity::Warning, "unknown-key", path, p.range.start, format!("{message}; it has no effect"), Some(hint));
            }
        }
    }

    fn opinion(&mut self, path: &str, value: &Value<'_>) -> Option<Opinion> {
        let expected = "expected \"allow\", \"ask\" or \"deny\"";
        let (message, hint) = match value {
            Value::StringLit(s) => match opinion(&s.value) {
                Some(o) => return Some(o),
                None => (format!("{expected}, found \"{}\"", json::shown(&s.value)), typo::hint(&s.value, opinion_names())),
            },
            other => (format!("{expected}, found {}", json::kind(other)), None),
        };
        self.reject("bad-value", path, at(value), message, hint);
        None
    }

    pub(super) fn shell_tools(&mut self, key: &Key, value: &Value<'_>) -> Option<Val> {
        let Some(properties) = json::properties(value) else { return self.wrong(key, value, "an object") };
        let mut tools = Vec::new();
        for p in properties {
            match shell_tool(p, self.draft.source) {
                Ok(tool) => tools.push(tool),
                Err(mut v) => {
                    // A shell that is not gated as one may run what a deny names.
                    v.tool = Some(p.name.as_str().to_owned());
                    self.drop_entry(&format!("{}.{}", key.path, p.name.as_str()), p.range.start, Loss::Deny, v);
                }
            }
        }
        Some(Val::ShellTools(tools))
    }
}

fn shell_tool(p: &ObjectProp<'_>, source: Source) -> Result<ShellTool, Void> {
    const FIELDS: [&str; 2] = ["commandArgument", "workdirArgument"];
    notation::plain(p.name.as_str())?;
    let properties =
        json::properties(&p.value).ok_or_else(|| void(format!("expected an object, found {}", json::kind(&p.value)), None, None))?;
    let (mut command, mut workdir) = (None, None);
    for q in properties {
        let Value::StringLit(s) = &q.value else {
            return Err(void(format!("{}: expected text, found {}", q.name.as_str(), json::kind(&q.value)), None, None));
        };
        notation::plain(&s.value)?;
        match q.name.as_str() {
            "commandArgument" => command = Some(s.value.to_string()),
            "workdirArgument" => workdir = Some(s.value.to_string()),
            name => return Err(void(format!("unknown key \"{}\"", json::shown(name)), typo::hint(name, FIELDS), None)),
        }
    }
    let command_argument =
        command.ok_or_else(|| void("no commandArgument", Some("name the input field that holds the command".to_owned()), None))?;
    Ok(ShellTool { tool: p.name.as_str().to_owned(), command_argument, workdir_argument: workdir, source })
}

fn word_of_tree(word: &str) -> Result<(), Void> {
    notation::plain(word)?;
    if word.contains(char::is_whitespace) {
        return Err(void("a word with blanks never matches", Some("nest the words: {\"git\": [\"log\"]}".to_owned()), None));
    }
    Ok(())
}

/// The word for a source in ids and messages.
pub(crate) const fn source_word(source: Source) -> &'static str {
    match source {
        Source::BuiltIn => "built-in",
        Source::User => "user",
        Source::ProjectShared => "project-shared",
        Source::ProjectLocal => "project-local",
        Source::Inline => "inline",
        Source::Managed => "managed",
    }
}
