//! Patterns of the catalogue: `*` (any text) and `?` (one character), compared in linear space without recursion.

/// Does the pattern match the whole text?
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let (p, t) = (pattern.as_bytes(), text.as_bytes());
    let (mut pi, mut ti) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while ti < t.len() {
        match p.get(pi) {
            Some(b'*') => {
                retry = Some((pi + 1, ti));
                pi += 1;
            }
            Some(c) if *c == b'?' || Some(c) == t.get(ti) => {
                pi += 1;
                ti += 1;
            }
            _ => match retry {
                Some((after, from)) => {
                    retry = Some((after, from + 1));
                    pi = after;
                    ti = from + 1;
                }
                None => return false,
            },
        }
    }
    p.get(pi..).unwrap_or(&[]).iter().all(|c| *c == b'*')
}

/// Could a text that starts with `prefix` match? May say yes too often.
pub(crate) fn may_match(pattern: &str, prefix: &str) -> bool {
    let literal = pattern.split(['*', '?']).next().unwrap_or("");
    let n = literal.len().min(prefix.len());
    literal.as_bytes().get(..n) == prefix.as_bytes().get(..n)
}

/// Has the text pattern characters?
pub(crate) fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?'])
}
