//! One open stage: entered once, left exactly once.

use crate::notice;
use crate::record::combo;
use crate::record::local;
use crate::record::open::{Open, ticks};
use crate::record::series::{self, Kind, Series, SeriesId};
use crate::record::tally::Tally;
use crate::site::site::Site;
use crate::slot::devices;
use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::Outcome;
use crate::vocab::said_by;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// What a stage's attribute says at run time.
#[derive(Debug, Clone, Copy)]
pub struct StageArgs {
    /// The number of the site's own labels; 0 for none.
    pub(crate) own: u32,
    /// The label combination of `model = …`; 0: what the request says.
    pub(crate) combo: u32,
}

/// Once for each site; not in tests with a clock of their own, where stages often run alone.
#[cold]
pub(crate) fn tell_orphan(site: &'static Site) {
    if !site.told.swap(true, Ordering::Relaxed) {
        notice::report(&format!(
            "stage `{}` at {site} runs outside of any request, so its time is nobody's: put `#[inference_request]` on the \
             handler, or, where it runs in a task or thread of its own, carry the request there, with `carry`, \
             `carry_async`, `spawn`, `spawn_blocking`, `RequestContext::enter` or `Queued`",
            site.name
        ));
    }
}

/// The device may have to do with how this execution ended.
#[cold]
pub(crate) fn tell_health(id: SeriesId, outcome: Outcome) {
    let by_text = said_by::is_text();
    match series::get(id).as_deref() {
        Some(Series::Batch(batch)) => batch.tell_health(outcome, by_text),
        Some(Series::Stage(stage)) => {
            if let Some(execution) = &stage.execution {
                execution.batch.tell_health(outcome, by_text);
            }
        }
        _ => {}
    }
}

#[cold]
fn stage_name(id: SeriesId) -> Option<&'static str> {
    match series::get(id).as_deref() {
        Some(Series::Stage(stage)) => Some(stage.name),
        _ => None,
    }
}

impl Open {
    /// A stage begins, in the request that runs on this thread.
    #[inline(never)]
    pub(crate) fn enter(site: &'static Site, args: StageArgs) -> Open {
        local::with(|local| {
            let combo = if args.combo == 0 {
                local.combo()
            } else {
                args.combo
            };
            if combo == 0 {
                return Open::NONE;
            }
            let id = combo::stage_series(site, combo, args.own);
            if id.is_none() {
                return Open::NONE;
            }
            local.push(id.event(Kind::BEGAN, 0));
            // a model of another runtime: its clock is not the request's
            let foreign = args.combo != 0 && !combo::same_runtime(args.combo, local.combo());
            let serial = if foreign { 0 } else { local.serial() };
            let start = ticks(id);
            if serial == 0 && !foreign && !id.is_manual() && !site.told.load(Ordering::Relaxed) {
                tell_orphan(site);
            }
            let outermost = match serial {
                0 => id.is_execution(),
                _ => local::with_current(|tally| {
                    tally.is_some_and(|tally| tally.enter(start, id.is_execution()))
                }),
            };
            let id = if outermost { id.outermost() } else { id };
            Open { id, serial, start }
        })
    }

    /// The stage ends on the thread, and in the request, in which it began.
    #[inline(never)]
    pub(crate) fn exit_here(self, outcome: Outcome) {
        if self.serial == 0 {
            self.exit(None, outcome);
        } else {
            local::with_current(|tally| self.exit(tally, outcome));
        }
    }

    /// The stage ends; `tally` is the request around it.
    #[inline]
    pub(crate) fn exit(self, tally: Option<&Arc<Tally>>, outcome: Outcome) {
        if !self.is_some() {
            return;
        }
        let tally = self.within(tally);
        let now = ticks(self.id);
        self.exit_at(tally, outcome, now, now.saturating_sub(self.start));
    }

