//! Every shipped file is right and its examples come out as it says; the rules of the matcher, one by one.

use super::*;

fn files() -> Vec<(String, String)> {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/commands");
    let mut out: Vec<(String, String)> = std::fs::read_dir(dir)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == "toml"))
        .map(|p| (p.display().to_string(), std::fs::read_to_string(&p).unwrap()))
        .collect();
    out.sort();
    out
}

#[test]
fn catalogue_examples_come_out_as_the_files_say() {
    let mut bad = String::new();
    for (file, text) in files() {
        let name = file.rsplit('/').next().unwrap();
        match check_family(&file, &text) {
            Ok(failures) => failures.iter().for_each(|f| bad.push_str(&format!("{name}: {f}\n"))),
            Err(problems) => problems.iter().for_each(|p| bad.push_str(&format!("{p}\n"))),
        }
    }
    assert!(bad.is_empty(), "\n{bad}");
}

/// What a family given as text says of a command line: known, effects.
fn says(family: &str, line: &str) -> (bool, Vec<&'static str>) {
    let text = format!("names = [\"x\"]\nabout = \"a program\"\n{family}\n[examples]\nunknown = [\"x --no-such-option-here\"]\n");
    let (mut own, mistakes) = Catalogue::with_user(&[("x.toml".to_owned(), text)]);
    assert!(mistakes.is_empty(), "{mistakes:?}");
    own.bare = true;
    let script = read_line(line);
    let finding = own.find("x").unwrap().assess(&script.units[0].words);
    (finding.because.is_none(), finding.effects.iter().map(gate_core::Effect::name).collect())
}

const PLAIN: &str = r#"
does = ["reads"]
[options]
"" = ["-a", "-b", "-o=write", "-c=?", "--all", "--out=write", "--color=?", "-#"]
[[when]]
id = "force"
has = ["-f", "--force", "+*"]
does = ["destroys"]
why = "loses something"
hits = ["x -f"]
misses = ["x -a"]
"#;

#[test]
fn options_have_an_arity_and_stand_in_clusters() {
    let reads = vec!["reads"];
    for line in ["x -a", "x -ab", "x -5", "x --all f", "x --color=always", "x -calways -a", "x -- --force", "x -", "x -o- f"] {
        assert_eq!(says(PLAIN, line), (true, reads.clone()), "{line}");
    }
    for line in ["x -o f", "x -of", "x -aof", "x --out=f", "x --out f"] {
        assert_eq!(says(PLAIN, line), (true, vec!["reads", "writes"]), "{line}");
    }
    for line in ["x -z", "x -az", "x --al", "x --all=3", "x --nope", "x --colo"] {
        assert!(!says(PLAIN, line).0, "{line}");
    }
}

#[test]
fn has_matches_clusters_abbreviations_and_operands_but_not_values() {
    for line in ["x -f", "x -af", "x -zf", "x --force", "x --forc", "x +main", "x \"+$B\"", "x --force=yes"] {
        assert!(says(PLAIN, line).1.contains(&"destroys"), "{line}");
    }
    for line in ["x -o -f", "x --out --force", "x -- -f", "x main", "x \"r/$B\""] {
        assert!(!says(PLAIN, line).1.contains(&"destroys"), "{line}");
    }
}

#[test]
fn a_word_known_only_at_run_time_may_be_any_option() {
    for line in ["x $A", "x \"$A\"", "x *", "x r/$A", "x -o $A", "x -a$A"] {
        let (known, effects) = says(PLAIN, line);
        assert!(!known && effects.contains(&"destroys"), "{line}: {effects:?}");
    }
    for line in ["x -- \"$A\"", "x \"r/$A\"", "x r/*", "x -o \"$A\""] {
        assert!(says(PLAIN, line).0, "{line}");
    }
}

const CLOSED: &str = r#"
bare = []
global = ["-q", "-C=cwd"]
[sub]
changes = ["branch", "set"]
reads = ["log", "set show"]
destroys = ["set drop"]
[options]
log = ["-n="]
branch = ["-v", "-m"]
[[when]]
id = "list"
sub = "branch"
only = ["-a", "-v", "--list"]
operands = 0
does = ["reads"]
hits = ["x branch"]
misses = ["x branch new"]
[[when]]
id = "match"
sub = "branch"
only = ["-a", "--list"]
needs = ["--list"]
does = ["reads"]
hits = ["x branch --list a"]
misses = ["x branch a"]
"#;

#[test]
fn only_a_closed_list_lowers() {
    for line in ["x branch", "x branch -av", "x -q branch -a", "x branch --list a b", "x -C d branch"] {
        let (known, effects) = says(CLOSED, line);
        assert!(known && effects.iter().all(|e| *e == "reads"), "{line}: {effects:?}");
    }
    for line in
        ["x branch new", "x branch -m a", "x branch -v new", "x branch $A", "x branch --list $A", "x branch -a --frob", "x branch -a new"]
    {
        assert!(says(CLOSED, line).1.contains(&"changes"), "{line}");
    }
}

