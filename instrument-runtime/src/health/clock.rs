//! The clock of health: ages and schedules by a monotonic one; the wall clock is only shown.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time since the service started. What it says never goes back, and no change of the system's time moves it.
#[derive(Debug, Clone)]
pub(crate) enum HealthClock {
    Real(Instant),
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "only tests move a clock by hand")
    )]
    Manual(Arc<AtomicU64>),
}

impl HealthClock {
    pub(crate) fn real() -> HealthClock {
        HealthClock::Real(Instant::now())
    }

    pub(crate) fn now(&self) -> Duration {
        match self {
            HealthClock::Real(start) => start.elapsed(),
            HealthClock::Manual(nanos) => Duration::from_nanos(nanos.load(Ordering::Acquire)),
        }
    }
}

/// For an atomic; 584 years at most.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
