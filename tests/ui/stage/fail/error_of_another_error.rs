use instrument_inference::{ErrorType, inference_stage};

fn classify(_: &std::io::Error) -> ErrorType {
    ErrorType::Internal
}

#[inference_stage("execute", error = classify)]
fn execute() -> Result<(), String> {
    Ok(())
}

fn main() {}
