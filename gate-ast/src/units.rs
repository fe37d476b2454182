//! From trees to units: every simple command, wherever it is nested, with its words, redirects, directory and doubts.

mod command;
mod prescan;
mod sets;
mod walk;

use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use gate_core::{Cwd, Doubt, Lift, Nesting, ParseContext, Piece, Pipe, Redirect, Script, ShellKind, Stdin, Unit, UnitId, Word};

use crate::scan::{self, Body};
use crate::{Limits, UNANALYSED, UNPARSEABLE, dialects, guards, second, signature, suspects, tree};

/// A whole script.
pub fn script(text: &str, limits: Limits, context: &ParseContext<'_>) -> Script {
    let mut out = Script { raw: text.to_owned(), shell: context.shell, ..Script::default() };
    if matches!(context.shell, ShellKind::Fish | ShellKind::PowerShell | ShellKind::Cmd) {
        out.doubts.push(doubt(UNANALYSED, "this shell's language is not analysed"));
        out.suspects = suspects::of_text(text);
        return out;
    }
    let mut builder = Builder {
        limits,
        context,
        shell: context.shell,
        units: Vec::new(),
        suspects: Vec::new(),
        within: Vec::new(),
        nested: limits.nested,
        doubts: Vec::new(),
        sets: Vec::new(),
        known_sets: HashSet::new(),
        followed: Cell::new(gate_core::limits::FOLLOWED_BYTES),
        steps: gate_core::limits::STEPS,
        rounds: gate_core::limits::LOOP_ROUNDS,
        follow: false,
        words: 0,
        full: false,
    };
    let mut env = Env::default();
    let why = builder.text(text, &mut env, &Frame::default());
    out.empty = why.is_none() && builder.units.is_empty() && builder.doubts.is_empty();
    if let Some(why) = why {
        builder.doubts.insert(0, doubt(UNPARSEABLE, format!("the command was not understood: {why}")))
    }
    if builder.full {
        builder.doubts.push(doubt(UNPARSEABLE, "the command has too many parts to look at"))
    }
    if builder.doubts.iter().any(|d| d.sentinel == UNPARSEABLE) && builder.suspects.is_empty() {
        builder.suspects = suspects::of_text(text)
    }
    let mut doubts: Vec<Doubt> = Vec::new();
    for d in builder.doubts {
        if !doubts.contains(&d) {
            doubts.push(d)
        }
    }
    Script { units: builder.units, doubts, sets: builder.sets, within: builder.within, suspects: builder.suspects, ..out }
}

/// A doubt that nothing lifts.
pub fn doubt(sentinel: &'static str, text: impl Into<String>) -> Doubt {
    Doubt { sentinel: sentinel.into(), text: text.into(), lift: Lift::default() }
}

/// What is known at one point of the script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Env {
    pub cwd: Cwd,
    pub vars: Rc<HashMap<Rc<str>, Rc<Word>>>,
    /// Functions of the script; true: one that changes the directory.
    pub functions: Rc<HashMap<Rc<str>, bool>>,
}

impl Env {
    /// The value of a variable is certain from here on; `None`: it is not.
    fn know(&mut self, name: &str, value: Option<Word>) {
        match value {
            Some(v) => drop(Rc::make_mut(&mut self.vars).insert(name.into(), Rc::new(v))),
            None if self.vars.contains_key(name) => drop(Rc::make_mut(&mut self.vars).remove(name)),
            None => {}
        }
    }
}

/// What surrounds a command.
#[derive(Clone, Debug, Default)]
pub(super) struct Frame {
    pub nesting: Nesting,
    pub parent: Option<UnitId>,
    pub redirects: Vec<Redirect>,
    pub pipe: Option<Pipe>,
    pub stdin: Stdin,
}

/// One normalised text with its tree's facts.
pub(super) struct Source<'t> {
    pub text: &'t str,
    pub bodies: &'t [Body],
    pub extents: std::collections::BTreeMap<usize, usize>,
    pub facts: prescan::Facts,
    pub redirected: &'t signature::Redirected<'t>,
}

pub(super) struct Builder<'c, 'p> {
    limits: Limits,
    context: &'c ParseContext<'p>,
    /// The shell that reads the text at hand: a script inside a command may be another one's.
    shell: ShellKind,
    units: Vec<Unit>,
    suspects: Vec<Vec<Word>>,
    doubts: Vec<Doubt>,
    sets: Vec<String>,
    known_sets: HashSet<String>,
    /// Bytes of values that may still be followed into words.
    followed: Cell<usize>,
    /// Nodes that may still be visited.
    steps: usize,
    /// Values of loops that may still be gone through one by one.
    rounds: usize,
    /// Values of variables are followed in the text at hand.
    follow: bool,
    /// By pipeline: the stage around it.
    within: Vec<Option<Pipe>>,
    nested: usize,
    words: usize,
    full: bool,
}

