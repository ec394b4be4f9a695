//! axum over HTTP/1.1 and HTTP/2.

use crate::support::{counts, shown, stages};
use crate::wire::{
    BOTH, Client, Version, cancellations, ended, errors, in_flight, rejections, request, serve,
    settles,
};
use axum::body::Body;
use axum::extract::{DefaultBodyLimit, Json, Path};
use axum::response::Response;
use axum::routing::{any, get, post};
use axum::{Extension, Router};
use bytes::Bytes;
use futures::{StreamExt, stream};
use http::StatusCode;
use http_body_util::BodyExt;
use instrument_inference::testing::Rig;
use instrument_inference::{
    Classify, ErrorType, Rejection, RequestContext, inference_request, inference_stage,
};
use serde_json::Value;
use std::convert::Infallible;
use std::future::pending;
use std::sync::Arc;
use tokio::sync::Semaphore;

/// How far handlers have come: one permit for each that waits.
#[derive(Clone)]
struct Waiting(Arc<Semaphore>);

#[inference_stage("execute")]
async fn execute(value: Value) -> Value {
    tokio::task::yield_now().await;
    value
}

#[inference_stage("execute")]
async fn never() -> Response {
    pending().await
}

#[inference_request]
async fn predict(Json(value): Json<Value>) -> Json<Value> {
    Json(execute(value).await)
}

#[inference_request]
async fn hang(Extension(waiting): Extension<Waiting>) -> Response {
    waiting.0.add_permits(1);
    never().await
}

struct Failure;
impl Classify for Failure {
    fn error_type(&self) -> ErrorType {
        ErrorType::CudaOom
    }
}
impl axum::response::IntoResponse for Failure {
    fn into_response(self) -> Response {
        StatusCode::BAD_REQUEST.into_response()
    }
}

#[inference_request]
async fn typed() -> Result<(), Failure> {
    Err(Failure)
}

/// As many services have it: `axum` knows what it answers, and nobody what it is.
struct Untyped(StatusCode);
impl axum::response::IntoResponse for Untyped {
    fn into_response(self) -> Response {
        self.0.into_response()
    }
}

#[inference_request]
async fn untyped(Path(code): Path<u16>) -> Result<(), Untyped> {
    Err(Untyped(StatusCode::from_u16(code).unwrap()))
}

#[inference_request]
async fn unavailable() -> Result<Response, Failure> {
    Ok(answer(StatusCode::SERVICE_UNAVAILABLE, Body::empty()))
}

async fn busy() -> StatusCode {
    RequestContext::current()
        .expect("the layer's request is current")
        .rejected(Rejection::QueueFull);
    StatusCode::SERVICE_UNAVAILABLE
}

async fn status(Path(code): Path<u16>) -> StatusCode {
    StatusCode::from_u16(code).unwrap()
}

async fn panics() -> StatusCode {
    tokio::task::yield_now().await;
    panic!("on purpose")
}

fn answer(status: StatusCode, body: Body) -> Response {
    Response::builder().status(status).body(body).unwrap()
}

async fn streamed() -> Body {
    Body::from_stream(stream::iter(["a", "b", "c"]).map(Ok::<_, Infallible>))
}

/// Over HTTP/1.1 hyper stops at the length that the head has, and never asks for the end.
async fn sized(version: http::Version) -> Response {
    let chunks = stream::iter(["a", "b"]);
    let chunks = if version == http::Version::HTTP_11 {
        chunks.chain(stream::pending()).boxed()
    } else {
        chunks.boxed()
    };
    Response::builder()
        .header("content-length", "2")
        .body(Body::from_stream(chunks.map(Ok::<_, Infallible>)))
        .unwrap()
}

async fn endless() -> Body {
    let chunks = stream::iter(["a"]).chain(stream::pending());
    Body::from_stream(chunks.map(Ok::<_, Infallible>))
}

async fn broken() -> Body {
    let chunks = [Ok("a"), Err(std::io::Error::other("broken"))];
    Body::from_stream(stream::iter(chunks))
}

