use instrument_inference::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(source)]
    Model(#[source] std::io::Error, #[source] std::io::Error),
}

fn main() {}
