//! What there is to count about checks, written by the scheduler and read by whoever shows it.

use crate::health::machine::RunResult;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// About one check.
#[derive(Debug)]
pub(crate) struct CheckStats {
    pub(crate) name: &'static str,
    runs: [AtomicU64; RunResult::COUNT],
    /// Nanoseconds; [`NEVER`] before the first run that ended.
    last_duration: AtomicU64,
    late: AtomicU64,
    zombie: AtomicBool,
}

const NEVER: u64 = u64::MAX;

impl CheckStats {
    pub(crate) fn new(name: &'static str) -> CheckStats {
        CheckStats {
            name,
            runs: Default::default(),
            last_duration: AtomicU64::new(NEVER),
            late: AtomicU64::new(0),
            zombie: AtomicBool::new(false),
        }
    }

    pub(crate) fn count(&self, result: RunResult) {
        self.runs[result.index()].fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn lasted(&self, duration: Duration) {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(NEVER - 1);
        self.last_duration.store(nanos, Ordering::Relaxed);
    }

    /// A run that was judged long ago has ended.
    pub(crate) fn late(&self) {
        self.late.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn set_zombie(&self, zombie: bool) {
        self.zombie.store(zombie, Ordering::Relaxed);
    }

    /// By result, in the order of [`RunResult::LABELS`].
    pub(crate) fn runs(&self) -> [u64; RunResult::COUNT] {
        self.runs
            .each_ref()
            .map(|count| count.load(Ordering::Relaxed))
    }

    pub(crate) fn last_duration(&self) -> Option<Duration> {
        let nanos = self.last_duration.load(Ordering::Relaxed);
        (nanos != NEVER).then_some(Duration::from_nanos(nanos))
    }

    /// Results that came too late to count.
    pub(crate) fn late_results(&self) -> u64 {
        self.late.load(Ordering::Relaxed)
    }

    /// A run of it goes on although it was judged.
    pub(crate) fn is_zombie(&self) -> bool {
        self.zombie.load(Ordering::Relaxed)
    }
}
