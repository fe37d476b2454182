//! Changes settings texts and keeps everything else of them: comments, order, unknown keys, layout.

use std::fs;
use std::path::{Path, PathBuf};

use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::Value;

use crate::files::{Lock, WriteError, sweep, write_private};
use crate::json;
use crate::keys::{self, Shape};
use crate::notation;

/// The text of a new settings file. `schema`: what `$schema` shall say.
#[must_use]
pub fn new_settings(schema: &str) -> String {
    format!("{{\n  \"$schema\": {},\n  \"mode\": \"auto\"\n}}\n", Value::from(schema))
}

/// Why a text was not changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    /// The text is no settings object, and is left alone.
    #[error("the file cannot be changed: {0}")]
    Unreadable(String),
    /// There is no such key.
    #[error("there is no setting \"{0}\"")]
    UnknownKey(String),
    /// The key holds something else.
    #[error("\"{0}\" holds something else in this file")]
    WrongType(String),
    /// The entry or value could never work.
    #[error("{0}")]
    Void(String),
}

/// The tree of a text, and the object that it holds. The tree lives only as long as its root is kept.
fn root(text: &str) -> Result<(CstRootNode, CstObject), EditError> {
    json::parse(text).map_err(|f| EditError::Unreadable(f.message))?;
    let root = CstRootNode::parse(text, &json::options()).map_err(|e| EditError::Unreadable(e.to_string()))?;
    let object = root.object_value().ok_or_else(|| EditError::Unreadable("it does not hold an object".to_owned()))?;
    Ok((root, object))
}

/// The object that holds the last part of a dotted path, made when missing, and that part.
fn holder(object: CstObject, path: &str) -> Result<(CstObject, &str), EditError> {
    match path.split_once('.') {
        None => Ok((object, path)),
        Some((group, name)) => {
            let inner = object.object_value_or_create(group).ok_or_else(|| EditError::WrongType(group.to_owned()))?;
            Ok((inner, name))
        }
    }
}

fn checked(path: &str, entry: &str) -> Result<(), EditError> {
    let key = keys::find(path).ok_or_else(|| EditError::UnknownKey(path.to_owned()))?;
    let result = match key.shape {
        Shape::Entries if path == "permissions.allow" => notation::allow_entry(entry),
        Shape::Entries => notation::entry(entry),
        Shape::AbsolutePaths => notation::absolute_path(entry),
        Shape::Paths | Shape::Texts | Shape::RuleTexts => notation::plain(entry),
        _ => return Err(EditError::WrongType(path.to_owned())),
    };
    result.map_err(|v| EditError::Void(v.hint.map_or_else(|| v.message.clone(), |h| format!("{} ({h})", v.message))))
}

/// Adds an entry to a list (`permissions.deny`, `deniedPaths`, …); an entry that is there already changes nothing.
///
/// # Errors
/// When the text is no settings object, the key is no list, or the entry could never match.
pub fn add_entry(text: &str, path: &str, entry: &str) -> Result<String, EditError> {
    checked(path, entry)?;
    let (root, object) = root(text)?;
    let (object, name) = holder(object, path)?;
    let list = object.array_value_or_create(name).ok_or_else(|| EditError::WrongType(path.to_owned()))?;
    let there = list.elements().iter().any(|e| string_of(e).as_deref() == Some(entry));
    if !there {
        list.append(CstInputValue::String(entry.to_owned()));
    }
    Ok(root.to_string())
}

/// Removes an entry from a list. `None`: it is not there.
///
/// # Errors
/// When the text is no settings object.
pub fn remove_entry(text: &str, path: &str, entry: &str) -> Result<Option<String>, EditError> {
    let (root, object) = root(text)?;
    let (group, name) = path.split_once('.').map_or((None, path), |(g, n)| (Some(g), n));
    let holder = match group {
        None => Some(object.clone()),
        Some(g) => object.object_value(g),
    };
    let found =
        holder.and_then(|h| h.array_value(name)).and_then(|l| l.elements().into_iter().find(|e| string_of(e).as_deref() == Some(entry)));
    Ok(found.map(|e| {
        e.remove();
        root.to_string()
    }))
}

fn string_of(node: &CstNode) -> Option<String> {
    node.as_string_lit()?.decoded_value().ok()
}

