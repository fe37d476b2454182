//! Scripts to try: a grammar that nests every construct, a soup of tokens, and mutations of the catalogue's own
//! examples. Owns the generators; runs nothing. Commands are called `c1` … `c8`, so that nothing real could run.

/// A small seeded generator (SplitMix64): the same seed gives the same scripts on every machine.
pub struct Dice(u64);

impl Dice {
    /// Starts from a seed.
    pub const fn new(seed: u64) -> Self {
        Self(seed)
    }
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
    /// A number below `n` (0 for `n` = 0).
    pub fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { usize::try_from(self.next() % n as u64).unwrap_or(0) }
    }
    /// True in `percent` of all cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    /// One of them.
    pub fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        list.get(self.below(list.len())).copied().unwrap_or("")
    }
}

/// Which generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nested constructs with odd words.
    Grammar,
    /// Tokens in any order.
    Soup,
    /// Examples of the catalogue with a few characters changed.
    Mutation,
}

impl Kind {
    /// The kind of that name on the command line.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "grammar" => Some(Self::Grammar),
            "soup" => Some(Self::Soup),
            "mutation" => Some(Self::Mutation),
            _ => None,
        }
    }
}

const COMMANDS: &[&str] = &["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"];
const JOINS: &[&str] = &["; ", ";", " && ", "&&", " || ", " | ", " |& ", " & ", "\n", "\n\n", " ;\n", "|\n", "&&\n", " \\\n; "];
const PLAIN: &[&str] = &[
    "a", "b", "-x", "--", "--x=y", "1", "x=1", "a=b", "a.b", "./a", "/t", "%", "+", "@", "^", ",", ":", "é", "-", "=", "==", "=~", "!=",
    "if", "in", "do", "done", "esac", "}", "{", "{}", "!", "~", "*", "?", "[a]", "[", "[]", "]", "10", "2", "{a,b}", "{1..3}", "{c1,a}",
    "#", "a#b", "\\#", "function", "time", "coproc", "[[", "]]", "~u", "a{b,}c", "\\a", "\\ ", "\\;", "\\\n", "\\\"", "\\'", "\\`", "\\$",
    "\\\\", "\\|", "\\{", "\\(", "\\<", "\\*", "\\~", "\\=", "$", "$x", "$1", "$@", "$#", "$?", "$$", "$_", "$-", "$*", "$\"a\"", "$[1]",
    "$x#", "a$", "\u{a0}", "\u{2028}", "\r", "\u{b}", "\u{c}", "\u{feff}", "\u{202e}",
];
const SOUP: &[&str] = &[
    "c1",
    "c2",
    "c3",
    "c4",
    "a",
    "b",
    "x",
    " ",
    " ",
    " ",
    " ",
    " ",
    " ",
    "\t",
    "\n",
    "\n",
    ";",
    ";",
    "&",
    "&&",
    "|",
    "||",
    "|&",
    "\"",
    "\"",
    "'",
    "'",
    "`",
    "`",
    "$(",
    "$(",
    ")",
    ")",
    "(",
    "#",
    "#",
    "\\",
    "\\",
    "\\\n",
    "\\ ",
    "\\\\",
    "<<E",
    "<<-E",
    "<<'E'",
    "<<\\E",
    "<<\"E\"",
    "\nE\n",
    "\nE",
    "E",
    "{",
    "}",
    "{ ",
    "; }",
    "((",
    "))",
    "$((",
    "[[ ",
    " ]]",
    "[ ",
    " ]",
    "${x",
    "${x:-",
    "${x#",
    "${x/",
    "${#",
    "${!",
    "$'",
    "$\"",
    "$x",
    "$[",
    "]",
    "=",
    "==",
    "=~",
    " == ",
    "x=",
    "x+=",
    "x=(",
    "x[1]=",
    ">",
    ">f",
    ">>f",
    "2>&1",
    ">&",
    "<",
    "<&",
    "<&-",
    ">&-",
    "<<<",
    "<(",
    ">(",
    ">|",
    "<>f",
    "&>",
    "if ",
    "then ",
    "else ",
    "fi",
    "for i in ",
    "do ",
    "done",
    "while ",
    "case a in ",
    "a) ",
    ";;",
    ";&",
    "esac",
    "function f ",
    "f() ",
    "!",
    "! ",
    "time ",
    "coproc ",
    "-",
    "--",
    "~",
    "*",
    "?",
    "{a,b}",
    "{1..2}",
    "\r",
    "é",
    "\u{a0}",
    "select i in ",
    "until ",
    "{x}>",
    "10>",
    "@(",
    "!(",
    "+(",
    "[a-z]",
    "\\\\\n",
    "$$",
    "$!",
    "-c1",
    "%",
];

