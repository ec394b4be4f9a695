//! Why a model stopped.

/// Why a model stopped generating: the label `finish_reason` of `inference_finishes_total`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FinishReason {
    /// It had said all it had to say.
    Stop,
    /// It had used up what it may generate.
    Length,
    /// It calls a tool.
    Tool,
    /// Its answer was filtered.
    Filter,
    /// It was told to.
    Abort,
    /// It failed.
    Error,
}

impl FinishReason {
    /// The value of the label `finish_reason`.
    pub const fn as_str(self) -> &'static str {
        match self {
            FinishReason::Stop => "stop",
            FinishReason::Length => "length",
            FinishReason::Tool => "tool",
            FinishReason::Filter => "filter",
            FinishReason::Abort => "abort",
            FinishReason::Error => "error",
        }
    }
}
