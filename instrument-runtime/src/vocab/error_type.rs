//! Why something failed: a closed set, so that it can be a label.

/// Why a request or a stage failed. A closed set: its values are label values of `inference_errors_total`.
///
/// Two of them say that the caller is to blame: [`InvalidInput`](ErrorType::InvalidInput) and
/// [`RateLimited`](ErrorType::RateLimited) end a request as `rejected`, not as `error`, unless the
/// model has already run for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorType {
    /// The caller sent something that cannot be served.
    InvalidInput,
    /// The model could not be loaded.
    ModelLoad,
    /// The device ran out of memory.
    CudaOom,
    /// Memory, file handles, threads or another resource of the host ran out.
    ResourceExhausted,
    /// The caller sent more than it may.
    RateLimited,
    /// Something that the service asked did not answer in time.
    DependencyTimeout,
    /// The request's own deadline passed.
    DeadlineExceeded,
    /// The device reported a fault: illegal memory access, failed assertion, uncorrectable ECC.
    DeviceFault,
    /// Something that the service needs is not there.
    Unavailable,
    /// Anything else, and everything that says nothing about itself.
    Internal,
}

impl ErrorType {
    /// Every error type, in the order of the documentation.
    pub const ALL: [ErrorType; 10] = [
        ErrorType::InvalidInput,
        ErrorType::ModelLoad,
        ErrorType::CudaOom,
        ErrorType::ResourceExhausted,
        ErrorType::RateLimited,
        ErrorType::DependencyTimeout,
        ErrorType::DeadlineExceeded,
        ErrorType::DeviceFault,
        ErrorType::Unavailable,
        ErrorType::Internal,
    ];

    /// The value of the label `error_type`.
    pub const fn as_str(self) -> &'static str {
        match self {
            ErrorType::InvalidInput => "invalid_input",
            ErrorType::ModelLoad => "model_load",
            ErrorType::CudaOom => "cuda_oom",
            ErrorType::ResourceExhausted => "resource_exhausted",
            ErrorType::RateLimited => "rate_limited",
            ErrorType::DependencyTimeout => "dependency_timeout",
            ErrorType::DeadlineExceeded => "deadline_exceeded",
            ErrorType::DeviceFault => "device_fault",
            ErrorType::Unavailable => "unavailable",
            ErrorType::Internal => "internal",
        }
    }
}
