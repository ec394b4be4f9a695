//! What a request says of itself beside its labels: its route, and the trace that its caller names.

use crate::grpc::{self, Text};
use crate::wire::{BOTH, Client, ended, request, serve, settles};
use axum::Router;
use axum::extract::MatchedPath;
use axum::routing::get;
use http_body_util::BodyExt;
use instrument_inference::testing::Rig;
use instrument_inference::{RequestContext, inference_request};
use tonic::Request;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// Route and trace of the current request, `-` for none.
pub fn told() -> String {
    let context = RequestContext::current().expect("the layer's request is current");
    let trace = context.trace_id().map(|trace| trace.to_string());
    let or_none = |text: Option<&str>| text.unwrap_or("-").to_owned();
    format!("{} {}", or_none(context.route()), or_none(trace.as_deref()))
}

#[inference_request(route = path.as_str())]
async fn predict(path: MatchedPath) -> String {
    drop(path);
    told()
}

#[inference_request(route = path.as_ref().map(MatchedPath::as_str))]
async fn fall_back(path: Option<MatchedPath>) -> String {
    inside().await
}

/// What is said already stays.
#[inference_request(route = "inside")]
async fn inside() -> String {
    told()
}

/// Asks a server for `path` with these headers `traceparent`, over both versions of HTTP, and gives what it answers.
async fn asked(path: &str, callers: &[&str]) -> String {
    let rig = Rig::builder().real_clock().start();
    rig.model("sentiment", "1");
    let app = Router::new()
        .route("/models/{model}/predict", get(predict))
        .fallback(fall_back)
        .layer(rig.request_layer("http"));
    let address = serve(app).await;
    let mut answers = Vec::new();
    for version in BOTH {
        let mut call = request("GET", path, "");
        for caller in callers {
            call.headers_mut()
                .append("traceparent", caller.parse().unwrap());
        }
        let mut client = Client::connect(address, version).await;
        let answer = client.send(call).await.unwrap();
        assert_eq!(answer.status(), 200);
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        answers.push(String::from_utf8(body.to_vec()).unwrap());
    }
    settles(&rig, "http ok 2").await;
    assert!(!rig.scrape().contains("4bf92f35") && !rig.scrape().contains("/models"));
    assert_eq!(answers[0], answers[1]);
    answers.remove(0)
}

#[tokio::test]
async fn a_matched_path_is_the_route_and_the_header_names_the_trace() {
    assert_eq!(
        asked("/models/7/predict", &[CALLER]).await,
        format!("/models/{{model}}/predict {TRACE}")
    );
    assert_eq!(
        asked("/models/7/predict", &[]).await,
        "/models/{model}/predict -"
    );
}

#[tokio::test]
async fn a_handler_inside_says_what_is_not_said_yet() {
    assert_eq!(
        asked("/elsewhere", &[CALLER]).await,
        format!("inside {TRACE}")
    );
}

#[tokio::test]
async fn a_header_that_breaks_the_rules_is_as_if_it_were_absent() {
    let upper = CALLER.to_uppercase();
    for callers in [
        &[CALLER, CALLER][..],
        &[upper.as_str()],
        &["00-00000000000000000000000000000000-00f067aa0ba902b7-01"],
        &["ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"],
        &["nonsense"],
        &[""],
    ] {
        let answer = asked("/elsewhere", callers).await;
        assert_eq!(answer, "inside -", "{callers:?}");
    }
}

#[tokio::test]
async fn the_metadata_of_grpc_name_the_trace_too() {
    let rig = Rig::builder().real_clock().start();
    rig.model("sentiment", "1");
    let mut client = grpc::connect(grpc::serve(rig.request_layer("grpc")).await).await;
    for (caller, trace) in [(Some(CALLER), TRACE), (Some("01-"), "-"), (None, "-")] {
        let mut call = Request::new("told".to_owned());
        if let Some(caller) = caller {
            call.metadata_mut()
                .insert("traceparent", caller.parse().unwrap());
        }
        client.ready().await.unwrap();
        let answer = client.unary(call, grpc::path("Annotated"), Text).await;
        assert_eq!(
            answer.unwrap().into_inner(),
            format!("test.Test/Annotated {trace}")
        );
    }
    settles(&rig, "grpc ok 3").await;
    assert_eq!(ended(&rig), "grpc ok 3");
}
