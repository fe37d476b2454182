//! `gate install` and `gate uninstall`: the hook in an agent's settings. Everything else of the file stays as it is; what
//! cannot be read, or is not the person's alone, is left alone.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstRootNode};

use super::Failure;
use crate::setup::{Around, Setup};

/// The events before which the host asks.
const EVENTS: [&str; 2] = ["PreToolUse", "PermissionRequest"];

/// Seconds that the host waits for the hook; the gate answers long before.
const TIMEOUT: u32 = 30;

/// Arguments of `install` and `uninstall`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The agent: claude-code.
    #[arg(value_name = "HOST")]
    host: String,
    /// Show what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,
    /// Look into this home instead of the account's.
    #[arg(long, value_name = "DIR")]
    home: Option<String>,
}

/// Runs `install`.
///
/// # Errors
/// An unknown host; settings that cannot be read, or that others can change; a program that a project could replace.
pub fn install(args: &Args) -> Result<u8, Failure> {
    let program = program()?;
    change(args, false, |text| hooked(text, &program))
}

/// Runs `uninstall`.
///
/// # Errors
/// An unknown host; settings that cannot be read, or that others can change.
pub fn uninstall(args: &Args) -> Result<u8, Failure> {
    change(args, true, unhooked)
}

/// This program, when it stands where no project can replace it.
fn program() -> Result<String, Failure> {
    let at =
        std::env::current_exe().and_then(fs::canonicalize).map_err(|e| Failure::new("cannot tell where this program is").because(e))?;
    let folder = at.parent().unwrap_or(Path::new("/"));
    let open = |p: &Path| fs::metadata(p).is_ok_and(|m| m.permissions().mode() & 0o022 != 0);
    let built = at.components().any(|c| c.as_os_str() == "target");
    if built || open(folder) || open(&at) || ["/tmp", "/var/tmp", "/dev/shm"].iter().any(|t| at.starts_with(t)) {
        return Err(Failure::new(format!("{} stands where others can replace it", at.display()))
            .hint("copy it to /usr/local/bin (or ~/.local/bin), and run it there"));
    }
    at.to_str().map(ToOwned::to_owned).ok_or_else(|| Failure::new("the path of this program is not UTF-8"))
}

/// `back`: to what the file was before the gate came, where that is known.
fn change(args: &Args, back: bool, edit: impl Fn(&str) -> Result<String, String>) -> Result<u8, Failure> {
    if args.host != "claude-code" {
        return Err(Failure::new(format!("{} cannot be wired by this version", args.host)).hint("there is: claude-code"));
    }
    let setup = Setup::new(&Around { home: args.home.clone(), ..Around::default() });
    let file = Path::new(&setup.home).join(".claude/settings.json");
    let shown = file.display();
    let failed = |why: &dyn std::fmt::Display| Failure::new(format!("{shown} was not changed")).because(why);
    let old = read(&file)?;
    let new = edit(&old).map_err(|e| failed(&e).hint("mend the file, or add the hook by hand as the README shows"))?;
    if new == old {
        println!("{shown}: nothing to change");
        return Ok(0);
    }
    if args.dry_run {
        println!("{shown}");
        print!("{}", difference(&old, &new));
        return Ok(0);
    }
    let folder = file.parent().unwrap_or(Path::new("/"));
    let _lock = gate_trust::files::Lock::of(folder).map_err(|e| failed(&e))?;
    if read(&file)? != old {
        return Err(failed(&"somebody else changed it meanwhile").hint("try again"));
    }
    let backup = file.with_extension("json.before-gate");
    // Back to the byte, when nobody changed anything else since.
    let before = fs::read_to_string(&backup).ok().filter(|b| back && takes_back(b, &old));
    let text = before.as_ref().unwrap_or(&new);
    if !back && !old.is_empty() && !backup.exists() {
        gate_trust::files::write_private(&backup, old.as_bytes()).map_err(|e| failed(&e))?;
    }
    gate_trust::files::write_private(&file, text.as_bytes()).map_err(|e| failed(&e))?;
    if before.is_some() {
        let _ = fs::remove_file(&backup);
    }
    println!("{shown} changed");
    Ok(0)
}

/// Does taking the hooks out of what the file holds now lead back to that text?
fn takes_back(before: &str, now: &str) -> bool {
    let value = |text: &str| parsed(text).ok().and_then(|(root, _)| root.to_serde_value());
    let plain = unhooked(now).ok().and_then(|t| value(&t));
    // Empty lists and an empty object of hooks say the same as none.
    let bare = |mut v: serde_json::Value| {
        if let Some(object) = v.as_object_mut() {
            if let Some(hooks) = object.get_mut("hooks").and_then(serde_json::Value::as_object_mut) {
                hooks.retain(|_, list| list.as_array().is_none_or(|l| !l.is_empty()));
            }
            if object.get("hooks").and_then(serde_json::Value::as_object).is_some_and(serde_json::Map::is_empty) {
                object.remove("hooks");
            }
        }
        v
    };
    plain.is_some() && plain.map(bare) == value(before).map(bare)
}

