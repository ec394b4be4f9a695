//! The rings of all threads: taken when a thread records first, left behind when it ends, taken again by the next.

use crate::record::ring::Ring;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// A ring and whether a thread has it. Leaked: a thread may end while its events are being read.
#[derive(Debug)]
pub(crate) struct SharedRing {
    pub(crate) ring: Ring,
    taken: AtomicBool,
}

/// As many as there ever were recording threads at one time.
static RINGS: Mutex<Vec<&'static SharedRing>> = Mutex::new(Vec::new());

/// Every ring, those that ended threads left behind included.
pub(crate) fn all() -> Vec<&'static SharedRing> {
    RINGS.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A ring for the thread that asks.
#[cold]
pub(crate) fn take() -> &'static SharedRing {
    let mut rings = RINGS.lock().unwrap_or_else(PoisonError::into_inner);
    let free = rings.iter().find(|shared| {
        let taken = &shared.taken;
        taken
            .compare_exchange(false, true, Ordering::AcqRel, Ordering::Relaxed)
            .is_ok()
    });
    if let Some(shared) = free {
        return shared;
    }
    let shared: &'static SharedRing = Box::leak(Box::new(SharedRing {
        ring: Ring::new(),
        taken: AtomicBool::new(true),
    }));
    rings.push(shared);
    shared
}

/// The thread that had it ends. What it wrote stays until it is read.
pub(crate) fn give_back(shared: &'static SharedRing) {
    // pairs with `take`: the next owner sees where this one stopped
    shared.taken.store(false, Ordering::Release);
}
