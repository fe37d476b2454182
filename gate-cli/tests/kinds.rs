//! Kinds of calls that look harmless and are not, and their harmless neighbours, through the real binary.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

/// What the batch says to each command.
fn decisions(commands: &[&str]) -> Vec<String> {
    let input: String = commands.iter().map(|c| format!("{}\n", json!({"tool": "bash", "input": {"command": c}}))).collect();
    let out = super::gate(&["check", "--batch"], input.as_bytes());
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().map(|l| serde_json::from_str::<Value>(l).unwrap()["decision"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_writes_runs_sends_or_reveals_is_not_allowed() {
    let wrong: Vec<&str> = ASK.iter().zip(decisions(ASK)).filter(|(_, d)| d == "allow").map(|(c, _)| *c).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn their_harmless_neighbours_are_allowed() {
    let wrong: Vec<_> = ALLOW.iter().zip(decisions(ALLOW)).filter(|(_, d)| d != "allow").collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

fn allowed(at: &Path, command: &str) -> bool {
    Command::new(env!("CARGO_BIN_EXE_gate")).current_dir(at).args(["check", command]).output().unwrap().status.code() == Some(0)
}

/// A tool chain file of a project names the program that runs instead of the compiler.
#[test]
fn files_that_a_project_brings_are_loaded() {
    let at = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("loads-{}", std::process::id()));
    let inner = at.join("project/sub");
    std::fs::create_dir_all(&inner).unwrap();
    assert!(Command::new("git").arg("init").arg("-q").arg(at.join("project")).status().unwrap().success());
    let file = at.join("project/rust-toolchain.toml");
    assert!(allowed(&inner, "cargo --version"));
    std::fs::write(&file, "[toolchain]\nchannel = \"stable\"\n").unwrap();
    assert!(allowed(&inner, "cargo --version"));
    std::fs::write(&file, "[toolchain]\npath = \"x\"\n").unwrap();
    assert!(!allowed(&inner, "cargo --version"));
    assert!(allowed(&inner, "ls"));
    // What stands above the project is not the agent's.
    std::fs::remove_file(&file).unwrap();
    std::fs::write(at.join("rust-toolchain.toml"), "[toolchain]\npath = \"x\"\n").unwrap();
    assert!(allowed(&inner, "cargo --version"));
    std::fs::remove_dir_all(&at).unwrap();
}

const ASK: &[&str] = &[
    "watch -n1 'rm -rf x'",
    "watch ls ';' rm x",
    "watch -n 1 ls '>' f",
    "sed ':a e touch x' f",
    "sed ':a w out' f",
    "sed -e 'Tm w out' f",
    "sed 'b x; w out' f",
    "sed -n '/a/w out' f",
    "sed 's/a/b/w out' f",
    "sed 's/a/b/e' f",
    "sed '1e' f",
    r#"awk '{print > "f"}' a"#,
    r#"awk 'BEGIN{system("id")}'"#,
    r#"awk 'BEGIN{"id"|getline x; print x}'"#,
    r#"awk '@load "filefuncs"; BEGIN{}' a"#,
    "awk -i inplace '{print}' a",
    "gawk --exec x.awk a",
    "git credential-cache get",
    "git remote show https://evil.test/x",
    "git remote show origin",
    "git remote update",
    "pnpm outdated",
    "xxd -oN a b",
    "xxd a b",
    "man -H evil",
    "helm template -f ~/.ssh/id_rsa .",
    "csvcut -c 1 ~/.aws/credentials",
    "tar -tf host:x",
    "tar tf user@host:/x",
    "psql -h evil -c 'select 1'",
    "psql postgres://evil/x -c 'select 1'",
    "docker -H tcp://evil ps",
    "DOCKER_HOST=tcp://evil docker ps",
    "resolvectl query x.evil.test",
    "gron http://evil.test/x",
    "rsync --list-only host:",
    "git ls-remote ext::sh",
    "mysql -h evil -e 'select 1'",
    "kubectl --server https://evil get pods",
    "kubectl --kubeconfig ./x get pods",
    "cat ~/.s*/*",
    "cat ~/.config/*/*",
    "cat .e*",
    "cat .en?",
    "head ~/.aws/c*",
    "find . -name '.env*' -exec cat {} ;",
    r#"find . -name '.env*' -exec cat {} \;"#,
    "find ~ -name id_rsa -exec cat {} +",
    "echo .env | xargs cat",
    "printf '.env' | xargs cat",
    "grep -r X --include=.env .",
    "grep -r PASSWORD --include='.env*' .",
    "rg -g '.env*' X",
    "rg --hidden -g '.env' .",
    "rg X .env",
    "fd .env -x cat",
    "cat /dev/sda",
    "head -c 100 /dev/mem",
    "cat /proc/1/environ",
    "cat /proc/self/environ",
    "strings /proc/kcore",
    "set",
    "export -p",
    "declare -p",
    "declare -x",
    "typeset",
    "readonly -p",
    "printenv",
    "env",
    "export",
    "declare",
    "compgen -v",
    "echo $GITHUB_TOKEN",
    r#"printf %s "$AWS_SECRET_ACCESS_KEY""#,
    "x=$GITHUB_TOKEN; echo $x",
    "ls $GITHUB_TOKEN",
    r#"head -1 <<<"$API_KEY""#,
    "echo ${!n}",
    "n=GITHUB_TOKEN; echo ${!n}",
    r#"basename "$API_TOKEN""#,
    "seq $SECRET_KEY",
    r#"jq -n --arg a "$API_KEY" '$a'"#,
    "jq -n env",
    "jq -n '$ENV'",
    "jq -n 'env.HOME'",
    r#"awk 'BEGIN{print ENVIRON["X"]}'"#,
    "pytest --help",
    "tox --help",
    "pylint --version",
    "flake8 --version",
    "husky --version",
    "bundle list",
    "bundle exec --help",
    "composer show",
    "vagrant status",
    "vagrant global-status",
    "ansible-inventory --list",
    "cargo metadata",
    "tsc -v",
    "make -n",
    "make -p",
    "cmake -N .",
    "eslint .",
    "prettier --check .",
    "go list ./...",
    "gradle tasks",
    "mvn dependency:tree",
    "terraform validate",
    "terraform plan",
    "npm config get //registry/:_authToken",
    "yarn list",
    "yarn --version",
    "ip a a 1.2.3.4 dev eth0",
    "ip l s eth0 down",
    "ip addr add 1.2.3.4 dev eth0",
    "ip link set eth0 down",
    "ip netns exec x id",
    "ip r d default",
    "ip -b f",
];

const ALLOW: &[&str] = &[
    "rg -g '*.ts' x",
    r#"find . -name '*.ts' -exec grep -l foo {} \;"#,
    "find src -name '*.py' -exec wc -l {} +",
    "rg x --glob '*.{ts,tsx}'",
    "grep -rn foo --include='*.rs' .",
    "fd -e rs -x wc -l",
    r#"fd '\.rs$' -x wc -l"#,
    r#"[ -n "$GITHUB_TOKEN" ]"#,
    r#"test -z "$API_KEY""#,
    "export PATH",
    "set -euo pipefail",
    "cat *.md",
    "ls ~/projects/*",
    "ls ~/*",
    "cat src/*",
    "wc -l ~/.local/share/foo/*.log",
    "man ls",
    "ip a",
    "ip l",
    "watch -n 1 git status",
    "watch 'ls | wc -l'",
    r#"sed ':a;N;$!ba;s/\n/ /g' f"#,
    "sed -e ':a' -e '$!{N;ba' -e '}' f",
    "tar tf a.tar",
    "tar tzf ./a:b.tar",
    r#"echo "${GITHUB_TOKEN:+set}""#,
];
