use instrument_inference::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(cuda_omm)]
    OutOfMemory,
}

fn main() {}
