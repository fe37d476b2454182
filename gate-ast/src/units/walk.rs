//! The walk over a tree: control flow, scopes, redirects. Depth is bounded by the caller.

use std::collections::HashSet;
use std::rc::Rc;

use gate_core::{Cwd, Nesting, Piece, Pipe, Redirect, RedirectMode, Stdin, Unit, UnitId, Word};
use tree_sitter::Node;

use super::{Builder, Env, Frame, Source};
use crate::decode::{self, Known};
use crate::signature::{is_descriptor, mark};
use crate::tree::{children, each, fields, text};

/// Most values of a loop that are gone through one by one.
const LOOP_VALUES: usize = 16;
/// Most units that a loop may repeat.
const LOOP_UNITS: usize = 256;

impl Builder<'_, '_> {
    pub(super) fn visit(&mut self, n: Node<'_>, s: &Source<'_>, env: &mut Env, frame: &Frame) {
        if self.full || self.steps == 0 {
            self.full = true;
            return;
        }
        self.steps -= 1;
        match n.kind() {
            "program"
            | "do_group"
            | "list"
            | "compound_statement"
            | "else_clause"
            | "command_substitution"
            | "process_substitution"
            | "case_item" => self.sequence(n, s, env, frame),
            "pipeline" => self.pipeline(n, s, env, frame),
            "subshell" => {
                let mut inner = env.clone();
                let frame = Frame { nesting: nested(frame.nesting, Nesting::Subshell), ..frame.clone() };
                self.sequence(n, s, &mut inner, &frame);
            }
            "redirected_statement" => self.redirected(n, s, env, frame),
            "command" => self.command(n, s, env, frame),
            "declaration_command" | "unset_command" => self.declaration(n, s, env, frame),
            "variable_assignment" | "variable_assignments" => self.assignments(n, s, env, frame),
            "test_command" => self.test(n, s, env, frame),
            "if_statement" | "while_statement" | "until_statement" | "case_statement" | "elif_clause" | "c_style_for_statement" => {
                self.branches(n, s, env, frame)
            }
            "for_statement" | "select_statement" => self.each_value(n, s, env, frame),
            "function_definition" => self.function(n, s, env, frame),
            "comment" | "heredoc_body" | "heredoc_start" | "heredoc_end" => {}
            _ => {
                for c in children(n) {
                    self.visit(c, s, env, frame)
                }
            }
        }
    }

    /// Commands one after another. `&` runs in a copy; after `||` it is open whether the left side moved.
    fn sequence(&mut self, n: Node<'_>, s: &Source<'_>, env: &mut Env, frame: &Frame) {
        let kids = children(n);
        for (i, c) in kids.iter().enumerate() {
            if !c.is_named() {
                continue;
            }
            let after = kids.get(i + 1).map(Node::kind);
            let before = i.checked_sub(1).and_then(|i| kids.get(i)).map(Node::kind);
            if after == Some("&") {
                let mut copy = env.clone();
                self.visit(*c, s, &mut copy, frame);
            } else if before == Some("||") {
                let mut copy = env.clone();
                if kids.first().is_some_and(|l| moves(*l, s.text)) {
                    copy.cwd = Cwd::Unknown
                }
                self.visit(*c, s, &mut copy, frame);
                forget(env, *c, s.text);
                let leaves = matches!(text(*c, s.text).split_whitespace().next(), Some("exit" | "return" | "break" | "continue"));
                if !leaves && copy.cwd != env.cwd {
                    env.cwd = Cwd::Unknown
                }
            } else if before == Some("&&") {
                let moved = env.cwd.clone();
                self.visit(*c, s, env, frame);
                // What the right side of `&&` assigns is certain only if it ran.
                forget(env, *c, s.text);
                if env.cwd != moved && kids.first().is_some_and(|l| !moves(*l, s.text) && !certain(*l, s.text)) {
                    env.cwd = Cwd::Unknown
                }
            } else {
                self.visit(*c, s, env, frame);
            }
        }
    }

