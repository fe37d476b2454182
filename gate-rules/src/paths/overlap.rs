//! Can two patterns match the same text? (`*` any text, `?` one character, `[…]` taken as one character.)

/// Longest pattern that is compared; longer ones count as overlapping.
const LONGEST: usize = 512;

/// `a` is a pattern of the data (its `*` crosses folders); `b` was written for a shell: its `*` stays within a folder
/// and does not stand for a leading dot.
pub(crate) fn overlap(a: &str, b: &str) -> bool {
    let a: Vec<char> = a.chars().collect();
    let b = shell(b);
    if a.len() > LONGEST || b.len() > LONGEST {
        return true;
    }
    // Different known ends settle most pairs.
    let differ = |x: Option<&char>, y: Option<&Shell>| matches!((x, y), (Some(x), Some(Shell::Is(y))) if x != y && !matches!(x, '*' | '?'));
    let open = |x: Option<&char>, y: Option<&Shell>| !matches!((x, y), (Some(x), Some(Shell::Is(y))) if x == y);
    let heads = a.iter().zip(&b).map(|(x, y)| (Some(x), Some(y))).find(|(x, y)| open(*x, *y));
    let tails = a.iter().rev().zip(b.iter().rev()).map(|(x, y)| (Some(x), Some(y))).find(|(x, y)| open(*x, *y));
    if heads.is_some_and(|(x, y)| differ(x, y)) || tails.is_some_and(|(x, y)| differ(x, y)) {
        return false;
    }
    // reach[j]: the rest of `a` from i and the rest of `b` from j can match the same text. Filled from the back.
    let mut next: Vec<bool> = vec![false; b.len() + 1];
    for i in (0..=a.len()).rev() {
        let mut row = vec![false; b.len() + 1];
        for j in (0..=b.len()).rev() {
            let get = |r: &[bool], k: usize| r.get(k).copied().unwrap_or(false);
            let value = match (a.get(i), b.get(j)) {
                (None, None) => true,
                (Some('*'), None) => get(&next, j),
                (None, Some(Shell::Many)) => get(&row, j + 1),
                (None, Some(_)) | (Some(_), None) => false,
                (Some('*'), Some(s)) => get(&next, j) || get(&row, j + 1) || (*s == Shell::Many && get(&next, j + 1)),
                (Some(c), Some(Shell::Many)) => get(&row, j + 1) || (*c != '/' && !leading_dot(&a, &b, i, j) && get(&next, j)),
                (Some(c), Some(Shell::One)) => *c != '/' && !leading_dot(&a, &b, i, j) && get(&next, j + 1),
                (Some(c), Some(Shell::Is(d))) => (*c == *d || *c == '?') && get(&next, j + 1),
            };
            if let Some(r) = row.get_mut(j) {
                *r = value
            }
        }
        next = row;
    }
    next.first().copied().unwrap_or(true)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shell {
    Is(char),
    One,
    Many,
}

fn shell(b: &str) -> Vec<Shell> {
    let mut out = Vec::new();
    let mut chars = b.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '*' => {
                if out.last() != Some(&Shell::Many) {
                    out.push(Shell::Many)
                }
            }
            '?' => out.push(Shell::One),
            '[' if chars.clone().skip(1).any(|c| c == ']') => {
                chars.next();
                while chars.next().is_some_and(|c| c != ']') {}
                out.push(Shell::One);
            }
            c => out.push(Shell::Is(c)),
        }
    }
    out
}

/// A pattern at the beginning of a name does not stand for a dot there.
fn leading_dot(a: &[char], b: &[Shell], i: usize, j: usize) -> bool {
    let start = j == 0 || b.get(j - 1) == Some(&Shell::Is('/'));
    start && a.get(i) == Some(&'.') && (i == 0 || a.get(i - 1) == Some(&'/'))
}
