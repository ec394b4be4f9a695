//! The largest value of the last minute.

use std::time::Duration;

const SLICES: usize = 12;
const SLICE: Duration = Duration::from_secs(5);

/// Twelve slices of five seconds: a value is remembered for 55 to 60 seconds.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Peak {
    /// The number of the slice that was written last.
    slice: u64,
    largest: [Option<f64>; SLICES],
}

impl Peak {
    pub(crate) fn record(&mut self, now: Duration, value: f64) {
        self.forget_until(now);
        let slot = &mut self.largest[slot(self.slice)];
        *slot = Some(slot.map_or(value, |known| known.max(value)));
    }

    /// `None` when nothing was recorded within the minute: an unknown value is absent, not 0.
    pub(crate) fn largest(&mut self, now: Duration) -> Option<f64> {
        self.forget_until(now);
        self.largest.iter().flatten().copied().reduce(f64::max)
    }

    fn forget_until(&mut self, now: Duration) {
        let slice = now.as_secs() / SLICE.as_secs();
        let passed = slice.saturating_sub(self.slice).min(SLICES as u64);
        for step in 1..=passed {
            // counted back from the new slice: the clock may have jumped further than there are slots
            self.largest[slot(slice + 1 - step)] = None;
        }
        self.slice = self.slice.max(slice);
    }
}

fn slot(slice: u64) -> usize {
    // the remainder fits
    usize::try_from(slice % SLICES as u64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn the_largest_of_a_minute_is_kept_and_then_forgotten() {
        let mut peak = Peak::default();
        assert_eq!(peak.largest(at(3)), None);
        peak.record(at(4), 9.0);
        peak.record(at(30), 2.0);
        assert_eq!(peak.largest(at(58)), Some(9.0));
        assert_eq!(peak.largest(at(61)), Some(2.0));
        assert_eq!(peak.largest(at(95)), None);
    }

    #[test]
    fn a_long_pause_forgets_everything() {
        let mut peak = Peak::default();
        peak.record(at(1), 1.0);
        assert_eq!(peak.largest(at(10_000)), None);
        peak.record(at(10_001), 3.0);
        assert_eq!(peak.largest(at(10_002)), Some(3.0));
    }
}
