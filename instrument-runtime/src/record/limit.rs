//! A limit on how often something is said, and how often it was not.

use std::sync::atomic::{AtomicU64, Ordering};

/// Times a second: a service in trouble must not drown in its own log.
const MOST_A_SECOND: u64 = 10;

const COUNT_BITS: u32 = 20;
const COUNT: u64 = (1 << COUNT_BITS) - 1;

#[derive(Debug, Default)]
pub(crate) struct Limit {
    /// The second that is counted in (the high bits), and how often in it (the low ones).
    counted: AtomicU64,
    /// Since it was last said.
    suppressed: AtomicU64,
}

impl Limit {
    /// How often it was kept back before; `None` when it is kept back now.
    pub(crate) fn admit(&self, second: u64) -> Option<u64> {
        let admit = |counted: u64| {
            let (known, count) = (counted >> COUNT_BITS, counted & COUNT);
            // another thread may be a second ahead
            let second = second.max(known);
            let count = if known == second { count } else { 0 };
            (count < MOST_A_SECOND).then_some((second << COUNT_BITS) | (count + 1))
        };
        let order = (Ordering::AcqRel, Ordering::Relaxed);
        if self.counted.fetch_update(order.0, order.1, admit).is_ok() {
            return Some(self.suppressed.swap(0, Ordering::AcqRel));
        }
        self.suppressed.fetch_add(1, Ordering::AcqRel);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ten_a_second_are_admitted_and_the_rest_counted() {
        let limit = Limit::default();
        assert_eq!((0..25).filter_map(|_| limit.admit(7)).count(), 10);
        assert_eq!(limit.admit(8), Some(15));
        assert_eq!(limit.admit(8), Some(0));
    }
}