/// Sets a key that holds one value (`mode`, `classifier.model`, …).
///
/// # Errors
/// When the text is no settings object, or the value is none that the key may hold.
pub fn set_value(text: &str, path: &str, value: &Value) -> Result<String, EditError> {
    let key = keys::find(path).ok_or_else(|| EditError::UnknownKey(path.to_owned()))?;
    if !matches!(key.shape, Shape::Bool { .. } | Shape::Int { .. } | Shape::Choice { .. } | Shape::Text | Shape::Model) {
        return Err(EditError::WrongType(path.to_owned()));
    }
    let input = match value {
        Value::Bool(b) => CstInputValue::Bool(*b),
        Value::Number(n) => CstInputValue::Number(n.to_string()),
        Value::String(s) => CstInputValue::String(s.clone()),
        _ => return Err(EditError::WrongType(path.to_owned())),
    };
    let (root, object) = root(text)?;
    let (object, name) = holder(object, path)?;
    match object.get(name) {
        Some(property) => property.set_value(input),
        None => drop(object.append(name, input)),
    }
    let changed = root.to_string();
    let mut findings = Vec::new();
    crate::read::settings(gate_core::Source::User, "", &changed, &mut findings);
    // Faults elsewhere in the file are not this value's; its own would make the file worse.
    match findings.into_iter().find(|f| f.key == path) {
        Some(f) => Err(EditError::Void(f.hint.map_or_else(|| f.message.clone(), |h| format!("{} ({h})", f.message)))),
        None => Ok(changed),
    }
}

/// Removes a key. `None`: it is not there.
///
/// # Errors
/// When the text is no settings object.
pub fn unset(text: &str, path: &str) -> Result<Option<String>, EditError> {
    let (root, object) = root(text)?;
    let holder = match path.split_once('.') {
        None => Some((object.clone(), path)),
        Some((group, name)) => object.object_value(group).map(|o| (o, name)),
    };
    let found = holder.and_then(|(h, name)| h.get(name));
    Ok(found.map(|p| {
        p.remove();
        root.to_string()
    }))
}

/// Adds what `settings` says to a text: entries of lists that are missing, keys that are not set. Second: the keys that
/// hold something else already, and stay.
///
/// # Errors
/// When the text is no settings object, or a key holds something of another kind.
pub fn merge(text: &str, settings: &Value) -> Result<(String, Vec<String>), EditError> {
    let (root, object) = root(text)?;
    let mut kept = Vec::new();
    for (name, value) in settings.as_object().into_iter().flatten() {
        match value {
            Value::Object(group) if keys::is_group(name) || keys::find(name).is_some() => {
                let inner = object.object_value_or_create(name).ok_or_else(|| EditError::WrongType(name.clone()))?;
                for (key, value) in group {
                    add(&inner, &format!("{name}.{key}"), key, value, &mut kept)?;
                }
            }
            _ => add(&object, name, name, value, &mut kept)?,
        }
    }
    Ok((root.to_string(), kept))
}

fn add(object: &CstObject, path: &str, name: &str, value: &Value, kept: &mut Vec<String>) -> Result<(), EditError> {
    let Some(property) = object.get(name) else {
        object.append(name, input(value));
        return Ok(());
    };
    let held = property.value().map(|v| v.to_string()).unwrap_or_default();
    let there = json::parse(&held).ok().map(|v| json::plain(&v));
    match (value, property.array_value()) {
        (Value::Array(new), Some(list)) => {
            let known: Vec<Value> = there.as_ref().and_then(Value::as_array).cloned().unwrap_or_default();
            for element in new.iter().filter(|e| !known.contains(e)) {
                list.append(input(element));
            }
        }
        (Value::Array(_), None) => return Err(EditError::WrongType(path.to_owned())),
        _ if there.as_ref() == Some(value) => {}
        _ => kept.push(path.to_owned()),
    }
    Ok(())
}

/// The same value for the tree. As deep as what the reader takes (`FILE_DEPTH`).
fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(b) => CstInputValue::Bool(*b),
        Value::Number(n) => CstInputValue::Number(n.to_string()),
        Value::String(s) => CstInputValue::String(s.clone()),
        Value::Array(a) => CstInputValue::Array(a.iter().map(input).collect()),
        Value::Object(o) => CstInputValue::Object(o.iter().map(|(k, v)| (k.clone(), input(v))).collect()),
    }
}

/// A settings file could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum FileEditError {
    /// The text does not take the change.
    #[error("{}: {error}", path.display())]
    Edit {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        error: EditError,
    },
    /// It could not be read or written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// Changes a settings file, under a lock and as a whole. A missing file starts as [`new_settings`]. A symbolic link is
/// followed, so that it stays one. `Ok(false)`: nothing had to change. Never called by a hook.
///
/// # Errors
/// When the file cannot be read, changed or written; it is as it was then.
pub fn edit_file(path: &Path, schema: &str, edit: impl FnOnce(&str) -> Result<Option<String>, EditError>) -> Result<bool, FileEditError> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let folder = target.parent().unwrap_or(Path::new("."));
    let _lock = Lock::of(folder)?;
    let old = match fs::read_to_string(&target) {
        Ok(text) => Some(text),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(WriteError::Io { path: target, error }.into()),
    };
    let start = old.clone().unwrap_or_else(|| new_settings(schema));
    let new = edit(&start).map_err(|error| FileEditError::Edit { path: target.clone(), error })?;
    match new {
        Some(text) if old.as_deref() != Some(text.as_str()) => {
            sweep(&target);
            write_private(&target, text.as_bytes())?;
            Ok(true)
        }
        _ => Ok(false),
    }
}
