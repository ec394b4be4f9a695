//! The layer around a service that is called by hand: clocks, pauses, and every order of events.

use crate::support::{counts, requests, shown, stages};
use crate::wire::{cancellations, ended, errors, in_flight};
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::get;
use axum::{Extension, Router};
use bytes::Bytes;
use futures::channel::oneshot;
use futures::{FutureExt, StreamExt, stream};
use http::StatusCode;
use http_body::{Body as _, Frame};
use http_body_util::{BodyExt, StreamBody};
use instrument_inference::testing::Rig;
use instrument_inference::{
    MeasuredBody, ModelSlot, RequestLayer, Telemetry, inference_request, inference_stage,
};
use std::convert::Infallible;
use std::future::{pending, ready};
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::Duration;
use tokio::sync::Mutex;
use tower::{Layer, Service, ServiceExt, service_fn};

fn get_request(path: &str) -> http::Request<Body> {
    http::Request::get(path).body(Body::empty()).unwrap()
}

fn close(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found - expected).abs() < 1e-9)
}

#[tokio::test]
async fn ingress_lasts_from_the_headers_to_the_handler() {
    #[inference_request]
    async fn handler(Extension(rig): Extension<Arc<Rig>>) -> &'static str {
        rig.advance(Duration::from_millis(5));
        "done"
    }
    async fn slow(Extension(rig): Extension<Arc<Rig>>, request: Request, next: Next) -> Response {
        rig.advance(Duration::from_millis(30));
        next.run(request).await
    }
    let rig = Arc::new(Rig::new());
    rig.model("sentiment", "1");
    let app = Router::new()
        .route("/", get(handler))
        .layer(from_fn(slow))
        .layer(Extension(Arc::clone(&rig)))
        .layer(rig.request_layer("http"));
    let answer = app.oneshot(get_request("/")).await.unwrap();
    rig.advance(Duration::from_millis(7));
    let mut body = answer.into_body();
    assert_eq!(ended(&rig), "", "the answer is not read yet");
    assert!(body.frame().await.is_some());
    assert_eq!(ended(&rig), "http ok 1", "nobody has to ask for the end");
    drop(body);
    let labels = "model=\"sentiment\",outcome=\"ok\"";
    assert!(close(
        rig.value(&format!(
            "inference_stage_duration_seconds_sum{{{labels},stage=\"ingress\",version=\"1\"}}"
        )),
        0.030
    ));
    assert!(close(
        rig.value(&format!(
            "inference_request_duration_seconds_sum{{{labels},version=\"1\"}}"
        )),
        0.042
    ));
    assert!(close(
        rig.value("inference_unattributed_seconds_total{model=\"sentiment\",version=\"1\"}"),
        0.012
    ));
}

#[tokio::test]
async fn a_request_moves_to_the_model_that_its_handler_names() {
    #[inference_request(model = &model)]
    async fn handler(Extension(model): Extension<ModelSlot>, Extension(go): Extension<Gate>) {
        go.pass().await;
    }
    async fn before(Extension(go): Extension<Gate>, request: Request, next: Next) -> Response {
        go.pass().await;
        next.run(request).await
    }
    /// Opened once for each that stands before it.
    #[derive(Clone)]
    struct Gate(Arc<Mutex<Vec<oneshot::Receiver<()>>>>);
    impl Gate {
        async fn pass(&self) {
            let next = self.0.lock().await.pop().unwrap();
            next.await.unwrap();
        }
    }
    let rig = Rig::new();
    rig.model("encoder", "1");
    let model = rig.model("ranker", "2");
    let (enter, entered) = oneshot::channel();
    let (leave, left) = oneshot::channel();
    let gate = Gate(Arc::new(Mutex::new(vec![left, entered])));
    let app = Router::new()
        .route("/", get(handler))
        .layer(from_fn(before))
        .layer(Extension(model))
        .layer(Extension(gate))
        .layer(rig.request_layer("http"));
    let mut answer = pin!(app.oneshot(get_request("/")));
    assert_eq!(in_flight(&rig), "", "there are no headers yet");
    assert!(answer.as_mut().now_or_never().is_none());
    assert_eq!(in_flight(&rig), "none 1");
    enter.send(()).unwrap();
    assert!(answer.as_mut().now_or_never().is_none());
    assert_eq!(in_flight(&rig), "ranker 1");
    leave.send(()).unwrap();
    assert_eq!(answer.await.unwrap().status(), 200);
    assert_eq!(in_flight(&rig), "");
    let found = counts(
        &rig,
        "inference_stage_duration_seconds_count",
        &["model", "stage"],
    );
    assert_eq!(shown(&found), "ranker ingress 1");
    assert_eq!(
        shown(&counts(
            &rig,
            "inference_stage_in_flight",
            &["model", "stage"]
        )),
        ""
    );
}

