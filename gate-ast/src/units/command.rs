//! Simple commands: their words, what their builtins and wrappers run, and where that leads.

use gate_core::{Assignment, Cwd, InnerCommand, Lift, Nesting, ShellKind, Stdin, UnitId, Word};
use tree_sitter::Node;

use super::{Builder, Env, Frame, Source, doubt, sets};
use crate::builtins::{self, Does};
use crate::decode;
use crate::signature::word_nodes;
use crate::tree::{children, each, text};
use crate::{DYNAMIC, INDIRECTION, OBFUSCATED, OPAQUE};

/// How many units back the stage before is looked for.
const PRINTERS: usize = 16;

impl Builder<'_, '_> {
    pub(super) fn command(&mut self, n: Node<'_>, s: &Source<'_>, env: &mut Env, frame: &Frame) {
        let mut inner = frame.clone();
        let mut inside = Vec::new();
        let mut assignments = Vec::new();
        for c in children(n) {
            match c.kind() {
                "variable_assignment" => assignments.extend(self.assignment(c, s, env, true)),
                "file_redirect" | "herestring_redirect" => self.redirect(c, s, env, &mut inner, &mut inside),
                _ => {}
            }
        }
        let nodes = word_nodes(n, s.redirected);
        let words: Vec<Word> = nodes.iter().flat_map(|c| self.words(*c, s, env)).collect();
        let mut unit = self.unit(words.clone(), n, s, env, &inner);
        unit.assignments = assignments;
        unit.calls_function = unit.program().is_some_and(|p| env.functions.contains_key(p));
        let moved = unit.program().and_then(|p| env.functions.get(p)).copied();
        let Some(id) = self.push(unit) else { return };
        for c in children(n) {
            self.substitutions(c, s, env, Some(id))
        }
        if let Some(true) = moved {
            env.cwd = Cwd::Unknown
        }
        if moved.is_some() {
            env.vars = Default::default()
        }
        self.spilled(n, s, env, id);
        if words.iter().any(obfuscated) {
            self.doubt_unit(id, doubt(OBFUSCATED, "an option is written with backslashes that only hide it"));
        }
        if moved.is_none() {
            self.names_variables(&words);
            self.runs(id, &words, env)
        }
    }

    /// Variables that a builtin sets because they are among its words.
    fn names_variables(&mut self, words: &[Word]) {
        let names = sets::by_builtin(words);
        // The look ahead over the text saw no such builtin (`command read X`): what was followed may be wrong.
        if self.follow && !names.is_empty() {
            let why = doubt(crate::EVALUATED, "sets a variable in a way that is not followed");
            if !self.doubts.contains(&why) {
                self.doubts.push(why)
            }
        }
        names.iter().for_each(|n| self.set(n));
    }

    pub(super) fn declaration(&mut self, n: Node<'_>, s: &Source<'_>, env: &mut Env, frame: &Frame) {
        let mut words = Vec::new();
        let mut assignments = Vec::new();
        let exported = text(n, s.text).starts_with("export");
        for c in word_nodes(n, s.redirected) {
            if c.kind() == "variable_assignment" {
                let made =
                    self.raw(c, s, env).map_or_else(|| vec![Word::unknown(text(c, s.text), false)], |r| decode::operand(&r, self.home(s)));
                let mut next = self.assignment(c, s, env, exported);
                if let Some(a) = next.as_mut().filter(|_| made.len() != 1) {
                    // Several words: the last one counts, and that is not followed.
                    a.value = Word::unknown(a.value.raw.clone(), false)
                }
                assignments.extend(next);
                words.extend(made);
            } else {
                words.extend(self.words(c, s, env));
            }
        }
        let mut unit = self.unit(words.clone(), n, s, env, frame);
        unit.assignments.clone_from(&assignments);
        if n.kind() == "unset_command" {
            self.names_variables(&words)
        }
        let Some(id) = self.push(unit) else { return };
        self.substitutions(n, s, env, Some(id));
        self.spilled(n, s, env, id);
        self.runs(id, &words, env);
        self.remember(assignments, s, env);
    }

