use instrument_inference::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(source)]
    OutOfMemory,
}

fn main() {}
