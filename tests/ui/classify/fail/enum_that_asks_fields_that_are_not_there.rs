use instrument_inference::Classify;

#[derive(Classify)]
#[classify(source)]
enum Failure {
    OutOfMemory,
    Model(std::io::Error),
}

fn main() {}