    /// Substitutions in words that the grammar hangs on a redirect after the command.
    fn spilled(&mut self, n: Node<'_>, s: &Source<'_>, env: &Env, id: UnitId) {
        // Such a redirect stands behind the command.
        let outside = |c: &Node<'_>| c.start_byte() >= n.end_byte();
        for c in word_nodes(n, s.redirected).into_iter().filter(outside) {
            self.substitutions(c, s, env, Some(id))
        }
    }

    pub(super) fn assignments(&mut self, n: Node<'_>, s: &Source<'_>, env: &mut Env, frame: &Frame) {
        let nodes = if n.kind() == "variable_assignment" {
            vec![n]
        } else {
            children(n).into_iter().filter(|c| c.kind() == "variable_assignment").collect()
        };
        let mut all = Vec::new();
        for c in nodes {
            let next = self.assignment(c, s, env, false);
            // `a=1 b=$a`: the second sees the first.
            if let Some(a) = &next {
                self.remember(vec![a.clone()], s, env)
            }
            all.extend(next);
        }
        let mut unit = self.unit(Vec::new(), n, s, env, frame);
        unit.assignments = all;
        let Some(id) = self.push(unit) else { return };
        self.substitutions(n, s, env, Some(id));
    }

    fn assignment(&self, n: Node<'_>, s: &Source<'_>, env: &Env, exported: bool) -> Option<Assignment> {
        let name = text(n.child_by_field_name("name")?, s.text).split('[').next()?.to_owned();
        let append = children(n).iter().any(|c| c.kind() == "+=");
        let value = match n.child_by_field_name("value") {
            None => Word::default(),
            Some(v) if v.kind() == "array" => Word::unknown(text(v, s.text), true),
            Some(v) => self.raw(v, s, env).map_or_else(|| Word::unknown(text(v, s.text), false), |r| decode::single(&r, self.home(s))),
        };
        Some(Assignment { name, value, append, exported })
    }

    /// Follows an assignment that is certain at this point.
    fn remember(&self, list: Vec<Assignment>, s: &Source<'_>, env: &mut Env) {
        for a in list {
            let certain = s.facts.follow
                && !a.append
                && !s.facts.poisoned.contains(&a.name)
                && !a.value.is_unknown()
                && a.value.shown().len() <= gate_core::limits::FOLLOWED_VALUE;
            env.know(&a.name, certain.then_some(a.value))
        }
    }

    pub(super) fn test(&mut self, n: Node<'_>, s: &Source<'_>, env: &mut Env, frame: &Frame) {
        if text(n, s.text).starts_with("[[") {
            return self.substitutions(n, s, env, frame.parent);
        }
        let mut words = vec![Word::text("[")];
        let mut covered = n.start_byte() + 1;
        let mut parts = Vec::new();
        each(n, |c| {
            let whole =
                super::walk::is_word(c.kind()) || c.kind() == "test_operator" || (c.child_count() == 0 && !matches!(c.kind(), "[" | "]"));
            if c.start_byte() < covered || !whole {
                return;
            }
            covered = c.end_byte();
            parts.push(c);
        });
        for c in parts {
            words.extend(self.words(c, s, env))
        }
        words.push(Word::text("]"));
        let unit = self.unit(words.clone(), n, s, env, frame);
        let Some(id) = self.push(unit) else { return };
        self.substitutions(n, s, env, Some(id));
        self.runs(id, &words, env);
    }

