//! What a request's expansion calls: one function or type for each shape of function.

use crate::request::context::Scope;
use crate::request::life::{self, Begun};
use crate::request::opening::Opening;
use crate::request::stage::Never;
use crate::site::site::Site;
use crate::vocab::outcome::Outcome;
use futures_core::FusedFuture;
use pin_project_lite::pin_project;
use std::fmt;
use std::mem::ManuallyDrop;
use std::pin::Pin;
use std::sync::atomic::AtomicU8;
use std::task::{Context, Poll};

/// A request that has begun. Dropped without [`exit`](OpenedRequest::exit) it was unwound.
#[derive(Debug)]
pub struct OpenedRequest {
    begun: Begun,
    /// Until the value has been looked at. Before that, a future makes its request current in each poll.
    scope: Option<Scope>,
}

/// Opens a request for a synchronous function.
#[inline]
pub fn open(site: &'static Site, opening: Opening) -> OpenedRequest {
    let mut request = OpenedRequest {
        begun: life::begin(site, opening),
        scope: None,
    };
    request.scope = request.begun.scope();
    request
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
        // the scope ends last: a subscriber that panics there finds the request ended
        let _scope = self.scope.take();
        std::mem::take(&mut self.begun).end(outcome);
    }

    /// Still open, and current no more.
    pub(crate) fn into_begun(mut self) -> Begun {
        // a subscriber that panics here unwinds a request that is open
        drop(self.scope.take());
        std::mem::take(&mut self.begun)
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

/// One of the two at a time, because what travels in every future is to be small.
#[derive(Debug)]
enum Progress {
    /// Not polled yet.
    Fresh(Opening),
    Begun(Begun),
}

impl Progress {
    fn scope(&self) -> Option<Scope> {
        match self {
            Progress::Fresh(_) => None,
            Progress::Begun(begun) => begun.scope(),
        }
    }

    fn take(&mut self) -> Begun {
        match std::mem::replace(self, Progress::Begun(Begun::Nothing)) {
            Progress::Fresh(_) => Begun::Nothing,
            Progress::Begun(begun) => begun,
        }
    }
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
        progress: Progress,
        // inside the user's poll: dropped here means unwound
        polling: bool,
    }

    impl<F> PinnedDrop for Requested<F> {
        fn drop(this: Pin<&mut Self>) {
            let mut this = this.project();
            let unwound = *this.polling;
            let outcome = if unwound { Outcome::Panicked } else { Outcome::Cancelled };
            this.progress.take().leave(outcome, || this.future.set(None));
        }
    }
}

impl<F> Requested<F> {
    /// The request begins with the first poll. The opening knows the site, and this type is to be small.
    #[inline]
    pub const fn new(_: &'static Site, opening: Opening, future: F) -> Requested<F> {
        Requested {
            shallow: [],
            future: Some(future),
            progress: Progress::Fresh(opening),
            polling: false,
        }
    }
}

impl<F: Future> Future for Requested<F> {
    type Output = (F::Output, OpenedRequest);

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        if let Progress::Fresh(opening) = this.progress {
            let opening = std::mem::replace(opening, Opening::new(opening.site()));
            *this.progress = Progress::Begun(life::begin(opening.site(), opening));
        }
        let Some(future) = this.future.as_mut().as_pin_mut() else {
            panic!("a future was polled after it had finished");
        };
        *this.polling = true;
        let scope = this.progress.scope();
        // unwinding out of here leaves the flag set
        let polled = future.poll(cx);
        match polled {
            Poll::Ready(value) => {
                // its destructors still work for the request
                this.future.set(None);
                *this.polling = false;
                Poll::Ready((
                    value,
                    OpenedRequest {
                        begun: this.progress.take(),
                        // what the value says may depend on the request
                        scope,
                    },
                ))
            }
            Poll::Pending => {
                *this.polling = false;
                Poll::Pending
            }
        }
    }
}

impl<F> fmt::Debug for Requested<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Requested")
            .field("progress", &self.progress)
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

impl<F: FusedFuture, O: FnMut(&F::Output) -> Outcome> FusedFuture for DeferredRequest<F, O> {
    fn is_terminated(&self) -> bool {
        let future = self.requested.future.as_ref();
        future.is_none_or(FusedFuture::is_terminated)
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