fn app(rig: &Rig, waiting: &Waiting) -> Router {
    Router::new()
        .route("/predict", post(predict))
        .route("/hang", get(hang))
        .route("/typed", get(typed))
        .route("/untyped/{code}", get(untyped))
        .route("/unavailable", get(unavailable))
        .route("/busy", get(busy))
        .route("/status/{code}", any(status))
        .route("/panics", get(panics))
        .route("/empty", get(async || {}))
        .route("/text", get(async || "text"))
        .route("/streamed", get(streamed))
        .route("/sized", get(sized))
        .route("/endless", get(endless))
        .route("/broken", get(broken))
        .layer(DefaultBodyLimit::max(64))
        .layer(Extension(waiting.clone()))
        .layer(rig.request_layer("http"))
}

struct Setup {
    rig: Rig,
    client: Client,
    waiting: Waiting,
}

async fn setup(version: Version) -> Setup {
    let rig = Rig::builder().real_clock().start();
    rig.model("sentiment", "1");
    let waiting = Waiting(Arc::new(Semaphore::new(0)));
    let client = Client::connect(serve(app(&rig, &waiting)).await, version).await;
    Setup {
        rig,
        client,
        waiting,
    }
}

impl Setup {
    /// The status code and the whole body of an answer.
    async fn get(&mut self, method: &str, path: &str, body: &'static str) -> (u16, Bytes) {
        let answer = self.client.send(request(method, path, body)).await.unwrap();
        let status = answer.status().as_u16();
        (
            status,
            answer.into_body().collect().await.unwrap().to_bytes(),
        )
    }
}

#[tokio::test]
async fn answers_that_were_read_to_their_end_are_ok() {
    for version in BOTH {
        let mut setup = setup(version).await;
        for (method, path, status, length) in [
            ("GET", "/text", 200, 4),
            ("GET", "/empty", 200, 0),
            ("GET", "/status/204", 204, 0),
            ("GET", "/status/304", 304, 0),
            ("HEAD", "/text", 200, 0),
            ("HEAD", "/streamed", 200, 0),
            ("HEAD", "/endless", 200, 0),
            ("GET", "/streamed", 200, 3),
            ("GET", "/sized", 200, 2),
        ] {
            let (found, body) = setup.get(method, path, "").await;
            assert_eq!(
                (found, body.len()),
                (status, length),
                "{version:?} {method} {path}"
            );
        }
        let (status, body) = setup.get("POST", "/predict", "[1]").await;
        assert_eq!((status, &body[..]), (200, &b"[1]"[..]));
        settles(&setup.rig, "http ok 10").await;
        // the handler without an attribute is in ingress until its head is there
        let found = shown(&stages(&setup.rig));
        assert_eq!(found, "execute ok 1, ingress ok 10", "{version:?}");
        assert_eq!(
            shown(&counts(
                &setup.rig,
                "inference_orphan_stages_total",
                &["stage"]
            )),
            ""
        );
    }
}

#[tokio::test]
async fn one_connection_serves_many_requests() {
    for version in BOTH {
        let mut setup = setup(version).await;
        for _ in 0..50 {
            assert_eq!(setup.get("POST", "/predict", "[1]").await.0, 200);
        }
        settles(&setup.rig, "http ok 50").await;
        let seconds = setup
            .rig
            .value("inference_request_duration_seconds_count{model=\"sentiment\",outcome=\"ok\",version=\"1\"}");
        assert_eq!(seconds, Some(50.0));
    }
}

