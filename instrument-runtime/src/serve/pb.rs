//! The protocols of the control plane as they are generated from `proto/`; `tests/generated.rs` makes them again.

/// `grpc.health.v1`
#[allow(
    clippy::all,
    clippy::clone_on_ref_ptr,
    clippy::pedantic,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "generated"
)]
pub(crate) mod health {
    include!("../../proto/generated/grpc.health.v1.rs");
}

/// `inference`
#[allow(
    clippy::all,
    clippy::clone_on_ref_ptr,
    clippy::pedantic,
    dead_code,
    missing_docs,
    unreachable_pub,
    reason = "generated"
)]
pub(crate) mod inference {
    include!("../../proto/generated/inference.rs");
}

/// All of them, as reflection wants them: an encoded `FileDescriptorSet`.
pub(crate) const DESCRIPTORS: &[u8] = include_bytes!("../../proto/generated/descriptors.bin");
