//! How much is recorded.

/// How much is recorded. Not everything at once: begin with [`Core`](Level::Core), and go on when somebody asks for
/// what the next level knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// Requests, stages, queue, errors, health, resources.
    Core,
    /// Tenant, tier, ingress, cost.
    Dimensions,
    /// Results of the model.
    Quality,
}

impl Level {
    /// Reads `core` or `1`, `dimensions` or `2`, `quality` or `3`.
    pub(crate) fn read(text: &str) -> Option<Level> {
        match text.to_ascii_lowercase().as_str() {
            "core" | "1" => Some(Level::Core),
            "dimensions" | "2" => Some(Level::Dimensions),
            "quality" | "3" => Some(Level::Quality),
            _ => None,
        }
    }
}
