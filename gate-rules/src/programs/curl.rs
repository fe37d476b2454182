//! curl's data options: `@file` sends a file, and so do parts of a form.

use gate_core::{AccessMode, Effect, Effects, Word};

use crate::catalogue::{Finding, Matched};

/// Options whose value is text to send, or a file after `@`.
const DATA: [&str; 9] = ["-d", "--data", "--data-ascii", "--data-binary", "--data-urlencode", "--json", "-F", "--form", "--variable"];

pub(super) fn extra(m: &Matched, f: &mut Finding) {
    let local = |w: &Word| w.prefix().starts_with("file://");
    let mut addresses = m
        .parsed
        .operands
        .iter()
        .map(|o| &o.word)
        .chain(m.options().filter(|o| o.name == "--url").filter_map(|o| o.value.as_ref()))
        .peekable();
    if addresses.peek().is_some() && addresses.all(local) {
        // A file of this machine is no download.
        f.downloads = false;
    }
    for o in m.options() {
        let Some(value) = &o.value else { continue };
        let data = DATA.iter().any(|d| *d == o.name || m.shortens(&o.name, d));
        if matches!(o.name.as_str(), "-X" | "--request")
            && !value.literal().is_some_and(|v| ["GET", "HEAD", "OPTIONS", "TRACE"].iter().any(|m| v.eq_ignore_ascii_case(m)))
        {
            f.note("curl/request", Effects::of(Effect::Sends), "changes something on another machine");
        }
        let header = matches!(o.name.as_str(), "-H" | "--header" | "-b" | "--cookie" | "--proxy-header");
        if data {
            f.effects.add(Effect::Sends);
            file(value, f);
        } else if header && value.prefix().starts_with('@') {
            file(value, f);
        }
    }
}

/// `@path`, `name=@path;type=…`, `name=<path`, `name@path`.
fn file(value: &Word, f: &mut Finding) {
    let text = value.prefix();
    let Some(at) = text.find(['@', '<']) else { return };
    let plain = at == 0 || text.get(..at).is_some_and(|h| h.ends_with('=') || h.chars().all(|c| c.is_alphanumeric() || c == '_'));
    if !plain {
        return;
    }
    let Some(mut path) = value.without_prefix(at + 1) else { return };
    if let Some(text) = path.literal().and_then(|t| t.split(';').next()) {
        path = Word::text(text);
    }
    f.effects.add(Effect::Reads);
    f.want(AccessMode::Read, &path, false, false);
}
