//! A request that a layer owns: it ends exactly once, whatever becomes of the future and the body that hold it.

use crate::record::local;
use crate::record::recorder::Recorder;
use crate::record::tally::Tally;
use crate::request::caller::Caller;
use crate::request::context::Scope;
use crate::request::life::{self, Cause};
use crate::request::opening::Opening;
use crate::vocab::outcome::Outcome;
use std::sync::{Arc, Weak};

/// Holds the request, or nothing: nobody records, or it has ended.
#[derive(Debug, Default)]
pub(crate) struct Owned {
    tally: Option<Arc<Tally>>,
    /// The service's own code is running: dropped now means unwound.
    inside: bool,
}

impl Owned {
    /// Opens a request, unless somebody around it owns it already; then its caller is not asked for.
    pub(crate) fn open(
        recorder: &Weak<Recorder>,
        opening: &Opening,
        caller: impl FnOnce() -> Option<Caller>,
    ) -> Owned {
        let free = || local::with_current(|open| open.is_none_or(|open| open.has_ended()));
        let recorder = if local::enabled() && free() {
            recorder.upgrade()
        } else {
            None
        };
        let caller = recorder.as_ref().and_then(|_| caller());
        let tally = recorder.and_then(|recorder| life::open_in(&recorder, opening, caller));
        let mut owned = Owned {
            tally,
            inside: true,
        };
        if let Some(tally) = &owned.tally {
            life::enter_ingress(tally, caller);
        }
        owned.inside = false;
        owned
    }

    /// Runs the service's own code, as part of the request.
    #[inline]
    pub(crate) fn run<R>(&mut self, code: impl FnOnce() -> R) -> R {
        let Some(tally) = &self.tally else {
            return code();
        };
        self.inside = true;
        let scope = Scope::enter(tally);
        // unwinding out of here leaves `inside` as it is
        let value = code();
        drop(scope);
        self.inside = false;
        value
    }

    /// Whether the model has run for it.
    pub(crate) fn executed(&self) -> bool {
        self.tally.as_ref().is_some_and(|tally| tally.executed())
    }

    /// There is the head of an answer: whatever comes now, it is not ingress.
    pub(crate) fn answered(&self, so_far: Outcome) {
        if let Some(tally) = &self.tally {
            life::leave_ingress(tally, so_far);
        }
    }

    /// The request ends.
    pub(crate) fn end(&mut self, outcome: Outcome) {
        if let Some(tally) = self.tally.take() {
            life::finish(&tally, outcome, Cause::Client);
        }
    }

    /// The request ends before it was answered: what works for it is dropped first, as a part of it.
    pub(crate) fn abandon(&mut self, outcome: Outcome, rest: impl FnOnce()) {
        let outcome = if self.inside {
            Outcome::Panicked
        } else {
            if let Some(tally) = &self.tally {
                tally.cancelling();
            }
            outcome
        };
        // also when a destructor inside it, or a subscriber, panics
        let ending = Ending(self, outcome);
        ending.0.run(rest);
    }
}

/// Ends a request when it is dropped.
struct Ending<'a>(&'a mut Owned, Outcome);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.end(self.1);
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.abandon(Outcome::Cancelled, || {});
    }
}
