//! With `tracing-opentelemetry`, stages and requests are traces: nothing more is needed.

use instrument_inference::testing::Rig;
use instrument_inference::{ErrorType, inference_request, inference_stage};
use opentelemetry::trace::{SpanId, TracerProvider};
use opentelemetry_sdk::trace::{InMemorySpanExporter, SdkTracerProvider};
use tracing_subscriber::prelude::*;

#[inference_stage("execute")]
async fn execute() -> Result<(), ErrorType> {
    tokio::task::yield_now().await;
    Err(ErrorType::CudaOom)
}

#[inference_request]
async fn predict() -> Result<(), ErrorType> {
    execute().await
}

#[tokio::test]
async fn a_request_is_a_trace() {
    let exporter = InMemorySpanExporter::default();
    let provider = SdkTracerProvider::builder()
        .with_simple_exporter(exporter.clone())
        .build();
    let layer = tracing_opentelemetry::layer().with_tracer(provider.tracer("test"));
    let _on = tracing::subscriber::set_default(tracing_subscriber::registry().with(layer));
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
