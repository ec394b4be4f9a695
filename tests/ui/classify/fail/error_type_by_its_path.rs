use instrument_inference::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(ErrorType::CudaOom)]
    OutOfMemory,
}

fn main() {}
