use instrument_inference::{Classify, LabelValue, inference_request, inference_stage};

#[derive(LabelValue)]
enum Kind {
    Image(u8),
}

#[derive(Classify)]
enum Failure {
    Model,
}

#[inference_stage("execute", lables(kind = kind))]
fn execute(kind: &Kind) -> Result<(), Failure> {
    Err(Failure::Model)
}

#[inference_request(labels(kind = kind), ingres = "http")]
fn predict(kind: &Kind) -> Result<(), Failure> {
    execute(kind)
}

fn main() {
    let _ = predict(&Kind::Image(1));
}