#[tokio::test]
async fn requests_that_never_reach_the_handler_are_rejected() {
    for version in BOTH {
        let mut setup = setup(version).await;
        assert_eq!(setup.get("POST", "/predict", "{").await.0, 400);
        assert_eq!(setup.get("GET", "/nowhere", "").await.0, 404);
        assert_eq!(setup.get("DELETE", "/text", "").await.0, 405);
        let long = "[\"0123456789012345678901234567890123456789012345678901234567890123456789\"]";
        assert_eq!(setup.get("POST", "/predict", long).await.0, 413);
        let mut plain = request("POST", "/predict", "[1]");
        plain.headers_mut().remove("content-type");
        assert_eq!(setup.client.send(plain).await.unwrap().status(), 415);
        settles(&setup.rig, "http rejected 5").await;
        assert_eq!(rejections(&setup.rig), "invalid_input 5");
        assert_eq!(shown(&stages(&setup.rig)), "ingress rejected 5");
        assert_eq!(errors(&setup.rig), "");
    }
}

#[tokio::test]
async fn every_status_code_has_its_outcome() {
    let ok = "http ok 1";
    let rejected = "http rejected 1";
    for (code, outcome, reason, error) in [
        (200, ok, "", ""),
        (302, ok, "", ""),
        (400, rejected, "invalid_input 1", ""),
        (404, rejected, "invalid_input 1", ""),
        (422, rejected, "invalid_input 1", ""),
        (431, rejected, "invalid_input 1", ""),
        (401, rejected, "unauthorized 1", ""),
        (403, rejected, "unauthorized 1", ""),
        (429, rejected, "rate_limited 1", ""),
        (408, "http error 1", "", "ingress deadline_exceeded 1"),
        (504, "http error 1", "", "ingress deadline_exceeded 1"),
        (503, "http error 1", "", "ingress unavailable 1"),
        (500, "http error 1", "", "ingress internal 1"),
        (501, "http error 1", "", "ingress internal 1"),
        (505, "http error 1", "", "ingress internal 1"),
        (499, "http cancelled 1", "", ""),
    ] {
        let mut setup = setup(Version::One).await;
        assert_eq!(
            setup.get("GET", &format!("/status/{code}"), "").await.0,
            code
        );
        settles(&setup.rig, outcome).await;
        assert_eq!(rejections(&setup.rig), reason, "{code}");
        assert_eq!(errors(&setup.rig), error, "{code}");
        let cancelled = if code == 499 { "none client 1" } else { "" };
        assert_eq!(cancellations(&setup.rig), cancelled, "{code}");
    }
}

#[tokio::test]
async fn what_the_handler_knows_wins_over_its_status_code() {
    for version in BOTH {
        let mut setup = setup(version).await;
        assert_eq!(setup.get("GET", "/typed", "").await.0, 400);
        settles(&setup.rig, "http error 1").await;
        assert_eq!(errors(&setup.rig), "none cuda_oom 1");
        assert_eq!(setup.get("GET", "/unavailable", "").await.0, 503);
        settles(&setup.rig, "http error 2").await;
        assert_eq!(errors(&setup.rig), "none cuda_oom 1, none unavailable 1");
        assert_eq!(setup.get("GET", "/busy", "").await.0, 503);
        settles(&setup.rig, "http error 2, http rejected 1").await;
        assert_eq!(rejections(&setup.rig), "queue_full 1");
    }
}

#[tokio::test]
async fn a_status_code_says_more_than_an_error_of_which_nothing_is_known() {
    for version in BOTH {
        let mut setup = setup(version).await;
        assert_eq!(setup.get("GET", "/untyped/404", "").await.0, 404);
        settles(&setup.rig, "http rejected 1").await;
        assert_eq!(rejections(&setup.rig), "invalid_input 1");
        assert_eq!(setup.get("GET", "/untyped/503", "").await.0, 503);
        settles(&setup.rig, "http error 1, http rejected 1").await;
        assert_eq!(errors(&setup.rig), "none unavailable 1");
        // an answer that looks well does not make the error one
        assert_eq!(setup.get("GET", "/untyped/200", "").await.0, 200);
        settles(&setup.rig, "http error 2, http rejected 1").await;
        assert_eq!(errors(&setup.rig), "none internal 1, none unavailable 1");
    }
}

