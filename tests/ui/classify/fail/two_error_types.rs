use instrument_inference::Classify;

#[derive(Classify)]
enum Failure {
    #[classify(cuda_oom, internal)]
    OutOfMemory,
}

fn main() {}
