//! Variables that make programs run, load or find something else, and variables that hold secrets.

use gate_core::Word;

use crate::catalogue::Catalogue;
use crate::catalogue::glob::matches;

/// Loader, shell, search-path, proxy and config-home variables.
const GLOBAL: [&str; 67] = [
    "ALL_PROXY",
    "BASHOPTS",
    "BASH_ENV",
    "BASH_FUNC_*",
    "BASH_LOADABLES_PATH",
    "BASH_XTRACEFD",
    "BROWSER",
    "CDPATH",
    "CFLAGS",
    "CLASSPATH",
    "DISPLAY",
    "DYLD_*",
    "EDITOR",
    "ENV",
    "EXECIGNORE",
    "FCEDIT",
    "FPATH",
    "GCONV_PATH",
    "GLOBIGNORE",
    "HISTFILE",
    "HOME",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "IFS",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "_JAVA_OPTIONS",
    "LD_*",
    "LESSCLOSE",
    "LESSOPEN",
    "LIBPATH",
    "LOCPATH",
    "MALLOC_*",
    "MANPAGER",
    "NLSPATH",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PAGER",
    "PATH",
    "PERL5*",
    "PERLLIB",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS4",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "PYTHONWARNINGS",
    "PYTHONBREAKPOINT",
    "RUBYLIB",
    "RUBYOPT",
    "SHELL",
    "SHELLOPTS",
    "SHLIB_PATH",
    "SSH_ASKPASS",
    "SUDO_ASKPASS",
    "TMPDIR",
    "VISUAL",
    "XDG_*",
    "ZDOTDIR",
    // zsh ties these to `PATH`, `FPATH` and `CDPATH`, and hosts run the user's own shell.
    "path",
    "fpath",
    "cdpath",
    "*_PROXY",
    "*_proxy",
];
/// Endings of names that programs read commands, options or places from.
const ENDINGS: [&str; 9] = ["_CONFIG", "_OPTIONS", "_OPTS", "_HOME", "_PATH", "_CMD", "_COMMAND", "_PAGER", "_PROXY"];

/// Does every program, or the shell that starts it, load what this variable names?
pub(crate) fn loads(name: &str) -> bool {
    matches!(name, "BASH_ENV" | "ENV" | "LD_PRELOAD" | "LD_LIBRARY_PATH" | "LD_AUDIT")
        || name.starts_with("DYLD_") && !name.starts_with("DYLD_FALLBACK_")
}

/// Why an assignment makes a unit unknown; `None`: it is harmless.
pub(crate) fn asks(catalogue: &Catalogue, name: &str, value: &Word) -> Option<String> {
    let listed = GLOBAL.iter().any(|p| matches(p, name)) || ENDINGS.iter().any(|e| name.ends_with(e)) || catalogue.variable_runs(name);
    if !listed || harmless(name, value) {
        return None;
    }
    Some(format!("{name} can make programs run or load something else"))
}

/// Values that run nothing: no pager, no prompt.
fn harmless(name: &str, value: &Word) -> bool {
    let Some(value) = value.literal() else { return false };
    match name {
        "NODE_OPTIONS" | "NODE_PATH" | "PYTHONPATH" | "BASH_ENV" | "ENV" | "LD_PRELOAD" | "LD_LIBRARY_PATH" | "PROMPT_COMMAND" => {
            value.is_empty()
        }
        _ if name.ends_with("_PROXY") || name.ends_with("_proxy") => value.is_empty(),
        _ if name == "PAGER" || name == "MANPAGER" || name.ends_with("_PAGER") => matches!(value, "" | "cat" | "/bin/cat" | "/usr/bin/cat"),
        "EDITOR" | "VISUAL" | "GIT_EDITOR" | "GIT_SEQUENCE_EDITOR" => matches!(value, "true" | ":" | "false"),
        "IFS" => matches!(value, "" | "," | "\n" | " " | ":" | ";" | "\t" | "|"),
        _ => false,
    }
}
