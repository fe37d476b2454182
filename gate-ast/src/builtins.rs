//! Builtins of the shell that evaluate, run or move: what each does to the analysis. Owns per-builtin rules; programs
//! that run other programs are the catalogue's (`WrapperGrammar`).

use gate_core::Word;

use crate::{EVALUATED, INDIRECTION, OPAQUE};

/// What a builtin does.
#[derive(Debug, PartialEq, Eq)]
pub enum Does {
    /// Nothing that the analysis needs to follow.
    Nothing,
    /// It cannot be known what it does.
    Doubt(&'static str, &'static str),
    /// It runs these words as a command; the floor is lifted when that is vouched for.
    Runs(usize),
    /// It runs this text as a script.
    Script {
        /// The text; `None`: only the shell can know it.
        text: Option<String>,
        /// The floor is lifted when everything in the text is vouched for.
        lifted: bool,
    },
    /// It changes the working directory to this word; `None`: not known where.
    Moves(Option<Word>),
}

fn option(words: &[Word], letters: &str) -> bool {
    words.iter().skip(1).take_while(|w| w.literal() != Some("--")).any(|w| match w.literal() {
        Some(t) => t.starts_with('-') && t.chars().skip(1).any(|c| letters.contains(c)),
        None => w.may_be_option(),
    })
}

fn mentions_subscript(words: &[Word]) -> bool {
    words.iter().skip(1).any(|w| w.shown().contains('['))
}

/// `printf -v NAME`: a name with a subscript is evaluated. Options stand before the format only.
fn printf_assigns(rest: &[Word]) -> bool {
    let Some(first) = rest.first() else { return false };
    match first.literal() {
        Some("-v") => !rest.get(1).and_then(Word::literal).is_some_and(crate::decode::is_name),
        Some(t) => t.strip_prefix("-v").is_some_and(|name| !crate::decode::is_name(name)),
        None => first.may_split() || (first.may_be_option() && rest.len() > 1),
    }
}

/// `-v NAME` and `-R NAME`: a subscript in the name is evaluated. A plain name is harmless.
fn tests_name(words: &[Word]) -> bool {
    let plain = |w: Option<&Word>| w.and_then(Word::literal).is_some_and(crate::decode::is_name);
    words.iter().enumerate().any(|(i, w)| matches!(w.literal(), Some("-v" | "-R")) && !plain(words.get(i + 1)))
}

/// What a command with these words does, if its program is such a builtin.
pub fn does(words: &[Word]) -> Does {
    let Some(name) = words.first().and_then(Word::literal) else { return Does::Nothing };
    let rest = words.get(1..).unwrap_or_default();
    match name {
        "eval" => {
            let texts: Option<Vec<&str>> = rest.iter().map(Word::literal).collect();
            Does::Script { text: texts.map(|t| t.join(" ")), lifted: false }
        }
        "source" | "." => Does::Doubt(OPAQUE, "runs the commands of another file"),
        "exec" | "builtin" | "command" => runs(name, rest),
        "time" => Does::Runs(1 + usize::from(rest.first().and_then(Word::literal) == Some("-p"))),
        "trap" => trap(rest),
        "cd" | "pushd" => moves(rest),
        "popd" => Does::Moves(None),
        "alias" | "unalias" if !rest.is_empty() => Does::Doubt(EVALUATED, "an alias changes what later commands mean"),
        "hash" if rest.iter().all(|w| w.literal().is_some_and(|t| t == "-r" || !t.starts_with('-'))) => Does::Nothing,
        "enable" | "bind" | "fc" | "history" | "complete" | "compgen" | "compopt" | "hash" | "ulimit" if !rest.is_empty() => {
            Does::Doubt(EVALUATED, "changes how the shell finds or reads commands")
        }
        "coproc" => Does::Doubt(EVALUATED, "starts a co-process"),
        "set" => set(rest),
        "shopt" => shopt(rest),
        "let" => Does::Doubt(EVALUATED, "evaluates text as an expression"),
        "mapfile" | "readarray" if option(words, "C") => Does::Doubt(EVALUATED, "runs a callback"),
        "printf" if printf_assigns(rest) => Does::Doubt(EVALUATED, "assigns to a name that may hold code"),
        "read" | "wait" | "getopts" | "unset" | "mapfile" | "readarray" if mentions_subscript(words) => {
            Does::Doubt(EVALUATED, "assigns to a name that may hold code")
        }
        "read" | "unset" | "getopts" | "mapfile" | "readarray" if rest.iter().any(Word::is_unknown) => {
            Does::Doubt(EVALUATED, "assigns to a name that only the shell can know")
        }
        "test" | "[" if tests_name(words) => Does::Doubt(EVALUATED, "tests a name that may hold code"),
        "test" | "[" if rest.iter().any(|w| w.is_unknown() && w.may_split()) && rest.len() == 2 + usize::from(name == "[") => Does::Nothing,
        "declare" | "typeset" | "local" | "export" | "readonly" => declares(words),
        _ => Does::Nothing,
    }
}

