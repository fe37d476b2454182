//! The permission gate's `.pi/permissions.json`: a command tree, additive, like the gate's own.

use super::{Work, each, plain};

pub(super) fn read(work: &mut Work, text: &str) -> Result<(), String> {
    let mut tree = serde_json::Map::new();
    each(text, |p| match (p.name.as_str(), plain(&p.value)) {
        ("allow", serde_json::Value::Object(inner)) => tree.extend(inner),
        ("allow", other) => work.leave(format!("allow: {other}"), "it allows every command: write the commands that are meant"),
        // Older files hold the tree itself.
        (word, below) => {
            tree.insert(word.to_owned(), below);
        }
    })?;
    if !tree.is_empty() {
        work.set("commands", tree.into());
    }
    Ok(())
}
