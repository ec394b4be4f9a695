//! A table of numbers that grows without moving, read without a lock: a site's series by label combination.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

const FIRST: usize = 64;
const CHUNKS: usize = 11;

/// Chunk `k` holds `64 << k` numbers, 131,008 in all; what lies beyond is not remembered. 0 means absent.
#[derive(Debug)]
pub(crate) struct SeriesTable {
    /// Place and number that were set first: most services have one label combination, or one that most requests
    /// have, and find it here.
    first: AtomicU64,
    chunks: [OnceLock<Box<[AtomicU32]>>; CHUNKS],
}

impl SeriesTable {
    pub(crate) const fn new() -> SeriesTable {
        SeriesTable {
            first: AtomicU64::new(0),
            chunks: [const { OnceLock::new() }; CHUNKS],
        }
    }

    #[inline]
    fn place(at: u32) -> (usize, usize) {
        let shifted = at as usize + FIRST;
        let chunk = (shifted / FIRST).ilog2() as usize;
        (chunk, shifted - (FIRST << chunk))
    }

    /// The number at `at`, or 0.
    #[inline]
    pub(crate) fn get(&self, at: u32) -> u32 {
        let (first_at, number) = unpack(self.first.load(Ordering::Acquire));
        if first_at == at && number != 0 {
            return number;
        }
        self.find(at)
    }

    fn find(&self, at: u32) -> u32 {
        let (chunk, offset) = SeriesTable::place(at);
        match self.chunks.get(chunk).and_then(OnceLock::get) {
            Some(numbers) => numbers[offset].load(Ordering::Acquire),
            None => 0,
        }
    }

    /// Remembers `number` at `at`, if it is within the table.
    #[cold]
    pub(crate) fn set(&self, at: u32, number: u32) {
        let packed = u64::from(at) << 32 | u64::from(number);
        let _ = self
            .first
            .compare_exchange(0, packed, Ordering::AcqRel, Ordering::Relaxed);
        let (chunk, offset) = SeriesTable::place(at);
        if let Some(slot) = self.chunks.get(chunk) {
            let numbers =
                slot.get_or_init(|| (0..FIRST << chunk).map(|_| AtomicU32::new(0)).collect());
            numbers[offset].store(number, Ordering::Release);
        }
    }
}

#[inline]
const fn unpack(packed: u64) -> (u32, u32) {
    // the upper and the lower half
    #[allow(clippy::cast_possible_truncation, reason = "that is what halves are")]
    ((packed >> 32) as u32, packed as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_its_own() {
        let table = SeriesTable::new();
        let places = [0, 1, 63, 64, 65, 191, 192, 4_000, 131_007];
        for (number, at) in (1..).zip(places) {
            assert_eq!(table.get(at), 0);
            table.set(at, number);
        }
        for (number, at) in (1..).zip(places) {
            assert_eq!(table.get(at), number);
        }
    }

    #[test]
    fn beyond_the_table_nothing_is_remembered() {
        let table = SeriesTable::new();
        for at in [131_008, u32::MAX] {
            table.set(at, 7);
            assert_eq!(table.find(at), 0);
        }
    }
}
