//! What no data can say: programs within programs (sed, awk, SQL, jq) and the git configuration. Each function adds
//! effects, paths and causes of doubt to a finding; none takes any away.

mod awk;
mod curl;
pub(crate) mod git;
mod jq;
pub(crate) mod search;
mod sed;
mod sql;
mod tar;

use gate_core::Word;

pub(crate) use tar::letters as tar_letters;

use crate::catalogue::{Finding, Matched};

/// The function that the family names.
pub(crate) fn extra(m: &Matched, f: &mut Finding) {
    match m.family.program {
        "awk" => awk::extra(m, f),
        "curl" => curl::extra(m, f),
        "git" => git::options(m, f),
        "jq" => jq::extra(m, f),
        "find" => search::handed_on(m, f),
        "search" => search::extra(m, f),
        "sed" => sed::extra(m, f),
        "sql" => sql::extra(f),
        "tar" => tar::extra(m, f),
        _ => {}
    }
}

/// Values of options with the role `script` or `sql`, or else the first operand: the program texts.
fn texts(m: &Matched, role: &str, or_first: bool) -> Vec<Word> {
    let given: Vec<Word> = m.options().filter(|o| o.role == role).filter_map(|o| o.value.clone()).collect();
    if given.is_empty() && or_first { m.parsed.operands.first().map(|o| o.word.clone()).into_iter().collect() } else { given }
}
