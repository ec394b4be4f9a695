//! The request that annotated code works for, current on the thread that works for it.

use crate::record::generation;
use crate::record::local;
use crate::record::span::{Inside, Traced};
use crate::record::tally::Tally;
use crate::request::traces;
use crate::vocab::finish_reason::FinishReason;
use crate::vocab::outcome::Rejection;
use crate::vocab::token_kind::TokenKind;
use crate::vocab::trace_id::TraceId;
use pin_project_lite::pin_project;
use std::fmt;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// The request that the current code works for. Cheap to clone, and free to travel to other tasks and threads.
///
/// Inside an annotated handler it is current in every poll; across a hop it has to be carried:
///
/// ```
/// # use instrument_runtime::RequestContext;
/// let context = RequestContext::current();
/// std::thread::spawn(move || {
///     let _inside = context.map(RequestContext::enter);
///     // stages that run here belong to the request
/// })
/// # .join().unwrap();
/// ```
#[derive(Clone)]
pub struct RequestContext(Arc<Tally>);

impl RequestContext {
    /// The request that this code works for; `None` outside of any, and when nothing is recorded.
    pub fn current() -> Option<RequestContext> {
        local::current().map(RequestContext)
    }

    pub(crate) fn tally(&self) -> Arc<Tally> {
        Arc::clone(&self.0)
    }

    /// Whether the request was dropped before it was done: the client has left, and nobody will read an answer.
    /// Ask before an expensive step that the handler does not await.
    pub fn is_cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    /// Says why the request is not served, where the handler's own error cannot: it then ends as `rejected` for this
    /// reason, unless the model has run for it. The first reason counts.
    pub fn rejected(&self, reason: Rejection) {
        self.0.refuse(reason);
    }

    /// Counts tokens of the request, when it ends: `inference_tokens_total`, by tenant, and `inference_request_tokens`.
    /// After its end they are counted at once, without a tenant. Several calls add up; 0 is a number like any other. What a
    /// stream that is measured by [`measure_tokens`](crate::MeasureTokens::measure_tokens) gives, and what a
    /// [`Sequence`](crate::Sequence) marks, is counted as output by itself.
    pub fn tokens(&self, kind: TokenKind, tokens: u64) {
        if !self.0.generate(kind, tokens) {
            generation::bill_alone(self.0.combo(), kind, tokens);
        }
    }

    /// A sign of life of a long execution that reports from inside: the built-in check `stalled` counts anew from here, for
    /// the model of the request. Executions that end, and tokens of a stream, are signs of their own. To be given where
    /// the work gets on, in the loop itself: from a timer beside it, it would say nothing. Costs a few hundred nanoseconds.
    /// Where there is no request, see [`ModelSlot::heartbeat`](crate::ModelSlot::heartbeat).
    ///
    /// ```
    /// # use instrument_runtime::RequestContext;
    /// let context = RequestContext::current();
    /// for step in 0..1_000 {
    ///     // … a step of a diffusion, a chunk of a long prompt …
    ///     if step % 100 == 0 {
    ///         context.iter().for_each(RequestContext::heartbeat);
    ///     }
    /// }
    /// ```
    pub fn heartbeat(&self) {
        generation::heartbeat(self.0.combo());
    }

    /// Why the model stopped, for `inference_finishes_total`. The first reason counts.
    pub fn finish(&self, reason: FinishReason) {
        self.0.generated().finish(reason);
    }

    /// The route that its handler was reached by, as `route = …` of the attribute says it: for logs and spans, never a
    /// label. At most 128 bytes.
    ///
    /// ```
    /// # use instrument_runtime::RequestContext;
    /// let context = RequestContext::current();
    /// let route = context.as_ref().and_then(RequestContext::route);
    /// # assert_eq!(route, None);
    /// ```
    pub fn route(&self) -> Option<&str> {
        self.0.told_so_far()?.route()
    }

