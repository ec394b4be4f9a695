//! The stages of a stream of tokens, and of a sequence of an engine. They are executions only where the service marks none
//! of its own: what runs on the device is known better there.

use crate::record::combo;
use crate::record::guard;
use crate::record::local;
use crate::record::open::{Open, ticks};
use crate::record::series::{Kind, held};
use crate::record::tally::Tally;
use crate::site::site::Site;
use crate::vocab::outcome::Outcome;
use std::sync::Arc;

/// Told once for all that begin with this stage.
pub(crate) fn tell_orphan(site: &'static Site, stage: Open) {
    if !stage.id.is_manual() {
        guard::tell_orphan(site);
    }
}

impl Open {
    /// A stage of a stream begins under this label combination, in this request.
    pub(crate) fn enter_stream(site: &'static Site, combo: u32, tally: Option<&Tally>) -> Open {
        Open::enter_at(site, combo, tally, Tally::enter_stream)
    }

    /// A sequence begins to wait for its engine: the model has not run for it.
    pub(crate) fn enter_wait(site: &'static Site, combo: u32, tally: Option<&Tally>) -> Open {
        Open::enter_at(site, combo, tally, |tally, now| {
            tally.enter(now, false);
        })
    }

    fn enter_at(
        site: &'static Site,
        combo: u32,
        tally: Option<&Tally>,
        enter: impl FnOnce(&Tally, u64),
    ) -> Open {
        let id = combo::stage_series(site, combo, 0);
        if id.is_none() {
            return Open::NONE;
        }
        local::with(|local| local.push(id.event(Kind::BEGAN, 0)));
        let start = ticks(id);
        if let Some(tally) = tally {
            enter(tally, start);
        }
        Open {
            id: id.yielding(),
            serial: tally.map_or(0, |tally| tally.serial),
            start,
        }
    }

    /// It ends, having taken so many ticks without those of its reader. `only`: no other stream of the request counts
    /// the time.
    pub(crate) fn exit_stream(
        mut self,
        tally: Option<&Arc<Tally>>,
        outcome: Outcome,
        now: u64,
        took: u64,
        only: bool,
    ) {
        if only && tally.is_none_or(|tally| !tally.ran_beside_streams()) {
            self.id = self.id.outermost();
        }
        self.exit_at(tally, outcome, now, took);
    }

    /// It has given an item, and waits for its reader; with it so many other executions of its request. `alive`: the
    /// item is a sign of life that nobody else records.
    pub(crate) fn hold(self, beside: u32, alive: bool) {
        local::with(|local| local.push(self.id.event(Kind::HELD, held(beside, alive))));
    }

    /// The reader asks for more.
    pub(crate) fn ask(self, beside: u32) {
        local::with(|local| local.push(self.id.event(Kind::ASKED, held(beside, false))));
    }

    /// It turns out that there was none.
    pub(crate) fn vanish(self, tally: Option<&Tally>, now: u64) {
        if let Some(tally) = tally {
            tally.leave(now, false);
        }
        local::with(|local| local.push(self.id.event(Kind::MOVED, 0)));
    }
}
