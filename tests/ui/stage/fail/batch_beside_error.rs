use instrument_inference::{ErrorType, inference_stage};

fn classify(_: &String) -> ErrorType {
    ErrorType::Internal
}

#[inference_stage("execute", batch = texts.len(), error = classify)]
fn execute(texts: &[String]) -> Result<(), String> {
    Ok(())
}

fn main() {
    assert_eq!(classify(&String::new()), ErrorType::Internal);
}