/// A service that gives what it is told to.
fn around<F, B, A>(
    layer: &RequestLayer,
    answer: A,
) -> impl Service<
    http::Request<Body>,
    Response = Response<MeasuredBody<B>>,
    Error = Infallible,
    Future: Send,
> + use<F, B, A>
where
    A: Fn() -> F + Clone,
    F: Future<Output = Response<B>> + Send,
    B: http_body::Body,
{
    layer.layer(service_fn(move |_| answer().map(Ok)))
}

fn frames<S>(frames: S) -> StreamBody<S> {
    StreamBody::new(frames)
}

#[tokio::test]
async fn trailers_and_the_promised_length_are_ends_too() {
    let rig = Rig::new();
    let layer = rig.request_layer("http");
    let chunks = || {
        let all = ["ab", "c"].map(|chunk| Ok::<_, Infallible>(Frame::data(Bytes::from(chunk))));
        stream::iter(all).chain(stream::pending())
    };
    let sized = around(&layer, || {
        let answer = Response::builder().header("content-length", "3");
        ready(answer.body(frames(chunks())).unwrap())
    });
    let mut body = sized.oneshot(get_request("/")).await.unwrap().into_body();
    body.frame().await.unwrap().unwrap();
    assert_eq!(ended(&rig), "");
    body.frame().await.unwrap().unwrap();
    assert_eq!(ended(&rig), "http ok 1");
    drop(body);

    let trailed = around(&layer, || {
        let trailers = Ok::<Frame<Bytes>, Infallible>(Frame::trailers(http::HeaderMap::new()));
        ready(Response::new(frames(
            stream::iter([trailers]).chain(stream::pending()),
        )))
    });
    let mut body = trailed.oneshot(get_request("/")).await.unwrap().into_body();
    assert!(body.frame().await.unwrap().unwrap().is_trailers());
    assert!(body.is_end_stream());
    drop(body);
    assert_eq!(ended(&rig), "http ok 2");

    let cut = around(&layer, || ready(Response::new(frames(chunks()))));
    let mut body = cut.oneshot(get_request("/")).await.unwrap().into_body();
    body.frame().await.unwrap().unwrap();
    body.frame().await.unwrap().unwrap();
    drop(body);
    assert_eq!(ended(&rig), "http cancelled 1, http ok 2");
}

#[tokio::test]
async fn upgrades_end_with_their_head() {
    let rig = Rig::new();
    let layer = rig.request_layer("http");
    for (method, status, outcome) in [
        ("GET", StatusCode::SWITCHING_PROTOCOLS, "http ok 1"),
        ("CONNECT", StatusCode::OK, "http ok 2"),
        ("CONNECT", StatusCode::FORBIDDEN, "http ok 2"),
    ] {
        let service = around(&layer, move || {
            let silent = stream::pending::<Result<Frame<Bytes>, Infallible>>();
            ready(
                Response::builder()
                    .status(status)
                    .body(frames(silent))
                    .unwrap(),
            )
        });
        let mut request = get_request("/");
        *request.method_mut() = method.parse().unwrap();
        let answer = service.oneshot(request).await.unwrap();
        assert_eq!(ended(&rig), outcome, "{method} {status}");
        drop(answer);
    }
    assert_eq!(ended(&rig), "http cancelled 1, http ok 2");
}