    /// The stage ends now, having taken so many ticks.
    #[inline]
    pub(crate) fn exit_at(self, tally: Option<&Arc<Tally>>, outcome: Outcome, now: u64, took: u64) {
        let kind = match tally {
            Some(tally) => self.settle(tally, outcome, now, took),
            None if self.serial == 0 => self.alone(Kind::ended(outcome).orphan()),
            None => Kind::ended(outcome),
        };
        local::with(|local| local.push(self.id.event(kind, took)));
        if self.id.is_execution() && devices::may_matter(outcome) {
            tell_health(self.id, outcome);
        }
    }

    /// The stage ends that one execution has served together with others; `share` is its part of the time.
    pub(crate) fn exit_in_batch(
        mut self,
        tally: Option<&Arc<Tally>>,
        outcome: Outcome,
        share: u64,
    ) {
        self.id = self.id.in_a_batch();
        if !self.is_some() {
            return;
        }
        let tally = self.within(tally);
        let now = ticks(self.id);
        let took = now.saturating_sub(self.start);
        let kind = match tally {
            Some(tally) => {
                let kind = self.settle(tally, outcome, now, took);
                if outcome == Outcome::Panicked {
                    // it unwinds the worker, not the request: there it will be an error, and this is where it was born
                    self.report(tally, Outcome::Error(ErrorType::Internal));
                }
                kind
            }
            None if self.serial == 0 => Kind::ended(outcome).orphan(),
            None => Kind::ended(outcome),
        };
        local::with(|local| {
            if kind.is_outlived() {
                local.push(self.id.event(Kind::WASTED, share));
                local.push(self.id.event(Kind::ended(Outcome::Cancelled), took));
            } else {
                local.push(self.id.event(kind, took));
            }
        });
    }

    /// The same request, if the stage is a part of it. It never was with a model of another runtime; and another request
    /// runs here where a guard was leaked.
    #[inline]
    pub(crate) fn within(self, tally: Option<&Arc<Tally>>) -> Option<&Arc<Tally>> {
        tally.filter(|tally| tally.serial == self.serial)
    }

    #[inline]
    fn alone(self, kind: Kind) -> Kind {
        if self.id.is_outermost() {
            kind.alone()
        } else {
            kind
        }
    }

    #[inline]
    fn settle(self, tally: &Tally, outcome: Outcome, now: u64, took: u64) -> Kind {
        let left = tally.leave(now, self.id.is_execution());
        if left.outlived {
            return self.alone(Kind::ended(Outcome::Cancelled).outlived());
        }
        let outcome = if left.executed {
            outcome.once_executed()
        } else {
            outcome
        };
        let kind = self.alone(Kind::ended(outcome));
        let billed = left.tenanted && self.id.is_outermost() && tally.bill(took);
        let kind = if billed { kind.billed() } else { kind };
        if outcome == Outcome::Ok {
            tally.ended_well(self.start);
        } else {
            self.report(tally, outcome);
        }
        kind
    }

    #[cold]
    fn report(self, tally: &Tally, outcome: Outcome) {
        let Some(stage) = stage_name(self.id) else {
            return;
        };
        match outcome {
            Outcome::Error(error) => tally.failed(stage, error, self.start),
            Outcome::Cancelled => tally.dropped(stage, self.start),
            // a refusal is no failure, and a panic takes the whole request with it
            Outcome::Ok | Outcome::Rejected(_) | Outcome::Panicked => {}
        }
    }

    /// The stage ends that began before the model of its request was known: it is counted under the model after all.
    pub(crate) fn exit_as(mut self, site: &'static Site, tally: &Arc<Tally>, outcome: Outcome) {
        let id = combo::stage_series(site, tally.combo(), 0);
        if id != self.id && !id.is_none() {
            local::with(|local| {
                local.push(self.id.event(Kind::MOVED, 0));
                local.push(id.event(Kind::BEGAN, 0));
            });
            self.id = id;
        }
        self.exit(Some(tally), outcome);
    }
}
