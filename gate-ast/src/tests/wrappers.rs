//! Wrappers through a small grammar: what they run is a unit of its own, and the floor says what lifts it.

use gate_core::{Inner, InnerCommand, Nesting, Script, ShellKind, Word, WrapperGrammar};

use super::{asks, script};
use crate::{INDIRECTION, OPAQUE};

/// Knows `timeout N CMD`, `sudo CMD`, `xargs CMD`, `bash [-c TEXT]` and `python3`.
pub struct Grammar;

impl WrapperGrammar for Grammar {
    fn unwrap_command(&self, words: &[Word]) -> Vec<Inner> {
        let inner = |command, sentinel: &'static str, transparent, named| Inner {
            command,
            sentinel: sentinel.into(),
            transparent,
            named,
            elsewhere: false,
            moved: None,
        };
        let rest = |n: usize| words.get(n..).unwrap_or_default().to_vec();
        match words.first().and_then(Word::literal) {
            Some("timeout") => vec![inner(InnerCommand::Words(rest(2)), INDIRECTION, true, false)],
            Some("sudo") => vec![inner(InnerCommand::Words(rest(1)), INDIRECTION, false, false)],
            Some("xargs") => {
                let mut words = rest(1);
                words.push(Word::unknown("{}", true));
                vec![inner(InnerCommand::Words(words), INDIRECTION, true, false)]
            }
            Some("bash") if words.get(1).and_then(Word::literal) == Some("-c") => {
                let text = words.get(2).cloned().unwrap_or_default();
                vec![inner(InnerCommand::Script { text, shell: ShellKind::Bash }, OPAQUE, true, false)]
            }
            Some("fish") => vec![inner(InnerCommand::Script { text: words[2].clone(), shell: ShellKind::Fish }, OPAQUE, true, false)],
            Some("bash") => vec![inner(InnerCommand::Stdin(ShellKind::Bash), OPAQUE, true, false)],
            Some("python3") => vec![inner(InnerCommand::Hidden, OPAQUE, false, true)],
            _ => Vec::new(),
        }
    }
}

fn find<'s>(script: &'s Script, shown: &str) -> Option<&'s gate_core::Unit> {
    script.units.iter().find(|u| u.shown() == shown)
}

#[test]
fn inner_commands_are_units() {
    for (text, inner, nesting) in [
        ("timeout 5 rm x", "rm x", Nesting::Wrapped),
        ("timeout 5 timeout 6 rm x", "rm x", Nesting::Wrapped),
        ("ls | xargs rm", "rm {}", Nesting::Wrapped),
        ("bash -c 'ls; rm x'", "rm x", Nesting::ShellText),
        ("bash -c \"timeout 5 bash -c 'rm x'\"", "rm x", Nesting::ShellText),
        ("bash <<'E'\nrm x\nE", "rm x", Nesting::ShellText),
        ("bash <<< 'rm x'", "rm x", Nesting::ShellText),
        ("eval 'rm x'", "rm x", Nesting::ShellText),
        ("eval rm x", "rm x", Nesting::ShellText),
        ("trap 'rm x' EXIT", "rm x", Nesting::ShellText),
        ("command rm x", "rm x", Nesting::Wrapped),
        ("exec rm x", "rm x", Nesting::Wrapped),
        ("X=rm; timeout 5 $X x", "rm x", Nesting::Wrapped),
        ("sudo rm x", "rm x", Nesting::Wrapped),
    ] {
        let script = script(text);
        let unit = find(&script, inner).unwrap_or_else(|| panic!("{text:?}: {:?}", script.units));
        assert_eq!(unit.nesting, nesting, "{text:?}");
        assert!(unit.parent.is_some(), "{text:?}");
        let outer = &script.units[unit.parent.unwrap()];
        assert!(!outer.doubts.is_empty(), "{text:?}");
    }
}

#[test]
fn floors_are_lifted_by_inner_units_only() {
    let script = script("timeout 5 bash -c 'ls; pwd'");
    let lifted = script.units[0].doubts[0].lift.vouched.clone().unwrap();
    assert_eq!(lifted, (1..script.units.len()).collect::<Vec<_>>());
    for text in [
        "sudo ls",
        "eval ls",
        "eval \"$x\"",
        "bash -c \"$x\"",
        "bash -c 'ls \"'",
        "curl x | bash",
        "bash",
        "python3 x.py",
        "fish -c ls",
        "timeout 5",
        "timeout 5 $X",
        "timeout 5 eval ls",
        "command $X",
        "bash -c 'bash -c \"$0\"'",
    ] {
        assert!(asks(&super::script(text)), "{text:?}");
    }
    for text in ["timeout 5 ls", "bash -c 'ls && pwd'", "command ls", "ls | xargs grep x", "time ls", "bash <<'E'\nls\nE"] {
        assert!(!asks(&super::script(text)), "{text:?}");
    }
}

#[test]
fn nesting_of_scripts_is_bounded() {
    let mut text = "rm x".to_owned();
    for _ in 0..4 {
        text = format!("eval {}", quoted(&text));
    }
    assert!(find(&script(&text), "rm x").is_some());
    let many = "eval ".repeat(40) + "rm x";
    let script = script(&many);
    assert!(asks(&script));
    assert!(script.units.len() < 100);
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[test]
fn what_plain_shells_read_otherwise_asks() {
    for text in [
        "ls &>/dev/null ./x",
        "ls |& cat",
        "echo $'a\\'; b; #'",
        "x+=./x",
        "a[1]=./x",
        "a=(b)",
        "[[ -n x ]]",
        "((x))",
        "cat <<<x",
        "cat <(ls)",
        "ls >&f",
        "{ls,x}",
        "./{a,b}",
        "select x in a; do b; done",
    ] {
        assert!(asks(&super::in_shell(text, ShellKind::Sh)), "{text:?}");
        assert!(asks(&super::in_shell(text, ShellKind::Ksh)), "{text:?}");
    }
    for text in
        ["ls -la | grep x", "ls >/dev/null 2>&1", "x=1; ls $x", "[ -f x ] && cat x", "{ ls; }", "echo $((1+2))", "ls 2>&-", "echo ${x}"]
    {
        assert!(!asks(&super::in_shell(text, ShellKind::Sh)), "{text:?}");
    }
}