    /// What the command with these words runs or changes beyond itself.
    fn runs(&mut self, id: UnitId, words: &[Word], env: &mut Env) {
        let Some(first) = words.first() else { return };
        match first.literal() {
            None => return self.doubt_unit(id, doubt(DYNAMIC, format!("which program `{}` is, only the shell can know", first.shown()))),
            Some(name) if name.is_empty() || name.contains(['=', '\n']) => {
                return self.doubt_unit(id, doubt(DYNAMIC, "the command has no readable name"));
            }
            Some(_) => {}
        }
        match builtins::does(words) {
            Does::Nothing => {}
            Does::Doubt(sentinel, why) => {
                if sentinel == OPAQUE {
                    env.cwd = Cwd::Unknown
                }
                self.doubt_unit(id, doubt(sentinel, format!("{}: {why}", first.shown())))
            }
            Does::Runs(at) => {
                let inner = words.get(at..).unwrap_or_default().to_vec();
                // These run in this shell, so that a `cd` behind them moves it.
                env.cwd = self.wrapped(id, inner, env, true, false, INDIRECTION.into());
            }
            Does::Script { text, lifted } => {
                let later = first.literal() == Some("trap");
                let moves = text.as_deref().is_none_or(|t| ["cd", "pushd", "popd"].iter().any(|m| t.contains(m)));
                if later || moves {
                    // A trap runs wherever the script is by then.
                    let before = std::mem::replace(&mut env.cwd, Cwd::Unknown);
                    let lift = |inner| Lift { vouched: lifted.then_some(inner), named: false };
                    self.payload(id, text.as_deref(), self.shell, env, OPAQUE.into(), lift);
                    if !moves {
                        env.cwd = before
                    }
                    return;
                }
                let lift = |inner| Lift { vouched: lifted.then_some(inner), named: false };
                self.payload(id, text.as_deref(), self.shell, env, OPAQUE.into(), lift);
            }
            Does::Moves(target) => env.cwd = go(&env.cwd, target.as_ref()),
        }
        for inner in self.context.wrappers.unwrap_command(words) {
            let (transparent, named) = (inner.transparent, inner.named);
            let here = env.cwd.clone();
            if let Some(to) = &inner.moved {
                env.cwd = go(&env.cwd, Some(to))
            }
            let lift = |ids| Lift { vouched: transparent.then_some(ids), named };
            match inner.command {
                InnerCommand::Words(w) => {
                    self.wrapped(id, w, env, transparent, named, inner.sentinel);
                }
                InnerCommand::Script { text, shell } => self.payload(id, text.literal(), shell, env, inner.sentinel, lift),
                InnerCommand::Stdin(shell) => {
                    let text = match self.units.get(id).map(|u| &u.stdin) {
                        Some(Stdin::Text(w)) => w.literal().map(ToOwned::to_owned),
                        _ => None,
                    };
                    // What is printed into the shell is read for what must not run; it vouches for nothing.
                    let printed = if text.is_none() { self.printed(id) } else { None };
                    match printed {
                        Some(text) => self.payload(id, Some(&text), shell, env, inner.sentinel, |_| Lift { vouched: None, named }),
                        None => self.payload(id, text.as_deref(), shell, env, inner.sentinel, lift),
                    }
                }
                InnerCommand::File(_) | InnerCommand::Hidden => {
                    let text = format!("{} runs something that cannot be seen here", first.shown());
                    self.doubt_unit(id, gate_core::Doubt { sentinel: inner.sentinel, text, lift: Lift { vouched: None, named } });
                }
            }
            env.cwd = here;
        }
    }

    /// What the stage before a unit in its pipeline prints, when that is a text of the script.
    fn printed(&self, id: UnitId) -> Option<String> {
        let pipe = self.units.get(id)?.pipe?;
        let before = |u: &&gate_core::Unit| u.pipe.is_some_and(|p| p.pipeline == pipe.pipeline && p.index + 1 == pipe.index);
        let unit = self.units.get(..id)?.iter().rev().take(PRINTERS).find(before)?;
        let mut words = unit.words.iter().map(Word::literal);
        let format = match words.next()?? {
            "echo" => false,
            "printf" => true,
            _ => return None,
        };
        let rest: Vec<&str> = words.collect::<Option<_>>()?;
        let text = rest.into_iter().skip_while(|w| !format && matches!(*w, "-n" | "-e" | "-E")).collect::<Vec<_>>().join(" ");
        Some(text.replace("\\n", "\n"))
    }

