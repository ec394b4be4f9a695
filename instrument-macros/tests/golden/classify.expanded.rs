// Generated from the file of the same name without `.expanded`; `UPDATE_GOLDEN=1` refreshes it.
// `P` stands for `::instrument_inference::__private`.

#[automatically_derived]
impl<T: Device> P::Classify for Failure<T> {
    fn error_type(&self) -> P::ErrorType {
        match *self {
            Self::OutOfMemory { .. } => P::ErrorType::CudaOom,
            Self::Device { 0: ref __inner, .. } => P::error_type_of!(__inner),
            Self::Unknown { .. } => P::ErrorType::Internal,
        }
    }
}
#[automatically_derived]
impl crate::telemetry::__private::Classify for Around {
    fn error_type(&self) -> crate::telemetry::__private::ErrorType {
        match *self {
            Self { source: ref __inner, .. } => {
                crate::telemetry::__private::error_type_of!(__inner)
            }
        }
    }
}
#[automatically_derived]
impl P::Classify for Wrong {
    fn error_type(&self) -> P::ErrorType {
        P::ErrorType::Internal
    }
}
::core::compile_error! {
    "unknown error type `cuda_omm`: did you mean `cuda_oom`? expected one of `invalid_input`, `model_load`, `cuda_oom`, `resource_exhausted`, `rate_limited`, `dependency_timeout`, `deadline_exceeded`, `device_fault`, `unavailable`, `internal`, or `source` to ask the inner error"
}
::core::compile_error! {
    "`Silent` does not say which error type it is: write `#[classify(internal)]` or another type on it, or `#[classify(internal)]` on the enum for all that say nothing"
}
