//! "Did you mean": the nearest of a few known words.

/// The known word that `word` was probably meant to be.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    // A third of the word may be wrong; more, and the guess says nothing.
    let allowed = (word.chars().count() / 3).max(1);
    let near = known
        .iter()
        .map(|candidate| (strsim::osa_distance(word, candidate), *candidate));
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
        assert_eq!(nearest("abc", &["acb"]), Some("acb"));
        assert_eq!(nearest("", &["abc"]), None);
    }
}