    /// The grammar hangs the redirects of a stage on everything before it (`a | b 2>&1 | c` is `(a | b) 2>&1 | c`); to
    /// the shell they belong to that stage alone.
    fn pipeline(&mut self, n: Node<'_>, s: &Source<'_>, env: &mut Env, frame: &Frame) {
        let mut stages: Vec<(Node<'_>, Vec<Node<'_>>)> = Vec::new();
        let mut open = vec![(n, Vec::new())];
        while let Some((p, around)) = open.pop() {
            let body = if p.kind() == "redirected_statement" { p.child_by_field_name("body") } else { None };
            if let Some(body) = body.filter(|b| b.kind() == "pipeline") {
                let mut around = around;
                around.push(p);
                open.push((body, around));
            } else if p.kind() == "pipeline" {
                let mut parts: Vec<_> = children(p).into_iter().filter(Node::is_named).map(|c| (c, Vec::new())).collect();
                if let Some((_, last)) = parts.last_mut() {
                    *last = around
                }
                open.extend(parts.into_iter().rev());
            } else {
                stages.push((p, around));
            }
        }
        let pipeline = self.within.len();
        self.within.push(frame.pipe);
        let len = stages.len();
        for (index, (stage, around)) in stages.into_iter().enumerate() {
            let stdin = if index == 0 { frame.stdin.clone() } else { Stdin::Pipe };
            let mut inner = Frame { pipe: Some(Pipe { pipeline, index, len }), stdin, ..frame.clone() };
            let mut targets = Vec::new();
            for c in around.into_iter().flat_map(children).filter(|c| c.kind().ends_with("redirect")) {
                self.redirect(c, s, env, &mut inner, &mut targets)
            }
            self.visit(stage, s, &mut env.clone(), &inner);
            for t in targets {
                self.substitutions(t, s, env, frame.parent)
            }
        }
    }

    fn redirected(&mut self, n: Node<'_>, s: &Source<'_>, env: &mut Env, frame: &Frame) {
        let body = n.child_by_field_name("body");
        if body.is_some_and(|b| b.kind() == "pipeline") {
            return self.pipeline(n, s, env, frame);
        }
        let mut inner = frame.clone();
        let mut targets = Vec::new();
        for c in children(n) {
            if Some(c) != body {
                self.redirect(c, s, env, &mut inner, &mut targets)
            }
        }
        match body {
            Some(body) => self.visit(body, s, env, &inner),
            None => self.lone(n, s, env, &inner),
        }
        for t in targets {
            self.substitutions(t, s, env, frame.parent)
        }
    }

    /// Redirects or assignments without a command.
    fn lone(&mut self, n: Node<'_>, s: &Source<'_>, env: &Env, frame: &Frame) {
        let unit = self.unit(Vec::new(), n, s, env, frame);
        if let Some(id) = self.push(unit) {
            let writes = frame.redirects.iter().any(|r| r.mode != RedirectMode::Read && r.target.literal() != Some("/dev/null"));
            if writes || frame.redirects.is_empty() {
                self.doubt_unit(id, super::doubt(crate::UNPARSEABLE, "a redirect without a command"))
            }
        }
    }

