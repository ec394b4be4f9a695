//! What a request's expansion calls: one function or type for each shape of function.

use crate::record::combo;
use crate::record::local;
use crate::record::recorder::{Count, Recorder};
use crate::record::series::Kind;
use crate::record::tally::{Tally, Trouble};
use crate::request::context::Scope;
use crate::request::opening::Opening;
use crate::request::stage::Never;
use crate::site::site::Site;
use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::Outcome;
use pin_project_lite::pin_project;
use std::fmt;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;
use std::task::{Context, Poll};

/// Where a label names a stage and there is none.
const NO_STAGE: &str = "none";

/// Without a layer nobody knows why a future was dropped.
const UNKNOWN_CAUSE: &str = "unknown";

/// Opens a request; `None` when nobody records, and when it joined the one that is open already.
fn begin(site: &'static Site, opening: Opening) -> Option<Arc<Tally>> {
    if !local::enabled() {
        return None;
    }
    if let Some(open) = local::current()
        && !site.root
        && !std::ptr::eq(open.site, site)
    {
        join(&open, opening);
        return None;
    }
    let (recorder, number) = opening.resolve()?;
    let combo = combo::get(number)?;
    let (series, _) = combo.request(&recorder, site);
    local::with(|local| local.push(series.event(Kind::BEGAN, 0)));
    Some(Arc::new(Tally::new(site, number, recorder.clock.ticks())))
}

/// An attribute inside a request adds what the request does not say yet.
fn join(open: &Arc<Tally>, opening: Opening) {
    let was = open.combo();
    let Some(now) = opening.join(was).filter(|now| *now != was) else {
        return;
    };
    let series = |number| {
        let combo = combo::get(number)?;
        let recorder = combo.recorder()?;
        Some(combo.request(&recorder, open.site).0)
    };
    let (Some(from), Some(to)) = (series(was), series(now)) else {
        return;
    };
    open.replace_combo(now);
    local::with(|local| {
        local.replace_combo(now);
        local.push(from.event(Kind::MOVED, 0));
        local.push(to.event(Kind::BEGAN, 0));
    });
}

/// Ends a request, once.
fn end(tally: &Tally, outcome: Outcome) {
    let Some(combo) = combo::get(tally.combo()) else {
        return;
    };
    let Some(recorder) = combo.recorder() else {
        return;
    };
    let now = recorder.clock.ticks();
    let Some((rest, trouble)) = tally.end(now) else {
        return;
    };
    let outcome = if tally.executed() {
        outcome.once_executed()
    } else {
        outcome
    };
    let (request, unattributed) = combo.request(&recorder, tally.site);
    local::with(|local| {
        local.push(request.event(Kind::ended(outcome), now.saturating_sub(tally.start)));
        local.push(unattributed.event(Kind::COUNT, rest));
    });
    if outcome != Outcome::Ok {
        count(&recorder, combo.labels.model, outcome, trouble);
    }
}

/// What did not go well is counted once more, by where and why.
#[cold]
fn count(recorder: &Recorder, model: usize, outcome: Outcome, trouble: Option<Trouble>) {
    let series = match outcome {
        Outcome::Error(own) => {
            let born = trouble.and_then(|trouble| Some((trouble.stage, trouble.error?)));
            let (stage, inner) = born.unwrap_or((NO_STAGE, own));
            // a wrapper that hides its cause knows less than the stage where the error was born
            let error = if own == ErrorType::Internal {
                inner
            } else {
                own
            };
            recorder.count(
                Count::Errors,
                model,
                &[("stage", stage), ("error_type", error.as_str())],
            )
        }
        Outcome::Rejected(reason) => {
            recorder.count(Count::Rejections, model, &[("reason", reason.as_str())])
        }
        Outcome::Cancelled => {
            let dropped = trouble.filter(|trouble| trouble.error.is_none());
            let stage = dropped.map_or(NO_STAGE, |trouble| trouble.stage);
            recorder.count(
                Count::Cancellations,
                model,
                &[("stage", stage), ("cause", UNKNOWN_CAUSE)],
            )
        }
        Outcome::Ok | Outcome::Panicked => return,
    };
    local::with(|local| local.push(series.event(Kind::COUNT, 1)));
}

/// A request that has begun. Dropped without [`exit`](OpenedRequest::exit) it was unwound.
#[derive(Debug)]
pub struct OpenedRequest {
    tally: Option<Arc<Tally>>,
    /// Only for synchronous functions: a future makes its request current in each poll.
    scope: Option<Scope>,
}

/// Opens a request for a synchronous function.
#[inline]
pub fn open(site: &'static Site, opening: Opening) -> OpenedRequest {
    let tally = begin(site, opening);
    let scope = tally.as_ref().map(Scope::enter);
    OpenedRequest { tally, scope }
}

impl OpenedRequest {
    /// Ends the request.
    #[inline]
    pub fn exit(self, outcome: Outcome) {
        // its destructor is for those that never come here
        let mut this = ManuallyDrop::new(self);
        this.end(outcome);
    }

    fn end(&mut self, outcome: Outcome) {
        drop(self.scope.take());
        if let Some(tally) = self.tally.take() {
            end(&tally, outcome);
        }
    }
}

