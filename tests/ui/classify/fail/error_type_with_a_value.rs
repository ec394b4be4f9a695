use instrument_inference::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(internal = true)]
    Model,
}

fn main() {}
