//! The drain: empties every ring into the instruments. Runs before each collection, on each tick, and at shutdown.

use crate::record::clock::Clock;
use crate::record::ring::Event;
use crate::record::rings;
use crate::record::series::{self, Series};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::thread::Thread;
use std::time::Duration;

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

/// When something was last found in a ring, by the real clock in nanoseconds: the process gets on with its work.
static PROGRESS: AtomicU64 = AtomicU64::new(0);

/// How long ago the process last got on with its work, as exactly as drains come: a second. `None` before the first.
pub(crate) fn last_progress() -> Option<Duration> {
    let at = Some(PROGRESS.load(Ordering::Acquire)).filter(|at| *at != 0)?;
    Some(
        Clock::Real
            .monotonic()
            .saturating_sub(Duration::from_nanos(at)),
    )
}

/// Empties the rings of all threads. When it returns, everything that was written before the call is recorded.
pub(crate) fn drain() {
    let mut known = DRAIN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut any = false;
    for shared in rings::all() {
        shared.ring.drain(|event| {
            any = true;
            known.apply(event);
        });
    }
    if any {
        let now = u64::try_from(Clock::Real.monotonic().as_nanos()).unwrap_or(u64::MAX);
        PROGRESS.store(now.max(1), Ordering::Release);
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
