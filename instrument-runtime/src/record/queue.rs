//! What waits in one queue: how many, for how long. Nobody takes a lock to enter or leave it.

use crate::peak::Peak;
use crate::record::attributes::Attributes;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Starts that are remembered of a short queue.
const FEWEST_STARTS: usize = 1_024;

/// Starts that are remembered; in a longer queue the rest is counted, but has no age.
const MOST_STARTS: usize = 65_536;

/// A queue, as a scrape shows it.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) attributes: Attributes,
    pub(crate) capacity: usize,
    size: AtomicUsize,
    /// The largest size since somebody looked.
    most: AtomicUsize,
    peak: Mutex<Peak>,
    /// When each began to wait, plus one; 0 is a free place, claimed by whoever enters.
    starts: Box<[AtomicU64]>,
    /// Where the search for a free place begins.
    next: AtomicUsize,
}

/// A place in the array of starts, or the knowledge that there was none.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place(Option<usize>);

impl Waiting {
    pub(crate) fn new(attributes: Attributes, capacity: usize) -> Waiting {
        // more may wait than the capacity: a batcher has gathered some, and a queue of the service's own refuses nobody
        let places = capacity.saturating_mul(2).clamp(FEWEST_STARTS, MOST_STARTS);
        Waiting {
            attributes,
            capacity,
            size: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            peak: Mutex::default(),
            starts: (0..places).map(|_| AtomicU64::new(0)).collect(),
            next: AtomicUsize::new(0),
        }
    }

    pub(crate) fn enter(&self, ticks: u64) -> Place {
        let size = self.size.fetch_add(1, Ordering::AcqRel) + 1;
        self.most.fetch_max(size, Ordering::AcqRel);
        if size > self.starts.len() {
            return Place(None);
        }
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let places =
            (0..self.starts.len()).map(|step| first.wrapping_add(step) % self.starts.len());
        let begun = ticks.saturating_add(1);
        let claim = |place: &usize| {
            let place = &self.starts[*place];
            place
                .compare_exchange(0, begun, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        };
        Place(places.into_iter().find(claim))
    }

    pub(crate) fn leave(&self, place: Place) {
        if let Some(place) = place.0 {
            self.starts[place].store(0, Ordering::Release);
        }
        self.size.fetch_sub(1, Ordering::AcqRel);
    }

    pub(crate) fn size(&self) -> usize {
        self.size.load(Ordering::Acquire)
    }

    /// The most of the last minute.
    pub(crate) fn peak(&self, now: Duration) -> f64 {
        let size = self.size();
        let most = self.most.swap(size, Ordering::AcqRel).max(size);
        let mut peak = self.peak.lock().unwrap_or_else(PoisonError::into_inner);
        #[allow(clippy::cast_precision_loss, reason = "queues are shorter than 2^52")]
        peak.record(now, most as f64);
        peak.largest(now).unwrap_or_default()
    }

    /// When the one began that waits longest, in ticks.
    pub(crate) fn oldest(&self) -> Option<u64> {
        let starts = self
            .starts
            .iter()
            .map(|start| start.load(Ordering::Acquire));
        starts
            .filter(|start| *start != 0)
            .min()
            .map(|start| start - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_found_and_places_are_used_again() {
        let waiting = Waiting::new(Box::default(), 1);
        assert_eq!(waiting.oldest(), None);
        let first = waiting.enter(0);
        let second = waiting.enter(7);
        assert_eq!((waiting.size(), waiting.oldest()), (2, Some(0)));
        waiting.leave(first);
        assert_eq!(
            waiting.oldest(),
            Some(7),
            "also of what is over the capacity"
        );
        let third = waiting.enter(9);
        waiting.leave(second);
        assert_eq!((waiting.size(), waiting.oldest()), (1, Some(9)));
        waiting.leave(third);
        assert_eq!((waiting.size(), waiting.oldest()), (0, None));
    }

    #[test]
    fn beyond_the_last_place_they_are_counted() {
        let waiting = Waiting::new(Box::default(), 1);
        let places: Vec<_> = (0..=FEWEST_STARTS as u64)
            .map(|at| waiting.enter(at))
            .collect();
        assert_eq!(waiting.size(), FEWEST_STARTS + 1);
        assert_eq!(waiting.oldest(), Some(0));
        for place in places {
            waiting.leave(place);
        }
        assert_eq!((waiting.size(), waiting.oldest()), (0, None));
    }

    #[test]
    fn a_peak_between_two_looks_is_seen() {
        let waiting = Waiting::new(Box::default(), 8);
        let places: Vec<_> = (0..5).map(|at| waiting.enter(at)).collect();
        for place in places {
            waiting.leave(place);
        }
        let at = |secs| waiting.peak(Duration::from_secs(secs));
        assert!((at(1) - 5.0).abs() < f64::EPSILON);
        assert!((at(50) - 5.0).abs() < f64::EPSILON);
        assert!(at(100).abs() < f64::EPSILON);
    }

    #[test]
    fn many_threads_leave_nothing_behind() {
        let waiting = Waiting::new(Box::default(), 4);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..10_000).for_each(|at| waiting.leave(waiting.enter(at))));
            }
        });
        assert_eq!((waiting.size(), waiting.oldest()), (0, None));
    }
}