#[tokio::test]
async fn a_panic_is_one_wherever_it_happens() {
    let rig = Rig::new();
    let layer = rig.request_layer("http");
    let in_the_call = layer.layer(service_fn(|_: http::Request<Body>| {
        assert!(std::env::args_os().count() == 0, "on purpose");
        ready(Ok::<_, Infallible>(Response::new(Body::empty())))
    }));
    let call = AssertUnwindSafe(in_the_call.oneshot(get_request("/")));
    assert!(call.catch_unwind().await.is_err());
    assert_eq!(ended(&rig), "http panicked 1");

    let in_the_body = around(&layer, || {
        let frames =
            stream::iter([1]).map(|_| -> Result<Frame<Bytes>, Infallible> { panic!("on purpose") });
        ready(Response::new(StreamBody::new(frames)))
    });
    let body = in_the_body
        .oneshot(get_request("/"))
        .await
        .unwrap()
        .into_body();
    assert!(
        AssertUnwindSafe(body.collect())
            .catch_unwind()
            .await
            .is_err()
    );
    assert_eq!(ended(&rig), "http panicked 2");
}

#[tokio::test]
async fn a_panic_that_a_middleware_answers_for_is_still_one() {
    #[inference_request]
    async fn handler() -> StatusCode {
        panic!("on purpose")
    }
    let rig = Rig::new();
    let caught = around(&rig.request_layer("http"), || async {
        match AssertUnwindSafe(handler()).catch_unwind().await {
            Ok(status) => Response::builder().status(status),
            Err(_) => Response::builder().status(500),
        }
        .body(Body::empty())
        .unwrap()
    });
    assert_eq!(
        caught.oneshot(get_request("/")).await.unwrap().status(),
        500
    );
    assert_eq!(ended(&rig), "http panicked 1");
}

#[tokio::test(start_paused = true)]
async fn what_is_ready_in_time_is_not_late() {
    #[inference_stage("execute")]
    async fn execute() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let rig = Rig::new();
    let layer = rig.request_layer("http").timeout(Duration::from_millis(50));
    let service = around(&layer, || async {
        execute().await;
        Response::new(frames(stream::iter(0..4).then(|_| async {
            tokio::time::sleep(Duration::from_millis(20)).await;
            Ok::<_, Infallible>(Frame::data(Bytes::from_static(b"x")))
        })))
    });
    let mut body = Box::pin(service.oneshot(get_request("/")).await.unwrap().into_body());
    assert!(body.frame().await.unwrap().is_ok());
    let error = body.frame().await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the deadline of the request has passed");
    assert!(body.frame().await.is_none());
    assert_eq!(ended(&rig), "http error 1");
    drop(body);
    assert_eq!(errors(&rig), "none deadline_exceeded 1");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_was_worked_out_without_a_pause_can_be_late() {
    let rig = Rig::new();
    let layer = rig.request_layer("http").timeout("50ms");
    let service = around(&layer, || async {
        tokio::time::advance(Duration::from_millis(60)).await;
        Response::new(Body::from("too late"))
    });
    assert_eq!(
        service.oneshot(get_request("/")).await.unwrap().status(),
        504
    );
    assert_eq!(errors(&rig), "ingress deadline_exceeded 1");
}

#[tokio::test(start_paused = true)]
async fn dropped_when_the_time_is_over_is_late_not_cancelled() {
    let rig = Rig::new();
    let layer = rig.request_layer("http").timeout("50ms");
    let service = around(&layer, pending::<Response<Body>>);
    let mut answer = Box::pin(service.oneshot(get_request("/")));
    assert!(answer.as_mut().now_or_never().is_none());
    tokio::time::advance(Duration::from_millis(60)).await;
    drop(answer);
    assert_eq!(ended(&rig), "http error 1");
}

#[tokio::test(start_paused = true)]
async fn of_two_layers_the_outer_one_owns_and_both_time_limits_hold() {
    let rig = Rig::new();
    let inner = rig.request_layer("inner").timeout("50ms");
    let app = Router::new()
        .route("/head", get(pending::<StatusCode>))
        .route(
            "/body",
            get(async || Body::from_stream(stream::pending::<Result<Bytes, Infallible>>())),
        )
        .layer(inner)
        .layer(rig.request_layer("http"));
    let answer = app.clone().oneshot(get_request("/head")).await.unwrap();
    assert_eq!(answer.status(), 504);
    drop(answer);
    let answer = app.oneshot(get_request("/body")).await.unwrap();
    assert!(answer.into_body().collect().await.is_err());
    assert_eq!(ended(&rig), "http error 2");
    assert_eq!(
        errors(&rig),
        "ingress deadline_exceeded 1, none deadline_exceeded 1"
    );
}

#[tokio::test(start_paused = true)]
async fn without_anybody_who_records_only_the_time_limit_is_left() {
    let telemetry = Telemetry::builder("off").disabled(true).install().unwrap();
    let layer = telemetry.request_layer("http").timeout("50ms");
    let service = around(&layer, pending::<Response<Body>>);
    assert_eq!(
        service.oneshot(get_request("/")).await.unwrap().status(),
        504
    );
    let service = around(&telemetry.request_layer("http"), || {
        ready(Response::new(Body::from("text")))
    });
    let answer = service.oneshot(get_request("/")).await.unwrap();
    assert_eq!(
        answer.into_body().collect().await.unwrap().to_bytes(),
        "text"
    );

    let rig = Rig::new();
    let layer = rig.request_layer("http");
    drop(rig);
    let service = around(&layer, || ready(Response::new(Body::empty())));
    assert_eq!(
        service.oneshot(get_request("/")).await.unwrap().status(),
        200
    );
}

#[test]
fn no_runtime_is_needed_and_without_one_no_timer_runs() {
    let rig = Rig::new();
    let layer = rig.request_layer("http").timeout("1h");
    let service = around(&layer, pending::<Response<Body>>);
    let mut answer = Box::pin(service.oneshot(get_request("/")));
    let mut cx = Context::from_waker(Waker::noop());
    assert!(answer.as_mut().poll(&mut cx).is_pending());
    drop(answer);
    assert_eq!(ended(&rig), "http cancelled 1");
    assert_eq!(cancellations(&rig), "ingress client 1");
    assert_eq!(shown(&stages(&rig)), "ingress cancelled 1");
}

#[test]
fn a_runtime_without_timers_is_no_panic() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    let rig = Rig::new();
    let layer = rig.request_layer("http").timeout("1h");
    let service = around(&layer, || async {
        tokio::task::yield_now().await;
        Response::new(Body::empty())
    });
    let answer = runtime.block_on(service.oneshot(get_request("/"))).unwrap();
    assert_eq!(answer.status(), 200);
    assert_eq!(ended(&rig), "http ok 1");
}

