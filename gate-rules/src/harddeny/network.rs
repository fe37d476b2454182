//! Weakened TLS: insecure options of clients, package managers and git, and variables.

use super::{Hard, Line};

const CODE: &str = "hard-deny/tls";

pub(super) fn assignment(name: &str, value: &str) -> Option<Hard> {
    let on = !matches!(value.to_lowercase().as_str(), "" | "0" | "false" | "no" | "off");
    let weak = match name.to_ascii_uppercase().as_str() {
        "NODE_TLS_REJECT_UNAUTHORIZED" | "PYTHONHTTPSVERIFY" => !on && !value.is_empty(),
        "GIT_SSL_NO_VERIFY" => on,
        _ => false,
    };
    weak.then(|| Hard::new(CODE, format!("TLS verification weakening is hard-denied: {name}={value}")))
}

pub(super) fn check(line: &Line<'_>) -> Option<Hard> {
    let deny = |text: &str| Some(Hard::new(CODE, format!("{text} is hard-denied")));
    match line.program {
        "env" | "export" | "declare" | "typeset" | "local" | "readonly" | "sudo" => {
            line.words.iter().filter_map(|w| w.split_once('=')).find_map(|(n, v)| assignment(n, v))
        }
        "curl" => {
            let insecure = line.long("--insecure", 5) || line.long("--proxy-insecure", 10) || curl_k(line);
            if insecure { deny("certificate verification weakening") } else { None }
        }
        "wget" if line.long("--no-check-certificate", 10) => deny("certificate verification weakening"),
        "npm" | "yarn" | "pnpm" | "bun" => package_manager(line).and_then(|()| deny("package-manager TLS weakening")),
        "pip" | "pip3" if line.operands().iter().any(|o| *o == "config") && line.words.iter().any(|w| w.contains("trusted-host")) => deny("package-manager TLS weakening"),
        "git" => git(line).and_then(|()| deny("git TLS verification weakening")),
        _ => None,
    }
}

/// `-k` in a cluster of curl, where letters before it take no value.
fn curl_k(line: &Line<'_>) -> bool {
    const VALUED: &str = "AbcCdDeEFhHKmoPQrtTuUwxXyYz";
    let mut value_next = false;
    for w in line.words.iter().take_while(|w| *w != "--") {
        if value_next {
            value_next = false;
            continue;
        }
        let Some(cluster) = w.strip_prefix('-').filter(|c| !c.starts_with('-')) else { continue };
        for (i, c) in cluster.char_indices() {
            if c == 'k' {
                return true;
            }
            if VALUED.contains(c) {
                value_next = i + c.len_utf8() == cluster.len() && c != 'h';
                break;
            }
        }
    }
    false
}

fn package_manager(line: &Line<'_>) -> Option<()> {
    let o = line.operands();
    let set = matches!(o.as_slice(), ["config", "set", ..] | ["set", ..] | ["config", ..]);
    let falsy = |v: &str| matches!(v.to_lowercase().as_str(), "false" | "null" | "0" | "no" | "");
    let direct = o.windows(2).any(|w| matches!(w, [k, v] if matches!(*k, "strict-ssl" | "cafile" | "ca" | "enableStrictSsl") && falsy(v)));
    let glued = o.iter().any(|w| w.split_once('=').is_some_and(|(k, v)| matches!(k, "strict-ssl" | "cafile" | "ca") && falsy(v)));
    let option = line.options().any(|w| matches!(w, "--strict-ssl=false" | "--no-strict-ssl"));
    (set && (direct || glued) || option).then_some(())
}

fn git(line: &Line<'_>) -> Option<()> {
    let falsy = |v: &str| matches!(v.to_lowercase().as_str(), "false" | "0" | "no" | "off" | "");
    let key = |k: &str| {
        let k = k.to_lowercase();
        k.starts_with("http.") && k.ends_with("sslverify") || k == "http.sslverify"
    };
    let given = line.words.windows(2).any(|w| matches!(w, [c, kv] if c == "-c" && kv.split_once('=').is_some_and(|(k, v)| key(k) && falsy(v))))
        || line.words.iter().any(|w| w.strip_prefix("-c").and_then(|kv| kv.split_once('=')).is_some_and(|(k, v)| key(k) && falsy(v)));
    let o = line.operands();
    let config = o.first() == Some(&"config") && o.windows(2).any(|w| matches!(w, [k, v] if key(k) && falsy(v)));
    (given || config).then_some(())
}
