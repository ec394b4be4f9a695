use instrument_inference::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(429)]
    TooMany,
}

fn main() {}
