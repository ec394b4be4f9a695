//! The answer of a request that a layer owns, up to its head.

use crate::request::deadline::{Deadline, LATE};
use crate::request::measured_body::MeasuredBody;
use crate::request::outcome_grpc;
use crate::request::owned::Owned;
use crate::request::protocol::{Bodiless, GRPC_STATUS, Protocol, Said};
use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::Outcome;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Response, StatusCode};
use http_body::Body;
use pin_project_lite::pin_project;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

pin_project! {
    /// The answer of a service inside a [`RequestLayer`](crate::RequestLayer).
    #[must_use = "futures do nothing unless polled"]
    pub struct ResponseFuture<F> {
        #[pin]
        inner: Option<F>,
        owned: Owned,
        deadline: Deadline,
        protocol: Protocol,
        bodiless: Bodiless,
    }

    impl<F> PinnedDrop for ResponseFuture<F> {
        fn drop(this: Pin<&mut Self>) {
            let mut this = this.project();
            // dropped and late at the same moment, before the timer was looked at
            let outcome = if this.deadline.has_passed() { LATE } else { Outcome::Cancelled };
            this.owned.abandon(outcome, || this.inner.set(None));
        }
    }
}

impl<F> ResponseFuture<F> {
    pub(crate) const fn new(
        inner: F,
        owned: Owned,
        deadline: Deadline,
        protocol: Protocol,
        bodiless: Bodiless,
    ) -> ResponseFuture<F> {
        ResponseFuture {
            inner: Some(inner),
            owned,
            deadline,
            protocol,
            bodiless,
        }
    }
}

/// The answer when there is no time left for another one.
fn late<B: Body>(protocol: Protocol) -> Response<MeasuredBody<B>> {
    let mut answer = Response::new(MeasuredBody::empty());
    match protocol {
        Protocol::Http => *answer.status_mut() = StatusCode::GATEWAY_TIMEOUT,
        Protocol::Grpc => {
            let headers = answer.headers_mut();
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
            let code = HeaderValue::from_static(outcome_grpc::DEADLINE_EXCEEDED);
            headers.insert(GRPC_STATUS, code);
        }
    }
    answer
}

impl<F, B, E> Future for ResponseFuture<F>
where
    F: Future<Output = Result<Response<B>, E>>,
    B: Body,
{
    type Output = Result<Response<MeasuredBody<B>>, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        let polled = if this.deadline.has_passed() {
            Poll::Pending
        } else {
            this.owned.run(|| {
                let Some(inner) = this.inner.as_mut().as_pin_mut() else {
                    panic!("a future was polled after it had finished");
                };
                let polled = inner.poll(cx);
                if polled.is_ready() {
                    // its destructors still work for the request
                    this.inner.set(None);
                }
                polled
            })
        };
        // also where there is an answer: it was worked out without a pause, and is too late
        if this.deadline.has_passed() || polled.is_pending() && this.deadline.poll(cx).is_ready() {
            this.owned.abandon(LATE, || {
                this.inner.set(None);
                drop(polled);
            });
            *this.deadline = Deadline::default();
            return Poll::Ready(Ok(late(*this.protocol)));
        }
        match polled {
            Poll::Pending => Poll::Pending,
            Poll::Ready(Err(error)) => {
                this.owned.end(Outcome::Error(ErrorType::Internal));
                *this.deadline = Deadline::default();
                Poll::Ready(Err(error))
            }
            Poll::Ready(Ok(answer)) => {
                let (head, body) = answer.into_parts();
                let said = Said::head(*this.protocol, head.status, &head.headers);
                this.owned.answered(said.so_far(this.owned.executed()));
                let body = MeasuredBody::new(
                    body,
                    std::mem::take(this.owned),
                    std::mem::take(this.deadline),
                    said,
                    this.bodiless.ends_with(head.status),
                    &head.headers,
                );
                Poll::Ready(Ok(Response::from_parts(head, body)))
            }
        }
    }
}

impl<F> fmt::Debug for ResponseFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture")
            .field("protocol", &self.protocol)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