    pub(super) fn redirect<'t>(&mut self, n: Node<'t>, s: &Source<'_>, env: &Env, frame: &mut Frame, targets: &mut Vec<Node<'t>>) {
        match n.kind() {
            "file_redirect" => {
                let operator = children(n).into_iter().find(|c| !c.is_named()).map(|c| text(c, s.text)).unwrap_or_default();
                let Some((_, target)) = fields(n).into_iter().find(|(f, _)| *f == Some("destination")) else { return };
                if let Some(number) = mark(text(target, s.text)) {
                    let stdin = self.document(number, s, env, frame);
                    // Another descriptor than 0 is not what the command reads.
                    if !children(n).iter().any(|c| c.kind() == "file_descriptor" && text(*c, s.text) != "0") {
                        frame.stdin = stdin
                    }
                    return;
                }
                targets.push(target);
                if target.kind() == "process_substitution" {
                    return;
                }
                let words = self.words(target, s, env);
                let duplicate = operator.ends_with('&') && operator != "&>" && operator != "&>>";
                let mode = match operator {
                    "<" | "<&" => RedirectMode::Read,
                    "<>" => RedirectMode::ReadWrite,
                    o if o.contains(">>") => RedirectMode::Append,
                    _ => RedirectMode::Write,
                };
                for target in words {
                    if duplicate && is_descriptor(target.literal()) {
                        continue;
                    }
                    if mode == RedirectMode::Read {
                        frame.stdin = Stdin::File
                    }
                    frame.redirects.push(Redirect { mode, target });
                }
            }
            "herestring_redirect" => {
                let Some(c) = children(n).into_iter().rfind(|c| c.is_named() && c.kind() != "file_descriptor") else { return };
                targets.push(c);
                let word = self.raw(c, s, env).map_or_else(|| Word::unknown(text(c, s.text), false), |r| decode::single(&r, self.home(s)));
                frame.stdin = Stdin::Text(word);
            }
            _ => {}
        }
    }

    /// What a here-document feeds: the plain text, or the text with parts that only the shell can know.
    fn document(&mut self, number: usize, s: &Source<'_>, env: &Env, frame: &Frame) -> Stdin {
        let Some(body) = s.bodies.get(number) else { return Stdin::Inherited };
        if body.quoted || !body.text.contains(['$', '`', '\\']) {
            return Stdin::Text(Word::text(body.text.clone()));
        }
        self.body(&body.text, env, frame.parent);
        Stdin::Text(Word { pieces: vec![Piece::Unknown { source: body.text.clone(), splits: false }], raw: body.text.clone() })
    }

    /// The substitutions of an unquoted here-document: the body is read as a double-quoted text.
    fn body(&mut self, body: &str, env: &Env, parent: Option<UnitId>) {
        if !["$(", "`", "${", "$["].iter().any(|p| body.contains(p)) {
            return;
        }
        let frame = Frame { parent, nesting: Nesting::CommandSubstitution, ..Frame::default() };
        let from = self.units.len();
        let why = if self.nested == 0 {
            Some("it is nested too deeply")
        } else {
            self.nested -= 1;
            let why = match crate::scan::document(body) {
                Ok(body) => self.text(&format!(": \"{body}\""), &mut env.clone(), &frame),
                Err(why) => Some(why),
            };
            self.nested += 1;
            why
        };
        // The carrier is ours: nothing runs it.
        if self.units.get(from).is_some_and(|u| u.program() == Some(":")) {
            for u in self.units.iter_mut().skip(from) {
                u.parent = u.parent.filter(|p| *p != from).or(parent)
            }
            if let Some(u) = self.units.get_mut(from) {
                u.words.truncate(1);
                u.raw = ":".to_owned()
            }
        }
        if let Some(why) = why {
            self.suspects.extend(crate::suspects::of_text(body));
            self.doubts.push(super::doubt(crate::UNPARSEABLE, format!("a here-document was not understood: {why}")));
        }
    }

    /// Parts of which it is not certain that they run: what they assign is forgotten, where they move to as well.
    fn branches(&mut self, n: Node<'_>, s: &Source<'_>, env: &mut Env, frame: &Frame) {
        forget(env, n, s.text);
        let frame = Frame { nesting: nested(frame.nesting, Nesting::Control), ..frame.clone() };
        let loops = matches!(n.kind(), "while_statement" | "until_statement" | "c_style_for_statement");
        if loops && moves(n, s.text) {
            env.cwd = Cwd::Unknown
        }
        let mut moved = false;
        let mut here = env.clone();
        for c in children(n) {
            if !c.is_named() {
                continue;
            }
            let mut copy = here.clone();
            self.visit(c, s, &mut copy, &frame);
            self.pattern_substitutions(c, s, env, frame.parent);
            moved |= copy.cwd != here.cwd;
            if moved {
                here.cwd = Cwd::Unknown
            }
        }
        if moved {
            env.cwd = Cwd::Unknown
        }
    }

    /// Words that stand in control structures themselves (`case WORD in PATTERN)`).
    fn pattern_substitutions(&mut self, c: Node<'_>, s: &Source<'_>, env: &Env, parent: Option<UnitId>) {
        if is_word(c.kind()) {
            self.substitutions(c, s, env, parent)
        }
        if c.kind() == "case_item" {
            for (f, v) in fields(c) {
                if f == Some("value") {
                    self.substitutions(v, s, env, parent)
                }
            }
        }
    }

    fn each_value(&mut self, n: Node<'_>, s: &Source<'_>, env: &mut Env, frame: &Frame) {
        let frame = Frame { nesting: nested(frame.nesting, Nesting::Control), ..frame.clone() };
        let values: Vec<Node<'_>> = fields(n).into_iter().filter(|(f, _)| *f == Some("value")).map(|(_, c)| c).collect();
        for v in &values {
            self.substitutions(*v, s, env, frame.parent)
        }
        let words: Vec<Word> = values.iter().flat_map(|v| self.words(*v, s, env)).collect();
        forget(env, n, s.text);
        let Some(body) = n.child_by_field_name("body") else { return };
        if moves(body, s.text) {
            env.cwd = Cwd::Unknown
        }
        let name = n.child_by_field_name("variable").map(|v| text(v, s.text).to_owned()).unwrap_or_default();
        env.know(&name, None);
        let certain = s.facts.follow
            && !words.is_empty()
            && words.len() <= LOOP_VALUES.min(self.rounds)
            && words.iter().all(|w| !w.is_unknown())
            && !s.facts.poisoned.contains(&name);
        let before = self.units.len();
        self.rounds = self.rounds.saturating_sub(if certain { words.len() } else { 0 });
        let choices: Vec<Option<Word>> = if certain { words.into_iter().map(Some).collect() } else { vec![None] };
        for choice in choices {
            let mut copy = env.clone();
            if let Some(w) = choice {
                copy.know(&name, Some(w));
            }
            if self.units.len() > before + LOOP_UNITS {
                copy.know(&name, None);
            }
            self.visit(body, s, &mut copy, &frame);
            if self.units.len() > before + 2 * LOOP_UNITS {
                break;
            }
        }
    }

    fn function(&mut self, n: Node<'_>, s: &Source<'_>, env: &mut Env, frame: &Frame) {
        let name = n.child_by_field_name("name").map(|c| text(c, s.text).to_owned()).unwrap_or_default();
        let frame = Frame { nesting: Nesting::Function, pipe: None, stdin: Stdin::Inherited, ..frame.clone() };
        let mut inner = Env { cwd: Cwd::Unknown, ..Env::default() };
        if !moves(n, s.text) {
            inner.cwd = env.cwd.clone()
        }
        Rc::make_mut(&mut env.functions).insert(name.into(), moves(n, s.text));
        inner.functions = Rc::clone(&env.functions);
        for c in children(n) {
            if c.is_named() && c.kind() != "word" {
                self.visit_with_redirects(c, s, &mut inner, &frame)
            }
        }
    }

    fn visit_with_redirects(&mut self, c: Node<'_>, s: &Source<'_>, env: &mut Env, frame: &Frame) {
        if c.kind() != "file_redirect" {
            return self.visit(c, s, env, frame);
        }
        let mut inner = frame.clone();
        let mut targets = Vec::new();
        self.redirect(c, s, env, &mut inner, &mut targets);
        self.lone(c, s, env, &inner);
        for t in targets {
            self.substitutions(t, s, env, frame.parent)
        }
    }

    /// Units of the substitutions that stand in these nodes, outermost first.
    pub(super) fn substitutions(&mut self, n: Node<'_>, s: &Source<'_>, env: &Env, parent: Option<UnitId>) {
        let mut open = vec![n];
        while let Some(n) = open.pop() {
            let nesting = match n.kind() {
                "command_substitution" => Nesting::CommandSubstitution,
                "process_substitution" => Nesting::ProcessSubstitution,
                _ => {
                    open.extend(children(n).into_iter().rev());
                    continue;
                }
            };
            let mut frame = Frame { nesting, parent, ..Frame::default() };
            let mut targets = Vec::new();
            // `$(< file)` reads the file.
            for c in children(n) {
                if c.kind() == "file_redirect" {
                    self.redirect(c, s, env, &mut frame, &mut targets)
                }
            }
            let mut env = env.clone();
            if frame.redirects.is_empty() {
                self.sequence(n, s, &mut env, &frame)
            } else {
                self.lone(n, s, &env, &frame);
                for t in targets {
                    self.substitutions(t, s, &env, parent)
                }
            }
        }
    }

    /// Decoded words of a node.
    pub(super) fn words(&self, n: Node<'_>, s: &Source<'_>, env: &Env) -> Vec<Word> {
        match self.raw(n, s, env) {
            Some(raw) => decode::words(&raw, self.home(s)),
            None => vec![Word::unknown(text(n, s.text), true)],
        }
    }

    pub(super) fn raw(&self, n: Node<'_>, s: &Source<'_>, env: &Env) -> Option<decode::Raw> {
        let cwd = if env.cwd == Cwd::default() && s.facts.follow { self.context.cwd } else { None };
        let known = Known { source: s.text, extents: &s.extents, vars: &env.vars, home: self.home(s), cwd, budget: &self.followed };
        decode::read(&known, n.start_byte(), n.end_byte())
    }

    pub(super) fn home(&self, s: &Source<'_>) -> Option<&str> {
        if s.facts.follow || !s.text.contains("HOME") { self.context.home } else { None }
    }

    pub(super) fn unit(&self, words: Vec<Word>, n: Node<'_>, s: &Source<'_>, env: &Env, frame: &Frame) -> Unit {
        Unit {
            words,
            raw: text(n, s.text).to_owned(),
            nesting: frame.nesting,
            parent: frame.parent,
            pipe: frame.pipe,
            cwd: env.cwd.clone(),
            stdin: frame.stdin.clone(),
            redirects: frame.redirects.clone(),
            ..Unit::default()
        }
    }
}

