//! A request does not follow its work by itself: where it has to be carried, and how.

use crate::record::span::Traced;
use crate::request::context::{InScope, RequestContext};
use crate::request::spans;
use pin_project_lite::pin_project;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

/// The closure, working for the request that runs here, wherever it is called.
///
/// ```
/// # use instrument_runtime::{RequestContext, carry};
/// let work = carry(|| RequestContext::current().is_some());
/// std::thread::spawn(work).join().unwrap();
/// ```
pub fn carry<R>(work: impl FnOnce() -> R) -> impl FnOnce() -> R {
    let context = RequestContext::current();
    let span = span_of(context.as_ref());
    move || {
        let inside = context.map(RequestContext::enter);
        let at = span.into_entered();
        let value = work();
        drop((at, inside));
        value
    }
}

/// Where the work is asked for, so that its spans are children of that.
fn span_of(context: Option<&RequestContext>) -> Traced {
    context.map_or(Traced::NONE, |context| {
        spans::current_within(&context.tally())
    })
}

/// The future, working for the request that runs here, wherever it is polled.
pub fn carry_async<F: Future>(future: F) -> Carried<F> {
    let carried = match RequestContext::current() {
        Some(context) => Maybe::Inside {
            future: {
                let span = span_of(Some(&context));
                context.scope_at(span, future)
            },
        },
        None => Maybe::Outside { future },
    };
    Carried { carried }
}

/// [`tokio::spawn`] for a task that works for the request that runs here.
///
/// # Panics
/// Outside of a tokio runtime, as `tokio::spawn` does.
#[track_caller]
pub fn spawn<F>(future: F) -> tokio::task::JoinHandle<F::Output>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    tokio::spawn(carry_async(future))
}

/// [`tokio::task::spawn_blocking`] for work for the request that runs here.
///
/// # Panics
/// Outside of a tokio runtime, as `tokio::task::spawn_blocking` does.
#[track_caller]
pub fn spawn_blocking<R: Send + 'static>(
    work: impl FnOnce() -> R + Send + 'static,
) -> tokio::task::JoinHandle<R> {
    tokio::task::spawn_blocking(carry(work))
}

pin_project! {
    /// A future with the request that it works for, if there is one.
    #[must_use = "futures do nothing unless polled"]
    pub struct Carried<F> {
        #[pin]
        carried: Maybe<F>,
    }
}

pin_project! {
    #[project = MaybeProjection]
    enum Maybe<F> {
        Inside { #[pin] future: InScope<F> },
        Outside { #[pin] future: F },
    }
}

impl<F: Future> Future for Carried<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        match self.project().carried.project() {
            MaybeProjection::Inside { future } => future.poll(cx),
            MaybeProjection::Outside { future } => future.poll(cx),
        }
    }
}

impl<F> fmt::Debug for Carried<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Carried").finish_non_exhaustive()
    }
}
