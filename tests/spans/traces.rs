//! With `tracing-opentelemetry`, stages and requests are traces: nothing more is needed.

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use axum::routing::get;
use http_body_util::BodyExt;
use instrument_inference::testing::Rig;
use instrument_inference::{ErrorType, RequestContext, inference_request, inference_stage};
use opentelemetry::Context;
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt, TraceFlags, TraceId, TraceState, TracerProvider,
};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider, SpanData};
use std::panic;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use tower::ServiceExt;
use tracing_subscriber::prelude::*;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN: &str = "00f067aa0ba902b7";

#[inference_stage("execute")]
async fn execute() -> Result<(), ErrorType> {
    tokio::task::yield_now().await;
    Err(ErrorType::CudaOom)
}

#[inference_request]
async fn predict() -> Result<(), ErrorType> {
    execute().await
}

/// What is exported, and the subscriber that does it.
fn tracer() -> (
    InMemorySpanExporter,
    impl tracing::Subscriber + Send + Sync + use<>,
) {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder()
        .with_simple_exporter(exporter.clone())
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    (exporter, tracing_subscriber::registry().with(layer))
}

fn traced() -> Option<String> {
    let trace = RequestContext::current().and_then(|context| context.trace_id());
    trace.map(|trace| trace.to_string())
}

/// Another process' span, or that of a service that uses OpenTelemetry alone.
fn elsewhere() -> Context {
    let span = SpanContext::new(
        TraceId::from_hex(TRACE).expect("32 digits"),
        SpanId::from_hex(SPAN).expect("16 digits"),
        TraceFlags::SAMPLED,
        true,
        TraceState::default(),
    );
    Context::new().with_remote_span_context(span)
}

#[tokio::test]
async fn a_request_is_a_trace() {
    let (exporter, subscriber) = tracer();
    let _on = tracing::subscriber::set_default(subscriber);
    let rig = Rig::new();
    let _inside = rig.enter();
    rig.model("sentiment", "2024.06.15");
    assert!(predict().await.is_err());

    let spans = exporter.get_finished_spans().expect("they are kept");
    let [stage, request] = &spans[..] else {
        panic!("two spans: {spans:?}");
    };
    assert_eq!(stage.parent_span_id, request.span_context.span_id());
    assert_eq!(request.parent_span_id, SpanId::INVALID);
    assert_eq!(
        stage.span_context.trace_id(),
        request.span_context.trace_id()
    );
    for (span, name) in [(stage, "inference.stage"), (request, "inference.request")] {
        assert_eq!(span.name, name);
        let says = |key: &str, value: &str| {
            span.attributes
                .iter()
                .any(|known| known.key.as_str() == key && known.value.as_str() == value)
        };
        assert!(
            says("model", "sentiment")
                && says("outcome", "error")
                && says("error_type", "cuda_oom")
        );
    }
    assert_eq!(request.events.len(), 1, "the failure is told in its trace");
}

#[inference_request]
async fn asks() -> Option<String> {
    tokio::task::yield_now().await;
    traced()
}

#[inference_request(no_span)]
fn asks_without_a_span() -> Option<String> {
    traced()
}

#[tokio::test]
async fn a_request_knows_the_trace_that_it_is_recorded_in() {
    let (exporter, subscriber) = tracer();
    let rig = Rig::new();
    let _inside = rig.enter();
    let _on = tracing::subscriber::set_default(subscriber);
    let own = asks().await;
    let around = tracing::info_span!("around").in_scope(asks_without_a_span);
    let spans = exporter.get_finished_spans().expect("they are kept");
    let [request, outer] = &spans[..] else {
        panic!("two spans: {spans:?}");
    };
    assert_eq!(own, Some(request.span_context.trace_id().to_string()));
    assert_eq!(around, Some(outer.span_context.trace_id().to_string()));
}

#[tokio::test]
async fn who_makes_spans_with_opentelemetry_alone_is_known_too() {
    let _log = tracing::subscriber::set_default(tracing_subscriber::registry());
    let rig = Rig::new();
    let _inside = rig.enter();
    let _around = elsewhere().attach();
    assert_eq!(asks_without_a_span().as_deref(), Some(TRACE));
    assert_eq!(asks().await.as_deref(), Some(TRACE));
}