impl Drop for OpenedRequest {
    #[cold]
    #[inline(never)]
    fn drop(&mut self) {
        self.end(Outcome::Panicked);
    }
}

/// A synchronous request whose return type can be named by nobody but the compiler.
#[inline]
pub fn request_sync<R>(
    site: &'static Site,
    opening: Opening,
    body: impl FnOnce() -> R,
    outcome: impl FnOnce(&R) -> Outcome,
) -> R {
    let request = open(site, opening);
    let value = body();
    request.exit(outcome(&value));
    value
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Fresh,
    Running,
    /// Inside the user's poll: dropped here means unwound.
    Polling,
    Done,
}

pin_project! {
    /// A request that is a future. Gives the value together with the request, still open, so that the expansion
    /// can look at the value where its type is known.
    #[must_use = "futures do nothing unless polled"]
    pub struct Requested<F> {
        // as in `Staged`
        shallow: [AtomicU8; 0],
        #[pin]
        future: Option<F>,
        site: &'static Site,
        opening: Opening,
        tally: Option<Arc<Tally>>,
        phase: Phase,
    }

    impl<F> PinnedDrop for Requested<F> {
        fn drop(this: Pin<&mut Self>) {
            let mut this = this.project();
            let Some(tally) = this.tally.take() else { return };
            let outcome = if *this.phase == Phase::Polling { Outcome::Panicked } else { Outcome::Cancelled };
            tally.cancelling();
            {
                // stages inside end within their request
                let _scope = Scope::enter(&tally);
                this.future.set(None);
            }
            end(&tally, outcome);
        }
    }
}

impl<F> Requested<F> {
    /// The request begins with the first poll.
    #[inline]
    pub const fn new(site: &'static Site, opening: Opening, future: F) -> Requested<F> {
        Requested {
            shallow: [],
            future: Some(future),
            site,
            opening,
            tally: None,
            phase: Phase::Fresh,
        }
    }
}

impl<F: Future> Future for Requested<F> {
    type Output = (F::Output, OpenedRequest);

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if *this.phase == Phase::Fresh {
            *this.tally = begin(this.site, *this.opening);
        }
        let Some(future) = this.future.as_mut().as_pin_mut() else {
            panic!("a future was polled after it had finished");
        };
        *this.phase = Phase::Polling;
        let scope = this.tally.as_ref().map(Scope::enter);
        // unwinding out of here leaves the phase at `Polling`
        let polled = future.poll(cx);
        match polled {
            Poll::Ready(value) => {
                // its destructors still work for the request
                this.future.set(None);
                drop(scope);
                *this.phase = Phase::Done;
                Poll::Ready((
                    value,
                    OpenedRequest {
                        tally: this.tally.take(),
                        scope: None,
                    },
                ))
            }
            Poll::Pending => {
                *this.phase = Phase::Running;
                Poll::Pending
            }
        }
    }
}

impl<F> fmt::Debug for Requested<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Requested")
            .field("phase", &self.phase)
            .finish_non_exhaustive()
    }
}

pin_project! {
    /// A request that is a future, for functions that return one: looks at the value itself.
    #[must_use = "futures do nothing unless polled"]
    pub struct DeferredRequest<F, O> {
        #[pin]
        requested: Requested<F>,
        outcome: O,
    }
}

impl<F: Future, O: FnMut(&F::Output) -> Outcome> Future for DeferredRequest<F, O> {
    type Output = F::Output;

    #[inline]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let this = self.project();
        match this.requested.poll(cx) {
            Poll::Pending => Poll::Pending,
            Poll::Ready((value, request)) => {
                request.exit((this.outcome)(&value));
                Poll::Ready(value)
            }
        }
    }
}

impl<F, O> fmt::Debug for DeferredRequest<F, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.requested.fmt(f)
    }
}

/// A function that returns a future: the request is the future, not the making of it.
#[inline]
pub const fn request_deferred<F: Future, O: FnMut(&F::Output) -> Outcome>(
    site: &'static Site,
    opening: Opening,
    future: F,
    outcome: O,
) -> DeferredRequest<F, O> {
    DeferredRequest {
        requested: Requested::new(site, opening, future),
        outcome,
    }
}

/// An asynchronous function that never returns.
#[inline]
pub fn request_never<F: Future<Output = Never>>(
    site: &'static Site,
    opening: Opening,
    future: F,
) -> DeferredRequest<F, impl FnMut(&Never) -> Outcome> {
    request_deferred(site, opening, future, |_| Outcome::Ok)
}

/// A request beside a body that stays where it is, for `#[track_caller]`.
#[derive(Debug)]
pub struct InPlaceRequest(OpenedRequest);

impl InPlaceRequest {
    /// Opens the request.
    #[inline]
    #[must_use]
    pub fn open(site: &'static Site, opening: Opening) -> InPlaceRequest {
        InPlaceRequest(open(site, opening))
    }

    /// Ends the request.
    #[inline]
    pub fn exit(self, outcome: Outcome) {
        self.0.exit(outcome);
    }
}
