//! Keys that people bring along from other attributes, and what there is here in their place.

/// Keys with one answer on every attribute.
const ANSWERS: [(&[&str], &str); 9] = [
    (
        &["skip", "skip_all"],
        "has no place here: arguments are never recorded, so there is nothing to leave out",
    ),
    (
        &[
            "fields",
            "tags",
            "tag",
            "attributes",
            "attrs",
            "properties",
            "dimensions",
        ],
        "is called `labels` here: `labels(kind = request.kind)`",
    ),
    (
        &["err", "ret", "ok_if", "error_if"],
        "has no place here: the outcome follows from the type of the returned value, and `error = path` names a \
         function that says what an error is",
    ),
    (
        &["classify", "classifier", "map_err", "error_type"],
        "is called `error` here: `error = path::to::function`",
    ),
    (
        &["span"],
        "has no place here: every stage and request is a span already, and `no_span` turns that off",
    ),
    (
        &["level", "target", "parent", "follows_from"],
        "belongs to `#[tracing::instrument]`: put that attribute beside this one",
    ),
    (
        &[
            "counter",
            "gauge",
            "histogram",
            "summary",
            "metric",
            "metrics",
            "track_concurrency",
            "hit_count",
            "response_time",
            "throughput",
            "error_count",
            "in_flight",
        ],
        "has no place here: count, duration, outcome and what is in flight are always measured",
    ),
    (
        &["unit", "description", "help", "prefix", "namespace"],
        "has no place here: names and units of metrics are those of the catalogue",
    ),
    (
        &["slo", "latency", "target_latency", "max_latency"],
        "is called `objective` here: `objective = \"50ms\"`",
    ),
];

/// What to write instead of `word`, when another attribute has it as a key.
pub(crate) fn answer(word: &str) -> Option<String> {
    let (_, answer) = ANSWERS.iter().find(|(words, _)| words.contains(&word))?;
    Some(format!("`{word}` {answer}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_word_has_one_answer() {
        let words: Vec<_> = ANSWERS.iter().flat_map(|(words, _)| *words).collect();
        let distinct: HashSet<_> = words.iter().collect();
        assert_eq!(distinct.len(), words.len());
        for word in words {
            assert!(answer(word).is_some_and(|text| text.contains(word)));
        }
        assert_eq!(answer("objective"), None);
    }
}