/// The innermost nesting that tells most: substitutions and wrappers stay visible inside control flow.
fn nested(outer: Nesting, inner: Nesting) -> Nesting {
    if outer == Nesting::TopLevel { inner } else { outer }
}

pub(super) fn is_word(kind: &str) -> bool {
    matches!(
        kind,
        "word"
            | "number"
            | "string"
            | "raw_string"
            | "ansi_c_string"
            | "translated_string"
            | "concatenation"
            | "simple_expansion"
            | "expansion"
            | "command_substitution"
            | "process_substitution"
            | "arithmetic_expansion"
            | "brace_expression"
            | "array"
    )
}

/// Does a part of the script change the directory (outside of subshells, which do not matter)?
fn moves(n: Node<'_>, source: &str) -> bool {
    let mut found = false;
    each(n, |c| {
        if c.kind() == "command" {
            found |= matches!(
                c.child_by_field_name("name").map(|x| text(x, source)),
                Some("cd" | "pushd" | "popd" | "eval" | "source" | "." | "builtin" | "command")
            )
        }
    });
    found
}

/// Commands that always succeed, for `… && cd x`.
fn certain(n: Node<'_>, source: &str) -> bool {
    matches!(text(n, source).split_whitespace().next(), Some("cd" | "true" | ":" | "echo" | "export" | "set" | "pwd"))
}

/// Forgets every variable that is assigned in a part which may not run, or may run often.
fn forget(env: &mut Env, n: Node<'_>, source: &str) {
    let mut names: HashSet<&str> = HashSet::new();
    each(n, |c| match c.kind() {
        "variable_assignment" => {
            if let Some(v) = c.child_by_field_name("name") {
                names.insert(text(v, source).split('[').next().unwrap_or_default());
            }
        }
        "for_statement" | "select_statement" => {
            if let Some(v) = c.child_by_field_name("variable") {
                names.insert(text(v, source));
            }
        }
        _ => {}
    });
    if names.iter().any(|n| env.vars.contains_key(*n)) {
        Rc::make_mut(&mut env.vars).retain(|k, _| !names.contains(&**k))
    }
}