#[test]
fn a_request_does_not_take_the_trace_of_whoever_works_for_it_later() {
    #[inference_request]
    fn hands_on() {
        let context = RequestContext::current().expect("it is current");
        let work = move || {
            let _around = elsewhere().attach();
            let _inside = context.enter();
            assert_eq!(traced(), None);
        };
        thread::spawn(work).join().expect("it ends well");
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    // a span that no trace is made of
    tracing::subscriber::with_default(tracing_subscriber::registry(), hands_on);
    hands_on();
}

/// Asks the handler through the layer, for a caller that names its span: what it knows, and the request's span.
async fn called(around: Option<Context>) -> (Option<String>, SpanData) {
    #[inference_request]
    async fn handler() -> Result<String, ErrorType> {
        traced().ok_or(ErrorType::Internal)
    }
    async fn answer() -> String {
        handler().await.unwrap_or_default()
    }
    let (exporter, subscriber) = tracer();
    let rig = Rig::new();
    let app = Router::new()
        .route("/", get(answer))
        .layer(rig.request_layer("http"));
    let request = Request::get("/").header("traceparent", format!("00-{TRACE}-{SPAN}-01"));
    let request = request.body(Body::empty()).expect("a request");
    let _on = tracing::subscriber::set_default(subscriber);
    let around = around.map(Context::attach);
    let answer = app.oneshot(request).await.expect("it never fails");
    drop(around);
    let body = answer.into_body().collect().await.expect("a body");
    let spans = exporter.get_finished_spans().expect("they are kept");
    let of_request = |span: &SpanData| span.name == "inference.request";
    let request = spans.into_iter().find(of_request).expect("it has ended");
    let said = String::from_utf8(body.to_bytes().to_vec()).expect("a text");
    (Some(said), request)
}

#[tokio::test]
async fn a_caller_is_a_link_and_no_parent() {
    let (said, request) = called(None).await;
    assert_eq!(said.as_deref(), Some(TRACE));
    assert_eq!(request.parent_span_id, SpanId::INVALID);
    assert_ne!(request.span_context.trace_id().to_string(), TRACE);
    let links: Vec<_> = request
        .links
        .iter()
        .map(|link| &link.span_context)
        .collect();
    assert_eq!(links.len(), 1);
    assert_eq!(links[0].trace_id().to_string(), TRACE);
    assert_eq!(links[0].span_id().to_string(), SPAN);
    assert!(links[0].is_remote() && links[0].is_sampled());
    let says = |known: &opentelemetry::KeyValue| {
        known.key.as_str() == "trace_id" && known.value.as_str() == TRACE
    };
    assert!(request.attributes.iter().any(says));
}

#[tokio::test]
async fn a_caller_that_the_service_has_made_the_parent_needs_no_link() {
    let (said, request) = called(Some(elsewhere())).await;
    assert_eq!(said.as_deref(), Some(TRACE));
    assert_eq!(request.parent_span_id.to_string(), SPAN);
    assert_eq!(request.span_context.trace_id().to_string(), TRACE);
    assert_eq!(request.links.len(), 0);
}

thread_local! {
    static LAST: Last = const { Last };
}

/// Works for a request when its thread has ended, and with it what was current there.
struct Last;

impl Drop for Last {
    fn drop(&mut self) {
        asks_without_a_span();
        futures::executor::block_on(asks());
    }
}

#[test]
fn a_thread_that_is_ending_has_no_trace_and_no_panic() {
    let name = "a thread that is ending";
    let panics = Arc::new(AtomicUsize::new(0));
    let (seen, others) = (Arc::clone(&panics), panic::take_hook());
    panic::set_hook(Box::new(move |panic| {
        if thread::current().name() == Some(name) {
            seen.fetch_add(1, Ordering::SeqCst);
        }
        others(panic);
    }));
    let rig = Arc::new(Rig::new());
    let work = Arc::clone(&rig);
    let ending = thread::Builder::new().name(name.to_owned()).spawn(move || {
        LAST.with(|_| ());
        std::mem::forget(work.enter());
        std::mem::forget(tracing::subscriber::set_default(
            tracing_subscriber::registry(),
        ));
        let _around = elsewhere().attach();
        assert_eq!(asks_without_a_span().as_deref(), Some(TRACE));
    });
    ending.expect("a thread").join().expect("it ends well");
    assert_eq!(panics.load(Ordering::SeqCst), 0);
    let ended =
        rig.value("inference_requests_total{model=\"none\",outcome=\"ok\",version=\"none\"}");
    assert_eq!(ended, Some(3.0), "{}", rig.scrape());
}
