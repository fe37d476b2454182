//! Which known name was probably meant.

/// How near two names are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Near {
    /// One slip away, or the same but for case, `_` and `-`.
    Typo,
    /// Worth a hint.
    Similar,
}

/// The nearest known name, if one is near.
pub(crate) fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<(&'k str, Near)> {
    if word.len() > 64 {
        return None;
    }
    let plain = fold(word);
    let mut best: Option<(usize, &str)> = None;
    for name in known {
        let distance = distance(&plain, &fold(name));
        if best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, name));
        }
    }
    let (distance, name) = best?;
    let close = (name.chars().count() / 3).clamp(1, 3);
    match distance {
        0 | 1 => Some((name, Near::Typo)),
        d if d <= close => Some((name, Near::Similar)),
        _ => None,
    }
}

/// `did you mean "x"?` for the nearest known name.
pub(crate) fn hint<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<String> {
    nearest(word, known).map(|(name, _)| format!("did you mean \"{name}\"?"))
}

fn fold(word: &str) -> Vec<char> {
    word.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect()
}

/// Insertions, deletions, replacements and swaps of neighbours.
fn distance(a: &[char], b: &[char]) -> usize {
    let width = b.len() + 1;
    let mut before_last: Vec<usize> = vec![0; width];
    let mut last: Vec<usize> = (0..width).collect();
    let cell = |row: &[usize], j: usize| row.get(j).copied().unwrap_or(usize::MAX / 2);
    for (i, x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(width);
        row.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let mut best = (cell(&last, j + 1) + 1).min(cell(&row, j) + 1).min(cell(&last, j) + usize::from(x != y));
            let swapped = i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x);
            if swapped {
                best = best.min(cell(&before_last, j - 1) + 1);
            }
            row.push(best);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    cell(&last, b.len())
}
