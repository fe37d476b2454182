use super::{ambient, network, parse};

fn keys(text: &str) -> Option<Vec<String>> {
    parse(text).map(|all| all.into_iter().map(|(k, v)| format!("{k}={v}")).collect())
}

#[test]
fn values_are_read_as_git_reads_them() {
    let all = keys("[core]\n\tbare = false\n[remote \"origin\"]\n url = https://x/y # c\n[user]\nname = \"A # B\"\n").unwrap();
    assert_eq!(all, ["core.bare=false", "remote.origin.url=https://x/y", "user.name=A # B"]);
    assert_eq!(keys("[a]\nb = x \\\n  y\n").unwrap(), ["a.b=x   y"]);
    assert_eq!(keys("[a] b = 1\n").unwrap(), ["a.b=1"]);
    assert_eq!(keys("[a]\nflag\n").unwrap(), ["a.flag=true"]);
    assert_eq!(keys("[include]\npath = a\\tb\n").unwrap(), ["include.path=a\tb"]);
}

/// A backslash at the end of a line joins only inside a value: none of these hides the next key.
#[test]
fn nothing_hides_the_next_key() {
    for text in [
        "[core]\nbare = false # c \\\nfsmonitor = ./x\n",
        "[user]\nname = a\\\\\n[core]\nfsmonitor = ./x\n",
        "[core] # c \\\nfsmonitor = ./x\n",
    ] {
        assert!(keys(text).unwrap().contains(&"core.fsmonitor=./x".to_owned()), "{text:?}");
    }
}

#[test]
fn odd_files_are_not_read() {
    for text in ["x = 1\n", "[a\nb = 1\n", "[a]\nb = \\q\n", "[a]\nb = \"x\n", "[a \"b]\nc = 1\n", "[a]\n!x\n"] {
        assert_eq!(keys(text), None, "{text:?}");
    }
}

#[test]
fn variables_that_configure_git() {
    assert!(
        ambient("GIT_CONFIG_COUNT", "1") && ambient("GIT_DIR", "/x") && ambient("GIT_PAGER", "./x") && ambient("GIT_EXTERNAL_DIFF", "x")
    );
    assert!(!ambient("GIT_AUTHOR_NAME", "A") && !ambient("GIT_PAGER", "cat") && !ambient("PATH", "/bin"));
    assert_eq!((network("GIT_ASKPASS"), network("GIT_SSL_CAINFO")), (Some("core.askpass"), Some("http.sslcainfo")));
    assert_eq!((network("GIT_DIR"), network("GIT_EDITOR")), (None, None));
}
