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
fn other_tools_are_decided() {
    assert_eq!(gate(&["check", "--tool", "read", "--input", "{\"path\": \"src/main.rs\"}"], b"").status.code(), Some(0));
    assert_eq!(gate(&["check", "--tool", "write", "--input", "{\"path\": \"~/.bashrc\"}"], b"").status.code(), Some(2));
    assert_eq!(gate(&["check", "--tool", "mcp__x__y", "--input", "{}"], b"").status.code(), Some(3));
    assert_eq!(gate(&["check", "--tool", "read", "--input", "{"], b"").status.code(), Some(1));
}