/// The settings' text; empty when there is no file.
fn read(file: &Path) -> Result<String, Failure> {
    let shown = file.display();
    let Ok(meta) = fs::symlink_metadata(file) else { return Ok(String::new()) };
    if !meta.is_file() {
        return Err(Failure::new(format!("{shown} is no plain file"))
            .hint("a link may lead to a file that others write; add the hook there by hand"));
    }
    if meta.permissions().mode() & 0o022 != 0 {
        return Err(Failure::new(format!("others can write {shown}")).hint(format!("chmod go-w {shown}")));
    }
    fs::read_to_string(file).map_err(|e| Failure::new(format!("cannot read {shown}")).because(e))
}

fn parsed(text: &str) -> Result<(CstRootNode, CstObject), String> {
    let text = if text.trim().is_empty() { "{\n}\n" } else { text };
    let root = CstRootNode::parse(text, &ParseOptions::default()).map_err(|e| e.to_string())?;
    let object = root.object_value().ok_or("it does not hold an object")?;
    Ok((root, object))
}

/// Is the entry a hook that asks the gate, and nothing else?
fn is_ours(entry: &CstNode) -> bool {
    let Some(value) = entry.to_serde_value() else { return false };
    let hooks = value.get("hooks").and_then(serde_json::Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let ours = |h: &serde_json::Value| {
        let program = h.get("command").and_then(serde_json::Value::as_str).unwrap_or_default();
        let args: Vec<&str> =
            h.get("args").and_then(serde_json::Value::as_array).into_iter().flatten().filter_map(serde_json::Value::as_str).collect();
        gate_core::path::name(program) == "gate" && args == ["hook", "claude-code"]
    };
    !hooks.is_empty() && hooks.iter().all(ours)
}

/// The text with the hook for each event; the same text when it is there already.
fn hooked(text: &str, program: &str) -> Result<String, String> {
    let (root, object) = parsed(text)?;
    let hooks = object.object_value_or_create("hooks").ok_or("its hooks are no object")?;
    let wanted = || {
        let hook = [
            ("type", CstInputValue::String("command".to_owned())),
            ("command", CstInputValue::String(program.to_owned())),
            ("args", CstInputValue::Array(["hook", "claude-code"].map(|a| CstInputValue::String(a.to_owned())).to_vec())),
            ("timeout", CstInputValue::Number(TIMEOUT.to_string())),
            ("onFailure", CstInputValue::String("block".to_owned())),
        ];
        let hook = hook.into_iter().map(|(k, v)| (k.to_owned(), v)).collect();
        CstInputValue::Object(vec![("hooks".to_owned(), CstInputValue::Array(vec![CstInputValue::Object(hook)]))])
    };
    let expected = serde_json::json!({"hooks": [{"type": "command", "command": program, "args": ["hook", "claude-code"], "timeout": TIMEOUT, "onFailure": "block"}]});
    let mut changed = false;
    for event in EVENTS {
        let list = hooks.array_value_or_create(event).ok_or_else(|| format!("its hooks for {event} are no list"))?;
        let ours: Vec<CstNode> = list.elements().into_iter().filter(is_ours).collect();
        if let [one] = ours.as_slice()
            && one.to_serde_value().as_ref() == Some(&expected)
        {
            continue;
        }
        ours.into_iter().for_each(CstNode::remove);
        list.append(wanted());
        changed = true;
    }
    Ok(if changed { root.to_string() } else { text.to_owned() })
}

/// The text without the gate's hooks.
fn unhooked(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let (root, object) = parsed(text)?;
    let mut changed = false;
    let Some(hooks) = object.object_value("hooks") else { return Ok(text.to_owned()) };
    for property in hooks.properties() {
        let Some(list) = property.value().and_then(|v| v.as_array()) else { continue };
        let ours: Vec<CstNode> = list.elements().into_iter().filter(is_ours).collect();
        changed |= !ours.is_empty();
        let emptied = !ours.is_empty() && ours.len() == list.elements().len();
        ours.into_iter().for_each(CstNode::remove);
        if emptied {
            property.remove();
        }
    }
    if changed
        && hooks.properties().is_empty()
        && let Some(p) = object.get("hooks")
    {
        p.remove();
    }
    Ok(if changed { root.to_string() } else { text.to_owned() })
}

/// The lines that differ, between those that both begin and end with.
fn difference(old: &str, new: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let head = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(x, y)| x == y).count().min(a.len().min(b.len()) - head);
    let lines = |sign: char, all: &[&str]| {
        let middle = all.get(head..all.len() - tail).unwrap_or_default();
        middle.iter().map(|l| format!("{sign} {l}\n")).collect::<String>()
    };
    lines('-', &a) + &lines('+', &b)
}
