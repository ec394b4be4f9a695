use instrument_inference::Classify;

#[derive(Classify)]
#[classify(internal, crate = "instrument_inference")]
enum Failure {
    Model,
}

fn main() {}
