//! Lexical paths: POSIX, `/`-separated, no file system access.

/// Joins and normalises: `.`, `..` and double slashes go; never above `/`. An absolute `path` replaces `base`.
#[must_use]
pub fn resolve(base: &str, path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    let whole = if path.starts_with('/') { ["", path] } else { [base, path] };
    for part in whole.iter().flat_map(|p| p.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            p => parts.push(p),
        }
    }
    let mut out = String::with_capacity(base.len() + path.len() + 1);
    for p in parts {
        out.push('/');
        out.push_str(p);
    }
    if out.is_empty() {
        out.push('/')
    }
    out
}

/// Is `path` the folder `root` or below it? Both absolute and normal.
#[must_use]
pub fn within(path: &str, root: &str) -> bool {
    root == "/" || path == root || path.strip_prefix(root).is_some_and(|rest| rest.starts_with('/'))
}

/// The last component; empty for `/`.
#[must_use]
pub fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
