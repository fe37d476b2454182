//! Tables for patterns: notations, wildcards, limits, time.

use std::time::Instant;

use gate_core::{Entry, Source, Unit, Word, limits};

use super::view::View;
use super::wild::Wild;
use super::{Permission, Want};

fn unit(line: &str) -> Unit {
    Unit { words: line.split(' ').map(Word::text).collect(), raw: line.to_owned(), ..Unit::default() }
}

fn entry(text: &str, want: Want) -> Permission {
    Permission::new(&Entry { text: text.to_owned(), source: Source::User }, want).unwrap()
}

fn covers(text: &str, line: &str) -> bool {
    entry(text, Want::Allow).covers(&unit(line))
}

fn hits(text: &str, line: &str) -> bool {
    entry(text, Want::Tighten).hits(&View::of_unit(&unit(line)))
}

#[test]
fn both_notations() {
    assert!(covers("bash(git status*)", "git status --short"));
    assert!(!covers("bash(git status*)", "git push --force"));
    assert!(covers("Bash(git push:*)", "git push origin x") && covers("Bash(git push:*)", "git push"));
    assert!(!covers("Bash(git push:*)", "git pusher"));
    assert!(covers("Bash(npm run test *)", "npm run test a"));
    assert!(!covers("Bash(npm run test)", "npm run test a"));
    assert!(covers("bash", "anything at all") && covers("bash()", "x") && covers("bash(*)", "x"));
    assert!(!covers("Bash(LS:*)", "ls"), "allow does not fold case");
    assert!(hits("Bash(RM:*)", "rm x"), "deny does");
}

#[test]
fn deny_sees_through_spellings() {
    for line in ["/bin/rm -rf x", "rm -fr x", "rm -r -f x", "rm -rfv x"] {
        assert!(hits("Bash(rm -rf:*)", line), "{line}");
    }
    assert!(hits("Bash(git push:*)", "git --no-pager push") && hits("Bash(git push:*)", "git -C sub push origin"));
    assert!(!hits("Bash(git push:*)", "git pull"));
}

#[test]
fn wildcards() {
    let m = |p: &str, t: &str| Wild::new(p, true, false).matches(t);
    assert!(m("git *", "git push origin main") && !m("git *", "gitsomething") && !m("git *", "hg push"));
    assert!(m("a?c", "abc") && !m("a?c", "ac") && !m("a?c", "abbc"));
    assert!(m("", "") && !m("", "x"));
    assert!(m("a.b+c", "a.b+c") && !m("a.b", "axb") && !m("GIT", "git"));
    assert!(m("pwd", "pwd") && !m("pwd", " pwd") && !m("pwd", "pwdx"));
    assert!(m("a*", "a\nb"), "a star crosses lines");
}

/// Characters beyond the basic plane count two.
#[test]
fn limits_in_utf16_units() {
    assert!(
        Permission::new(&Entry { text: format!("bash({})", "x".repeat(limits::PATTERN_UTF16 - 6)), source: Source::User }, Want::Tighten)
            .is_ok()
    );
    assert!(
        Permission::new(&Entry { text: format!("bash({})", "x".repeat(limits::PATTERN_UTF16)), source: Source::User }, Want::Tighten)
            .is_err()
    );
    let long = |n: usize, c: &str| Unit { words: vec![Word::text(c.repeat(n))], raw: c.repeat(n), ..Unit::default() };
    let allow = entry("bash(x*)", Want::Allow);
    assert!(allow.covers(&long(limits::ARGUMENT_UTF16, "x")));
    assert!(!allow.covers(&long(limits::ARGUMENT_UTF16 + 1, "x")), "too long for an allow");
    let deny = entry("bash(nothing like it)", Want::Tighten);
    assert!(!deny.hits(&View::of_unit(&long(limits::ARGUMENT_UTF16, "x"))));
    assert!(deny.hits(&View::of_unit(&long(limits::ARGUMENT_UTF16 + 1, "x"))), "too long counts as a hit");
    let astral = entry("bash(\u{1F600}*)", Want::Allow);
    assert!(
        astral.covers(&long(limits::ARGUMENT_UTF16 / 2, "\u{1F600}")) && !astral.covers(&long(limits::ARGUMENT_UTF16 / 2 + 1, "\u{1F600}"))
    );
}

/// Stars cost no more than the length of the text, so that nobody can stall the gate with a pattern.
#[test]
fn matching_is_linear() {
    let text = "a".repeat(1_048_576);
    let time = |p: &str| {
        let wild = Wild::new(p, true, false);
        let begun = Instant::now();
        assert!(!wild.matches(&text));
        begun.elapsed()
    };
    let one = time("*b");
    let many = time(&format!("{}b", "*a".repeat(60)));
    // Debug builds are slow; the ratio tells what backtracking would not.
    assert!(many < one * 200 + std::time::Duration::from_millis(500), "{many:?} against {one:?}");
}
