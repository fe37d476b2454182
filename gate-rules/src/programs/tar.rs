//! tar's old style: a first word of option letters without a dash.

use crate::catalogue::{Finding, Matched};

pub(super) fn extra(m: &Matched, f: &mut Finding) {
    // `tar xzf a`: the letters are no operand, and what they do is read from them.
    if let Some(first) = m.words.first().and_then(|w| w.literal())
        && !first.starts_with('-')
        && !first.is_empty()
    {
        f.unknown("option letters without a dash");
    }
}
