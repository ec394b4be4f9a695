//! A stage or a request whose result is a stream: it goes on until the stream has ended.

use crate::record::local;
use crate::record::span::Traced;
use crate::request::life::Begun;
use crate::request::opened::OpenedRequest;
use crate::request::stage::EnteredStage;
use crate::vocab::outcome::Outcome;
use futures_core::{FusedStream, Stream};
use pin_project_lite::pin_project;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

/// What the function's own part has begun, and its stream ends.
pub trait Begins {
    /// The same, fit to travel with the stream.
    type Kept: Kept;
    /// `None` when nobody records it.
    fn keep(self) -> Option<Self::Kept>;
}

/// Open until its stream has ended.
pub trait Kept: Sized {
    /// Runs the stream's code as a part of it.
    fn run<R>(&self, code: impl FnOnce() -> R) -> R;
    /// The stream has given an item that says this: it is the reader's turn.
    fn hold(&mut self, said: Outcome) {
        let _ = said;
    }
    /// The reader asks for the next one.
    fn ask(&mut self) {}
    /// The stream has ended.
    fn end(self, outcome: Outcome);
    /// The stream is dropped, by `rest`, before it has ended.
    fn leave(self, outcome: Outcome, rest: impl FnOnce());
}

/// A stage that is open until its stream has ended.
#[derive(Debug)]
pub struct KeptStage {
    stage: EnteredStage,
    span: Traced,
    /// It is an execution, and its reader is waited for.
    held: bool,
}

impl Begins for EnteredStage {
    type Kept = KeptStage;

    fn keep(mut self) -> Option<KeptStage> {
        // it may end far from where it began
        self.tally = self.tally.take().or_else(local::current);
        let span = self.take_span();
        self.open.is_some().then(|| {
            let mut kept = KeptStage {
                stage: self,
                span,
                held: false,
            };
            // he has not asked for the first one yet, and may be slow at that too
            kept.wait_for_reader(false);
            kept
        })
    }
}

impl KeptStage {
    /// `alive`: it has given him something.
    #[inline]
    fn wait_for_reader(&mut self, alive: bool) {
        let open = self.stage.open;
        if open.id.is_execution() {
            let tally = open.within(self.stage.tally.as_ref());
            // a stream of tokens within may have said so for it
            self.held = tally.is_none_or(|tally| tally.wait_for_reader(1) > 0);
            if self.held {
                open.hold(0, alive);
            }
        }
    }
}

impl Kept for KeptStage {
    /// The stage is told by its own guard; the request around it is current where the stream is asked.
    #[inline]
    fn run<R>(&self, code: impl FnOnce() -> R) -> R {
        let inside = self.span.enter();
        let value = code();
        // not by the function's end: a value on its way out is lost when a subscriber panics then
        drop(inside);
        value
    }

    #[inline]
    fn hold(&mut self, said: Outcome) {
        self.wait_for_reader(said == Outcome::Ok);
    }

    #[inline]
    fn ask(&mut self) {
        if std::mem::take(&mut self.held) {
            let open = self.stage.open;
            if let Some(tally) = open.within(self.stage.tally.as_ref()) {
                tally.reader_asks(1);
            }
            open.ask(0);
        }
    }

    fn end(mut self, outcome: Outcome) {
        self.ask();
        self.stage.exit(outcome);
        self.span.ended(outcome);
    }

    fn leave(self, outcome: Outcome, rest: impl FnOnce()) {
        let _inside = self.span.enter();
        let ending = Ending(Some(self), outcome);
        rest();
        drop(ending);
    }
}

/// Ends a stage whose stream is dropped, also when a destructor in it panics.
struct Ending(Option<KeptStage>, Outcome);

impl Drop for Ending {
    fn drop(&mut self) {
        if let Some(stage) = self.0.take() {
            stage.end(self.1);
        }
    }
}

/// A request that is open until its stream has ended.
#[derive(Debug)]
pub struct KeptRequest(Begun);

impl Begins for OpenedRequest {
    type Kept = KeptRequest;

    fn keep(self) -> Option<KeptRequest> {
        match self.into_begun() {
            Begun::Nothing => None,
            begun => Some(KeptRequest(begun)),
        }
    }
}

impl Kept for KeptRequest {
    fn run<R>(&self, code: impl FnOnce() -> R) -> R {
        let scope = self.0.scope();
        let value = code();
        drop(scope);
        value
    }

    fn end(self, outcome: Outcome) {
        self.0.end(outcome);
    }

    fn leave(self, outcome: Outcome, rest: impl FnOnce()) {
        self.0.leave(outcome, rest);
    }
}

pin_project! {
    /// A stream that ends a stage or a request. Its items are the user's; their types say how it goes.
    #[must_use = "streams do nothing unless polled"]
    pub struct Streamed<S, K, O> where K: Kept {
        #[pin]
        stream: Option<S>,
        kept: Option<K>,
        outcome: O,
        // of the item that was handed out last: an error after which nothing comes is how it ended
        last: Outcome,
        // inside the user's poll: dropped here means unwound
        polling: bool,
    }

    impl<S, K: Kept, O> PinnedDrop for Streamed<S, K, O> {
        fn drop(this: Pin<&mut Self>) {
            let mut this = this.project();
            let outcome = match *this.last {
                _ if *this.polling => Outcome::Panicked,
                Outcome::Ok => Outcome::Cancelled,
                failed => failed,
            };
            if let Some(kept) = this.kept.take() {
                kept.leave(outcome, || this.stream.set(None));
            }
        }
    }
}

/// Hands out `stream`, which ends what was begun.
#[inline]
pub fn streamed<S, B, O>(begun: Option<B>, stream: S, outcome: O) -> Streamed<S, B::Kept, O>
where
    S: Stream,
    B: Begins,
    O: FnMut(&S::Item) -> Outcome,
{
    Streamed {
        stream: Some(stream),
        kept: begun.and_then(B::keep),
        outcome,
        last: Outcome::Ok,
        polling: false,
    }
}

impl<S, K, O> Stream for Streamed<S, K, O>
where
    S: Stream,
    K: Kept,
    O: FnMut(&S::Item) -> Outcome,
{
    type Item = S::Item;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<S::Item>> {
        let this = self.project();
        let Some(stream) = this.stream.as_pin_mut() else {
            return Poll::Ready(None);
        };
        let Some(kept) = this.kept else {
            return stream.poll_next(cx);
        };
        kept.ask();
        *this.polling = true;
        // unwinding out of here leaves `polling` as it is
        let (polled, said) = kept.run(|| {
            let polled = stream.poll_next(cx);
            // what an item says may depend on the request
            let said = match &polled {
                Poll::Ready(Some(item)) => Some((this.outcome)(item)),
                _ => None,
            };
            (polled, said)
        });
        *this.polling = false;
        if let Some(said) = said {
            *this.last = said;
            kept.hold(said);
        }
        if let Poll::Ready(None) = polled
            && let Some(kept) = this.kept.take()
        {
            kept.end(*this.last);
        }
        polled
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.stream.as_ref().map_or((0, Some(0)), Stream::size_hint)
    }
}

impl<S, K, O> FusedStream for Streamed<S, K, O>
where
    S: FusedStream,
    K: Kept,
    O: FnMut(&S::Item) -> Outcome,
{
    fn is_terminated(&self) -> bool {
        self.stream.as_ref().is_none_or(FusedStream::is_terminated)
    }
}

impl<S, K: Kept, O> fmt::Debug for Streamed<S, K, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Streamed")
            .field("open", &self.kept.is_some())
            .field("last", &self.last)
            .finish_non_exhaustive()
    }
}
