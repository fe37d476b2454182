//! What makes the system run something later on its own, and switched-off platform security.

use super::{Hard, Line};

pub(super) fn check(line: &Line<'_>) -> Option<Hard> {
    let o = line.operands();
    let first = o.first().copied();
    let persistence = match line.program {
        // `-u USER -l` reads; a bare `crontab` reads standard input.
        "crontab" => !line.short('l') && !line.has(&["--list", "--help", "--version", "-V"]),
        "launchctl" => matches!(first, Some("load" | "bootstrap" | "enable" | "submit" | "kickstart")),
        "systemctl" => matches!(first, Some("enable" | "disable" | "mask" | "link" | "edit" | "reenable" | "add-wants" | "add-requires")),
        "at" | "batch" => !line.has(&["-l", "-V", "-c"]) && !line.short('r') && !(line.words.is_empty() && line.program == "at"),
        "update-rc.d" | "chkconfig" => o.len() > 1 && !line.has(&["--list"]),
        _ => false,
    };
    if persistence {
        return Some(Hard::new("hard-deny/persistence", "persistence or system service mutation is hard-denied"));
    }
    let security = match line.program {
        "security" => matches!(first, Some("add-trusted-cert" | "remove-trusted-cert" | "delete-keychain")),
        "spctl" => line.has(&["--master-disable", "--global-disable"]),
        "csrutil" => matches!(first, Some("disable" | "authenticated-root")),
        "setenforce" => matches!(first, Some("0" | "Permissive" | "permissive")),
        _ => false,
    };
    if security {
        return Some(Hard::new("hard-deny/platform-security", "platform security weakening is hard-denied"));
    }
    (line.program == "ssh-copy-id" && !line.has(&["-n", "-h", "-?"]))
        .then(|| Hard::new("hard-deny/authorized-keys", "SSH authorized_keys modification is hard-denied"))
}
