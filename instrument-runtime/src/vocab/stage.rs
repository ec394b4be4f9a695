//! The well-known stages.

/// Stages that every inference service shares. Dashboards and rules know them by name.
pub(crate) const WELL_KNOWN: [&str; 8] = [
    "ingress",
    "queue",
    "preprocess",
    "batch",
    "execute",
    "postprocess",
    "prefill",
    "decode",
];

/// Whether it is one of them. Each stage asks this at compile time, where a pattern costs less than a loop.
pub(crate) const fn is_well_known(name: &str) -> bool {
    matches!(
        name.as_bytes(),
        b"ingress"
            | b"queue"
            | b"preprocess"
            | b"batch"
            | b"execute"
            | b"postprocess"
            | b"prefill"
            | b"decode"
    )
}

/// Whether a stage of this name is a run on the device: an *execution*.
pub(crate) const fn is_execution(name: &str) -> bool {
    matches!(name.as_bytes(), b"execute" | b"prefill" | b"decode")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_pattern_is_the_list() {
        for name in WELL_KNOWN {
            assert!(is_well_known(name), "{name}");
        }
        for other in ["", "rerank", "executes", "execut", "xecute"] {
            assert!(!is_well_known(other), "{other}");
        }
    }
}
