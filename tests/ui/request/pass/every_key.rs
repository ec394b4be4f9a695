#![deny(warnings)]
use instrument_inference::inference_request;

fn classify(_: &std::fmt::Error) -> instrument_inference::ErrorType {
    instrument_inference::ErrorType::Internal
}

#[inference_request(
    ingress = "http",
    tier = Some(paying),
    labels(hit = hit, source = "cache"),
    buckets = llm,
    objective = "2s",
    error = classify,
    no_span,
    root,
    crate = ::instrument_inference,
)]
fn predict(paying: bool, hit: bool) -> Result<(), std::fmt::Error> {
    Ok(())
}

fn main() {
    let _ = predict(true, false);
}
