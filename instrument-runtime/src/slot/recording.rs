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

    /// How full its KV cache is.
    fn kv_usage(&self, ratio: f64);

    /// How many tokens a block of that cache holds, and how many blocks there are.
    fn kv_cache(&self, block_size: u64, blocks: u64);

    /// It was looked up in one of its caches.
    fn cache(&self, name: &'static str, hit: bool);
}
