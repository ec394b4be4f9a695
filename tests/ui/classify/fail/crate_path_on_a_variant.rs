use instrument_inference::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(internal, crate = ::instrument_inference)]
    Model,
}

fn main() {}
