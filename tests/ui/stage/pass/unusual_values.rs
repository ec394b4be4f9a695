#![deny(warnings)]
use instrument_inference::inference_stage;

// The name in a raw string, whole seconds, a closure and an operator in a label, arguments that only labels use.
#[inference_stage(
    r"execute",
    labels(many = items.iter().any(|item| item.checked_sub(1).is_some()), both = a & b, not = !a),
    buckets = [1, 60.0, 3600.0],
    objective = "90m",
)]
fn execute(items: &[u8], a: bool, b: bool) {}

fn classify<E: std::fmt::Display>(_: &E) -> instrument_inference::ErrorType {
    instrument_inference::ErrorType::Internal
}

#[inference_stage("rerank", error = classify)]
async fn rerank() -> Result<u8, std::fmt::Error> {
    Ok(1)
}

fn main() {
    execute(&[1], true, false);
    drop(rerank());
}
