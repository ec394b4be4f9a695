use instrument_inference::Classify;

#[derive(Classify)]
enum Failure {
    #[classify("cuda_oom")]
    OutOfMemory,
}

fn main() {}
