//! The body of an answer, which ends the request that a layer owns.
//!
//! Servers rarely ask a body for its end: once it says that it is at its end, or once it has given all the bytes
//! that the head promised, they drop it. So a drop is a cancellation only when none of that was the case.

use crate::request::classify::links;
use crate::request::deadline::{Deadline, DeadlinePassed, LATE};
use crate::request::outcome_grpc;
use crate::request::owned::Owned;
use crate::request::protocol::{GRPC_STATUS, Said};
use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::Outcome;
use http::{HeaderMap, HeaderValue, StatusCode};
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;
use std::error::Error;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

type BoxError = Box<dyn Error + Send + Sync>;

/// What has to be done when the answer ends.
#[derive(Debug)]
struct Ending {
    owned: Owned,
    deadline: Deadline,
    said: Said,
    /// Bytes that are still to come, where the head promises how many there are.
    left: Option<u64>,
}

pin_project! {
    /// The body of an answer of a service inside a [`RequestLayer`](crate::RequestLayer). Its frames are those of
    /// the service; when the deadline of the request passes first, they end with an error, for gRPC with trailers
    /// that say so.
    pub struct MeasuredBody<B> {
        #[pin]
        inner: Option<B>,
        ending: Ending,
    }

    impl<B> PinnedDrop for MeasuredBody<B> {
        fn drop(this: Pin<&mut Self>) {
            let mut this = this.project();
            // dropped and late at the same moment, before the timer was looked at
            let outcome = if this.ending.deadline.has_passed() { LATE } else { Outcome::Cancelled };
            this.ending.owned.abandon(outcome, || this.inner.set(None));
        }
    }
}

impl Ending {
    /// The answer has ended, and says how.
    fn now(&mut self) {
        let outcome = self.said.outcome(self.owned.executed());
        self.with(outcome);
    }

    fn with(&mut self, outcome: Outcome) {
        self.owned.end(outcome);
        self.deadline = Deadline::default();
    }
}

impl<B: Body> MeasuredBody<B> {
    /// The body of an answer that has none.
    pub(crate) fn empty() -> MeasuredBody<B> {
        MeasuredBody {
            inner: None,
            ending: Ending {
                owned: Owned::default(),
                deadline: Deadline::default(),
                said: Said::Http(StatusCode::OK),
                left: None,
            },
        }
    }

    pub(crate) fn new(
        body: B,
        owned: Owned,
        deadline: Deadline,
        said: Said,
        ends_with_head: bool,
        headers: &HeaderMap,
    ) -> MeasuredBody<B> {
        let left = said.promised(headers, body.size_hint().exact());
        let mut ending = Ending {
            owned,
            deadline,
            said,
            left,
        };
        if ends_with_head || left == Some(0) || body.is_end_stream() {
            ending.now();
        }
        MeasuredBody {
            inner: Some(body),
            ending,
        }
    }
}

impl<B> Body for MeasuredBody<B>
where
    B: Body,
    B::Error: Into<BoxError>,
{
    type Data = B::Data;
    type Error = BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, BoxError>>> {
        let mut this = self.project();
        let ending = this.ending;
        let polled = if ending.deadline.has_passed() {
            None
        } else {
            let Some(inner) = this.inner.as_mut().as_pin_mut() else {
                return Poll::Ready(None);
            };
            match ending.owned.run(|| inner.poll_frame(cx)) {
                Poll::Pending if ending.deadline.poll(cx).is_pending() => return Poll::Pending,
                Poll::Pending => None,
                Poll::Ready(polled) => Some(polled),
            }
        };
        let Some(polled) = polled else {
            ending.owned.abandon(LATE, || this.inner.set(None));
            ending.deadline = Deadline::default();
            return Poll::Ready(Some(late(ending.said)));
        };
        match polled {
            None => {
                // its destructors still work for the request
                ending.owned.run(|| this.inner.set(None));
                ending.now();
                Poll::Ready(None)
            }
            Some(Err(error)) => {
                let error = error.into();
                ending.owned.run(|| this.inner.set(None));
                ending.with(of_error(&*error));
                Poll::Ready(Some(Err(error)))
            }
            Some(Ok(frame)) => {
                if let Some(trailers) = frame.trailers_ref() {
                    ending.said.trailers(trailers);
                    ending.owned.run(|| this.inner.set(None));
                    ending.now();
                    return Poll::Ready(Some(Ok(frame)));
                }
                if let (Some(left), Some(data)) = (&mut ending.left, frame.data_ref()) {
                    let bytes = bytes::Buf::remaining(data);
                    *left = left.saturating_sub(u64::try_from(bytes).unwrap_or(u64::MAX));
                }
                let at_end = this
                    .inner
                    .as_ref()
                    .get_ref()
                    .as_ref()
                    .is_none_or(Body::is_end_stream);
                if at_end || ending.left == Some(0) {
                    ending.now();
                }
                Poll::Ready(Some(Ok(frame)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.as_ref().is_none_or(Body::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.inner
            .as_ref()
            .map_or(SizeHint::with_exact(0), Body::size_hint)
    }
}

/// What the client is told when the time is over: the head is out, so it cannot be a status code any more.
fn late<D>(said: Said) -> Result<Frame<D>, BoxError> {
    match said {
        Said::Http(_) => Err(Box::new(DeadlinePassed)),
        Said::Grpc(_) => {
            let code = HeaderValue::from_static(outcome_grpc::DEADLINE_EXCEEDED);
            Ok(Frame::trailers(HeaderMap::from_iter([(GRPC_STATUS, code)])))
        }
    }
}

/// How a request ended whose body failed.
fn of_error(error: &(dyn Error + 'static)) -> Outcome {
    // of a layer further in, for some routes only
    if links(Some(error)).any(<dyn Error>::is::<DeadlinePassed>) {
        LATE
    } else {
        Outcome::Error(ErrorType::Internal)
    }
}

impl<B> fmt::Debug for MeasuredBody<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MeasuredBody")
            .field("deadline", &self.ending.deadline)
            .finish_non_exhaustive()
    }
}
