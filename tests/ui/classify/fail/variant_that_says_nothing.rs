use instrument_inference::{Classify, inference_stage};

#[derive(Classify)]
enum Failure {
    #[classify(invalid_input)]
    NotAnImage,
    Model(std::io::Error),
}

// No mistake of its own.
#[inference_stage("execute")]
fn execute() -> Result<(), Failure> {
    Err(Failure::NotAnImage)
}

fn main() {}
