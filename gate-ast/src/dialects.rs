//! Where other shells read a text otherwise than bash. A text that holds such a form is not understood; what is left
//! means the same. Nothing here knows quotes: names are looked for as written and without quotes and backslashes, so a
//! form inside a quoted text is a needless question, never a missed one.

/// What `dash` and its like have as no builtin of their own, or read as another word.
const PLAIN_NAMES: &[&str] = &[
    "function",
    "select",
    "coproc",
    "pushd",
    "popd",
    "dirs",
    "let",
    "declare",
    "typeset",
    "shopt",
    "mapfile",
    "readarray",
    "source",
    "builtin",
    "enable",
    "compgen",
    "complete",
    "disown",
    "caller",
    "bind",
    "history",
];

/// What zsh has as keywords, precommands or builtins of its own, or evaluates where bash does not. Builtins that change
/// and run nothing (`log`, `where`) are left out.
const ZSH_NAMES: &[&str] = &[
    "repeat",
    "foreach",
    "always",
    "nocorrect",
    "noglob",
    "coproc",
    "function",
    "select",
    "print",
    "chdir",
    "emulate",
    "setopt",
    "unsetopt",
    "typeset",
    "declare",
    "local",
    "readonly",
    "integer",
    "float",
    "private",
    "autoload",
    "functions",
    "unfunction",
    "disable",
    "enable",
    "zmodload",
    "zle",
    "zcompile",
    "zparseopts",
    "zstyle",
    "zformat",
    "zsystem",
    "zselect",
    "ztcp",
    "zftp",
    "zpty",
    "vared",
    "bindkey",
    "compctl",
    "compcall",
    "sched",
    "whence",
    "unlimit",
    "ulimit",
    "rehash",
    "hash",
    "unhash",
    "fc",
    "bye",
    "getln",
    "pushln",
    "pushd",
    "popd",
    "dirs",
    "echotc",
    "echoti",
    "ttyctl",
    "let",
    "alias",
];

/// Variables of zsh that are tied to others, run something or take their value as an expression.
const ZSH_VARIABLES: &[&str] = &[
    "path",
    "fpath",
    "cdpath",
    "manpath",
    "module_path",
    "mailpath",
    "psvar",
    "watch",
    "argv",
    "options",
    "aliases",
    "galiases",
    "saliases",
    "commands",
    "NULLCMD",
    "READNULLCMD",
    "FPATH",
    "MODULE_PATH",
    "ZDOTDIR",
    "ARGV0",
    "LINES",
    "COLUMNS",
    "SECONDS",
    "RANDOM",
    "HISTSIZE",
    "SAVEHIST",
    "OPTIND",
    "TMOUT",
    "UID",
    "EUID",
    "GID",
    "EGID",
    "SHLVL",
    "KEYTIMEOUT",
    "LISTMAX",
    "FUNCNEST",
    "DIRSTACKSIZE",
    "BAUD",
    "LOGCHECK",
    "MAILCHECK",
    "TRY_BLOCK_ERROR",
];

/// Comparisons of numbers: zsh evaluates their operands in `[` and `test` as well.
const NUMERIC: &[&str] = &["-eq", "-ne", "-lt", "-gt", "-le", "-ge"];

/// What `dash` and its like read otherwise: to them `a &>f b` is `a &` and `>f b`, `$'…'` a dollar and a plain quote,
/// `x+=1` and `x[1]=2` commands, `{a,b}` one word; the value in `export a=$b` is split.
pub fn plain(text: &str) -> bool {
    const FORMS: [&str; 13] = ["&>", "|&", "<<<", "$'", "$\"", "$[", "+=", "]=", "=(", "[[", "((", "<(", ">("];
    let bytes = text.as_bytes();
    let duplicate = text.match_indices(">&").any(|(i, _)| !bytes.get(i + 2).is_some_and(|b| b.is_ascii_digit() || *b == b'-'));
    let braces = text.match_indices('{').any(|(i, _)| {
        let inner = text.get(i + 1..).and_then(|t| t.split(['}', ' ', '\n']).next()).unwrap_or_default();
        i > 0 && bytes.get(i - 1) != Some(&b'$') && (inner.contains(',') || inner.contains("..")) || i == 0 && inner.contains(',')
    });
    let arithmetic = text.matches("((").count() == text.matches("$((").count();
    let name = |w: &str| w.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|part| PLAIN_NAMES.contains(&part));
    FORMS.iter().any(|f| text.contains(f) && !(*f == "((" && arithmetic))
        || duplicate
        || braces
        || [text.to_owned(), bare(text)].iter().any(|t| {
            name(t)
                || commands(t).any(|c| {
                    moves_twice(&c)
                        || matches!(c.first(), Some(&("export" | "readonly" | "local"))) && c.iter().any(|w| w.contains(['$', '`']))
                })
        })
}

/// What zsh reads otherwise than bash.
pub fn zsh(text: &str) -> bool {
    zsh_forms(text.as_bytes()) || [text.to_owned(), bare(text)].iter().any(|t| commands(t).any(|c| zsh_words(&c)))
}

/// Without quotes and backslashes, as names reach the shell.
fn bare(text: &str) -> String {
    text.replace("\\\n", "").replace(['\'', '"', '\\'], "")
}

/// The blank-separated parts between operators.
fn commands(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.split([';', '|', '&', '(', ')', '\n', '`', '<', '>']).map(|c| c.split_ascii_whitespace().collect())
}