#[test]
#[should_panic(
    expected = "the timeout of a request layer: `2 s` is no duration: expected a whole number"
)]
fn a_time_limit_that_is_none_is_refused_at_set_up() {
    let _ = Rig::new().request_layer("http").timeout("2 s");
}

#[test]
#[should_panic(expected = "zero is never met")]
fn no_time_at_all_is_refused_at_set_up() {
    let _ = Rig::new().request_layer("http").timeout(Duration::ZERO);
}

#[test]
fn what_a_layer_records_exists_at_0_before_the_first_request() {
    let series = [
        "inference_stage_duration_seconds_count{model=\"sentiment\",outcome=\"ok\",stage=\"ingress\",version=\"1\"}",
        "inference_stage_in_flight{model=\"sentiment\",stage=\"ingress\",version=\"1\"}",
        "inference_requests_total{ingress=\"http\",model=\"sentiment\",outcome=\"rejected\",version=\"1\"}",
    ];
    let rig = Rig::new();
    let _layer = rig.request_layer("http");
    assert_eq!(rig.value(series[0]), None);
    rig.model("sentiment", "1");
    for line in series {
        assert_eq!(rig.value(line), Some(0.0), "{line}\n{}", rig.scrape());
    }
    let rig = Rig::new();
    rig.model("sentiment", "1");
    let _layer = rig.request_layer("http");
    for line in series {
        assert_eq!(rig.value(line), Some(0.0), "{line}\n{}", rig.scrape());
    }
}

#[test]
fn the_layer_is_what_its_service_is() {
    fn shared<T: Clone + Send + Sync + 'static>(_: &T) {}
    fn sent<T: Send>(_: &T) {}
    fn movable<T: Unpin>(_: &T) {}
    let rig = Rig::new();
    let mut service = rig
        .request_layer("http")
        .layer(service_fn(|_: http::Request<Body>| {
            ready(Ok::<_, Infallible>(Response::new(Body::empty())))
        }));
    shared(&service);
    let answer = service.call(get_request("/"));
    sent(&answer);
    let answer = answer.now_or_never().unwrap().unwrap();
    sent(&answer);
    movable(&answer.into_body());

    // neither shared between threads nor sent to one
    let local = std::rc::Rc::new(());
    let mut service = rig
        .request_layer("http")
        .layer(service_fn(move |_: http::Request<Body>| {
            let kept = std::rc::Rc::clone(&local);
            async move {
                drop(kept);
                Ok::<_, Infallible>(Response::new(Body::empty()))
            }
        }));
    assert!(service.call(get_request("/")).now_or_never().is_some());
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % sides
    }
}

