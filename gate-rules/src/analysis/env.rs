//! Variables: which ones make programs run or load something, and which ones look like secrets.

use gate_core::{Assessment, Effect, Unit};

use crate::catalogue::{Catalogue, glob};

/// Loader, shell, search-path, interpreter and config-home variables, whichever program comes after.
const DANGEROUS: &[&str] = &[
    "BASH_ENV",
    "BASH_FUNC_*",
    "BASHOPTS",
    "CDPATH",
    "CLASSPATH",
    "DYLD_*",
    "EDITOR",
    "ENV",
    "GCONV_PATH",
    "GIT_*",
    "GLOBIGNORE",
    "HOME",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "LD_*",
    "LESSCLOSE",
    "LESSOPEN",
    "LOCPATH",
    "MALLOC_*",
    "NLSPATH",
    "NODE_OPTIONS",
    "OPENSSL_*",
    "PATH",
    "PAGER",
    "PERL5DB",
    "PERL5LIB",
    "PERL5OPT",
    "PERLLIB",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS4",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYLIB",
    "RUBYOPT",
    "SHELL",
    "SHELLOPTS",
    "SSL_CERT_*",
    "SSH_ASKPASS",
    "TERMINFO*",
    "VISUAL",
    "XDG_*",
    "ZDOTDIR",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "http_proxy",
    "https_proxy",
    "all_proxy",
    "RUSTC*",
    "RUSTFLAGS",
    "CARGO_*",
    "GO*",
    "MAKEFLAGS",
    "CC",
    "CXX",
    "BROWSER",
    "KUBECONFIG",
    "DOCKER_HOST",
];

/// Names whose end says that something is configured by them.
const ENDINGS: &[&str] = &["_CONFIG", "_OPTIONS", "_OPTS", "_HOME", "_PATH", "_CMD", "_COMMAND", "_PAGER", "_EDITOR", "_PRELOAD"];

/// `GO*` and the like would catch harmless ones; these are.
const HARMLESS: &[&str] = &[
    "GOOS",
    "GOARCH",
    "CARGO_TERM_COLOR",
    "CARGO_INCREMENTAL",
    "GIT_PAGER_IN_USE",
    "GIT_TERMINAL_PROMPT",
    "GIT_OPTIONAL_LOCKS",
    "GIT_AUTHOR_NAME",
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_DATE",
    "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_DATE",
];

/// Assignments that make the unit unknown.
pub(super) fn assignments(unit: &Unit, catalogue: &Catalogue, out: &mut Assessment) {
    for a in &unit.assignments {
        // `PAGER=cat` and the like switch a program off.
        let off = matches!(a.value.literal(), Some("" | "cat" | "true" | "false" | ":"))
            && (a.name.ends_with("PAGER") || a.name.ends_with("EDITOR") || a.name == "GIT_SEQUENCE_EDITOR");
        if off || HARMLESS.contains(&a.name.as_str()) {
            continue;
        }
        let listed = DANGEROUS.iter().any(|p| glob::matches(p, &a.name))
            || ENDINGS.iter().any(|e| a.name.ends_with(e))
            || catalogue.env_runs(&a.name);
        if listed {
            out.effects.add(Effect::Runs);
            super::unknown(out, format!("{} can make programs run or load something else", a.name));
        }
    }
}

/// Does the name of a variable look like a secret?
#[must_use]
pub fn secret_name(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    ["TOKEN", "KEY", "SECRET", "PASS", "CREDENTIAL"].iter().any(|s| upper.contains(s)) && !matches!(upper.as_str(), "KEYBOARD" | "KEYMAP")
}
