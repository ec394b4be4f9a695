use instrument_inference::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(bad_request)]
    NotAnImage,
    #[classify(timeout)]
    TooSlow,
    #[classify(cancelled)]
    Gone,
    #[classify(transparent)]
    Model(std::io::Error),
}

fn main() {}
