//! What zsh and plain shells read otherwise than bash asks; what is left is the same and does not.

use super::*;

#[test]
fn what_zsh_reads_otherwise_asks() {
    let table = [
        // Expansions.
        "ls $HOME['$(touch a)']",
        "ls \"$HOME[$(touch a)]\"",
        "ls $1[2]",
        "ls $*[1]",
        "ls $HOME:h",
        "ls $~x",
        "ls $=x",
        "ls $^x",
        "ls $#x",
        "ls ${(e)x}",
        "ls ${x:h}",
        "ls ${x[1]}",
        "ls ${~x}",
        "ls $\"x\"",
        "ls $'\\M-a'",
        "ls =(ls)",
        "=ls x",
        "ls a; =ls",
        "x=a:=ls ls",
        "ls ~[x]",
        "ls ~+ x",
        "ls ~1",
        // Patterns.
        "ls *(.)",
        "ls *(e:'touch a':)",
        "ls a(e:'touch a':)",
        "ls ^x",
        "ls <->",
        "ls <1-2>",
        "ls a(b|c)",
        "ls [a]#",
        // Redirects and separators.
        "ls >! x",
        "ls >&! x",
        "ls >& x",
        "ls &> x",
        "ls &! pwd",
        "ls &| pwd",
        "ls |& cat",
        "ls >>! x",
        // Control structures and words before a command.
        "for x (a b) ls",
        "repeat 3 ls",
        "foreach x (a) ls; end",
        "noglob ls *",
        "nocorrect ls",
        "- ls",
        "ls; - pwd",
        "{ ls }; pwd; }",
        "f() ( ls )",
        "{ ls; }",
        "chpwd() ( ls )",
        "coproc ls",
        // Builtins.
        "cd a b",
        "cd +1",
        "cd -2",
        "chdir /; ls",
        "print -v 'a[1]' b",
        "typeset -T PATH p",
        "setopt extendedglob",
        "set -o extendedglob",
        "set -A path a",
        "read 'x?a'",
        "read -A x",
        "emulate sh",
        "alias -g a=b",
        "exit 'a[$(touch a)]'",
        "return $x",
        "shift 'x'",
        "zmodload zsh/system",
        "[ 1 -eq 'a[$(touch a)]' ]",
        "test x -lt 1",
        "printf %d 'a[$(touch a)]'",
        "pri'nt'f '%d' x",
        "\\exit x",
        "p{rintf,x}",
        // Variables.
        "path=/x ls",
        "LINES='a[$(touch a)]' ls",
        "READNULLCMD=touch",
        "fpath+=x",
        "x=a\\ b; ls 'a['$x",
    ];
    for text in table {
        assert!(asks(&in_shell(text, ShellKind::Zsh)), "{text:?}");
    }
}

#[test]
fn what_zsh_reads_alike_does_not_ask() {
    let table = [
        "ls && pwd",
        "ls -la | grep x",
        "ls > /dev/null 2>&1",
        "cd a && ls",
        "[ -f x ] && cat x",
        "ls *.rs [ab]*",
        "echo \"$HOME\" ${HOME}/x",
        "for i in a b; do ls; done",
        "if ls; then pwd; fi",
        "find . -name '*.rs' -exec ls {} \\;",
        "cat - < x",
        "printf '%s\\n' a",
        "exit 1",
        "set -e\nls",
        "git log --format=%h",
        "(ls; pwd)",
        "ls $(pwd)",
    ];
    for text in table {
        assert!(in_shell(text, ShellKind::Zsh).understood(), "{text:?}");
    }
}

/// A value with a blank is one word to zsh: it is not followed there.
#[test]
fn values_are_not_split_in_zsh() {
    let script = in_shell("x='a b'; ls $x", ShellKind::Zsh);
    assert!(script.units.last().is_some_and(|u| u.words.iter().any(gate_core::Word::is_unknown)));
}

#[test]
fn what_plain_shells_do_otherwise_asks() {
    for text in ["pushd a; ls", "p'ush'd a; ls", "cd a b; ls", "b=x; export a=$b", "let x=1", "source x", "declare a=b"] {
        assert!(asks(&in_shell(text, ShellKind::Sh)), "{text:?}");
    }
    for text in ["cd a; ls", "export a=b; ls", "cd a && ls b c"] {
        assert!(in_shell(text, ShellKind::Sh).understood(), "{text:?}");
    }
}
