//! The request's span where a layer owns the request.

use crate::tree::Tree;
use axum::Router;
use axum::http::{Request, StatusCode};
use axum::routing::get;
use http_body_util::BodyExt;
use instrument_inference::testing::Rig;
use instrument_inference::{inference_request, inference_stage};
use tower::ServiceExt;

#[inference_stage("execute")]
async fn execute() {
    tokio::task::yield_now().await;
}

#[inference_request(tier = TIER, route = ROUTE.to_owned())]
async fn predict() -> &'static str {
    execute().await;
    "an answer"
}

const TIER: bool = true;
const ROUTE: &str = "/predict";
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

async fn refuse() -> StatusCode {
    StatusCode::TOO_MANY_REQUESTS
}

async fn ask(path: &str) -> Tree {
    let rig = Rig::new();
    rig.model("sentiment", "2024.06.15");
    let tree = Tree::default();
    let _on = tracing::subscriber::set_default(tree.subscriber());
    let app = Router::new()
        .route("/predict", get(predict))
        .route("/refuse", get(refuse))
        .layer(rig.request_layer("http"));
    let request = Request::get(path)
        .header("traceparent", format!("00-{TRACE}-00f067aa0ba902b7-01"))
        .body(axum::body::Body::empty())
        .expect("a request");
    let answer = app.oneshot(request).await.expect("it never fails");
    let before = tree.spans();
    let body = answer.into_body().collect().await.expect("a body");
    drop(body);
    if path == "/predict" {
        assert!(!before[0].closed, "the request ends with its body");
    }
    assert!(tree.is_settled());
    tree
}

#[tokio::test]
async fn the_layer_opens_the_span_and_the_handler_joins() {
    let tree = ask("/predict").await;
    assert_eq!(tree.shown(), "predict ok\n  ingress ok\n  execute ok\n");
    let request = &tree.spans()[0];
    assert_eq!(request.target, "instrument_inference::request");
    assert_eq!(request.fields["ingress"], "\"http\"");
    assert_eq!(request.fields["tier"], "\"true\"");
    assert_eq!(request.fields["model"], "\"sentiment\"");
    assert_eq!(request.fields["route"], format!("{ROUTE:?}"));
    assert_eq!(request.fields["trace_id"], format!("{TRACE:?}"));
}

#[tokio::test]
async fn a_request_without_a_handler_of_ours_has_its_span_too() {
    let tree = ask("/refuse").await;
    assert_eq!(
        tree.shown(),
        "inference.request rejected\n  ingress rejected\n"
    );
}
