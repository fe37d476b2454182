//! Variables that are set without `NAME=value` are named, and what was followed before is no longer relied upon.

use super::{asks, script};

#[test]
fn every_way_to_set_a_variable_is_named() {
    for text in [
        "printf -v X . ; a",
        "printf -vX .",
        "read X",
        "read -r y X",
        "read -a X",
        "read -raX",
        "read -p 'prompt' -- X",
        "mapfile X",
        "readarray -t -n 3 X",
        "getopts ab X",
        "wait -n -p X",
        "unset X",
        "unset -v y X",
        "command read X",
        "command -p unset X",
        "builtin printf -v X .",
        "command export X=1",
        "Y=read; $Y X",
        "for X in a b; do c; done",
        "select X in a b; do c; done",
        ": ${X:=a}",
        ": ${X=a}",
        "a \"b ${X:=c}\"",
        "[[ -n ${X:=a} ]]",
        "((X=1))",
        "((X+=1))",
        "((X++))",
        "((--X))",
        "a $((X=1))",
        "for ((X=1;X<3;X++)); do a; done",
        "cat <<E\n${X:=a}\nE\n",
        "( read X )",
        "f() { read X; }",
        "while read X; do a; done",
        "bash -c 'read X'",
    ] {
        let script = script(text);
        assert!(script.sets.iter().any(|n| n == "X"), "{text:?}: {:?}", script.sets);
    }
}

#[test]
fn names_that_are_only_used_are_not_set() {
    for text in [
        "export X",
        "declare -x X",
        "X=1",
        "echo $X ${X:-a} ${X#a}",
        "read -p X y",
        "printf '%s' -v X",
        "printf '%s' X",
        "getopts X y",
        "((y==X))",
        "[ -v X ]",
        "echo read X",
        "for y in X; do a; done",
    ] {
        let script = script(text);
        assert!(!script.sets.iter().any(|n| n == "X"), "{text:?}: {:?}", script.sets);
    }
}

#[test]
fn a_value_that_was_replaced_out_of_sight_is_not_followed() {
    for text in [
        "X=ls; command read X <<<rm; $X -rf a",
        "X=ls; builtin printf -v X rm; $X -rf a",
        "X=ls; command declare X=rm; $X -rf a",
        "X=ls; command -p unset X; $X a",
        "X=ls; Y=read; $Y X <<<rm; $X -rf a",
        "X=1; ((X=2)); $X a",
        "X=ls; wait -p X; $X a",
    ] {
        assert!(asks(&script(text)), "{text:?}");
    }
}