/// `cd a b`: bash refuses it, others do not.
fn moves_twice(words: &[&str]) -> bool {
    words.iter().position(|w| *w == "cd").is_some_and(|at| words.iter().skip(at + 1).filter(|w| !w.starts_with('-')).count() > 1)
}

fn zsh_words(words: &[&str]) -> bool {
    let name = |w: &str| {
        let plain = w.split(['=', '+', '[']).next().unwrap_or_default();
        ZSH_NAMES.contains(&w) || NUMERIC.contains(&w) || ZSH_VARIABLES.contains(&plain)
    };
    let leading = |w: &str| w.starts_with(['=', '^']) || w.contains("==") || w.contains(":=");
    // `- ls` runs `ls`; a branch of a keyword hides nothing, its words come after it.
    let dash = words.iter().find(|w| !matches!(**w, "!" | "if" | "then" | "else" | "elif" | "do" | "while" | "until" | "time"));
    words.iter().any(|w| name(w) || leading(w)) || dash == Some(&"-") || moves_twice(words) || {
        words.iter().enumerate().any(|(i, w)| {
            let after = words.get(i + 1..).unwrap_or_default();
            match *w {
                // Numbers for these are expressions.
                "exit" | "return" | "shift" | "break" | "continue" => {
                    after.first().is_some_and(|a| *a != "$?" && !a.bytes().all(|b| b.is_ascii_digit()))
                }
                "cd" => after.iter().any(|a| a.starts_with('+') || a.starts_with('-')),
                "export" => after.iter().any(|a| a.starts_with('-')),
                "printf" => after.join(" ").split('%').skip(1).any(|f| !f.starts_with(['s', 'b', 'q']) && !f.is_empty()),
                "set" => !matches!(after, ["-e" | "-u" | "-x" | "-eu" | "-ex" | "-eux"] | ["-eo" | "-euo" | "-euxo", "pipefail"]),
                "read" => after.iter().any(|a| a.starts_with('-') && *a != "-r" || a.contains('?')),
                _ => false,
            }
        })
    }
}

/// Expansions, patterns and redirects.
fn zsh_forms(bytes: &[u8]) -> bool {
    let at = |i: usize| bytes.get(i).copied().unwrap_or(b'\n');
    let name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    let evaluates = bytes.iter().any(|b| matches!(b, b'$' | b'`' | b'\\'));
    let mut closes = 0_usize;
    for (i, b) in bytes.iter().enumerate() {
        let before = if i == 0 { b'\n' } else { at(i - 1) };
        let begins = matches!(before, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>');
        let odd = match b {
            b'$' => match at(i + 1) {
                // `${NAME}` and nothing else.
                b'{' => {
                    let inner = bytes.get(i + 2..).unwrap_or_default();
                    let end = inner.iter().position(|c| !name(*c)).unwrap_or(inner.len());
                    closes = i + 2 + end;
                    end == 0 || inner.get(end) != Some(&b'}') || matches!(inner.get(end + 1), Some(b'[' | b':'))
                }
                b'~' | b'=' | b'^' | b'+' | b'#' | b'"' | b'[' | b':' => true,
                b'\'' => {
                    let inner = bytes.get(i + 2..).unwrap_or_default();
                    inner.windows(2).any(|p| p.first() == Some(&b'\\') && !matches!(p.get(1), Some(b'n' | b't')))
                }
                // `$name[…]` evaluates, `$name:h` changes.
                c if name(c) => {
                    let end = (i + 1..bytes.len()).find(|j| !name(at(*j))).unwrap_or(bytes.len());
                    matches!(at(end), b'[' | b':') || c.is_ascii_digit() && matches!(at(i + 2), b'[' | b':')
                }
                b'*' | b'@' | b'?' | b'!' | b'$' | b'-' => matches!(at(i + 2), b'[' | b':'),
                _ => false,
            },
            // `{}` is a word to find and xargs; groups end otherwise than in bash.
            b'{' => before != b'$' && at(i + 1) != b'}',
            b'}' => before != b'{' && i != closes,
            // Qualifiers and alternatives of a pattern, functions, arrays, `=(…)`.
            b'(' => !matches!(before, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b'$' | b'<' | b'>') || at(i + 1) == b')',
            b'[' => !begins && evaluates,
            b'~' => begins && matches!(at(i + 1), b'[' | b'+' | b'-' | b'0'..=b'9'),
            b'=' => begins || matches!(before, b'=' | b':'),
            b'^' => begins,
            b'#' => matches!(before, b'(' | b'*' | b')' | b']'),
            b'<' => {
                let rest = (i + 1..bytes.len()).find(|j| !at(*j).is_ascii_digit()).unwrap_or(bytes.len());
                let close = (rest + 1..bytes.len()).find(|j| !at(*j).is_ascii_digit()).unwrap_or(bytes.len());
                at(rest) == b'-' && at(close) == b'>' || at(i + 1) == b'(' && !begins
            }
            b'>' => {
                at(i + 1) == b'!' || at(i + 1) == b'&' && !(at(i + 2).is_ascii_digit() || at(i + 2) == b'-') || at(i + 1) == b'(' && !begins
            }
            b'&' => matches!(at(i + 1), b'!' | b'|' | b'>'),
            b'|' => at(i + 1) == b'&',
            b';' => matches!(at(i + 1), b'&' | b'|'),
            _ => false,
        };
        if odd {
            return true;
        }
    }
    false
}