/// What changes a variable without `NAME=value`.
const SETTERS: &[&str] = &[
    "read x <<<c5",
    "printf -v x c5",
    "printf -vx c5",
    "mapfile -t x <<<c5",
    "unset x",
    "wait -p x",
    "getopts c5 x -c5",
    "((x=5))",
    "((x++))",
    ": $((x=5))",
    ": ${x:=c5}",
    "for x in c5; do :; done",
    "command read x <<<c5",
    "builtin printf -v x c5",
    "command declare x=c5",
    "command -p unset x",
    "y=read; $y x <<<c5",
    "y=command; $y read x <<<c5",
    "exec {x}<&0",
];

/// One script.
pub fn script(kind: Kind, dice: &mut Dice, examples: &[String]) -> String {
    match kind {
        Kind::Grammar => Grammar { dice, bodies: Vec::new() }.script(),
        Kind::Soup => (0..2 + dice.below(14)).map(|_| dice.pick(SOUP)).collect(),
        Kind::Mutation => mutation(dice, examples),
    }
}

fn mutation(dice: &mut Dice, examples: &[String]) -> String {
    let one = |dice: &mut Dice| examples.get(dice.below(examples.len())).cloned().unwrap_or_else(|| "c1 a".to_owned());
    let mut text: Vec<char> = one(dice).chars().collect();
    if dice.chance(50) {
        text.extend(dice.pick(JOINS).chars());
        text.extend(one(dice).chars());
    }
    for _ in 0..1 + dice.below(4) {
        let borders: Vec<usize> = text.iter().enumerate().filter(|(_, c)| !c.is_alphanumeric()).map(|(i, _)| i).collect();
        let at = if dice.chance(50) && !borders.is_empty() {
            borders.get(dice.below(borders.len())).copied().unwrap_or(0)
        } else {
            dice.below(text.len() + 1)
        };
        let end = (at + [0, 0, 0, 1, 1, 2].get(dice.below(6)).copied().unwrap_or(0)).min(text.len());
        text.splice(at..end, dice.pick(SOUP).chars());
    }
    text.into_iter().collect()
}

struct Grammar<'d> {
    dice: &'d mut Dice,
    /// Here-document bodies that wait for the end of the line.
    bodies: Vec<String>,
}

