//! The ring of one thread: its owner writes, whoever drains reads. Two relaxed words a slot, no lock.
//!
//! Compiled a second time, with `loom`'s atomics, by the package in `tests/loom`.

#[cfg(instrument_loom)]
use loom::sync::atomic::{AtomicU64, Ordering};
use std::cell::Cell;
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

/// How much room a ring has for its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    Plenty,
    /// Time to have it drained.
    HalfGone,
    None,
}

/// The owner's side of a ring. Remembers how far it may write before it has to look at what was drained.
#[derive(Debug)]
pub(crate) struct Writer {
    head: Cell<u64>,
    /// The `head` at which to look again. Equal to `head` there is nothing to write to, or no room.
    pause: Cell<u64>,
}

impl Writer {
    /// Without a ring.
    pub(crate) const fn new() -> Writer {
        Writer {
            head: Cell::new(0),
            pause: Cell::new(0),
        }
    }

    /// Goes on where the ring's last owner stopped.
    pub(crate) fn take_over(&self, ring: &Ring) {
        self.head.set(ring.head.0.load(Ordering::Relaxed));
        self.stop();
    }

    /// Writes no more until it has looked.
    pub(crate) fn stop(&self) {
        self.pause.set(self.head.get());
    }

    /// Whether it has to [look](Writer::look) before it writes.
    #[inline]
    pub(crate) fn must_look(&self) -> bool {
        self.head.get() == self.pause.get()
    }

    /// How much room there is.
    pub(crate) fn look(&self, ring: &Ring) -> Room {
        // pairs with the drain's store: its reads of the slots happened before we overwrite them
        let tail = ring.tail.0.load(Ordering::Acquire);
        let head = self.head.get();
        let (half, full) = (tail + CAPACITY as u64 / 2, tail + CAPACITY as u64);
        let (pause, room) = match head {
            _ if head < half => (half, Room::Plenty),
            _ if head < full => (full, Room::HalfGone),
            _ => (head, Room::None),
        };
        self.pause.set(pause);
        room
    }

    /// Writes an event. Only after a look that found room, and as long as it need not look again.
    #[inline]
    pub(crate) fn write(&self, ring: &Ring, event: Event) {
        let head = self.head.get();
        let slot = &ring.slots[index(head)];
        slot.word.store(event.word, Ordering::Relaxed);
        slot.value.store(event.value, Ordering::Relaxed);
        // pairs with the drain's load: what it sees of `head`, it sees of the slots
        ring.head.0.store(head + 1, Ordering::Release);
        self.head.set(head + 1);
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
