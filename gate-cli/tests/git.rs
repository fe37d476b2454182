//! Repositories that make git run something, made by the real git.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder that goes away.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Below the home of the account, where repositories are the user's: a fresh folder of the build.
fn folder(name: &str) -> Folder {
    let at = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("git-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&at);
    std::fs::create_dir_all(&at).unwrap();
    Folder(at)
}

fn git(at: &Path, args: &[&str]) {
    let out = clean("git").current_dir(at).args(["-c", "user.name=a", "-c", "user.email=a@example.org"]).args(args).output().unwrap();
    assert!(out.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&out.stderr));
}

fn clean(program: &str) -> Command {
    let mut c = Command::new(program);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("GIT_") {
            c.env_remove(name);
        }
    }
    c
}

/// Does the gate let the command run in this folder?
fn allowed(at: &Path, command: &str) -> bool {
    let out = clean(env!("CARGO_BIN_EXE_gate")).current_dir(at).args(["check", command]).output().unwrap();
    out.status.code() == Some(0)
}

fn repository(at: &Path) {
    std::fs::create_dir_all(at).unwrap();
    git(at, &["init", "-q"]);
    std::fs::write(at.join("f"), "x").unwrap();
    git(at, &["add", "f"]);
    git(at, &["commit", "-qm", "x"]);
}

#[test]
fn a_plain_repository_is_read_freely() {
    let f = folder("plain");
    repository(&f.0);
    for command in ["git status", "git diff", "git log -p", "git blame f"] {
        assert!(allowed(&f.0, command), "{command}");
    }
    git(&f.0, &["worktree", "add", "-q", "w"]);
    assert!(allowed(&f.0.join("w"), "git status"));
    git(&f.0, &["update-index", "--index-version", "4"]);
    assert!(allowed(&f.0, "git status"));
    git(&f.0, &["config", "filter.lfs.clean", "git-lfs clean -- %f"]);
    assert!(allowed(&f.0, "git status"));
}

#[test]
fn drivers_and_aliases_ask() {
    for (key, command) in [
        ("filter.x.clean", "git status"),
        ("filter.lfs.clean", "git status"),
        ("diff.x.textconv", "git diff"),
        ("diff.x.command", "git log -p"),
        ("merge.x.driver", "git merge-tree a b"),
        ("core.fsmonitor", "git status"),
        ("alias.lfs", "git lfs status"),
    ] {
        let f = folder(&key.replace('.', "-"));
        repository(&f.0);
        git(&f.0, &["config", key, "!./x"]);
        assert!(!allowed(&f.0, command), "{key}: {command}");
    }
}

#[test]
fn nested_repositories_count() {
    for version in ["2", "4"] {
        let f = folder(&format!("nested-{version}"));
        repository(&f.0);
        repository(&f.0.join("inner"));
        git(&f.0, &["add", "inner"]);
        git(&f.0, &["update-index", "--index-version", version]);
        assert!(allowed(&f.0, "git status"), "version {version}");
        git(&f.0.join("inner"), &["config", "core.fsmonitor", "./x"]);
        assert!(!allowed(&f.0, "git status"), "version {version}");
        git(&f.0, &["update-index", "--split-index"]);
        assert!(!allowed(&f.0, "git status"), "a split index is not read");
    }
}

#[test]
fn what_git_takes_for_a_repository_is_never_overlooked() {
    let f = folder("odd");
    repository(&f.0);
    let odd = |name: &str| {
        let at = f.0.join(name);
        std::fs::create_dir_all(at.join("refs")).unwrap();
        std::fs::create_dir_all(at.join("objects")).unwrap();
        std::fs::write(at.join("config"), "[core]\nfsmonitor = ./x\nworktree = .\n").unwrap();
        at
    };
    let linked = odd("linked");
    std::os::unix::fs::symlink("refs/heads/main", linked.join("HEAD")).unwrap();
    let shared = odd("shared");
    std::fs::write(shared.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::write(shared.join("commondir"), "../linked\n").unwrap();
    let hollow = odd("hollow");
    std::fs::write(hollow.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    std::fs::create_dir_all(hollow.join(".git")).unwrap();
    let bare = odd("bare");
    std::fs::write(bare.join("HEAD"), "ref: refs/heads/main\n").unwrap();
    for name in ["linked", "shared", "hollow", "bare"] {
        assert!(!allowed(&f.0, &format!("git -C {name} status")), "{name}");
        assert!(!allowed(&f.0, &format!("cd {name} && git status")), "{name}");
    }
    std::fs::create_dir_all(f.0.join("deep/er")).unwrap();
    repository(&f.0.join("deep"));
    git(&f.0.join("deep"), &["config", "core.fsmonitor", "./x"]);
    std::os::unix::fs::symlink("deep/er", f.0.join("link")).unwrap();
    for command in ["cd link && git status", "git -C link/.. status", "cd link && git -C .. status", "cd -P link/.. && git status"] {
        assert!(!allowed(&f.0, command), "{command}");
    }
    assert!(allowed(&f.0, "git status"));
}

#[test]
fn dots_behind_a_link_lead_where_the_kernel_goes() {
    let f = folder("dots");
    let (project, other) = (f.0.join("project"), f.0.join("other"));
    repository(&project);
    std::fs::create_dir_all(other.join("deep")).unwrap();
    std::os::unix::fs::symlink("../other/deep", project.join("link")).unwrap();
    let settings = f.0.join("settings.json");
    std::fs::write(&settings, r#"{"permissions": {"allow": ["Bash(touch:*)", "Edit(**)"]}}"#).unwrap();
    let touch = |file: &str| {
        let mut gate = clean(env!("CARGO_BIN_EXE_gate"));
        let gate = gate.current_dir(&project).arg("check").arg("--settings").arg(&settings).arg(format!("touch {file}"));
        gate.output().unwrap().status.code()
    };
    assert_eq!(touch("f"), Some(0));
    assert_eq!(touch("a/../f"), Some(0));
    assert_ne!(touch("link/../f"), Some(0));
    assert_ne!(touch("../other/f"), Some(0));
}

/// A hook counts where its command is used, and the person hears its name.
#[test]
fn hooks_count_for_the_commands_that_run_them() {
    let f = folder("which-hooks");
    repository(&f.0);
    let explain = |command: &str| {
        let out = clean(env!("CARGO_BIN_EXE_gate")).current_dir(&f.0).args(["explain", command]).output().unwrap();
        String::from_utf8_lossy(&out.stdout).into_owned()
    };
    let hook = f.0.join(".git/hooks/pre-push");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    assert!(explain("git push origin main").contains("hook pre-push"), "{}", explain("git push origin main"));
    for command in ["git commit -m x", "git add f", "git checkout -b y"] {
        assert!(!explain(command).contains("pre-push"), "{command}: {}", explain(command));
    }
    // A subcommand of which nothing is known may run every hook.
    assert!(explain("git rebase main").contains("hook pre-push"), "{}", explain("git rebase main"));
    assert!(allowed(&f.0, "git status"));
    std::fs::rename(&hook, f.0.join(".git/hooks/post-index-change")).unwrap();
    assert!(!allowed(&f.0, "git status"));
}
