//! The running account of one request: which part of its time was spent in stages, and what went wrong first.

use crate::record::generated::Generated;
use crate::record::open::Open;
use crate::record::span::{RequestSpan, Traced};
use crate::record::told::Told;
use crate::record::troubles::Troubles;
use crate::site::site::Site;
use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::{Outcome, Rejection};
use crate::vocab::token_kind::TokenKind;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// An execution of this request has begun: from here on the caller's mistakes are ours.
const EXECUTED: u32 = 1;
/// A stage failed or was dropped, and no stage around it has ended well since.
const TROUBLED: u32 = 1 << 1;
/// The request is being dropped: what its stages report now is where it was cancelled.
const CANCELLING: u32 = 1 << 2;
/// The request has ended.
const ENDED: u32 = 1 << 3;
/// A layer opened it; the handler's attribute joins.
const LAYERED: u32 = 1 << 4;
/// Its compute is counted when it ends, for its tenant.
const TENANTED: u32 = 1 << 5;
/// A handler inside the layer has joined: what is annotated further in says nothing of the request's end.
const JOINED: u32 = 1 << 6;
/// An execution of the service's own has run, and no stage of a stream has seen it yet.
const RAN: u32 = 1 << 7;
/// The bits above count the executions that are open now.
const ONE_EXECUTION: u32 = 1 << 8;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

static SERIALS: AtomicU32 = AtomicU32::new(1);

/// How many stages are open (the low bits), and the ticks that they cover (the others): minus the start, plus the
/// end, of each span in which at least one was open. In one word, so that a change of both is one step.
#[derive(Debug, Clone, Copy)]
struct Cover(u64);

/// More stages of one request at one time than anybody has.
const COUNT_BITS: u32 = 12;
const COUNT: u64 = (1 << COUNT_BITS) - 1;

impl Cover {
    const fn count(self) -> u64 {
        self.0 & COUNT
    }

    /// Ticks wrap around: only their differences mean anything, and those fit for days.
    const fn add(self, ticks: u64) -> Cover {
        Cover(self.0.wrapping_add(ticks << COUNT_BITS))
    }

    const fn opened(self, now: u64) -> Cover {
        let spanned = if self.count() == 0 {
            self.add(now.wrapping_neg())
        } else {
            self
        };
        // full: from here on the count is too low, and the request covered too early
        if self.count() == COUNT {
            spanned
        } else {
            Cover(spanned.0 + 1)
        }
    }

    const fn closed(self, now: u64) -> Cover {
        match self.count() {
            0 => self,
            1 => Cover(self.add(now).0 - 1),
            _ => Cover(self.0 - 1),
        }
    }

    /// What is covered when the request ends: a stage that outlives it counts up to here.
    const fn ticks(self, now: u64) -> u64 {
        let until_now = if self.count() == 0 {
            self
        } else {
            self.add(now)
        };
        until_now.0 >> COUNT_BITS
    }
}

/// Shared by everything that works for one request.
#[derive(Debug)]
pub(crate) struct Tally {
    /// Tells guards of this request from those of others; never 0.
    pub(crate) serial: u32,
    /// The attribute that opened it: the same one again means recursion.
    pub(crate) site: &'static Site,
    /// Ticks.
    pub(crate) start: u64,
    combo: AtomicU32,
    flags: AtomicU32,
    /// Of the executions that are open, so many wait for the reader of a stream, as far as is known.
    waiting: AtomicU32,
    /// Stages open now, and the ticks in which there was at least one.
    cover: AtomicU64,
    /// Ticks of executions, or of its shares in them.
    compute: AtomicU64,
    troubles: Troubles,
    /// Held while it is joined or ends.
    settling: Mutex<()>,
    /// Between the headers and the handler, where a layer opened the request.
    ingress: Mutex<Option<(Open, Traced)>>,
    pub(crate) span: RequestSpan,
    /// Of requests that tell something.
    told: OnceLock<Box<Told>>,
    /// What the handler inside a layer returned.
    noted: Mutex<Option<Outcome>>,
    /// Of requests that generate tokens.
    generated: OnceLock<Box<Generated>>,
    /// Why somebody refused to go on, whatever the handler makes of it.
    refused: Mutex<Option<Rejection>>,
}

