#![deny(warnings)]
use instrument_inference::inference_request;

fn classify(_: &std::fmt::Error) -> instrument_inference::ErrorType {
    instrument_inference::ErrorType::Internal
}

#[inference_request(
    ingress = "http",
    tier = Some(paying),
    route = path,
    labels(hit = hit, source = "cache"),
    buckets = llm,
    objective = "2s",
    error = classify,
    no_span,
    root,
    crate = ::instrument_inference,
)]
fn predict(paying: bool, hit: bool, path: Option<&str>) -> Result<(), std::fmt::Error> {
    Ok(())
}

#[inference_request(stream)]
async fn generate(upto: u8) -> futures::stream::BoxStream<'static, u8> {
    Box::pin(futures::stream::iter(0..upto))
}

fn main() {
    let _ = predict(true, false, None);
    drop(generate(1));
}
