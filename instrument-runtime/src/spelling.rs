//! "Did you mean": the nearest of a few known words.

/// The known word that `word` was probably meant to be, if it is none itself.
pub(crate) fn nearest<'a>(word: &str, known: &[&'a str]) -> Option<&'a str> {
    // A fifth of the word may be wrong; more, and the guess says nothing.
    let allowed = (word.chars().count() / 5).max(1);
    let near = known
        .iter()
        .map(|candidate| (strsim::osa_distance(word, candidate), *candidate));
    near.filter(|(edits, _)| (1..=allowed).contains(edits))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found() {
        let known = ["INSTRUMENT_METRICS_ADDR", "INSTRUMENT_LEVEL"];
        assert_eq!(
            nearest("INSTRUMENT_METRIC_ADDRESS", &known),
            Some("INSTRUMENT_METRICS_ADDR")
        );
        assert_eq!(
            nearest("INSTRUMENT_LEVLE", &known),
            Some("INSTRUMENT_LEVEL")
        );
        assert_eq!(nearest("INSTRUMENT_LEVEL", &known), None);
        assert_eq!(nearest("INSTRUMENT_OF_TORTURE", &known), None);
    }
}