/// What a stage is told when it ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Left {
    /// The request had ended before.
    pub(crate) outlived: bool,
    /// An execution of the request has begun.
    pub(crate) executed: bool,
    /// Compute is counted with the request.
    pub(crate) tenanted: bool,
}

impl Tally {
    pub(crate) fn new(site: &'static Site, combo: u32, start: u64) -> Tally {
        // 0 means "no request": skipped when the numbers wrap around
        let serial = SERIALS.fetch_add(1, Ordering::Relaxed).max(1);
        Tally {
            serial,
            site,
            start,
            combo: AtomicU32::new(combo),
            flags: AtomicU32::new(0),
            waiting: AtomicU32::new(0),
            cover: AtomicU64::new(0),
            compute: AtomicU64::new(0),
            troubles: Troubles::default(),
            settling: Mutex::new(()),
            ingress: Mutex::new(None),
            span: RequestSpan::new(Traced::NONE),
            told: OnceLock::new(),
            noted: Mutex::new(None),
            generated: OnceLock::new(),
            refused: Mutex::new(None),
        }
    }

    #[inline]
    pub(crate) fn combo(&self) -> u32 {
        self.combo.load(Ordering::Acquire)
    }

    pub(crate) fn replace_combo(&self, combo: u32) -> u32 {
        self.combo.swap(combo, Ordering::AcqRel)
    }

    fn has(&self, flag: u32) -> bool {
        self.flags.load(Ordering::Acquire) & flag != 0
    }

    #[inline]
    fn change(&self, change: impl Fn(Cover) -> Cover) {
        let mut known = self.cover.load(Ordering::Relaxed);
        // almost always at once: the stages of one request rarely begin or end at the same instant
        while let Err(other) = self.cover.compare_exchange_weak(
            known,
            change(Cover(known)).0,
            Ordering::AcqRel,
            Ordering::Relaxed,
        ) {
            known = other;
        }
    }

    /// A stage begins. Whether it is an execution that is not inside another one.
    #[inline]
    pub(crate) fn enter(&self, now: u64, execution: bool) -> bool {
        self.change(|cover| cover.opened(now));
        execution && self.enter_execution()
    }

    fn enter_execution(&self) -> bool {
        let flags = self.flags.fetch_add(ONE_EXECUTION, Ordering::AcqRel);
        if flags & RAN == 0 {
            self.flags.fetch_or(EXECUTED | RAN, Ordering::AcqRel);
        }
        flags < ONE_EXECUTION
    }

    /// A stage of a stream begins: the model has run, whoever runs it.
    pub(crate) fn enter_stream(&self, now: u64) {
        self.change(|cover| cover.opened(now));
        self.flags.fetch_or(EXECUTED, Ordering::AcqRel);
    }

    /// Whether an execution of the service's own is open, or has run since this was last asked.
    pub(crate) fn ran_beside_streams(&self) -> bool {
        let flags = self.flags.load(Ordering::Acquire);
        if flags < ONE_EXECUTION {
            self.flags.fetch_and(!RAN, Ordering::AcqRel);
        }
        flags & RAN != 0
    }

    /// The reader of a stream is waited for, by all executions that are open, or by `most`: how many nobody has known to
    /// wait so far.
    pub(crate) fn wait_for_reader(&self, most: u32) -> u32 {
        let open = self.flags.load(Ordering::Acquire) / ONE_EXECUTION;
        if open == 0 {
            return 0;
        }
        let waiting = self.waiting.load(Ordering::Acquire);
        let more = open.saturating_sub(waiting).min(most);
        self.waiting.fetch_add(more, Ordering::AcqRel);
        more
    }

    /// He asks, and so many go on.
    pub(crate) fn reader_asks(&self, waited: u32) {
        if waited > 0 {
            self.waiting.fetch_sub(waited, Ordering::AcqRel);
        }
    }

    /// Tokens of the request; false where it has ended: then the bill has been made out.
    #[must_use]
    pub(crate) fn generate(&self, kind: TokenKind, tokens: u64) -> bool {
        let _settling = self.settle();
        let open = !self.has_ended();
        if open {
            self.generated().add(kind, tokens);
        }
        open
    }

    pub(crate) fn told(&self) -> &Told {
        self.told.get_or_init(Box::default)
    }

    /// `None` where it tells nothing.
    pub(crate) fn told_so_far(&self) -> Option<&Told> {
        self.told.get().map(|told| &**told)
    }