#[tokio::test]
async fn a_client_that_leaves_before_the_head_cancels() {
    for version in BOTH {
        let Setup {
            rig,
            mut client,
            waiting,
        } = setup(version).await;
        tokio::select! {
            answer = client.send(request("GET", "/hang", "")) => panic!("{answer:?}"),
            permit = waiting.0.acquire() => permit.unwrap().forget(),
        }
        assert_eq!(in_flight(&rig), "sentiment 1");
        client.hang_up();
        settles(&rig, "http cancelled 1").await;
        assert_eq!(cancellations(&rig), "execute client 1");
        assert_eq!(shown(&stages(&rig)), "execute cancelled 1, ingress ok 1");
    }
}

#[tokio::test]
async fn a_client_that_leaves_in_the_middle_of_the_stream_cancels() {
    for version in BOTH {
        let mut setup = setup(version).await;
        let mut answer = setup
            .client
            .send(request("GET", "/endless", ""))
            .await
            .unwrap()
            .into_body();
        let first = answer.frame().await.unwrap().unwrap();
        assert_eq!(first.into_data().unwrap(), "a");
        assert_eq!(
            (ended(&setup.rig), in_flight(&setup.rig)),
            (String::new(), "sentiment 1".to_owned())
        );
        drop(answer);
        setup.client.hang_up();
        settles(&setup.rig, "http cancelled 1").await;
        assert_eq!(cancellations(&setup.rig), "none client 1");
    }
}

#[tokio::test]
async fn a_body_that_fails_is_an_error() {
    for version in BOTH {
        let mut setup = setup(version).await;
        // over HTTP/1.1 it fails before anything was flushed
        if let Ok(answer) = setup.client.send(request("GET", "/broken", "")).await {
            assert!(answer.into_body().collect().await.is_err());
        }
        settles(&setup.rig, "http error 1").await;
        assert_eq!(errors(&setup.rig), "none internal 1");
    }
}

#[tokio::test]
async fn a_handler_that_panics_takes_its_request_with_it() {
    for version in BOTH {
        let mut setup = setup(version).await;
        assert!(
            setup
                .client
                .send(request("GET", "/panics", ""))
                .await
                .is_err()
        );
        settles(&setup.rig, "http panicked 1").await;
    }
}

#[tokio::test]
async fn a_layer_around_routes_sees_only_what_matches_one() {
    let rig = Rig::builder().real_clock().start();
    let app = Router::new()
        .route("/text", get(async || "text"))
        .route_layer(rig.request_layer("http"));
    let mut client = Client::connect(serve(app).await, Version::One).await;
    let answer = client.send(request("GET", "/nowhere", "")).await.unwrap();
    assert_eq!(answer.status(), 404);
    let answer = client.send(request("GET", "/text", "")).await.unwrap();
    assert_eq!(
        answer.into_body().collect().await.unwrap().to_bytes(),
        "text"
    );
    settles(&rig, "http ok 1").await;
}

#[tokio::test]
async fn time_that_is_over_ends_the_request_before_and_during_its_answer() {
    for version in BOTH {
        let rig = Rig::builder().real_clock().start();
        let waiting = Waiting(Arc::new(Semaphore::new(0)));
        let app = Router::new()
            .route("/hang", get(hang))
            .route("/endless", get(endless))
            .route("/text", get(async || "text"))
            .layer(Extension(waiting.clone()))
            .layer(rig.request_layer("http").timeout("500ms"));
        let address = serve(app).await;
        let mut client = Client::connect(address, version).await;
        let answer = client.send(request("GET", "/hang", "")).await.unwrap();
        assert_eq!(answer.status(), 504);
        settles(&rig, "http error 1").await;
        assert_eq!(errors(&rig), "execute deadline_exceeded 1");
        assert_eq!(shown(&stages(&rig)), "execute cancelled 1, ingress ok 1");

        let answer = client.send(request("GET", "/endless", "")).await.unwrap();
        assert_eq!(answer.status(), 200);
        assert!(answer.into_body().collect().await.is_err());
        settles(&rig, "http error 2").await;
        assert_eq!(
            errors(&rig),
            "execute deadline_exceeded 1, none deadline_exceeded 1"
        );
    }
}
