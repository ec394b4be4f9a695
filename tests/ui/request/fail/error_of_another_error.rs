use instrument_inference::{ErrorType, inference_request};

fn classify(_: &std::io::Error) -> ErrorType {
    ErrorType::Internal
}

#[inference_request(error = classify)]
async fn predict() -> Result<(), String> {
    Ok(())
}

fn main() {}