/// `command`, `exec` and `builtin` with their options.
fn runs(name: &str, rest: &[Word]) -> Does {
    let mut at = 0;
    while let Some(t) = rest.get(at).and_then(Word::literal) {
        if t == "--" {
            at += 1;
            break;
        }
        if !t.starts_with('-') || t == "-" {
            break;
        }
        match (name, t) {
            ("command", "-v" | "-V") => return Does::Nothing,
            ("command", "-p") | ("exec", "-c" | "-l" | "-cl" | "-lc") => at += 1,
            ("exec", "-a") => at += 2,
            _ => return Does::Doubt(INDIRECTION, "runs another command in a way that is not understood"),
        }
    }
    if at >= rest.len() {
        return Does::Nothing;
    }
    Does::Runs(at + 1)
}

fn trap(rest: &[Word]) -> Does {
    let rest = if rest.first().and_then(Word::literal) == Some("--") { rest.get(1..).unwrap_or_default() } else { rest };
    match rest {
        [] => Does::Nothing,
        [one] if matches!(one.literal(), Some("-l" | "-p")) => Does::Nothing,
        [_] => Does::Doubt(OPAQUE, "sets a trap that is not understood"),
        [action, ..] => match action.literal() {
            Some("-" | "") => Does::Nothing,
            Some("-p") => Does::Nothing,
            Some(text) => Does::Script { text: Some(text.to_owned()), lifted: true },
            None => Does::Script { text: None, lifted: false },
        },
    }
}

fn moves(rest: &[Word]) -> Does {
    // With `-P` later `..` lead out of where links lead, which is not followed.
    let operands: Vec<&Word> = rest.iter().filter(|w| !matches!(w.literal(), Some("-L" | "--" | "-n"))).collect();
    match operands.as_slice() {
        [one] if one.literal().is_some_and(|t| !t.is_empty() && !t.starts_with(['-', '+'])) => Does::Moves(Some((*one).clone())),
        _ => Does::Moves(None),
    }
}

/// Options that change nothing of what later commands mean.
fn set(rest: &[Word]) -> Does {
    let mut words = rest.iter();
    while let Some(w) = words.next() {
        let Some(t) = w.literal() else { return Does::Doubt(EVALUATED, "sets options that only the shell can know") };
        match t {
            "--" | "-" => return Does::Nothing,
            "-o" | "+o" => match words.next().and_then(Word::literal) {
                None
                | Some("errexit" | "nounset" | "pipefail" | "xtrace" | "verbose" | "noglob" | "noclobber" | "monitor" | "errtrace") => {}
                Some(_) => return Does::Doubt(EVALUATED, "sets an option that changes how commands are read"),
            },
            _ if t.starts_with(['-', '+']) => {
                let Some(last) = t.chars().last() else { continue };
                if t.chars().skip(1).any(|c| !"euxovfCmbhE".contains(c)) {
                    return Does::Doubt(EVALUATED, "sets an option that changes how commands are read");
                }
                if last == 'o' && !matches!(words.next().and_then(Word::literal), Some("errexit" | "nounset" | "pipefail" | "xtrace")) {
                    return Does::Doubt(EVALUATED, "sets an option that changes how commands are read");
                }
            }
            _ => return Does::Nothing,
        }
    }
    Does::Nothing
}

fn shopt(rest: &[Word]) -> Does {
    let harmless = |w: &Word| {
        matches!(
            w.literal(),
            Some(
                "-s" | "-u"
                    | "-q"
                    | "-p"
                    | "nullglob"
                    | "globstar"
                    | "dotglob"
                    | "failglob"
                    | "nocaseglob"
                    | "checkwinsize"
                    | "inherit_errexit"
            )
        )
    };
    if rest.iter().all(harmless) { Does::Nothing } else { Does::Doubt(EVALUATED, "sets an option that changes how commands are read") }
}

/// Declarations evaluate subscripts, integer values, references and quoted arrays.
fn declares(words: &[Word]) -> Does {
    let odd = words.iter().skip(1).any(|w| {
        let t = w.shown();
        let options = t.starts_with(['-', '+']) && t.chars().skip(1).any(|c| !"xraAglpFfu".contains(c));
        let (name, value) = t.split_once('=').unwrap_or((t.as_str(), ""));
        let name = name.trim_end_matches('+');
        options
            || (!t.starts_with(['-', '+']) && !crate::decode::is_name(name))
            || value.starts_with('(')
            || (w.is_unknown() && w.may_be_option())
    });
    if odd { Does::Doubt(EVALUATED, "declares a variable in a way that evaluates text") } else { Does::Nothing }
}
