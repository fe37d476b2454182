//! The second opinion: brush-parser reads the original text. Owns the walk over its tree; its panics are caught. What
//! it cannot show exactly counts as disagreement.

use std::panic::{AssertUnwindSafe, catch_unwind};

use brush_parser::ast::{
    AndOr, Assignment, AssignmentValue, Command, CommandPrefixOrSuffixItem as Item, CompoundCommand, CompoundList, ExtendedTestExpr,
    IoFileRedirectKind, IoFileRedirectTarget, IoRedirect, Pipeline, RedirectList, SimpleCommand, Word,
};
use brush_parser::word::{WordPiece, WordPieceWithSource};
use brush_parser::{Parser, ParserOptions};
use gate_core::limits;

use crate::guards::RESERVED;
use crate::signature::{Signature, is_descriptor, mark};

/// How deep substitutions are followed.
const DEPTH: usize = 40;

/// What the second parser saw. `None`: it could not read the text, or not exactly.
pub fn read(text: &str) -> Option<Signature> {
    if text.len() > limits::SECOND_PARSER_BYTES || nesting(text) > 60 {
        return None;
    }
    catch_unwind(AssertUnwindSafe(|| {
        let mut walk = Walk { out: Signature::default(), ok: true, depth: 0, options: options() };
        walk.text(text);
        walk.ok.then_some(walk.out)
    }))
    .ok()
    .flatten()
}

/// The most brackets that are open at once, quotes not considered: an upper bound for the parser's recursion, which
/// is exponential in some of them.
fn nesting(text: &str) -> usize {
    let (mut open, mut most) = (0_usize, 0);
    for b in text.bytes() {
        match b {
            b'(' | b'{' | b'[' => {
                open += 1;
                most = most.max(open)
            }
            b')' | b'}' | b']' => open = open.saturating_sub(1),
            _ => {}
        }
    }
    most
}

fn options() -> ParserOptions {
    ParserOptions { enable_extended_globbing: false, ..ParserOptions::default() }
}

struct Walk {
    out: Signature,
    ok: bool,
    depth: usize,
    options: ParserOptions,
}

impl Walk {
    fn text(&mut self, text: &str) {
        if self.depth >= DEPTH {
            self.ok = false
        }
        if !self.ok {
            return;
        }
        self.depth += 1;
        match Parser::new(std::io::Cursor::new(text.as_bytes()), &self.options).parse_program() {
            Ok(program) => program.complete_commands.iter().for_each(|c| self.list(c, text)),
            Err(_) => self.ok = false,
        }
        self.depth -= 1;
    }

