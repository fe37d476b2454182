//! Hosts of URLs, read so that no spelling hides where a request goes, and `domain:` patterns.

/// The host of a URL in lower case without a final dot; `None` when it cannot be told for sure.
pub(crate) fn host(url: &str) -> Option<String> {
    // What clients drop or read as a slash.
    let url: String = url.trim().chars().filter(|c| !matches!(c, '\t' | '\n' | '\r')).map(|c| if c == '\\' { '/' } else { c }).collect();
    let rest = match url.split_once(':') {
        Some((scheme, rest)) if is_scheme(scheme) && rest.starts_with('/') => rest.trim_start_matches('/'),
        _ => url.as_str(),
    };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or("");
    let host = authority.rsplit('@').next().unwrap_or("");
    let host = match host.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or(""),
        None => host.split(':').next().unwrap_or(""),
    };
    let host = host.trim_end_matches('.').to_lowercase();
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | ':');
    (!host.is_empty() && host.chars().all(plain)).then_some(host)
}

fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic()) && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// Does a `domain:` pattern match? `*.x` stands for sub-domains of x only.
pub(crate) fn domain_matches(pattern: &str, host: &str) -> bool {
    let pattern = pattern.trim().trim_end_matches('.').to_lowercase();
    match pattern.strip_prefix("*.") {
        Some(parent) => host.strip_suffix(parent).is_some_and(|sub| sub.len() > 1 && sub.ends_with('.')),
        None => pattern == "*" || pattern == host,
    }
}
