//! The tower layer that owns requests, from their headers to the end of their answer.

use crate::record::recorder::Recorder;
use crate::request::caller::Caller;
use crate::request::deadline::{Deadline, TimeLimit, grpc_timeout};
use crate::request::life;
use crate::request::measured_body::MeasuredBody;
use crate::request::opening::Opening;
use crate::request::owned::Owned;
use crate::request::protocol::{Bodiless, GRPC_TIMEOUT, Protocol, TRACEPARENT};
use crate::request::response::ResponseFuture;
use crate::site::site::Site;
use crate::vocab::label::{Literal, label};
use http::{Request, Response};
use http_body::Body;
use std::fmt;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll};
use std::time::Duration;
use tower_layer::Layer;
use tower_service::Service;

/// Where requests are opened that a layer owns.
static LAYER: Site = Site::request("request_layer", "instrument_inference::request");

/// Owns the requests of a service, from their headers to the end of their answer:
/// [`Telemetry::request_layer`](crate::Telemetry::request_layer) makes it.
#[derive(Clone)]
#[must_use = "a layer does nothing until it is put around a service"]
pub struct RequestLayer {
    /// Weak: a service may outlive its telemetry.
    recorder: Weak<Recorder>,
    opening: Opening,
    ingress: &'static str,
    limit: Option<Duration>,
}

impl RequestLayer {
    /// Of a runtime, or of none: then nothing is recorded.
    pub(crate) fn new(recorder: Option<&Arc<Recorder>>, ingress: &'static str) -> RequestLayer {
        if let Some(recorder) = recorder {
            recorder.foresee(&life::INGRESS, None);
            recorder.foresee(&LAYER, Some(ingress));
        }
        RequestLayer {
            recorder: recorder.map_or_else(Weak::new, Arc::downgrade),
            opening: Opening::new(&LAYER).ingress(label(&Literal(ingress))),
            ingress,
            limit: None,
        }
    }

    /// Answers in time, or says that it cannot: a [`Duration`], or a text such as `"2s"` in the units `ns`, `us`,
    /// `ms`, `s`, `m` and `h`.
    ///
    /// The time runs from the headers to the end of the answer. When it is over before there is an answer, the
    /// client gets the status code 504, for gRPC `DEADLINE_EXCEEDED`; when it is over during the body, the body
    /// ends with an error. Either way the service's future or body is dropped, and the request ends as `error`,
    /// `deadline_exceeded`. For gRPC, the client's own `grpc-timeout` counts too: the shorter one holds.
    ///
    /// It holds whether or not anybody records.
    ///
    /// # Panics
    /// When the text is no duration, or the duration is zero: at set-up, never in a request.
    #[track_caller]
    pub fn timeout(mut self, limit: impl TimeLimit) -> RequestLayer {
        match limit.limit() {
            Ok(limit) => self.limit = Some(limit),
            Err(wrong) => panic!("the timeout of a request layer: {wrong}"),
        }
        self
    }

    fn protocol(&self) -> Protocol {
        Protocol::of(self.ingress)
    }

    /// How long this request may take.
    fn limit<B>(&self, request: &Request<B>) -> Option<Duration> {
        let of_client = match self.protocol() {
            Protocol::Http => None,
            Protocol::Grpc => request
                .headers()
                .get(GRPC_TIMEOUT)
                .and_then(|value| grpc_timeout(value.as_bytes())),
        };
        self.limit.into_iter().chain(of_client).min()
    }
}

impl fmt::Debug for RequestLayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestLayer")
            .field("ingress", &self.ingress)
            .field("timeout", &self.limit)
            .finish_non_exhaustive()
    }
}

impl<S> Layer<S> for RequestLayer {
    type Service = RequestService<S>;

    fn layer(&self, inner: S) -> RequestService<S> {
        RequestService {
            inner,
            layer: self.clone(),
        }
    }
}

/// Who calls. Two headers contradict each other, so they say nothing.
fn caller<B>(request: &Request<B>) -> Option<Caller> {
    let mut given = request.headers().get_all(TRACEPARENT).iter();
    match (given.next(), given.next()) {
        (Some(only), None) => Caller::read(only.as_bytes()),
        _ => None,
    }
}

/// A service inside a [`RequestLayer`].
#[derive(Debug, Clone)]
pub struct RequestService<S> {
    inner: S,
    layer: RequestLayer,
}

impl<S, A, B> Service<Request<A>> for RequestService<S>
where
    S: Service<Request<A>, Response = Response<B>>,
    B: Body,
{
    type Response = Response<MeasuredBody<B>>;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<A>) -> ResponseFuture<S::Future> {
        let deadline = Deadline::within(self.layer.limit(&request));
        let bodiless = Bodiless::of(request.method());
        let mut owned = Owned::open(&self.layer.recorder, &self.layer.opening, || {
            caller(&request)
        });
        // a service may work before it gives a future
        let inner = owned.run(|| self.inner.call(request));
        ResponseFuture::new(inner, owned, deadline, self.layer.protocol(), bodiless)
    }
}