    /// What it tells when it begins.
    pub(crate) fn tells(mut self, told: Option<Box<Told>>) -> Tally {
        if let Some(told) = told {
            self.told = told.into();
        }
        self
    }

    pub(crate) fn generated(&self) -> &Generated {
        self.generated.get_or_init(Box::default)
    }

    /// `None` where it is no request that generates tokens.
    pub(crate) fn generated_so_far(&self) -> Option<&Generated> {
        self.generated.get().map(|generated| &**generated)
    }

    /// Whether the request goes on though its handler has returned: with the streams that it has handed out.
    pub(crate) fn leave_to_streams(&self) -> bool {
        self.generated_so_far()
            .is_some_and(Generated::leave_to_streams)
    }

    /// A stream ends. How the request ends, if it ends with it. `told`: it counts also where the handler still has to say
    /// what it comes to.
    pub(crate) fn close_stream(&self, outcome: Outcome, told: bool) -> Option<Outcome> {
        let generated = self.generated_so_far()?;
        if self.is_layered() {
            generated.note_stream(outcome, told || !self.has(JOINED));
            return None;
        }
        generated.close_stream(outcome, told)
    }

    /// What went wrong in a stream or a sequence, where its handler says of nothing that went wrong.
    pub(crate) fn failure(&self) -> Option<Outcome> {
        self.generated_so_far()?.failure()
    }

    /// A stage ends.
    #[inline]
    pub(crate) fn leave(&self, now: u64, execution: bool) -> Left {
        self.change(|cover| cover.closed(now));
        let flags = if execution {
            self.flags.fetch_sub(ONE_EXECUTION, Ordering::AcqRel)
        } else {
            self.flags.load(Ordering::Acquire)
        };
        Left {
            outlived: flags & ENDED != 0,
            executed: flags & EXECUTED != 0,
            tenanted: flags & TENANTED != 0,
        }
    }

    /// Whether this handler is the first inside the layer.
    pub(crate) fn join(&self) -> bool {
        self.flags.fetch_or(JOINED, Ordering::AcqRel) & JOINED == 0
    }

    /// That handler has ended: another one may answer instead.
    pub(crate) fn leave_handler(&self) {
        self.flags.fetch_and(!JOINED, Ordering::AcqRel);
    }

    /// Whether the request has a tenant, who is billed when it ends.
    pub(crate) fn bill_to_tenant(&self, tenanted: bool) {
        if tenanted {
            self.flags.fetch_or(TENANTED, Ordering::AcqRel);
        }
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.has(ENDED)
    }

    /// An execution, or a share in one, on the tenant's bill; false where there is no tenant, and where the request has
    /// ended: then the bill has been made out.
    #[must_use]
    pub(crate) fn bill(&self, ticks: u64) -> bool {
        if !self.has(TENANTED) {
            return false;
        }
        let _settling = self.settle();
        let open = !self.has_ended();
        if open {
            self.compute.fetch_add(ticks, Ordering::AcqRel);
        }
        open
    }

    pub(crate) fn compute(&self) -> u64 {
        self.compute.load(Ordering::Acquire)
    }

    /// A stage ended well: what went wrong inside it was overcome.
    #[inline]
    pub(crate) fn ended_well(&self, start: u64) {
        if self.has(TROUBLED) {
            self.forget_since(start);
        }
    }

    #[cold]
    fn forget_since(&self, start: u64) {
        if !self.troubles.forget_since(start) {
            self.flags.fetch_and(!TROUBLED, Ordering::AcqRel);
        }
    }

    /// A stage failed.
    #[cold]
    pub(crate) fn failed(&self, stage: &'static str, error: ErrorType, start: u64) {
        self.troubles.failed(stage, error, start);
        self.flags.fetch_or(TROUBLED, Ordering::AcqRel);
    }

    /// A stage was dropped: by the request itself, by a `select!` for example, or together with it.
    #[cold]
    pub(crate) fn dropped(&self, stage: &'static str, start: u64) {
        if self.has(CANCELLING) {
            self.troubles.dropped(stage, start);
        }
    }

    pub(crate) fn troubles(&self) -> &Troubles {
        &self.troubles
    }

