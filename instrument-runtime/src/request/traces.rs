//! The trace that a request belongs to, as OpenTelemetry knows it on this thread: `tracing-opentelemetry` makes a span's
//! context the current one while the span is entered, and so do those who use OpenTelemetry alone.

use crate::record::tally::Tally;
use crate::request::caller::Caller;
use crate::vocab::foreign::contained;
use crate::vocab::trace_id::TraceId;
use opentelemetry::Context;
use opentelemetry::trace::{SpanContext, SpanId, TraceContextExt, TraceFlags, TraceState};
use tracing::level_filters::LevelFilter;

/// Of the span that this thread is in. One load where no subscriber of `tracing` is there: nobody reads a log then.
#[inline]
pub(crate) fn current() -> Option<TraceId> {
    if LevelFilter::current() == LevelFilter::OFF {
        return None;
    }
    look()
}

#[cold]
fn look() -> Option<TraceId> {
    ask(|| {
        Context::map_current(|context| {
            let span = context.span();
            TraceId::new(span.span_context().trace_id().to_bytes())
        })
    })
}

/// The request's span has been entered. The first time, that says its trace.
#[cold]
pub(crate) fn entered(tally: &Tally) {
    tally.told().look_for_trace(look);
}

/// From a request's span to that of its caller: a link, since nobody says that the caller is to be trusted as a parent.
#[derive(Debug)]
pub(crate) struct Link {
    caller: SpanContext,
    /// The span around that of the request.
    around: SpanId,
}

impl Link {
    /// To be made as soon as the request's span has been entered; `None` where it has none.
    pub(crate) fn to(caller: Option<Caller>, tally: &Tally) -> Option<Link> {
        let caller = caller.filter(|_| tally.span.get().is_some())?;
        let flags = if caller.sampled {
            TraceFlags::SAMPLED
        } else {
            TraceFlags::default()
        };
        Some(Link {
            caller: SpanContext::new(
                opentelemetry::TraceId::from_bytes(caller.trace.to_bytes()),
                SpanId::from_bytes(caller.span),
                flags,
                true,
                TraceState::default(),
            ),
            around: ask(|| Some(Context::current().span().span_context().span_id()))?,
        })
    }

    /// Only where the span is one of OpenTelemetry, and does not belong to the caller's trace already.
    pub(crate) fn make(self) {
        ask(|| {
            let context = Context::current();
            let span = context.span();
            let of_request = span.span_context();
            let is_new = of_request.span_id() != self.around;
            if is_new && of_request.trace_id() != self.caller.trace_id() {
                span.add_link(self.caller, Vec::new());
            }
            Some(())
        });
    }
}

/// Where this thread keeps what is current. Destroyed before OpenTelemetry's own place, which is made first: that one
/// panics when it is asked later.
struct Place;

impl Place {
    fn new() -> Place {
        Context::map_current(|_| Place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {}
}

thread_local! {
    static PLACE: Place = Place::new();
}

/// Asks OpenTelemetry. A tracer of the service's own may panic.
fn ask<R>(question: impl FnOnce() -> Option<R>) -> Option<R> {
    let safely = || {
        PLACE.try_with(|_| ()).ok()?;
        question()
    };
    contained(safely).ok().flatten()
}