    /// The command inside a wrapper is a unit of its own. Gives the directory after it, should it run in this shell.
    fn wrapped(&mut self, id: UnitId, words: Vec<Word>, env: &Env, transparent: bool, named: bool, sentinel: gate_core::Sentinel) -> Cwd {
        let Some(outer) = self.units.get(id) else { return Cwd::Unknown };
        let name = outer.words.first().map(Word::shown).unwrap_or_default();
        let (assignments, pipe, stdin) = (outer.assignments.clone(), outer.pipe, outer.stdin.clone());
        let text = format!("{name} runs another command");
        if words.is_empty() || self.nested == 0 {
            self.doubt_unit(id, gate_core::Doubt { sentinel, text, lift: Lift { vouched: None, named } });
            return Cwd::Unknown;
        }
        self.nested -= 1;
        let from = self.units.len();
        let mut env = env.clone();
        let raw = words.iter().map(|w| w.raw.as_str()).collect::<Vec<_>>().join(" ");
        let unit = gate_core::Unit {
            words: words.clone(),
            raw,
            nesting: Nesting::Wrapped,
            parent: Some(id),
            redirects: Vec::new(),
            assignments,
            cwd: env.cwd.clone(),
            pipe,
            stdin,
            ..gate_core::Unit::default()
        };
        self.names_variables(&words);
        if let Some(inner) = self.push(unit) {
            self.runs(inner, &words, &mut env)
        }
        self.nested += 1;
        let ids: Vec<UnitId> = (from..self.units.len()).collect();
        self.doubt_unit(id, gate_core::Doubt { sentinel, text, lift: Lift { vouched: transparent.then_some(ids), named } });
        env.cwd
    }

    /// A script text inside a command.
    fn payload(
        &mut self,
        id: UnitId,
        text: Option<&str>,
        shell: ShellKind,
        env: &Env,
        sentinel: gate_core::Sentinel,
        lift: impl Fn(Vec<UnitId>) -> Lift,
    ) {
        let name = self.units.get(id).and_then(|u| u.words.first()).map(Word::shown).unwrap_or_default();
        let hidden = |b: &mut Self, why: &str| {
            let named = lift(Vec::new()).named;
            b.doubt_unit(
                id,
                gate_core::Doubt { sentinel: sentinel.clone(), text: format!("{name} {why}"), lift: Lift { vouched: None, named } },
            );
        };
        let Some(text) = text else { return hidden(self, "runs a script that only the shell can know") };
        if self.nested == 0 {
            self.suspects.extend(crate::suspects::of_text(text));
            return hidden(self, "nests scripts too deeply");
        }
        self.nested -= 1;
        let from = self.units.len();
        let pipe = self.units.get(id).and_then(|u| u.pipe);
        let frame = Frame { nesting: Nesting::ShellText, parent: Some(id), pipe, ..Frame::default() };
        // Functions and variables of the script around it are not followed into another shell.
        let mut inner = Env { cwd: env.cwd.clone(), ..Env::default() };
        let around = std::mem::replace(&mut self.shell, shell);
        let why = self.text(text, &mut inner, &frame);
        self.shell = around;
        self.nested += 1;
        let ids: Vec<UnitId> = (from..self.units.len()).collect();
        match why {
            Some(why) => hidden(self, &format!("runs a script that was not understood: {why}")),
            None => self.doubt_unit(id, gate_core::Doubt { sentinel, text: format!("{name} runs a script"), lift: lift(ids) }),
        }
    }
}

/// An option with a backslash before a letter or digit: the shell drops it, and nobody writes that by chance.
fn obfuscated(word: &Word) -> bool {
    let option = word.literal().is_some_and(|t| t.len() > 1 && t.starts_with('-'));
    let hidden = |w: &[u8]| matches!(w, [b'\\', c] if c.is_ascii_alphanumeric());
    option && !word.raw.contains(['\'', '"']) && word.raw.as_bytes().windows(2).any(hidden)
}

/// The directory after `cd`.
fn go(cwd: &Cwd, target: Option<&Word>) -> Cwd {
    match (cwd, target.and_then(Word::literal)) {
        (Cwd::Moved(from), Some(t)) if from.len() + t.len() >= gate_core::limits::CWD_BYTES => Cwd::Unknown,
        (_, Some(t)) if t.starts_with('/') => Cwd::Moved(t.to_owned()),
        (Cwd::Moved(from), Some(t)) if from.is_empty() => Cwd::Moved(t.to_owned()),
        (Cwd::Moved(from), Some(t)) => Cwd::Moved(format!("{from}/{t}")),
        _ => Cwd::Unknown,
    }
}
