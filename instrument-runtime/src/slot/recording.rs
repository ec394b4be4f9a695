//! What recording wants to know of a model, told through a trait: it lies above.

use crate::slot::state::Phase;
use crate::vocab::error_type::ErrorType;
use std::fmt;

/// Whoever counts what becomes of a model.
pub(crate) trait SlotRecording: fmt::Debug + Send + Sync {
    /// The clock that measures loads, in ticks of its own.
    fn ticks(&self) -> u64;

    fn entered(&self, phase: Phase);

    /// It was loaded, in the time since `begun` where that is known.
    fn loaded(&self, begun: u64);

    fn failed(&self, error: ErrorType);

    /// It gives a sign of life.
    fn heartbeat(&self);

    fn platform(&self, platform: &str);

    /// In the words of the `GenAI` conventions.
    fn gen_ai(&self, operation: &str, provider: &str);
}
