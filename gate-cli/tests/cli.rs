use crate::gate;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn exit_statuses_say_the_decision() {
    assert_eq!(gate(&["check", "ls"], b"").status.code(), Some(0));
    assert_eq!(gate(&["check", "rm -rf /"], b"").status.code(), Some(2));
    assert_eq!(gate(&["check", "npm publish"], b"").status.code(), Some(3));
    assert_eq!(gate(&["check", "--headless", "npm publish"], b"").status.code(), Some(2));
    assert_eq!(gate(&["check"], b"").status.code(), Some(1));
}

#[test]
fn a_wrong_flag_says_what_was_meant() {
    let out = gate(&["check", "--jsn", "ls"], b"");
    assert_eq!(out.status.code(), Some(1));
    assert!(text(&out.stderr).contains("--json"), "{}", text(&out.stderr));
    let out = gate(&["chekc", "ls"], b"");
    assert!(text(&out.stderr).contains("check"), "{}", text(&out.stderr));
}

#[test]
fn an_unreadable_settings_file_is_an_error_with_a_hint() {
    let out = gate(&["check", "--settings", "/nonexistent/gate.json", "ls"], b"");
    assert_eq!(out.status.code(), Some(1));
    let said = text(&out.stderr);
    assert!(said.contains("error:") && said.contains("caused by:") && said.contains("hint:"), "{said}");
}

#[test]
fn explain_shows_every_part_and_hides_no_control_character() {
    let out = gate(&["explain", "ls $(cat .env); echo '\u{1b}[2Kx' \u{202e}y"], b"");
    let said = text(&out.stdout);
    assert!(said.contains("ls") && said.contains("cat .env"), "{said}");
    assert!(!said.contains('\u{1b}') && !said.contains('\u{202e}'), "{said:?}");
    assert!(said.contains("\\u{202e}") || said.contains("\\e"), "{said}");
}

#[test]
fn inherited_variables_that_name_the_agents_files_ask() {
    let with = |name: &str, value: &str, command: &str| {
        let out = std::process::Command::new(env!("CARGO_BIN_EXE_gate")).args(["check", command]).env(name, value).output().unwrap();
        out.status.code()
    };
    assert_eq!(with("LESSOPEN", "|/usr/bin/lesspipe %s", "ls"), Some(0));
    for (name, value) in [("BASH_ENV", "./x"), ("LD_PRELOAD", "/tmp/x.so"), ("BASH_FUNC_ls%%", "() { id; }")] {
        assert_eq!(with(name, value, "ls"), Some(3), "{name}");
    }
    let folder = std::env::temp_dir().join(format!("gate-libraries-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    assert_eq!(with("LD_LIBRARY_PATH", folder.to_str().unwrap(), "ls"), Some(0));
    std::fs::write(folder.join("libzzz.so.1"), "").unwrap();
    assert_eq!(with("LD_LIBRARY_PATH", folder.to_str().unwrap(), "ls"), Some(3));
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(with("TREE_COLORS", "./x", "ls"), Some(0));
}

#[test]
fn other_tools_are_decided() {
    assert_eq!(gate(&["check", "--tool", "read", "--input", "{\"path\": \"src/main.rs\"}"], b"").status.code(), Some(0));
    assert_eq!(gate(&["check", "--tool", "write", "--input", "{\"path\": \"~/.bashrc\"}"], b"").status.code(), Some(2));
    assert_eq!(gate(&["check", "--tool", "mcp__x__y", "--input", "{}"], b"").status.code(), Some(3));
    assert_eq!(gate(&["check", "--tool", "read", "--input", "{"], b"").status.code(), Some(1));
}

/// A command under a key that the tool does not read, or under two, is none that is known.
#[test]
fn the_command_must_stand_where_the_tool_reads_it() {
    let check = |tool: &str, input: &str| gate(&["check", "--tool", tool, "--input", input], b"").status.code();
    assert_eq!(check("Bash", r#"{"command": "ls"}"#), Some(0));
    assert_eq!(check("Bash", r#"{"cmd": "ls"}"#), Some(3));
    assert_eq!(check("exec_command", r#"{"cmd": "ls"}"#), Some(0));
    assert_eq!(check("exec_command", r#"{"cmd": "ls", "command": "ls"}"#), Some(0));
    for both in [r#"{"command": "ls", "cmd": "rm -rf /"}"#, r#"{"command": 3, "cmd": "ls"}"#] {
        assert_eq!(check("Bash", both), Some(2), "{both}");
    }
}

#[test]
fn explain_names_the_command_and_shows_code_as_code() {
    let said = |command: &str| text(&gate(&["explain", command], b"").stdout);
    assert!(said("make all").contains("make reads, runs, and nothing allows that"), "{}", said("make all"));
    let code = said("python3 -c 'import os; print(1)'");
    assert!(code.contains("executes the code import os; print(1)") && !code.contains("/import os"), "{code}");
}
