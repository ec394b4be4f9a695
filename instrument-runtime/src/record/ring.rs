//! The ring of one thread: its owner writes, whoever drains reads. Two relaxed words a slot, no lock.
//!
//! Compiled a second time, with `loom`'s atomics, by the package in `tests/loom`.

#[cfg(instrument_loom)]
use loom::sync::atomic::{AtomicU64, Ordering};
#[cfg(not(instrument_loom))]
use std::sync::atomic::{AtomicU64, Ordering};

/// Events a ring holds: 16 KiB a thread.
#[cfg(not(instrument_loom))]
pub(crate) const CAPACITY: usize = 1_024;
#[cfg(instrument_loom)]
pub(crate) const CAPACITY: usize = 2;

/// What happened, to which series, and how much of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Event {
    /// Series and kind, packed by `series.rs`.
    pub(crate) word: u64,
    pub(crate) value: u64,
}

#[derive(Debug)]
struct Slot {
    word: AtomicU64,
    value: AtomicU64,
}

/// A cache line of its own: the owner's index must not share one with the drain's.
#[derive(Debug)]
#[repr(align(128))]
struct Padded(AtomicU64);

/// A bounded queue of events with one writer and one reader at a time.
#[derive(Debug)]
pub(crate) struct Ring {
    /// Events ever written. Only the owner stores it.
    head: Padded,
    /// Events ever read. Only the drain stores it.
    tail: Padded,
    slots: Box<[Slot]>,
}

impl Ring {
    pub(crate) fn new() -> Ring {
        let slot = |_| Slot {
            word: AtomicU64::new(0),
            value: AtomicU64::new(0),
        };
        Ring {
            head: Padded(AtomicU64::new(0)),
            tail: Padded(AtomicU64::new(0)),
            slots: (0..CAPACITY).map(slot).collect(),
        }
    }

    /// Owner: how many events were ever written.
    pub(crate) fn head(&self) -> u64 {
        self.head.0.load(Ordering::Relaxed)
    }

    /// How many events were ever read.
    pub(crate) fn tail(&self) -> u64 {
        // pairs with the drain's store: its reads of the slots happened before we overwrite them
        self.tail.0.load(Ordering::Acquire)
    }

    /// Owner: writes event number `head`. There must be room: `head - tail < CAPACITY`.
    #[inline]
    pub(crate) fn write(&self, head: u64, event: Event) {
        let slot = &self.slots[index(head)];
        slot.word.store(event.word, Ordering::Relaxed);
        slot.value.store(event.value, Ordering::Relaxed);
        // pairs with the drain's load: what it sees of `head`, it sees of the slots
        self.head.0.store(head + 1, Ordering::Release);
    }

    /// Drain: hands out everything that is there. The caller holds the lock of all drains.
    pub(crate) fn drain(&self, mut take: impl FnMut(Event)) {
        let head = self.head.0.load(Ordering::Acquire);
        let mut tail = self.tail.0.load(Ordering::Relaxed);
        while tail != head {
            let slot = &self.slots[index(tail)];
            let event = Event {
                word: slot.word.load(Ordering::Relaxed),
                value: slot.value.load(Ordering::Relaxed),
            };
            tail += 1;
            // given back one by one, so that a writer finds room early, and before the event is handed out,
            // so that one that cannot be taken is not handed out for ever
            self.tail.0.store(tail, Ordering::Release);
            take(event);
        }
    }
}

#[inline]
fn index(count: u64) -> usize {
    // the remainder fits
    #[allow(
        clippy::cast_possible_truncation,
        reason = "CAPACITY is a small power of two"
    )]
    let at = count as usize & (CAPACITY - 1);
    at
}