    /// The trace that it belongs to, for the service's own log: the one that its caller names in a header `traceparent`,
    /// where a request layer has seen it, else the one of the span of OpenTelemetry in which the request began (with the
    /// feature `tracing`, and where a subscriber of that crate is set). `None` where there is neither.
    ///
    /// ```
    /// # use instrument_runtime::RequestContext;
    /// let trace = RequestContext::current().and_then(|context| context.trace_id());
    /// if let Some(trace) = trace {
    ///     eprintln!("trace_id={trace}"); // 32 hexadecimal digits
    /// }
    /// ```
    pub fn trace_id(&self) -> Option<TraceId> {
        self.0.told_so_far()?.trace()
    }

    /// Works for this request on this thread until the guard is dropped. Not to be held across an `.await`, where
    /// other tasks run on this thread: [`scope`](RequestContext::scope) is for that.
    #[must_use = "the request is current until this is dropped"]
    pub fn enter(self) -> Entered {
        Entered(Scope::enter(&self.0))
    }

    /// Works for this request in every poll of `future`.
    pub fn scope<F: Future>(self, future: F) -> InScope<F> {
        self.scope_at(Traced::NONE, future)
    }

    /// The same, in a span within the request.
    pub(crate) fn scope_at<F: Future>(self, span: Traced, future: F) -> InScope<F> {
        InScope {
            future: Some(future),
            tally: self.0,
            span,
        }
    }
}

impl fmt::Debug for RequestContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestContext")
            .field("opened_at", &format_args!("{}", self.0.site))
            .finish_non_exhaustive()
    }
}

/// Keeps a request current; what was current before comes back when it is dropped.
#[derive(Debug)]
#[must_use = "the request is current until this is dropped"]
pub struct Entered(#[expect(dead_code, reason = "held for its destructor")] Scope);

/// The same, for the runtime's own use. Not `Send`: it is about this thread.
#[derive(Debug)]
pub(crate) struct Scope {
    number: u64,
    // left after the scope, whatever a subscriber does
    inside: Inside,
    not_send: PhantomData<*const ()>,
}

impl Scope {
    #[inline]
    pub(crate) fn enter(tally: &Arc<Tally>) -> Scope {
        let is_current = local::with(local::Local::serial) == tally.serial;
        let mut scope = Scope::unseen(tally);
        // whoever works for it already may be in a span further in
        if !is_current {
            scope.inside = tally.span.get().into_entered();
            if scope.inside.is_some() {
                traces::entered(tally);
            }
        }
        scope
    }

    /// For recording only: nothing of the service's own runs inside.
    #[inline]
    pub(crate) fn unseen(tally: &Arc<Tally>) -> Scope {
        Scope {
            number: local::enter(tally),
            inside: Inside::NOWHERE,
            not_send: PhantomData,
        }
    }
}

impl Drop for Scope {
    #[inline]
    fn drop(&mut self) {
        local::leave(self.number);
    }
}

pin_project! {
    /// A future that works for a request.
    #[must_use = "futures do nothing unless polled"]
    pub struct InScope<F> {
        #[pin]
        future: Option<F>,
        tally: Arc<Tally>,
        span: Traced,
    }

    impl<F> PinnedDrop for InScope<F> {
        fn drop(this: Pin<&mut Self>) {
            let mut this = this.project();
            if this.future.is_none() {
                return;
            }
            // its destructors work for the request too
            let _scope = Scope::enter(this.tally);
            let _inside = this.span.enter();
            this.future.set(None);
        }
    }
}

impl<F: Future> Future for InScope<F> {
    type Output = F::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        let mut this = self.project();
        let scope = Scope::enter(this.tally);
        let inside = this.span.enter();
        let Some(future) = this.future.as_mut().as_pin_mut() else {
            panic!("a future was polled after it had finished");
        };
        let polled = future.poll(cx);
        if polled.is_ready() {
            this.future.set(None);
        }
        // not by the function's end: a value on its way out is lost when a subscriber panics then
        drop((inside, scope));
        polled
    }
}

impl<F> fmt::Debug for InScope<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InScope").finish_non_exhaustive()
    }
}
