use instrument_inference::Classify;

#[classify(internal)]
enum Failure {
    Model,
}

impl Classify for Failure {
    fn error_type(&self) -> instrument_inference::ErrorType {
        instrument_inference::ErrorType::Internal
    }
}

fn main() {}
