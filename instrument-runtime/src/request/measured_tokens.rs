//! Streams of tokens, measured: what a service hands out keeps its request open.

use crate::request::context::Scope;
use crate::request::token_count::TokenCount;
use crate::request::token_meter::TokenMeter;
use futures_core::Stream;
use pin_project_lite::pin_project;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

/// Measures a stream of tokens, wherever it goes: into `axum`'s `Sse`, into the answer of a `tonic` service, or into a
/// loop.
///
/// ```
/// # use instrument_runtime as instrument_inference;
/// use axum::response::sse::{Event, Sse};
/// use futures::{Stream, StreamExt};
/// use instrument_inference::{Classify, MeasureTokens};
/// # use std::{io, future::ready};
///
/// struct Chunk { text: String, tokens: u32 }
///
/// # fn generate(prompt: String) -> impl Stream<Item = Result<Chunk, io::Error>> {
/// #     futures::stream::iter([Ok(Chunk { text: prompt, tokens: 3 })])
/// # }
/// // with `#[inference_request]`
/// async fn chat(prompt: String) -> Sse<impl Stream<Item = Result<Event, io::Error>>> {
///     let chunks = generate(prompt).measure_tokens(|item| {
///         item.as_ref().map(|chunk| chunk.tokens).map_err(Classify::error_type)
///     });
///     Sse::new(chunks.map(|item| Ok(Event::default().data(item?.text))))
/// }
/// # drop(futures::executor::block_on(chat("hello".to_owned())));
/// ```
pub trait MeasureTokens: Stream {
    /// The same stream; `count` says how many tokens an item has. An item without any, such as a role, a comment that
    /// keeps the connection alive, or a summary of usage, is no token and begins nothing.
    ///
    /// The stream belongs to the request in which this is called: that is current in each poll, and stays open until the
    /// stream has ended. A handler without a layer that returns well leaves its request to its streams; inside a layer, the
    /// body of the answer ends it, as ever. How the stream ends:
    ///
    /// | the stream | ended |
    /// |---|---|
    /// | gives `None` | `ok` |
    /// | gives `None`, or is dropped, after an item that `count` calls an error | `error`; with more items after it, the error was none of the stream |
    /// | is dropped before | `cancelled` |
    /// | panics | `panicked` |
    ///
    /// An error can be told only by `count`: an `Err` for which it gives a number is an item like any other. Without a
    /// layer the request ends with its last stream, as `error` if one has failed, unless the handler has read the stream
    /// itself: then it knows better. A [`RequestLayer`](crate::Telemetry::request_layer) prefers the error of the stream to
    /// a status code, which was sent before.
    ///
    /// Measured are the stages `prefill`, from this call to the first token, and `decode`, from there to the last token or
    /// to the error; the time to the first token, once a request; the time from token to token, where a chunk of n tokens
    /// gives n times the n-th part of its time; and the tokens. Tokens that come together with the first one have no time
    /// of their own, and an answer that came at once has no `decode`. The time between handing out an item and the next
    /// poll is the reader's: it counts as `inference_stream_backpressure_seconds_total` and is in none of the others.
    ///
    /// `prefill` and `decode` are executions, unless a stage of the service's own, beside or around them, is one. Outside
    /// of any request they are counted as all stages are there, and the tokens under the same model, without a tenant.
    /// When nobody records, the stream is handed through.
    ///
    /// An engine that generates for many requests in each step marks what happens itself, where it happens: a
    /// [`Sequence`](crate::Sequence). What it sends is not to be measured again.
    fn measure_tokens<N, F>(self, count: F) -> Measured<Self, F>
    where
        Self: Sized,
        N: TokenCount,
        F: FnMut(&Self::Item) -> N,
    {
        Measured {
            stream: Some(self),
            count,
            meter: TokenMeter::begin(),
        }
    }
}

impl<S: Stream> MeasureTokens for S {}

pin_project! {
    /// A stream of tokens that is measured; see [`MeasureTokens`].
    #[must_use = "streams do nothing unless polled"]
    pub struct Measured<S, F> {
        #[pin]
        stream: Option<S>,
        count: F,
        meter: Option<TokenMeter>,
    }

    impl<S, F> PinnedDrop for Measured<S, F> {
        fn drop(this: Pin<&mut Self>) {
            let mut this = this.project();
            if let Some(meter) = this.meter {
                meter.abandon();
                // its destructors work for the request too, which may end when the meter is dropped
                let _scope = meter.request().map(Scope::enter);
                this.stream.set(None);
            }
        }
    }
}

impl<S, N, F> Stream for Measured<S, F>
where
    S: Stream,
    N: TokenCount,
    F: FnMut(&S::Item) -> N,
{
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<S::Item>> {
        let this = self.project();
        let Some(stream) = this.stream.as_pin_mut() else {
            return Poll::Ready(None);
        };
        let Some(meter) = this.meter else {
            return stream.poll_next(cx);
        };
        meter.begin_poll();
        let scope = meter.request().map(Scope::enter);
        // unwinding out of here, or out of the closure, leaves the meter as it is
        let polled = stream.poll_next(cx);
        if polled.is_pending() {
            meter.pending();
        }
        let item = ready!(polled);
        if let Some(item) = &item {
            meter.item((this.count)(item).counted());
        }
        // not by the function's end: a value on its way out is lost when a subscriber panics then
        drop(scope);
        if item.is_none()
            && let Some(meter) = this.meter.take()
        {
            meter.end();
        }
        Poll::Ready(item)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.stream.as_ref().map_or((0, Some(0)), Stream::size_hint)
    }
}

impl<S, F> fmt::Debug for Measured<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Measured")
            .field("meter", &self.meter)
            .finish_non_exhaustive()
    }
}
