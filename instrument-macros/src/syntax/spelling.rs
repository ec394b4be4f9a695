//! "Did you mean": the nearest of a few known words.

/// The known word that `word` was probably meant to be.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    // A third of the word may be wrong; more, and the guess says nothing.
    let allowed = (word.chars().count() / 3).max(1);
    let near = known
        .iter()
        .map(|candidate| (distance(word, candidate), *candidate));
    near.filter(|(edits, _)| *edits <= allowed)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// `` `a`, `b`, `c` ``
pub(crate) fn list(words: &[&str]) -> String {
    words
        .iter()
        .map(|word| format!("`{word}`"))
        .collect::<Vec<_>>()
        .join(", ")
}

/// Edits between two words; swapping neighbours is one edit.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let replaced = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                let swapped = if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                    rows[i - 2][j - 2] + 1
                } else {
                    usize::MAX
                };
                replaced
                    .min(rows[i - 1][j] + 1)
                    .min(rows[i][j - 1] + 1)
                    .min(swapped)
            };
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found() {
        let known = ["labels", "buckets", "objective"];
        assert_eq!(nearest("lables", &known), Some("labels"));
        assert_eq!(nearest("bucket", &known), Some("buckets"));
        assert_eq!(nearest("stream", &known), None);
    }

    #[test]
    fn swapped_letters_are_one_edit() {
        assert_eq!(distance("exeucte", "execute"), 1);
        assert_eq!(distance("", "abc"), 3);
    }
}