    /// Nobody joins it and it does not end while this is held.
    pub(crate) fn settle(&self) -> MutexGuard<'_, ()> {
        lock(&self.settling)
    }

    pub(crate) fn is_cancelled(&self) -> bool {
        self.has(CANCELLING)
    }

    /// The request is dropped before it was done.
    pub(crate) fn cancelling(&self) {
        self.flags.fetch_or(CANCELLING, Ordering::AcqRel);
    }

    /// The layer has opened the request, and waits for its handler.
    pub(crate) fn wait_for_handler(&self, ingress: Open, span: Traced) {
        *lock(&self.ingress) = Some((ingress, span)).filter(|_| ingress.is_some());
        self.flags.fetch_or(LAYERED, Ordering::AcqRel);
    }

    /// Whether a layer opened the request.
    pub(crate) fn is_layered(&self) -> bool {
        self.has(LAYERED)
    }

    /// The stage that ends when the handler begins; once.
    pub(crate) fn take_ingress(&self) -> Option<(Open, Traced)> {
        lock(&self.ingress).take()
    }

    /// What the handler inside a layer returned.
    pub(crate) fn note(&self, outcome: Outcome) {
        *lock(&self.noted) = Some(outcome);
    }

    pub(crate) fn noted(&self) -> Option<Outcome> {
        *lock(&self.noted)
    }

    /// Why somebody refuses to go on. The first reason counts.
    pub(crate) fn refuse(&self, reason: Rejection) {
        lock(&self.refused).get_or_insert(reason);
    }

    pub(crate) fn refused(&self) -> Option<Rejection> {
        *lock(&self.refused)
    }

    pub(crate) fn executed(&self) -> bool {
        self.has(EXECUTED)
    }

    /// The request ends: ticks that no stage covers; `None` when it had ended before.
    pub(crate) fn end(&self, now: u64) -> Option<u64> {
        if self.flags.fetch_or(ENDED, Ordering::AcqRel) & ENDED != 0 {
            return None;
        }
        // counters of two cores may differ by a little, and a virtual machine may be moved
        let total = now.saturating_sub(self.start);
        let covered = Cover(self.cover.load(Ordering::Acquire)).ticks(now);
        // stages that end on another thread at this very moment may be a clock read ahead
        Some(total.saturating_sub(covered))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static SITE: Site = Site::request("test", "test");

    fn rest(tally: &Tally, end: u64) -> u64 {
        tally.end(end).expect("ends once")
    }

    #[test]
    fn overlapping_stages_count_once() {
        let tally = Tally::new(&SITE, 1, 100);
        tally.enter(110, false);
        tally.enter(120, false);
        tally.leave(130, false);
        tally.leave(150, false);
        tally.enter(160, false);
        tally.leave(170, false);
        assert_eq!(rest(&tally, 200), 100 - 40 - 10);
        assert!(tally.end(300).is_none(), "a request ends once");
    }

    #[test]
    fn a_stage_that_outlives_its_request_is_told_so() {
        let tally = Tally::new(&SITE, 1, 100);
        tally.enter(110, true);
        assert_eq!(rest(&tally, 150), 10);
        assert!(tally.leave(400, true).outlived);
    }

    #[test]
    fn the_outermost_execution_is_told() {
        let tally = Tally::new(&SITE, 1, 0);
        assert!(!tally.enter(1, false) && !tally.executed());
        assert!(tally.enter(1, true) && !tally.enter(2, true));
        tally.leave(3, true);
        tally.leave(4, true);
        assert!(tally.executed() && tally.enter(5, true));
    }

    #[test]
    fn only_a_request_that_is_dropped_has_a_stage_where_it_was() {
        let tally = Tally::new(&SITE, 1, 0);
        tally.dropped("decode", 1);
        assert_eq!(
            tally.troubles().left_in(),
            None,
            "dropped by the request itself"
        );
        tally.cancelling();
        tally.dropped("execute", 2);
        assert_eq!(tally.troubles().left_in(), Some("execute"));
    }

    #[test]
    fn a_failure_is_forgotten_when_a_stage_around_it_ends_well() {
        let tally = Tally::new(&SITE, 1, 0);
        tally.failed("preprocess", ErrorType::Internal, 10);
        tally.ended_well(15);
        assert!(tally.troubles().born(ErrorType::Internal).is_some());
        tally.ended_well(5);
        assert!(tally.troubles().born(ErrorType::Internal).is_none());
    }
}
