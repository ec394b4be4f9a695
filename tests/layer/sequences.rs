//! Requests that a layer owns, and whose tokens come from an engine on a thread of its own.

use crate::support::{counts, shown, stages};
use crate::wire::{cancellations, ended, in_flight};
use axum::body::Body;
use axum::routing::get;
use axum::{Extension, Router};
use bytes::Bytes;
use futures::StreamExt;
use futures::channel::mpsc::{UnboundedSender, unbounded};
use http_body_util::BodyExt;
use instrument_inference::testing::Rig;
use instrument_inference::{FinishReason, RequestContext, Sequence, inference_request};
use std::convert::Infallible;
use std::sync::mpsc;
use std::time::Duration;
use tower::ServiceExt;

struct Job {
    sequence: Sequence,
    words: UnboundedSender<&'static str>,
}

#[inference_request]
async fn chat(Extension(jobs): Extension<mpsc::Sender<Job>>) -> Body {
    let (words, answer) = unbounded();
    let sequence = Sequence::begin(RequestContext::current());
    jobs.send(Job { sequence, words }).unwrap();
    Body::from_stream(answer.map(|word: &str| Ok::<_, Infallible>(Bytes::from(word))))
}

/// The answer's body, and what the engine gets.
async fn ask(rig: &Rig) -> (Body, Job) {
    let (jobs, queue) = mpsc::channel();
    let app = Router::new()
        .route("/", get(chat))
        .layer(Extension(jobs))
        .layer(rig.request_layer("http"));
    let request = http::Request::get("/").body(Body::empty()).unwrap();
    let answer = app.oneshot(request).await.unwrap();
    (answer.into_body(), queue.recv().unwrap())
}

fn rig() -> Rig {
    let rig = Rig::new();
    rig.model("llama", "1");
    rig
}

fn pass(rig: &Rig, millis: u64) {
    rig.advance(Duration::from_millis(millis));
}

fn line(rig: &Rig, name: &str) -> f64 {
    rig.value(&format!("{name}{{model=\"llama\",version=\"1\"}}"))
        .unwrap_or_default()
}

#[tokio::test]
async fn an_answer_that_is_read_to_its_end_is_ok() {
    let rig = rig();
    let (body, job) = ask(&rig).await;
    let Job {
        mut sequence,
        words,
    } = job;
    std::thread::scope(|scope| {
        scope.spawn(|| {
            pass(&rig, 10);
            sequence.scheduled();
            for word in ["to ", "be"] {
                pass(&rig, 10);
                sequence.tokens(1);
                words.unbounded_send(word).unwrap();
            }
            sequence.finish(FinishReason::Stop);
        });
    });
    assert_eq!(ended(&rig), "", "the answer is not read yet");
    drop(words);
    assert_eq!(body.collect().await.unwrap().to_bytes(), "to be");
    assert_eq!(ended(&rig), "http ok 1");
    assert_eq!(
        shown(&stages(&rig)),
        "decode ok 1, ingress ok 1, prefill ok 1, queue ok 1"
    );
    let finishes = counts(&rig, "inference_finishes_total", &["finish_reason"]);
    assert_eq!(shown(&finishes), "stop 1");
    assert_eq!(
        line(&rig, "inference_wasted_compute_seconds_total").to_bits(),
        0
    );
}

#[tokio::test]
async fn a_client_that_leaves_is_known_to_the_engine_and_left_where_it_was() {
    for (marks, stage) in [(0, "queue"), (1, "prefill"), (2, "decode")] {
        let rig = rig();
        let (
            body,
            Job {
                mut sequence,
                words,
            },
        ) = ask(&rig).await;
        if marks > 0 {
            sequence.scheduled();
        }
        if marks > 1 {
            sequence.first_token();
        }
        pass(&rig, 10);
        assert!(!sequence.is_cancelled());
        drop(body);
        assert!(sequence.is_cancelled() && words.is_closed());
        assert_eq!(ended(&rig), "http cancelled 1");
        assert_eq!(cancellations(&rig), format!("{stage} client 1"));
        // until the engine looks, it works for nobody
        pass(&rig, 5);
        drop(sequence);
        assert!(shown(&stages(&rig)).contains(&format!("{stage} cancelled 1")));
        assert_eq!(ended(&rig), "http cancelled 1");
        assert_eq!(in_flight(&rig), "", "{stage}");
        let wasted = line(&rig, "inference_wasted_compute_seconds_total");
        assert!((wasted - 0.015).abs() < 1e-9, "{stage} {wasted}");
    }
}

#[tokio::test]
async fn an_engine_that_fails_is_an_error_under_a_good_status_code() {
    let rig = rig();
    let (
        body,
        Job {
            mut sequence,
            words,
        },
    ) = ask(&rig).await;
    sequence.scheduled();
    sequence.finish(FinishReason::Error);
    drop(words);
    assert_eq!(body.collect().await.unwrap().to_bytes(), "");
    assert_eq!(ended(&rig), "http error 1");
    let errors = counts(&rig, "inference_errors_total", &["stage", "error_type"]);
    assert_eq!(shown(&errors), "prefill internal 1");
}

#[tokio::test]
async fn an_engine_that_fails_before_the_handler_returns_has_failed() {
    #[inference_request]
    async fn fails_at_once() -> &'static str {
        let mut sequence = Sequence::begin(RequestContext::current());
        sequence.scheduled();
        sequence.finish(FinishReason::Error);
        "data: sorry"
    }
    let rig = rig();
    let app = Router::new()
        .route("/", get(fails_at_once))
        .layer(rig.request_layer("http"));
    let request = http::Request::get("/").body(Body::empty()).unwrap();
    let answer = app.oneshot(request).await.unwrap();
    assert_eq!(answer.status(), 200);
    drop(answer.into_body().collect().await.unwrap());
    assert_eq!(ended(&rig), "http error 1");
}