impl Builder<'_, '_> {
    /// Adds the units of a text. The reason, when it was not understood.
    fn text(&mut self, text: &str, env: &mut Env, frame: &Frame) -> Option<&'static str> {
        let why = self.read(text, env, frame);
        if why.is_some() {
            self.suspects.extend(suspects::of_text(text))
        }
        why
    }

    fn read(&mut self, text: &str, env: &mut Env, frame: &Frame) -> Option<&'static str> {
        if text.len() > self.limits.bytes {
            return Some("it is longer than the gate looks at");
        }
        if text.trim_matches([' ', '\t', '\n']).is_empty() {
            return None;
        }
        if matches!(self.shell, ShellKind::Fish | ShellKind::PowerShell | ShellKind::Cmd) {
            return Some("this shell's language is not analysed");
        }
        if self.shell == ShellKind::Zsh && dialects::zsh(text) {
            return Some("it uses what only zsh reads this way");
        }
        if matches!(self.shell, ShellKind::Sh | ShellKind::Ksh) && dialects::plain(text) {
            return Some("it uses what plain shells read otherwise than bash");
        }
        let clean = match scan::clean(text) {
            Ok(clean) => clean,
            Err(why) => return Some(why),
        };
        let parsed = match tree::parse(&clean.text) {
            Ok(tree) => tree,
            Err(why) => return Some(why),
        };
        let root = parsed.root_node();
        if !tree::shallow(root, self.limits.depth) {
            return Some("it is nested too deeply");
        }
        let mut why = guards::check(root, &clean.text);
        let extents = signature::extents(root);
        let redirected = signature::Redirected::of(root);
        if why.is_none() && signature::expansions(root, &clean.text) != clean.expansions {
            why = Some("an expansion ends in an odd place")
        }
        if why.is_none() {
            let seen = signature::of_tree(root, &clean.text, &extents, &redirected);
            let agrees = |second: &str| seen.clone().zip(second::read(second)).is_some_and(|(a, b)| a.agrees(b));
            // The second parser trips over quotes and brackets in the bodies of here-documents; then it reads the rest.
            let agreed = agrees(&format!("{text}{}", clean.tail)) || (!clean.bodies.is_empty() && agrees(&clean.text));
            if !agreed {
                why = Some("two parsers do not agree on what it runs")
            }
        }
        let mut facts = prescan::facts(root, &clean.text);
        if let Some(evaluates) = facts.evaluates {
            self.doubts.push(doubt(crate::EVALUATED, evaluates))
        }
        facts.sets.iter().for_each(|name| self.set(name));
        // zsh does not split what an unquoted variable holds: a value that was set here is not followed.
        if self.shell == ShellKind::Zsh && (text.contains('=') || text.contains("for")) {
            facts.follow = false
        }
        let source = Source { text: &clean.text, bodies: &clean.bodies, extents, facts, redirected: &redirected };
        let from = self.units.len();
        let around = std::mem::replace(&mut self.follow, source.facts.follow);
        self.visit(root, &source, env, frame);
        self.follow = around;
        if !clean.bodies.is_empty() {
            self.units.iter_mut().skip(from).for_each(|u| restore(u, &clean))
        }
        why
    }

    /// A new unit; `None` when there are too many.
    fn push(&mut self, unit: Unit) -> Option<UnitId> {
        self.words += unit.words.len() + unit.redirects.len() + unit.assignments.len();
        if self.units.len() >= self.limits.units || self.words > gate_core::limits::WORDS {
            self.full = true;
            return None;
        }
        self.units.push(unit);
        Some(self.units.len() - 1)
    }

    /// A variable is set in another way than by an assignment.
    fn set(&mut self, name: &str) {
        if self.known_sets.insert(name.to_owned()) {
            self.sets.push(name.to_owned())
        }
    }

    fn doubt_unit(&mut self, id: UnitId, doubt: Doubt) {
        if let Some(u) = self.units.get_mut(id)
            && !u.doubts.contains(&doubt)
        {
            u.doubts.push(doubt)
        }
    }
}

/// Puts here-document operators back where people and patterns see the source.
fn restore(unit: &mut Unit, clean: &scan::Clean) {
    let put = |text: &mut String| {
        if let Some(t) = clean.restored(text) {
            *text = t
        }
    };
    put(&mut unit.raw);
    let values = unit.assignments.iter_mut().map(|a| &mut a.value);
    let targets = unit.redirects.iter_mut().map(|r| &mut r.target);
    for word in unit.words.iter_mut().chain(values).chain(targets) {
        put(&mut word.raw);
        for piece in &mut word.pieces {
            if let Piece::Unknown { source, .. } = piece {
                put(source)
            }
        }
    }
}
