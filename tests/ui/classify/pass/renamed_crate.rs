//! The facade under another name.

mod telemetry {
    pub use instrument_inference::*;
}

// Shadows the facade for everything but `::` paths.
mod instrument_inference {}

#[derive(telemetry::Classify)]
#[classify(crate = crate::telemetry)]
enum Failure {
    #[classify(cuda_oom)]
    OutOfMemory,
    #[classify(source)]
    Io(std::io::Error),
}

fn main() {
    use telemetry::{Classify, ErrorType};
    assert_eq!(Failure::OutOfMemory.error_type(), ErrorType::CudaOom);
    let gone = std::io::ErrorKind::ConnectionRefused.into();
    assert_eq!(Failure::Io(gone).error_type(), ErrorType::Unavailable);
}
