use instrument_inference::{ErrorType, inference_stage};

fn classify(_: &String) -> ErrorType {
    ErrorType::Internal
}

#[inference_stage("execute", error = classify)]
fn execute() -> Option<u8> {
    None
}

fn main() {}
