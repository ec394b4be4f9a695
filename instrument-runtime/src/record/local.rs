//! What a thread holds: its ring, the request it works for, and which runtime it records to.

use crate::record::drain;
use crate::record::ring::{Event, Room, Writer};
use crate::record::rings::{self, SharedRing};
use crate::record::tally::Tally;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

/// How many runtimes are live: while there is none, a guard is one load and one branch.
static LIVE: AtomicU32 = AtomicU32::new(0);

/// The label combination that the installed runtime uses outside of requests; 0 without one.
static INSTALLED: AtomicU32 = AtomicU32::new(0);

/// Whether anybody records.
#[inline]
pub fn enabled() -> bool {
    LIVE.load(Ordering::Relaxed) != 0
}

pub(crate) fn runtime_started() {
    LIVE.fetch_add(1, Ordering::AcqRel);
}

pub(crate) fn runtime_stopped() {
    LIVE.fetch_sub(1, Ordering::AcqRel);
}

/// Where stages outside of any request go, on threads that entered no runtime of their own.
pub(crate) fn set_installed(combo: u32) {
    INSTALLED.store(combo, Ordering::Release);
}

/// No destructor: reading it is one load, and it works while other thread-locals are being destroyed.
pub(crate) struct Local {
    ring: Cell<Option<&'static SharedRing>>,
    writer: Writer,
    /// The label combination of the request that runs here, or of the runtime entered here; 0 for neither.
    combo: Cell<u32>,
    /// The serial of the request that runs here; 0 for none.
    serial: Cell<u32>,
}

thread_local! {
    static LOCAL: Local = const {
        Local {
            ring: Cell::new(None),
            writer: Writer::new(),
            combo: Cell::new(0),
            serial: Cell::new(0),
        }
    };
    static CURRENT: Cell<Option<Arc<Tally>>> = const { Cell::new(None) };
    static OWNER: Owner = const { Owner(Cell::new(None)) };
}

/// Hands the ring over when its thread ends.
struct Owner(Cell<Option<&'static SharedRing>>);

impl Drop for Owner {
    fn drop(&mut self) {
        if let Some(shared) = self.0.take() {
            with(|local| {
                local.ring.set(None);
                local.writer.stop();
            });
            rings::give_back(shared);
        }
    }
}

#[inline]
pub(crate) fn with<R>(read: impl FnOnce(&Local) -> R) -> R {
    LOCAL.with(read)
}

impl Local {
    /// The label combination that a stage here belongs to; 0 when nobody records.
    #[inline]
    pub(crate) fn combo(&self) -> u32 {
        match self.combo.get() {
            0 => INSTALLED.load(Ordering::Acquire),
            own => own,
        }
    }

    /// The serial of the request that runs here; 0 for none.
    #[inline]
    pub(crate) fn serial(&self) -> u32 {
        self.serial.get()
    }

    pub(crate) fn replace_combo(&self, combo: u32) -> u32 {
        self.combo.replace(combo)
    }

    #[inline]
    pub(crate) fn push(&self, event: Event) {
        match self.ring.get() {
            Some(shared) if !self.writer.must_look() => self.writer.write(&shared.ring, event),
            _ => self.push_slowly(event),
        }
    }

    /// The ring is not there yet, is half full, or is full.
    #[cold]
    #[inline(never)]
    fn push_slowly(&self, event: Event) {
        let Some(shared) = self.ring.get().or_else(|| self.take_ring()) else {
            return drain::record_in_line(event);
        };
        match self.writer.look(&shared.ring) {
            Room::Plenty => {}
            Room::HalfGone => drain::wake(),
            Room::None => return drain::record_in_line(event),
        }
        self.writer.write(&shared.ring, event);
    }

    #[cold]
    fn take_ring(&self) -> Option<&'static SharedRing> {
        let shared = rings::take();
        if OWNER.try_with(|owner| owner.0.set(Some(shared))).is_err() {
            // the thread is ending and cannot hand a ring over any more
            rings::give_back(shared);
            return None;
        }
        self.ring.set(Some(shared));
        self.writer.take_over(&shared.ring);
        Some(shared)
    }
}

/// Looks at the request that runs here, without counting a reference.
#[inline]
pub(crate) fn with_current<R>(look: impl FnOnce(Option<&Arc<Tally>>) -> R) -> R {
    let Ok(current) = CURRENT.try_with(Cell::take) else {
        return look(None);
    };
    let seen = look(current.as_ref());
    // nothing else can have set it: `look` runs none of the user's code
    let _ = CURRENT.try_with(|cell| cell.set(current));
    seen
}

/// The request that runs here.
pub(crate) fn current() -> Option<Arc<Tally>> {
    with_current(|current| current.map(Arc::clone))
}

/// Makes `tally` the request that runs here; gives what was there before.
#[inline]
pub(crate) fn swap_current(tally: Option<Arc<Tally>>, outer: Outer) -> (Option<Arc<Tally>>, Outer) {
    let was = with(|local| Outer {
        combo: local.combo.replace(outer.combo),
        serial: local.serial.replace(outer.serial),
    });
    (
        CURRENT.try_with(|cell| cell.replace(tally)).ok().flatten(),
        was,
    )
}

/// The plain numbers that go with a current request.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Outer {
    pub(crate) combo: u32,
    pub(crate) serial: u32,
}
