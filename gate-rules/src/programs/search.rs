//! grep and its kin: which operands are files depends on how the pattern is given, and whether folders are entered on an option.

use gate_core::{AccessMode, Effect, Word};

use crate::catalogue::{Finding, Matched};

pub(super) fn extra(m: &Matched, f: &mut Finding) {
    let grep = m.program.ends_with("grep") && m.program != "pgrep";
    let given = |names: &[&str]| m.options().any(|o| names.contains(&o.name.as_str()));
    let skip = value(m, &["-d", "--directories"]).is_some_and(|v| v != "recurse");
    let recursive = !grep || given(&["-r", "-R", "--recursive", "--dereference-recursive", "-d", "--directories"]) && !skip;
    // With the pattern in an option, or none at all, every operand is a file.
    let no_pattern = given(&["-e", "--regexp", "-f", "--file", "--files", "--type-list"]);
    let files: Vec<&Word> = m.parsed.operands.iter().skip(usize::from(!no_pattern)).map(|o| &o.word).collect();
    f.effects.add(Effect::Reads);
    for w in &files {
        f.want(AccessMode::Read, w, false, recursive);
    }
    if files.is_empty() && recursive {
        f.want(AccessMode::Read, &Word::text("."), false, true);
    }
}

fn value(m: &Matched, names: &[&str]) -> Option<String> {
    m.options().filter(|o| names.contains(&o.name.as_str())).find_map(|o| o.value.as_ref().map(Word::shown))
}
