//! How many lines a scrape may have: what Prometheus bills.
//!
//! Model, version and stage never fold: the canary that loads last must be visible. So a part of the budget is theirs,
//! and what is new in the other dimensions folds into `other` before that part is touched.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Lines of a scrape, for one replica.
pub(crate) const DEFAULT: usize = 50_000;

/// The share of the budget, in percent, up to which new tenants, ingresses, tiers and error types are taken.
const OPEN_SHARE: usize = 80;

/// A count of lines that only grows: the SDK never forgets a series.
#[derive(Debug)]
pub(crate) struct Budget {
    limit: usize,
    used: AtomicUsize,
    warned: Mutex<Vec<&'static str>>,
}

impl Budget {
    pub(crate) const fn new(limit: usize) -> Budget {
        Budget {
            limit,
            used: AtomicUsize::new(0),
            warned: Mutex::new(Vec::new()),
        }
    }

    /// For what never folds, and for what has been found to fit.
    pub(crate) fn spend(&self, lines: usize) {
        self.used.fetch_add(lines, Ordering::AcqRel);
    }

    /// Whether so many lines of a dimension that folds may still be added.
    pub(crate) fn fits(&self, lines: usize) -> bool {
        self.used.load(Ordering::Acquire) + lines <= self.limit / 100 * OPEN_SHARE
    }

    /// Whether nobody has been told yet that values of this label are folded.
    pub(crate) fn warn_once(&self, label: &'static str) -> bool {
        let mut warned = self.warned.lock().unwrap_or_else(PoisonError::into_inner);
        let news = !warned.contains(&label);
        if news {
            warned.push(label);
        }
        news
    }

    #[cfg(test)]
    fn used(&self) -> usize {
        self.used.load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_kept_for_what_never_folds() {
        let budget = Budget::new(1_000);
        assert!(budget.fits(800) && !budget.fits(801));
        budget.spend(900);
        assert!(!budget.fits(1));
        assert_eq!(budget.used(), 900);
    }
}
