//! Tables of what is understood, what is not, and what the words become. Soundness against a real shell is tested
//! from outside with generated scripts; here stand the kinds that were found.

mod bounds;
mod dialects;
mod layer;
mod sets;
mod wrappers;

use gate_core::{Cwd, Nesting, ParseContext, Script, ShellKind, Stdin};

use crate::{Limits, parse, parse_in};

/// A bash text with the test grammar, a home and a directory.
fn script(text: &str) -> Script {
    in_shell(text, ShellKind::Bash)
}

fn in_shell(text: &str, shell: ShellKind) -> Script {
    let context = ParseContext { shell, home: Some("/home/u"), cwd: Some("/p"), wrappers: &wrappers::Grammar };
    parse_in(text, Limits::default(), &context)
}

/// Units with words, one line each.
fn units(text: &str) -> Vec<String> {
    let script = script(text);
    assert!(script.understood(), "{text:?}: {:?}", script.doubts);
    script.units.iter().filter(|u| !u.words.is_empty()).map(|u| u.shown()).collect()
}

/// Is there a doubt that no vouching lifts?
fn asks(script: &Script) -> bool {
    !script.doubts.is_empty() || script.units.iter().any(|u| u.doubts.iter().any(|d| d.lift.vouched.is_none()))
}

#[test]
fn every_command_is_a_unit() {
    let table: &[(&str, &[&str])] = &[
        ("a; b && c || d | e & f\ng", &["a", "b", "c", "d", "e", "f", "g"]),
        ("if a; then b; elif c; then d; else e; fi", &["a", "b", "c", "d", "e"]),
        ("while a; do b; done; until c; do d; done", &["a", "b", "c", "d"]),
        ("case $1 in (x|y) a;; *) b;; esac", &["a", "b"]),
        ("( a; b ); { c; }; ! d", &["a", "b", "c", "d"]),
        ("f() { a; }; f", &["a", "f"]),
        ("x=$(a) b; export Y=$(c); z=(1 $(d))", &["b", "a", "export Y=$(c)", "c", "d"]),
        ("[[ $(a) == b ]] && c < <(d) > >(e)", &["a", "c", "d", "e"]),
        ("a \"$(b \"$(c)\")\" `d` ${x:-y}", &["a $(b \"$(c)\") $(d) ${x:-y}", "b $(c)", "c", "d"]),
        ("cat <<E\n$(a) \"`b`\" ${x}\nE\nc", &["cat", ":", "a", "b", "c"]),
        ("cat <<'E' 2>&1 | tail -5\n$(a)\nE", &["cat", "tail -5"]),
        ("cat <<\"E\"x 'y'\n$(a)\nEx\nb", &["cat y", "b"]),
        ("a > \"$(b)\"", &["a", "b"]),
        ("for i in $(a); do b; done", &["a", "b"]),
        ("a # b\nc", &["a", "c"]),
    ];
    for (text, expected) in table {
        let mut found = units(text);
        let mut expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "{text:?}");
    }
}

