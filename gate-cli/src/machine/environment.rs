//! Variables of the environment that name something which the agent may have written.

use std::ffi::OsString;
use std::path::Path;

use gate_core::path;

use super::TEMPORARY;

/// Longest value in bytes that is looked into; a longer one counts as foreign.
const VALUE: usize = 16 * 1024;

/// Most entries of a folder of libraries that are looked at.
const ENTRIES: usize = 10_000;

/// The first variable with a wanted name and a foreign value.
pub(super) fn foreign(
    variables: impl Iterator<Item = (OsString, OsString)>,
    wanted: &dyn Fn(&str) -> bool,
    project: &str,
) -> Option<String> {
    variables.map(|(n, v)| (n.to_string_lossy().into_owned(), v)).filter(|(n, _)| wanted(n)).find_map(|(name, value)| {
        let function = name.starts_with("BASH_FUNC_");
        let libraries = name.ends_with("LIBRARY_PATH");
        let counts = |t: &str| is_foreign(t, project) && (!libraries || holds_libraries(t, project));
        (function || value.len() > VALUE || value.to_string_lossy().split(separates).any(counts)).then_some(name)
    })
}

/// Could a library in this folder stand in for one of the system's? Build tools put their own output on the path of
/// every program that they start; those libraries have no version in their names.
fn holds_libraries(folder: &str, project: &str) -> bool {
    let Ok(list) = std::fs::read_dir(Path::new(project).join(folder)) else { return false };
    let mut names = list.take(ENTRIES + 1).map(|e| e.map(|e| e.file_name().to_string_lossy().into_owned()));
    let replaces = |n: &str| n.contains(".so.") || cfg!(target_os = "macos") && n.ends_with(".dylib");
    // A folder that is too large to look at counts.
    names.by_ref().take(ENTRIES).any(|n| n.is_ok_and(|n| replaces(&n))) || names.next().is_some()
}

const fn separates(c: char) -> bool {
    matches!(c, ':' | ';' | ',' | '=' | '|' | '&' | ' ' | '\t' | '\n' | '\'' | '"' | '(' | ')')
}

/// A relative place, one in the project, or one among temporary files. A bare name counts when the project has it.
fn is_foreign(token: &str, project: &str) -> bool {
    if token.is_empty() || token.starts_with("//") {
        return false;
    }
    if token.starts_with('/') {
        let at = path::resolve("/", token);
        return path::within(&at, project) || TEMPORARY.iter().any(|t| path::within(&at, t));
    }
    token == "." || token.contains('/') || Path::new(project).join(token).symlink_metadata().is_ok()
}

#[cfg(test)]
mod tests {
    use super::foreign;

    fn found(name: &str, value: &str) -> bool {
        foreign([(name.into(), value.into())].into_iter(), &|n| n == name, "/home/u/proj").is_some()
    }

    #[test]
    fn places_that_the_agent_can_write() {
        for value in ["./x", ".", "x/y", "../x", "/home/u/proj/x", "/home/u/a/../proj", "/tmp/x", "--require ./x", "a=/tmp/x", "|./x %s"] {
            assert!(found("X", value), "{value}");
        }
        for value in ["", "less", "-R", "/usr/share/x", "/home/u/.ripgreprc", "|/usr/bin/lesspipe %s", "tcp://127.0.0.1:1", "1"] {
            assert!(!found("X", value), "{value}");
        }
        assert!(found("BASH_FUNC_ls%%", "() { id; }") && found("X", &"a".repeat(20_000)));
    }
}
