use instrument_inference::Classify;

#[derive(Classify)]
#[classify(crate = instrument_inference)]
enum Failure {
    #[classify(CudaOom)]
    OutOfMemory,
    #[classify]
    Model,
    Other,
    #[classify(source)]
    Device,
}

fn main() {}