#[tokio::test(start_paused = true)]
async fn whatever_happens_everything_that_was_started_has_ended_once() {
    #[inference_stage("execute")]
    async fn execute(yields: u64) {
        for _ in 0..yields {
            tokio::task::yield_now().await;
        }
    }
    #[inference_request]
    async fn handler(yields: u64, fails: bool) -> Result<(), std::io::Error> {
        execute(yields).await;
        if fails {
            Err(std::io::ErrorKind::TimedOut.into())
        } else {
            Ok(())
        }
    }
    const MANY: u64 = 2_000;
    let rig = Rig::new();
    rig.model("sentiment", "1");
    let layer = rig.request_layer("http").timeout("1s");
    let mut dice = Dice(1);
    for _ in 0..MANY {
        let (joins, yields, fate) = (dice.roll(2) == 0, dice.roll(4), dice.roll(7));
        let chunks = dice.roll(4);
        let service = around(&layer, move || async move {
            if joins {
                let _ = handler(yields, fate == 1).await;
            }
            match fate {
                2 => panic!("on purpose"),
                3 => tokio::time::sleep(Duration::from_secs(2)).await,
                _ => {}
            }
            let frames = stream::iter(0..chunks).then(move |chunk| async move {
                if yields > 0 {
                    execute(yields).await;
                }
                match (fate, chunk) {
                    (4, 1) => Err(std::io::Error::other("broken")),
                    (5, 1) => panic!("on purpose"),
                    (6, 1) => {
                        tokio::time::sleep(Duration::from_secs(2)).await;
                        Ok(Frame::data(Bytes::new()))
                    }
                    _ => Ok(Frame::data(Bytes::from_static(b"x"))),
                }
            });
            let status = [200, 204, 404, 500][usize::try_from(chunks).unwrap()];
            Response::builder()
                .status(status)
                .body(StreamBody::new(frames))
                .unwrap()
        });
        // dropped after so many polls
        let patience = 1 + dice.roll(20);
        let call = async {
            let mut body = Box::pin(service.oneshot(get_request("/")).await.unwrap().into_body());
            while let Some(Ok(_)) = body.frame().await {}
        };
        let mut call = Box::pin(AssertUnwindSafe(call).catch_unwind());
        for _ in 0..patience {
            if call.as_mut().now_or_never().is_some() {
                break;
            }
            tokio::time::advance(Duration::from_millis(200)).await;
        }
    }
    let found = requests(&rig);
    assert_eq!(found.values().sum::<u64>(), MANY, "{found:?}");
    assert_eq!(found.len(), 5, "every outcome: {found:?}");
    assert_eq!(in_flight(&rig), "");
    assert_eq!(
        shown(&counts(&rig, "inference_stage_in_flight", &["stage"])),
        ""
    );
    let ingress: u64 = stages(&rig)
        .iter()
        .filter(|(stage, _)| stage.starts_with("ingress "))
        .map(|(_, count)| count)
        .sum();
    assert_eq!(ingress, MANY);
    let durations = counts(&rig, "inference_request_duration_seconds_count", &["model"]);
    assert_eq!(shown(&durations), format!("sentiment {MANY}"));
}

#[test]
fn what_is_annotated_inside_a_handler_does_not_say_how_its_request_ends() {
    #[inference_request]
    async fn inner() -> Result<(), instrument_inference::ErrorType> {
        Err(instrument_inference::ErrorType::CudaOom)
    }
    #[inference_request]
    async fn outer() -> Response {
        assert!(inner().await.is_err(), "and it is overcome");
        pending().await
    }
    let rig = Rig::new();
    rig.model("sentiment", "1");
    let app = Router::new()
        .route("/", get(outer))
        .layer(rig.request_layer("http"));
    let mut answer = Box::pin(app.oneshot(get_request("/")));
    assert!(answer.as_mut().now_or_never().is_none());
    drop(answer);
    assert_eq!(shown(&requests(&rig)), "cancelled 1");
}