impl Grammar<'_> {
    fn script(mut self) -> String {
        let mut out = String::new();
        let n = 1 + self.dice.below(3);
        for i in 0..n {
            let depth = self.dice.below(3);
            out.push_str(&self.statement(depth));
            if self.bodies.is_empty() {
                if i + 1 < n {
                    out.push_str(self.dice.pick(JOINS))
                }
            } else {
                self.flush(&mut out);
            }
        }
        if self.dice.chance(10) {
            let at = self.dice.below(out.chars().count() + 1);
            let byte = out.char_indices().nth(at).map_or(out.len(), |(i, _)| i);
            out.insert_str(byte, self.dice.pick(SOUP));
        }
        out
    }

    fn flush(&mut self, out: &mut String) {
        out.push('\n');
        for body in self.bodies.drain(..) {
            out.push_str(&body)
        }
    }

    fn statement(&mut self, depth: usize) -> String {
        if depth == 0 || self.dice.chance(50) {
            return self.simple(depth);
        }
        let d = depth - 1;
        match self.dice.below(18) {
            0 => format!("{{ {}; }}", self.statement(d)),
            1 => format!("({})", self.statement(d)),
            2 => format!("if {}; then {}; else {}; fi", self.statement(d), self.statement(d), self.simple(0)),
            3 => format!("for i in {}; do {}; done", self.word(d), self.statement(d)),
            4 => format!("case {} in {}) {};; *) {};; esac", self.word(d), self.pattern(), self.statement(d), self.simple(0)),
            5 => format!("[[ {} ]]{}{}", self.condition(), self.dice.pick(&[" && ", " || ", "; "]), self.statement(d)),
            6 => format!("(({})){}{}", self.arithmetic(d), self.dice.pick(&[" && ", " || ", "; "]), self.statement(d)),
            7 => format!("f() {{ {}; }}; f {}", self.statement(d), self.word(0)),
            8 => format!("! {}", self.statement(d)),
            9 => format!("while {}; do {}; break; done", self.statement(d), self.statement(d)),
            10 => format!("{} {}", self.statement(d), self.redirect(d)),
            11 => format!("function f {{ {}; }}{}f", self.statement(d), self.dice.pick(&["; ", "\n"])),
            12 => format!("{{ {}\n}} {}", self.statement(d), self.redirect(d)),
            13 => format!("for ((i=0;i<1;i++)); do {}; done", self.statement(d)),
            14 => format!("until {}; do {}; break; done", self.statement(d), self.simple(0)),
            15 if self.dice.chance(40) => {
                format!("x={}; {}; $x {}", self.dice.pick(COMMANDS), self.dice.pick(SETTERS), self.dice.pick(&["", "a", "$x"]))
            }
            15 => format!("x={}; {} $x", self.dice.pick(COMMANDS), self.dice.pick(&["", "c1", "eval", "\"$x\"", "command"])),
            _ => format!("{}{}{}", self.statement(d), self.dice.pick(JOINS), self.statement(d)),
        }
    }

    fn simple(&mut self, depth: usize) -> String {
        let mut out = String::new();
        if self.dice.chance(20) {
            let value = self.word(depth.saturating_sub(1));
            out.push_str(&format!("{}{value} ", self.dice.pick(&["x=", "y+=", "x[1]=", "LC_ALL="])));
        }
        if self.dice.chance(8) {
            out.push_str(&format!("{} ", self.redirect(depth)))
        }
        out.push_str(if self.dice.chance(70) {
            self.dice.pick(COMMANDS)
        } else {
            self.dice.pick(&[
                "echo",
                ":",
                "true",
                "false",
                "c\"1\"",
                "'c2'",
                "\\c3",
                "c\\4",
                "c\\\n5",
                "{c6,a}",
                "$x",
                "time c1",
                "! c2",
                "command c1",
                "builtin echo",
                "export",
                "declare",
                "unset",
                "[",
                "test",
                "printf",
                "exec",
                "eval",
                "read",
                "set --",
                "shift",
                "trap",
                "let",
                "local",
            ])
        });
        for _ in 0..self.dice.below(4) {
            match self.dice.below(100) {
                0..78 => {
                    out.push_str(self.dice.pick(&[" ", " ", " ", "  ", "\t", " \\\n", "\\\n", " \\\n "]));
                    out.push_str(&self.word(depth));
                }
                78..92 => out.push_str(&format!(" {}", self.redirect(depth))),
                _ => out.push_str(&self.heredoc()),
            }
        }
        if self.dice.chance(7) {
            out.push_str(self.dice.pick(&[" # c1\n", " #`c2`\n", " # '\n", " #\\\nc3\n"]))
        }
        out
    }

    fn word(&mut self, depth: usize) -> String {
        (0..1 + self.dice.below(2)).map(|_| self.piece(depth)).collect()
    }

    fn piece(&mut self, depth: usize) -> String {
        let d = depth.saturating_sub(1);
        match self.dice.below(100) {
            0..55 => self.dice.pick(PLAIN).to_owned(),
            55..62 => format!("'{}'", self.dice.pick(&["", "a", "#", "\"", " ; c1 ", "\\", "`", "$(c2)", "\n", "$x", "|", " c3\nc4 "])),
            62..72 => format!("\"{}\"", self.quoted(depth)),
            72..77 => format!(
                "$'{}'",
                self.dice.pick(&["", "a", "\\'", "\\\\", "\\n", "\"", "#", "\\'; c1 ", "\\x41", "\\\\\\\\", "\\u00e9", "\\cA"])
            ),
            77..83 if depth > 0 => format!(
                "$({}{}{})",
                self.dice.pick(&["", " ", "\n", "#\n"]),
                self.statement(d),
                self.dice.pick(&["", " ", "\n", " #\n", ";"])
            ),
            83..87 if depth > 0 => format!("`{}`", self.simple(0).replace('`', "\\`")),
            87..93 => self.parameter(depth),
            93..96 if depth > 0 => format!("$(({}))", self.arithmetic(d)),
            96..98 if depth > 0 => format!("{}{})", self.dice.pick(&["<(", ">("]), self.statement(d)),
            _ => "a".to_owned(),
        }
    }

    fn quoted(&mut self, depth: usize) -> String {
        (0..self.dice.below(4))
            .map(|_| match self.dice.below(10) {
                0..7 => self
                    .dice
                    .pick(&[
                        "a", " ", "#", "'", "\\\"", "\\\\", "\\$", "\\`", "$", "}", ";", "\n", "(", ")", "!", "\\\n", "<(a)", "$x", "*",
                    ])
                    .to_owned(),
                7 if depth > 0 => format!("$({})", self.statement(depth - 1)),
                8 if depth > 0 => self.parameter(depth - 1),
                _ => "b".to_owned(),
            })
            .collect()
    }

    fn parameter(&mut self, depth: usize) -> String {
        let name = self.dice.pick(&["x", "y", "1", "@", "*", "#", "?", "x[0]", "x[@]", "!x", "#x", "x[$(c1)]"]);
        let operator =
            self.dice.pick(&["", ":-", "-", ":=", ":+", "+", ":?", "#", "##", "%", "/", "//", "^", ",,", ":", ":1", "@Q", "@P", "@A"]);
        let operand = match self.dice.below(6) {
            0 | 1 => String::new(),
            2 if depth > 0 => format!("$({})", self.simple(0)),
            3 => format!("`{}`", self.dice.pick(COMMANDS)),
            _ => self
                .dice
                .pick(&["a", " ", "'b'", "\"b\"", "\\}", "$y", "{", "(", "/", "#", ";", "<(c2)", "$'b'", "*", "a/b", "\n"])
                .to_owned(),
        };
        format!("${{{name}{operator}{}}}", if operator.is_empty() { String::new() } else { operand })
    }

    fn arithmetic(&mut self, depth: usize) -> String {
        if depth > 0 && self.dice.chance(25) {
            return format!("$({})", self.statement(depth - 1));
        }
        self.dice
            .pick(&[
                "1", "x", "y+1", "$x", "a[1]", "1<<2", "2#1", "x?1:2", "(1)", "\"1\"", "x=1", "a[$(c1)]", "${y:-1}", "1, 2", "`c2`", "x++",
                "!1",
            ])
            .to_owned()
    }

    fn condition(&mut self) -> &'static str {
        self.dice.pick(&[
            "a == b",
            "a =~ b",
            "-n $x",
            "a == *",
            "a =~ ^(a|b)$",
            "a < b",
            "! a",
            "a && b",
            "( a )",
            "-f a",
            "a =~ $(c1)",
            "$x == [a]",
            "a == $(c2)*",
            "x -eq 1",
            "a[$(c1)] -eq 1",
            "-v x",
            "-v a[$(c2)]",
            "a = b",
            "a\n&& b",
            "a =~ `c3`",
            "a != @(a|b)",
        ])
    }

    fn pattern(&mut self) -> &'static str {
        self.dice.pick(&["a", "(a", "a|b", "\"a\"", "*", "[a]", "$x", "'a'", "a b", "\\a", "$(c1)", "`c2`", "a*", "?", "-a", "@(a|b)"])
    }

    fn redirect(&mut self, depth: usize) -> String {
        if depth > 0 && self.dice.chance(15) {
            return format!("< <({})", self.statement(depth - 1));
        }
        self.dice
            .pick(&[
                ">f",
                ">g",
                "2>f",
                "2>&1",
                ">&2",
                "<f",
                ">>f",
                "&>f",
                ">|f",
                "> f",
                "<>f",
                ">&-",
                "<&-",
                "2>&-",
                "<<<a",
                "<<<$(c1)",
                "> >(c2)",
                "&>>f",
                "{z}>f",
                "10>f",
                ">$x",
                ">\"f\"",
                "3<&0",
                ">f#",
                ">& f",
                ">f g",
                ">\\\nf",
                ">'f g'",
                ">~",
                ">{f,g}",
                ">&f",
                "<&x",
                "> $(c3)",
                ">/dev/null",
                "2>/dev/null",
            ])
            .to_owned()
    }

    fn heredoc(&mut self) -> String {
        let mark = self.dice.pick(&["E", "E", "E", "'E'", "\"E\"", "\\E", "E_1", "E-F", "E.F", "'E'F", "$E", "E#", "'E F'"]);
        let name = mark.replace(['\'', '"', '\\'], "");
        let operator = self.dice.pick(&[" <<", " <<", " <<-", " << ", "<<"]);
        let mut body = String::new();
        for _ in 0..self.dice.below(4) {
            let odd = self.dice.pick(&["x", " ", "\\"]);
            body.push_str(&match self.dice.below(8) {
                0 => format!("{odd}{name}"),
                1 => format!("\t{name}"),
                _ => self
                    .dice
                    .pick(&[
                        "a",
                        "",
                        "  a",
                        "$x",
                        "$(c1)",
                        " $(c2)",
                        "a $(c3) b",
                        "`c4`",
                        "\\",
                        "a\\",
                        "\\$(c5)",
                        "\\`c6\\`",
                        "'",
                        "\"",
                        "c7",
                        "#",
                        "${x:-$(c8)}",
                        "$((1+$(c1)))",
                        "; c2",
                        "\tb",
                        "EO",
                    ])
                    .to_owned(),
            });
            body.push('\n');
        }
        let end = self.dice.pick(&["\n", "\n", "\n", "\n", "", " \n"]);
        body.push_str(&format!("{}{name}{end}", if self.dice.chance(10) { self.dice.pick(&["\t", " "]) } else { "" }));
        self.bodies.push(body);
        format!("{operator}{mark}")
    }
}