    fn list(&mut self, list: &CompoundList, text: &str) {
        for item in &list.0 {
            self.pipeline(&item.0.first, text);
            for more in &item.0.additional {
                match more {
                    AndOr::And(p) | AndOr::Or(p) => self.pipeline(p, text),
                }
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline, text: &str) {
        for command in &pipeline.seq {
            self.command(command, text)
        }
    }

    fn command(&mut self, command: &Command, text: &str) {
        match command {
            Command::Simple(s) => self.simple(s, text),
            Command::Compound(c, r) => {
                self.compound(c, text);
                self.redirects(r.as_ref(), text);
            }
            Command::Function(f) => {
                self.compound(&f.body.0, text);
                self.redirects(f.body.1.as_ref(), text);
            }
            Command::ExtendedTest(t, r) => {
                self.test(&t.expr);
                self.redirects(r.as_ref(), text);
            }
        }
    }

    fn compound(&mut self, c: &CompoundCommand, text: &str) {
        match c {
            CompoundCommand::Arithmetic(a) => {
                let part: String = text.chars().skip(a.loc.start.index).take(a.loc.end.index.saturating_sub(a.loc.start.index)).collect();
                if !(part.starts_with("((") && part.ends_with("))")) {
                    self.ok = false
                }
                self.word(&a.expr.value);
            }
            CompoundCommand::ArithmeticForClause(a) => {
                for e in [&a.initializer, &a.condition, &a.updater].into_iter().flatten() {
                    self.word(&e.value);
                }
                self.list(&a.body.list, text);
            }
            CompoundCommand::BraceGroup(b) => self.list(&b.list, text),
            CompoundCommand::Subshell(s) => self.list(&s.list, text),
            CompoundCommand::ForClause(f) => {
                for v in f.values.iter().flatten() {
                    self.word(&v.value);
                }
                self.list(&f.body.list, text);
            }
            CompoundCommand::CaseClause(c) => {
                self.word(&c.value.value);
                for item in &c.cases {
                    for p in &item.patterns {
                        self.word(&p.value);
                    }
                    if let Some(l) = &item.cmd {
                        self.list(l, text)
                    }
                }
            }
            CompoundCommand::IfClause(i) => {
                self.list(&i.condition, text);
                self.list(&i.then, text);
                for e in i.elses.iter().flatten() {
                    if let Some(c) = &e.condition {
                        self.list(c, text)
                    }
                    self.list(&e.body, text);
                }
            }
            CompoundCommand::WhileClause(w) | CompoundCommand::UntilClause(w) => {
                self.list(&w.0, text);
                self.list(&w.1.list, text);
            }
            CompoundCommand::Coprocess(_) => self.ok = false,
        }
    }

    fn test(&mut self, e: &ExtendedTestExpr) {
        match e {
            ExtendedTestExpr::And(a, b) | ExtendedTestExpr::Or(a, b) => {
                self.test(a);
                self.test(b)
            }
            ExtendedTestExpr::Not(a) | ExtendedTestExpr::Parenthesized(a) => self.test(a),
            ExtendedTestExpr::UnaryTest(_, w) => {
                self.word(&w.value);
            }
            ExtendedTestExpr::BinaryTest(_, a, b) => {
                self.word(&a.value);
                self.word(&b.value);
            }
        }
    }

    fn simple(&mut self, s: &SimpleCommand, text: &str) {
        let mut argv = Vec::new();
        for item in s.prefix.iter().flat_map(|p| &p.0) {
            self.item(item, &mut argv, text)
        }
        if let Some(w) = &s.word_or_name {
            let w = self.word(&w.value);
            argv.push(w)
        }
        for item in s.suffix.iter().flat_map(|p| &p.0) {
            self.item(item, &mut argv, text)
        }
        if let Some(Some(first)) = argv.first()
            && (RESERVED.contains(&first.as_str()) || first == "time")
        {
            self.ok = false
        }
        if s.word_or_name.is_some() {
            self.out.commands.push(argv)
        }
    }

    fn item(&mut self, item: &Item, argv: &mut Vec<Option<String>>, text: &str) {
        match item {
            Item::IoRedirect(r) => self.redirect(r, text),
            Item::Word(w) => {
                let w = self.word(&w.value);
                argv.push(w)
            }
            Item::AssignmentWord(a, w) => {
                self.assignment(a);
                // A prefix assignment is no argument: only those after the name are.
                if self.counts_as_argument(a, w, argv) {
                    let w = self.quiet(&w.value);
                    argv.push(w)
                }
            }
            Item::ProcessSubstitution(_, sub) => {
                if !self.delimited(sub.loc.start.index, sub.loc.end.index, text) {
                    self.ok = false
                }
                self.list(&sub.list, text);
                argv.push(None);
            }
        }
    }

    #[allow(clippy::unused_self)]
    fn counts_as_argument(&self, _: &Assignment, _: &Word, argv: &[Option<String>]) -> bool {
        !argv.is_empty()
    }

    fn assignment(&mut self, a: &Assignment) {
        match &a.value {
            AssignmentValue::Scalar(w) => {
                self.word(&w.value);
            }
            AssignmentValue::Array(items) => {
                for (k, v) in items {
                    if let Some(k) = k {
                        self.word(&k.value);
                    }
                    self.word(&v.value);
                }
            }
        }
    }

    /// A process substitution glued to a word is one word for bash and two for this parser.
    #[allow(clippy::unused_self)]
    fn delimited(&self, start: usize, end: usize, text: &str) -> bool {
        let chars: Vec<char> = text.chars().collect();
        let start = if matches!(chars.get(start), Some('<' | '>')) { start } else { start.wrapping_sub(1) };
        let blank = |c: Option<&char>| matches!(c, None | Some(' ' | '\t' | '\n' | ';' | '&' | '|' | '(' | ')'));
        end > 0 && blank(chars.get(start.wrapping_sub(1))) && blank(chars.get(end))
    }

    fn redirects(&mut self, list: Option<&RedirectList>, text: &str) {
        for r in list.iter().flat_map(|l| &l.0) {
            self.redirect(r, text)
        }
    }

    fn redirect(&mut self, r: &IoRedirect, text: &str) {
        match r {
            IoRedirect::File(_, kind, target) => {
                let duplicate = matches!(kind, IoFileRedirectKind::DuplicateInput | IoFileRedirectKind::DuplicateOutput);
                match target {
                    IoFileRedirectTarget::Fd(_) => {}
                    IoFileRedirectTarget::ProcessSubstitution(_, sub) => self.list(&sub.list, text),
                    IoFileRedirectTarget::Filename(w) | IoFileRedirectTarget::Duplicate(w) => {
                        let t = self.word(&w.value);
                        let inside = t.as_deref().and_then(mark).is_some();
                        if !(inside || duplicate && is_descriptor(t.as_deref())) {
                            self.out.targets.push(t)
                        }
                    }
                }
            }
            IoRedirect::OutputAndError(w, _) => {
                let t = self.word(&w.value);
                self.out.targets.push(t)
            }
            IoRedirect::HereString(_, w) => {
                self.word(&w.value);
            }
            // Bodies are parsed on their own by the caller.
            IoRedirect::HereDocument(..) => {}
        }
    }

    /// A word whose substitutions have been seen already.
    fn quiet(&mut self, word: &str) -> Option<String> {
        let commands = self.out.commands.len();
        let targets = self.out.targets.len();
        let w = self.word(word);
        self.out.commands.truncate(commands);
        self.out.targets.truncate(targets);
        w
    }

    fn word(&mut self, word: &str) -> Option<String> {
        match brush_parser::word::parse(word, &self.options) {
            Ok(pieces) => self.pieces(&pieces, word, false),
            Err(_) => {
                self.ok = false;
                None
            }
        }
    }

    fn pieces(&mut self, pieces: &[WordPieceWithSource], source: &str, double: bool) -> Option<String> {
        let mut out = Some(String::new());
        for (n, p) in pieces.iter().enumerate() {
            let part = match &p.piece {
                WordPiece::Text(t) if !double && ["<(", ">(", "`", "$("].iter().any(|s| t.contains(s)) => {
                    self.ok = false;
                    None
                }
                WordPiece::Text(t) if double => Some(t.clone()),
                WordPiece::Text(t) if t.len() == 1 => (t != "~").then(|| t.clone()),
                WordPiece::Text(t) => (!(t.contains(['*', '?', '[', ']', '{', '}']) || (n == 0 && t.starts_with('~')))).then(|| t.clone()),
                WordPiece::SingleQuotedText(t) => Some(t.clone()),
                WordPiece::AnsiCQuotedText(_) | WordPiece::TildeExpansion(_) => None,
                WordPiece::EscapeSequence(t) => {
                    let c = t.strip_prefix('\\').unwrap_or(t);
                    Some(if c == "\n" { String::new() } else { c.to_owned() })
                }
                WordPiece::DoubleQuotedSequence(v) | WordPiece::GettextDoubleQuotedSequence(v) => self.pieces(v, source, true),
                WordPiece::CommandSubstitution(c) | WordPiece::BackquotedCommandSubstitution(c) => {
                    self.text(c);
                    None
                }
                WordPiece::ArithmeticExpression(e) => {
                    self.word(&e.value);
                    None
                }
                WordPiece::ParameterExpansion(_) => {
                    // What stands in the operands of `${…}` is not compared: a substitution in there is a disagreement.
                    let text = source.get(p.start_index..p.end_index).unwrap_or("`");
                    if ["$(", "`", "<(", ">("].iter().any(|s| text.contains(s)) {
                        self.ok = false
                    }
                    None
                }
            };
            out = out.zip(part).map(|(a, b)| a + &b);
        }
        out
    }
}
