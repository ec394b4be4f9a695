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

/// Whether a stage of this name is a run on the device: an *execution*.
pub(crate) const fn is_execution(name: &str) -> bool {
    matches!(name.as_bytes(), b"execute" | b"prefill" | b"decode")
}
