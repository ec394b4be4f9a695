//! Two clocks: the real one, in raw ticks, and one that a test moves.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Where a manual clock starts: 2026-01-01T00:00:00Z, in seconds.
const MANUAL_EPOCH: u64 = 1_767_225_600;

static REAL: OnceLock<quanta::Clock> = OnceLock::new();

fn quanta() -> &'static quanta::Clock {
    REAL.get_or_init(quanta::Clock::new)
}

/// Now, in raw ticks of the real clock: the one read that hot paths make.
#[inline]
pub(crate) fn real_ticks() -> u64 {
    match REAL.get() {
        Some(clock) => clock.raw(),
        None => quanta().raw(),
    }
}

/// A clock that stands still until it is moved. Counts nanoseconds.
#[derive(Debug, Default)]
pub(crate) struct ManualClock(AtomicU64);

impl ManualClock {
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn advance(&self, by: Duration) {
        let nanos = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
        self.0.fetch_add(nanos, Ordering::AcqRel);
    }

    fn nanos(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }
}

/// The clock of a runtime. Ticks of one clock mean nothing to another.
#[derive(Debug, Clone)]
pub(crate) enum Clock {
    Real,
    #[cfg_attr(
        not(any(test, feature = "testing")),
        expect(dead_code, reason = "only tests move a clock by hand")
    )]
    Manual(Arc<ManualClock>),
}

impl Clock {
    pub(crate) fn is_manual(&self) -> bool {
        matches!(self, Clock::Manual(_))
    }

    pub(crate) fn ticks(&self) -> u64 {
        match self {
            Clock::Real => real_ticks(),
            Clock::Manual(clock) => clock.nanos(),
        }
    }

    /// A span of ticks, in seconds.
    pub(crate) fn seconds(&self, ticks: u64) -> f64 {
        let nanos = match self {
            Clock::Real => quanta().delta_as_nanos(0, ticks),
            Clock::Manual(_) => ticks,
        };
        Duration::from_nanos(nanos).as_secs_f64()
    }

    /// Time since a point of its own choice that never moves.
    pub(crate) fn monotonic(&self) -> Duration {
        match self {
            Clock::Real => Duration::from_nanos(quanta().delta_as_nanos(0, real_ticks())),
            Clock::Manual(clock) => Duration::from_nanos(clock.nanos()),
        }
    }

    /// Seconds since 1970.
    pub(crate) fn unix_seconds(&self) -> f64 {
        match self {
            Clock::Real => {
                let since = SystemTime::now().duration_since(UNIX_EPOCH);
                since.unwrap_or_default().as_secs_f64()
            }
            Clock::Manual(clock) => (Duration::from_secs(MANUAL_EPOCH)
                + Duration::from_nanos(clock.nanos()))
            .as_secs_f64(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_moves_only_when_moved() {
        let hand = Arc::new(ManualClock::default());
        let clock = Clock::Manual(Arc::clone(&hand));
        let before = clock.ticks();
        hand.advance(Duration::from_millis(250));
        assert!((clock.seconds(clock.ticks() - before) - 0.25).abs() < 1e-12);
        assert!((clock.unix_seconds() - 1_767_225_600.25).abs() < 1e-6);
    }

    #[test]
    fn the_real_clock_agrees_with_the_system() {
        let (ticks, system) = (real_ticks(), std::time::Instant::now());
        while system.elapsed() < Duration::from_millis(20) {}
        let ours = Clock::Real.seconds(real_ticks() - ticks);
        let theirs = system.elapsed().as_secs_f64();
        // a bound ten times wider than any sane clock needs
        assert!((ours / theirs - 1.0).abs() < 0.1, "{ours} against {theirs}");
    }
}
