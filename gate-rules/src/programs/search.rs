//! grep and its kin: which operands are files depends on how the pattern is given, and whether folders are entered on an option.

use gate_core::{AccessMode, Effect, Piece, Word};

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
    // Files that an option picks out by name.
    for o in m.options().filter(|o| matches!(o.name.as_str(), "-g" | "--glob" | "--iglob" | "--include")) {
        if let Some(text) = o.value.as_ref().and_then(Word::literal).filter(|t| !t.starts_with('!')) {
            picked_out(text).iter().for_each(|w| f.want(AccessMode::Read, w, true, false));
        }
    }
    if files.is_empty() && recursive {
        f.want(AccessMode::Read, &Word::text("."), false, true);
    }
}

/// What `find` and `fd` hand to the command that they run for every file, picked out by name.
pub(super) fn handed_on(m: &Matched, f: &mut Finding) {
    if m.execs.is_empty() {
        return;
    }
    let by_option = m.options().filter(|o| matches!(o.name.as_str(), "-name" | "-iname" | "-path" | "-ipath" | "-wholename"));
    let by_operand = m.parsed.operands.first().filter(|_| m.program.starts_with("fd")).map(|o| &o.word);
    let names: Vec<Word> = by_option.filter_map(|o| o.value.as_ref()).chain(by_operand).filter_map(Word::literal).map(picked).collect();
    names.iter().for_each(|w| f.want(AccessMode::Read, w, true, false));
}

/// The files that a pattern of names picks out, wherever they are.
pub(crate) fn picked_out(pattern: &str) -> Vec<Word> {
    alternatives(pattern).iter().map(|t| picked(t)).collect()
}

/// The alternatives of one `{a,b}`.
fn alternatives(pattern: &str) -> Vec<String> {
    let parts = pattern.split_once('{').and_then(|(head, rest)| rest.split_once('}').map(|(inner, tail)| (head, inner, tail)));
    parts.map_or_else(|| vec![pattern.to_owned()], |(head, inner, tail)| inner.split(',').map(|i| format!("{head}{i}{tail}")).collect())
}

/// A pattern of names as a word: at any depth.
fn picked(pattern: &str) -> Word {
    let end = if pattern.contains(['*', '?', '[']) { Piece::Glob(pattern.to_owned()) } else { Piece::Text(pattern.to_owned()) };
    Word { pieces: vec![Piece::Glob("*".to_owned()), Piece::Text("/".to_owned()), end], raw: pattern.to_owned() }
}

fn value(m: &Matched, names: &[&str]) -> Option<String> {
    m.options().filter(|o| names.contains(&o.name.as_str())).find_map(|o| o.value.as_ref().map(Word::shown))
}
