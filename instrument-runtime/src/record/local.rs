//! What a thread holds: its ring, the request it works for, and which runtime it records to.

use crate::record::drain;
use crate::record::ring::{Event, Room, Writer};
use crate::record::rings::{self, SharedRing};
use crate::record::tally::Tally;
use std::cell::{Cell, RefCell};
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
    /// The label combination of the request that runs here; 0 for none.
    combo: Cell<u32>,
    /// The label combination outside of requests of the runtime that was entered here; 0 for none.
    entered: Cell<u32>,
    /// The serial of the request that runs here; 0 for none.
    serial: Cell<u32>,
}

thread_local! {
    static LOCAL: Local = const {
        Local {
            ring: Cell::new(None),
            writer: Writer::new(),
            combo: Cell::new(0),
            entered: Cell::new(0),
            serial: Cell::new(0),
        }
    };
    static STACK: RefCell<Stack> = const { RefCell::new(Stack { scopes: Vec::new(), next: 1 }) };
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
    /// The label combination that a stage here belongs to; 0 when nobody records. A request says it, else the runtime
    /// that was entered here, else the installed one.
    #[inline]
    pub(crate) fn combo(&self) -> u32 {
        match self.combo.get() {
            0 => self.outside(),
            own => own,
        }
    }

    fn outside(&self) -> u32 {
        match self.entered.get() {
            0 => INSTALLED.load(Ordering::Acquire),
            entered => entered,
        }
    }

    /// The serial of the request that runs here; 0 for none.
    #[inline]
    pub(crate) fn serial(&self) -> u32 {
        self.serial.get()
    }

    /// Enters a runtime, by its label combination outside of requests; gives the one that was entered before.
    pub(crate) fn enter_runtime(&self, outside: u32) -> u32 {
        self.entered.replace(outside)
    }

    fn run(&self, tally: Option<&Arc<Tally>>) {
        self.combo.set(tally.map_or(0, |tally| tally.combo()));
        self.serial.set(tally.map_or(0, |tally| tally.serial));
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

/// The requests that this thread works for, the current one last. Scopes usually end in the reverse order in which they
/// began; those of guards that are kept too long, or forgotten, do not.
struct Stack {
    scopes: Vec<(u64, Arc<Tally>)>,
    next: u64,
}

/// Looks at the request that runs here, without counting a reference.
#[inline]
pub(crate) fn with_current<R>(look: impl FnOnce(Option<&Arc<Tally>>) -> R) -> R {
    let mut look = Some(look);
    let seen = STACK.try_with(|stack| {
        // never borrowed while code of others runs
        let stack = stack.try_borrow().ok()?;
        Some(look.take()?(stack.scopes.last().map(|(_, tally)| tally)))
    });
    match (seen.ok().flatten(), look) {
        (Some(seen), _) => seen,
        (None, Some(look)) => look(None),
        (None, None) => unreachable!("whoever took it has answered"),
    }
}

/// The request that runs here.
pub(crate) fn current() -> Option<Arc<Tally>> {
    with_current(|current| current.map(Arc::clone))
}

/// Makes a request the one that runs here. The number of its scope, for [`leave`].
pub(crate) fn enter(tally: &Arc<Tally>) -> u64 {
    let pushed = STACK.try_with(|stack| {
        let mut stack = stack.try_borrow_mut().ok()?;
        let scope = stack.next;
        stack.next += 1;
        stack.scopes.push((scope, Arc::clone(tally)));
        Some(scope)
    });
    with(|local| local.run(Some(tally)));
    pushed.ok().flatten().unwrap_or(0)
}

/// Ends a scope; what is current then is the last one that has not ended.
pub(crate) fn leave(scope: u64) {
    let left = STACK.try_with(|stack| {
        let mut stack = stack.try_borrow_mut().ok()?;
        let at = stack
            .scopes
            .iter()
            .rposition(|(known, _)| *known == scope)?;
        let ended = stack.scopes.remove(at);
        with(|local| local.run(stack.scopes.last().map(|(_, tally)| tally)));
        Some(ended)
    });
    // dropped out here: the last reference to a request may be this one
    drop(left);
}

/// The labels of the request that runs here have changed.
pub(crate) fn refresh() {
    with_current(|current| with(|local| local.run(current)));
}
