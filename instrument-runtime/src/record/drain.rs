//! The drain: empties every ring into the instruments. Runs before each collection, on each tick, and at shutdown.

use crate::record::ring::Event;
use crate::record::rings;
use crate::record::series::{self, Series};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::Thread;

/// One drain at a time; and its copy of the table of series, which spares a lock for each event.
static DRAIN: Mutex<Known> = Mutex::new(Known {
    generation: 0,
    series: Vec::new(),
});

#[derive(Debug)]
struct Known {
    generation: u64,
    series: Vec<Arc<Series>>,
}

impl Known {
    fn apply(&mut self, event: Event) {
        let place = series::place(event);
        if place >= self.series.len() || self.generation != series::generation() {
            // in this order: what changes between the two reads is read again next time
            self.generation = series::generation();
            self.series = series::all();
        }
        if let Some(series) = self.series.get(place) {
            series.apply(event);
        }
    }
}

/// Empties the rings of all threads. When it returns, everything that was written before the call is recorded.
pub(crate) fn drain() {
    let mut known = DRAIN.lock().unwrap_or_else(PoisonError::into_inner);
    for shared in rings::all() {
        shared.ring.drain(|event| known.apply(event));
    }
}

/// Records without a ring: it is full, or its thread is ending.
pub(crate) fn record_in_line(event: Event) {
    if let Some(series) = series::of(event) {
        series.apply(event);
    }
}

/// Who drains in the background.
static DRAINER: RwLock<Option<Thread>> = RwLock::new(None);

pub(crate) fn set_drainer(thread: Option<Thread>) {
    *DRAINER.write().unwrap_or_else(PoisonError::into_inner) = thread;
}

/// A ring is half full. Never waits.
pub(crate) fn wake() {
    if let Ok(drainer) = DRAINER.try_read()
        && let Some(thread) = drainer.as_ref()
    {
        thread.unpark();
    }
}
