#![deny(warnings)]
use instrument_inference::inference_stage;

fn classify(_: &std::fmt::Error) -> instrument_inference::ErrorType {
    instrument_inference::ErrorType::Internal
}

#[inference_stage(
    "exeucte",
    custom,
    device,
    labels(hit = hit, source = "cache", r#type = !hit),
    buckets = [0.001, 0.01, 1],
    objective = "250us",
    stall = "90s",
    error = classify,
    no_span,
    crate = ::instrument_inference,
)]
fn execute(hit: bool) -> Result<(), std::fmt::Error> {
    Ok(())
}

#[inference_stage("embed", device = gpu.as_deref())]
fn embed(gpu: Option<String>) -> Option<String> {
    gpu
}

#[inference_stage("decode", stream, stall = "30s", error = classify)]
fn decode(upto: u8) -> impl futures::Stream<Item = Result<u8, std::fmt::Error>> {
    futures::stream::iter((0..upto).map(Ok))
}

fn main() {
    let _ = execute(true);
    let _ = embed(None);
    drop(decode(1));
}