#[test]
fn subcommands_are_found_among_options_and_nothing_unlisted_is_known() {
    assert_eq!(says(CLOSED, "x -C d log -n 3"), (true, vec!["reads"]));
    assert_eq!(says(CLOSED, "x set show"), (true, vec!["reads"]));
    assert_eq!(says(CLOSED, "x"), (true, vec![]));
    assert_eq!(says(CLOSED, "x log --help"), (true, vec!["reads"]));
    for line in ["x frob", "x -Z log", "x log --frob", "x frob --help", "x log a --help --frob", "x $A", "x pre$A log"] {
        assert!(!says(CLOSED, line).0, "{line}");
    }
    // What a longer subcommand does counts where it may stand there.
    assert!(says(CLOSED, "x set \"$A\"").1.contains(&"destroys"));
    assert!(says(CLOSED, "x set --frob drop").1.contains(&"destroys"));
}

#[test]
fn operands_have_roles_by_position() {
    let copy = "does = []\n[options]\n\"\" = [\"-a\"]\n[operands]\n\"\" = [\"read...\", \"write\"]";
    assert_eq!(says(copy, "x a b"), (true, vec!["reads", "writes"]));
    assert_eq!(says(copy, "x a/* b").1, vec!["reads", "writes"]);
    let one = "does = []\n[options]\n\"\" = [\"-a\"]\n[operands]\n\"\" = [\"read\"]";
    assert_eq!(says(one, "x a"), (true, vec!["reads"]));
    assert!(!says(one, "x a b").0);
    assert!(!says(one, "x a/*").0);
    let none = "does = []\n[options]\n\"\" = [\"-a\"]\n[operands]\n\"\" = [\"none\"]";
    assert_eq!(says(none, "x -a"), (true, vec![]));
    assert!(!says(none, "x y").0);
}

#[test]
fn one_dash_long_options_do_not_cluster() {
    let find = "does = [\"reads\"]\nclusters = false\n[options]\n\"\" = [\"-name=\", \"-print\", \"-o=write\", \"-W*\"]";
    assert_eq!(says(find, "x . -name -print -print"), (true, vec!["reads"]));
    assert_eq!(says(find, "x -name=y -Wall"), (true, vec!["reads"]));
    for line in ["x -delete", "x -np", "x -printf"] {
        assert!(!says(find, line).0, "{line}");
    }
}

#[test]
fn mistakes_are_told_with_file_line_and_cause() {
    let wrong = |text: &str| {
        Catalogue::with_user(&[("a/x.toml".to_owned(), text.to_owned())]).1.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let lowers = "names = [\"x\"]\nabout = \"a\"\ndoes = []\n[[when]]\nid = \"i\"\nhas = [\"-a\"]\noperands = 0\ndoes = [\"reads\"]\nwhy = \"w\"\nhits = [\"x -a\"]\nmisses = [\"x\"]\n[examples]\nreads = [\"x\"]\n";
    assert!(wrong(lowers).iter().any(|m| m.starts_with("a/x.toml:5:") && m.contains("has can only add")), "{:?}", wrong(lowers));
    let effect = "names = [\"x\"]\nabout = \"a\"\ndoes = [\"reeds\"]\n[examples]\nreads = [\"x\"]\n";
    assert_eq!(wrong(effect), ["a/x.toml:3: no such effect: reeds"]);
    assert!(wrong("names = [\"x\"]\nabout = 3\n")[0].starts_with("a/x.toml:2:"));
    assert!(wrong("names = [\"x\"]\nabout = \"a\"\nfrob = 1\n")[0].starts_with("a/x.toml:3:"));
}

#[test]
fn effects_have_the_bits_of_the_core() {
    for (name, bits) in compile::EFFECTS {
        assert_eq!(gate_core::Effect::from_name(name).map(|e| e as u16), Some(bits), "{name}");
    }
}

#[test]
fn wrappers_show_what_they_run() {
    use gate_core::{InnerCommand, ShellKind};
    let inner = |line: &str| builtin().unwrap_command(&read_line(line).units[0].words);
    let words = |line: &str| match inner(line).first().map(|i| i.command.clone()) {
        Some(InnerCommand::Words(w)) => w.iter().map(Word::shown).collect::<Vec<_>>().join(" "),
        other => format!("{other:?}"),
    };
    assert_eq!(words("timeout -k 5 10 rm -rf x"), "rm -rf x");
    assert_eq!(words("env -u A B=c rm x"), "rm x");
    assert_eq!(words("nice -n 5 rm x"), "rm x");
    assert_eq!(words("find src -name '*.rs' -exec grep -l x {} +"), "grep -l x src/{}");
    assert!(words("xargs -0 -n 1 rm -f").starts_with("rm -f "));
    assert_eq!(words("xargs -I% cp % /tmp"), "cp % /tmp");
    for line in ["bash -c 'rm x'", "bash -ec 'rm x'", "bash -lc 'rm x' a b"] {
        assert!(
            matches!(&inner(line)[0].command, InnerCommand::Script { text, shell: ShellKind::Bash } if text.literal() == Some("rm x")),
            "{line}: {:?}",
            inner(line)
        );
    }
    assert!(matches!(inner("bash")[0].command, InnerCommand::Stdin(ShellKind::Bash)));
    assert!(matches!(&inner("bash a.sh x")[0].command, InnerCommand::File(w) if w.literal() == Some("a.sh")));
    assert!(inner("ls -la").is_empty());
    // Options that nobody listed: the command may stand elsewhere too.
    let odd = inner("timeout --frob 5 rm x");
    assert!(odd.iter().all(|i| !i.transparent) && odd.iter().any(|i| i.command == InnerCommand::Hidden), "{odd:?}");
}