#[test]
fn words_are_what_the_program_gets() {
    let table: &[(&str, &[&str])] = &[
        (r#"a 'b c' "d e" f\ g h"i"'j'"#, &["a", "b c", "d e", "f g", "hij"]),
        (r"a $'x\ty\'z' $'\x41\u00e9'", &["a", "x\ty'z", "Aé"]),
        ("r\\m -\\\nrf 'x'", &["rm", "-rf", "x"]),
        ("l\\\ns -la", &["ls", "-la"]),
        ("a {b,c}{1..3} x{d,'e,f'}", &["a", "b1", "b2", "b3", "c1", "c2", "c3", "xd", "xe,f"]),
        ("a ~ ~/x b=~/y \"~\" z~", &["a", "/home/u", "/home/u/x", "b=/home/u/y", "~", "z~"]),
        ("a $HOME/x \"${HOME}\"", &["a", "/home/u/x", "/home/u"]),
        ("a '' \"\"", &["a", "", ""]),
        ("a >f -x y", &["a", "-x", "y"]),
        ("'a' \\; \\# \"#\"", &["a", ";", "#", "#"]),
        ("git commit -F - <<'E'\nx\nE", &["git", "commit", "-F", "-"]),
    ];
    for (text, expected) in table {
        let script = script(text);
        assert!(script.understood(), "{text:?}: {:?}", script.doubts);
        let words: Vec<Option<&str>> = script.units[0].words.iter().map(gate_core::Word::literal).collect();
        assert_eq!(words, expected.iter().map(|w| Some(*w)).collect::<Vec<_>>(), "{text:?}");
    }
}

#[test]
fn what_only_the_shell_knows_is_unknown() {
    for text in ["a $X", "a \"$X\"", "a $(b)", "a ~root/x", "a ${X:-y}", "HOME=/x; a ~", "a $((1+2))", "a $1", "a \"$@\""] {
        let script = script(text);
        assert!(script.units.iter().any(|u| u.words.iter().any(gate_core::Word::is_unknown)), "{text:?}");
    }
    for text in ["a *", "a x?y", "a [ab]c"] {
        let script = script(text);
        assert!(script.units[0].words[1].is_glob(), "{text:?}");
    }
    assert!(script("a \"$X\"").units[0].words[1].is_unknown());
    assert!(!script("a \"$X\"").units[0].words[1].may_split());
    assert!(script("a $X").units[0].words[1].may_split());
}

#[test]
fn certain_variables_are_followed() {
    let table: &[(&str, &str)] = &[
        ("X=rm; $X -rf y", "rm -rf y"),
        ("P=~/.ssh; F=id; cat \"$P/$F\"", "cat /home/u/.ssh/id"),
        ("X='rm -rf'; $X y", "rm -rf y"),
        ("for f in a b; do cat $f; done", "cat a|cat b"),
        ("export X=a; c $X", "c a"),
        ("A=$HOME/x B=$A; c $B", "c /home/u/x"),
    ];
    for (text, expected) in table {
        let found: Vec<String> = units(text).into_iter().filter(|u| !u.starts_with("export")).collect();
        assert_eq!(found.join("|"), *expected, "{text:?}");
    }
}

#[test]
fn uncertain_variables_are_not_followed() {
    let texts = [
        "X=a; if b; then X=c; fi; d $X",
        "X=a; b && X=c; d $X",
        "X=a; while b; do d $X; X=c; done",
        "X=a; read X; d $X",
        "X=a; printf -v X b; d $X",
        "X=a; unset X; d $X",
        "X=a; f() { X=b; }; f; d $X",
        "X=a; eval b; d $X",
        "(X=a); d $X",
        "X=a | b; d $X",
        "X=a & d $X",
        "X=a; : ${X:=b}; d $X",
        "IFS=:; X=a:b; d $X",
        "X+=a; d $X",
    ];
    for text in texts {
        let script = script(text);
        let last = script.units.iter().rfind(|u| u.program() == Some("d")).unwrap();
        assert!(last.words[1].is_unknown(), "{text:?}: {}", last.shown());
    }
}

#[test]
fn directories_are_followed() {
    let moved = |t: &str| Cwd::Moved(t.to_owned());
    let table = [
        ("x", moved("")),
        ("cd a && x", moved("a")),
        ("cd a; cd b; x", moved("a/b")),
        ("cd /a; x", moved("/a")),
        ("pushd a; x", moved("a")),
        ("(cd a); x", moved("")),
        ("cd a | y; x", moved("")),
        ("cd a & x", moved("")),
        ("{ cd a; }; x", moved("a")),
        ("cd \"$D\"; x", Cwd::Unknown),
        ("cd -; x", Cwd::Unknown),
        ("cd; x", Cwd::Unknown),
        ("if a; then cd b; fi; x", Cwd::Unknown),
        ("f() { cd b; }; f; x", Cwd::Unknown),
        ("command cd /a; x", moved("/a")),
        ("builtin cd a; x", moved("a")),
        ("eval 'cd a'; x", Cwd::Unknown),
        ("eval \"$y\"; x", Cwd::Unknown),
        (". y; x", Cwd::Unknown),
        ("trap 'x' EXIT; cd a", Cwd::Unknown),
    ];
    for (text, cwd) in table {
        let script = script(text);
        assert_eq!(script.units.iter().rfind(|u| u.program() == Some("x")).unwrap().cwd, cwd, "{text:?}");
    }
}

#[test]
fn trees_that_lie_are_not_understood() {
    // Each kind in which the grammar's tree is clean and wrong: either it is seen as the shell sees it, or it asks.
    let table: &[(&str, &str)] = &[
        ("ls\n\\rm x", "rm x"),
        ("echo ==\nrm x", "rm x"),
        ("echo a\\\n# ; rm x", "rm x"),
        ("echo \\ # ; rm x", "rm x"),
        ("echo $'\\\\'; rm x #'", "rm x"),
        ("echo `rm x #`", "rm x"),
        ("echo `echo \\`rm x\\``", "rm x"),
        ("cat <<-E\n\t$(rm x)\n\tE", "rm x"),
        ("cat <<E\n E\n: '\nE\nrm x\n#'", "rm x"),
        ("cat <<E\n\\\nE\nrm x\nE", "rm x"),
        ("rm <<E x\nE", "rm x"),
        ("rm >f x", "rm x"),
        ("<& -rm x", "-rm x"),
        ("[ a | rm x ]", "rm x ]"),
        ("[ a =\nrm x ]", "rm x ]"),
        ("echo ${y#$(rm x)}", "rm x"),
        ("echo ${y:-<(rm x)}", "rm x"),
        ("[[ a =~ ^(x|`rm x`)$ ]]", "rm x"),
        ("r\\\nm x", "rm x"),
        ("''\\rm x", "rm x"),
        ("! time rm x", "rm x"),
        ("coproc rm x", "rm x"),
        ("1a=b rm", "1a=b rm"),
        ("!x y", "!x y"),
        ("a ${x##$\\}}b", ""),
    ];
    for (text, runs) in table {
        let script = script(text);
        let seen = script.units.iter().any(|u| u.shown() == *runs);
        assert!(seen || asks(&script), "{text:?}: {:?}", script.units.iter().map(gate_core::Unit::shown).collect::<Vec<_>>());
    }
}

#[test]
fn evaluators_ask() {
    let texts = [
        "x='a[$(rm x)]'; ((x))",
        "echo $((x))",
        "echo ${y:x}",
        "[[ x -eq 0 ]]",
        "echo ${!x}",
        "echo ${x@P}",
        "test -v 'a[$(rm x)]'",
        "printf -v 'a[$(rm x)]' x",
        "read 'a[$(rm x)]'",
        "unset 'y[$(rm x)]'",
        "declare 'a[$(rm x)]=1'",
        "declare -i z=x",
        "let x",
        "mapfile -C 'rm x' -c 1 z",
        "compgen -C 'rm x' a",
        "eval \"$x\"",
        "source ./x",
        ". x",
        "trap \"$x\" EXIT",
        "alias ls='rm x'",
        "shopt -s expand_aliases",
        "shopt -s extglob",
        "hash -p /bin/rm ls",
        "enable -f ./x y",
        "set -k",
        "$X y",
        "\"$X\" y",
        "'' y",
        "*x y",
        "> out.txt",
        "coproc x",
        "[[ -v 'a[$(x)]' ]]",
        "test -v \"$x\"",
        "CDPATH=/a; cd b; ls",
    ];
    for text in texts {
        assert!(asks(&script(text)), "{text:?}");
    }
}

#[test]
fn harmless_builtins_do_not_ask() {
    let texts = [
        "set -e; set -euo pipefail; ls",
        "command -v x",
        "trap 'rm -f \"$t\"' EXIT",
        "trap - INT",
        "export X=1 Y=$Z",
        "[ -f x ] && ls",
        "[[ -n $X && $Y == a* ]] && ls",
        "[[ $X =~ ^[0-9]+$ ]]",
        "i=0; while [ $i -lt 5 ]; do echo $i; i=$((i+1)); done",
        "test -d x || mkdir x",
        "printf '%s\\n' \"$a\" \"$b\"",
        "while read -r l; do echo \"$l\"; done < x",
        "echo $((1+2)) ${#x} ${x%.*} ${x:-y}",
        "shopt -s nullglob globstar",
        "time ls",
        "unset X",
        "[[ -v HOME ]] && test -v x",
        "hash ls",
        "for k in \"${!m[@]}\"; do echo \"$k\"; done",
    ];
    for text in texts {
        let script = script(text);
        assert!(!asks(&script), "{text:?}: {:?} {:?}", script.doubts, script.units);
    }
}

#[test]
fn odd_characters_are_not_understood() {
    for text in
        ["ls\rrm x", "ls \u{7}", "ls\u{b}x", "ls\u{a0}x", "echo \u{202e}x", "a\u{200b}b", "\u{3000}", "ls \0", "-", "+x", "a ${ b;}"]
    {
        let script = script(text);
        assert!(!script.understood(), "{text:?}");
        assert!(!script.empty, "{text:?}");
    }
}

#[test]
fn what_is_not_understood_leaves_suspects() {
    for text in ["ls && r'm' -rf x \"", "if true; then rm -rf x", "echo $[1]; rm -rf x", "case x in; rm -rf x"] {
        let script = script(text);
        assert!(!script.understood(), "{text:?}");
        let hit =
            |w: &[gate_core::Word]| w.windows(3).any(|w| w.iter().map(gate_core::Word::shown).collect::<Vec<_>>() == ["rm", "-rf", "x"]);
        assert!(script.suspects.iter().any(|s| hit(s)), "{text:?}: {:?}", script.suspects);
    }
}

#[test]
fn redirects_reach_the_commands_inside() {
    let script = script("{ a; b; } > out 2>/dev/null < in; c 2>&1 >>log");
    let shown: Vec<Vec<String>> = script.units.iter().map(|u| u.redirects.iter().map(|r| r.target.shown()).collect()).collect();
    assert_eq!(shown, [vec!["out", "/dev/null", "in"], vec!["out", "/dev/null", "in"], vec!["log"]]);
    assert_eq!(script.units[0].stdin, Stdin::File);
}

#[test]
fn here_documents_are_standard_input() {
    let script = script("a <<'E'\nx $y\nE\nb <<< 'z'; c | d");
    assert_eq!(script.units[0].stdin, Stdin::Text(gate_core::Word::text("x $y\n")));
    assert!(matches!(&script.units[1].stdin, Stdin::Text(w) if w.literal() == Some("z")));
    assert_eq!(script.units[3].stdin, Stdin::Pipe);
    assert_eq!(script.units[3].pipe.map(|p| (p.index, p.len)), Some((1, 2)));
}

#[test]
fn functions_are_known() {
    let script = script("ls() { rm x; }; ls y");
    let body = script.units.iter().find(|u| u.program() == Some("rm")).unwrap();
    assert_eq!(body.nesting, Nesting::Function);
    assert!(script.units.iter().find(|u| u.program() == Some("ls")).unwrap().calls_function);
}

#[test]
fn nothing_runs() {
    for text in ["", "  \n\t", "# only a comment", "# a\n# b\n"] {
        assert!(script(text).empty, "{text:?}");
    }
    for text in ["ls", "> x", "X=1", "\u{3000}"] {
        assert!(!script(text).empty, "{text:?}");
    }
}

#[test]
fn other_shells() {
    for shell in [ShellKind::Fish, ShellKind::PowerShell, ShellKind::Cmd] {
        let script = in_shell("ls; rm -rf x", shell);
        assert!(!script.understood());
        assert!(script.suspects.iter().any(|s| s.first().and_then(gate_core::Word::literal) == Some("rm")));
    }
    assert!(in_shell("ls && pwd", ShellKind::Sh).understood());
}

#[test]
fn limits_hold() {
    let fits = format!("{}ls", " ".repeat(gate_core::limits::COMMAND_BYTES - 2));
    assert!(!script(&format!("{fits} ")).understood());
    let small = Limits { bytes: 10, ..Limits::default() };
    assert!(parse("ls -l xxxx", small).understood());
    assert!(!parse("ls -l xxxxx", small).understood());
    let few = Limits { units: 2, ..Limits::default() };
    assert!(parse("a; b", few).understood());
    assert!(!parse("a; b; c", few).understood());
    let flat = Limits { depth: 6, ..Limits::default() };
    assert!(parse("(a)", flat).understood());
    assert!(!parse("((((((a))))))", flat).understood());
    assert!(!parse("( ( ( ( a ) ) ) )", flat).understood());
}

#[test]
fn any_text_is_answered() {
    const PARTS: &[&str] = &[
        "a",
        "rm",
        " ",
        " ",
        "\n",
        ";",
        "|",
        "&",
        "&&",
        "$(",
        ")",
        "(",
        "`",
        "\"",
        "'",
        "\\",
        "{",
        "}",
        "${",
        "$((",
        "))",
        "[[",
        "]]",
        "[",
        "]",
        "<<E",
        "\nE\n",
        "<",
        ">",
        ">&",
        "$x",
        "#",
        "=",
        "x=",
        "if ",
        "then ",
        "fi",
        "for i in ",
        "do ",
        "done",
        "case ",
        "esac",
        ";;",
        "*",
        "~",
        "!",
        "é",
        "→",
        "\u{200b}",
        "\u{0}",
        "{1..9}",
        "{a,b}",
        "$'",
        "<(",
        "@(",
        "time ",
        "f() ",
        "-",
        "1",
        "\\\n",
        "eval ",
        "<<-'E'",
    ];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..3_000 {
        let mut text = String::new();
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        for k in 0..(state % 24) {
            let pick = (state.rotate_left((k * 7) as u32) ^ k.wrapping_mul(0xff51_afd7_ed55_8ccd)) as usize;
            text.push_str(PARTS[pick % PARTS.len()]);
        }
        for shell in [ShellKind::Bash, ShellKind::Zsh] {
            let script = in_shell(&text, shell);
            assert_eq!(script.raw, text);
            for (i, u) in script.units.iter().enumerate() {
                assert!(u.parent.is_none_or(|p| p < i), "{text:?}");
            }
        }
    }
}
