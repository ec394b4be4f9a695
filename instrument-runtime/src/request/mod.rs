//! What annotated code runs through: requests, stages, their outcomes, and the context that travels with them.

pub(crate) mod batch_stage;
pub(crate) mod batcher;
pub(crate) mod classify;
pub(crate) mod classify_text;
#[cfg(feature = "http")]
pub(crate) mod classify_tokio;
#[cfg(feature = "grpc")]
pub(crate) mod classify_tonic;
pub(crate) mod context;
#[cfg(feature = "tower")]
pub(crate) mod deadline;
#[cfg(feature = "tracing")]
pub(crate) mod event;
pub(crate) mod follow;
#[cfg(feature = "http")]
pub(crate) mod follow_http;
#[cfg(feature = "grpc")]
pub(crate) mod follow_tonic;
pub(crate) mod hops;
pub(crate) mod inner;
#[cfg(feature = "tower")]
pub(crate) mod layer;
pub(crate) mod life;
#[cfg(feature = "tower")]
pub(crate) mod measured_body;
pub(crate) mod members;
pub(crate) mod opened;
pub(crate) mod opening;
pub(crate) mod outcome;
#[cfg(any(feature = "tower", feature = "grpc"))]
pub(crate) mod outcome_grpc;
#[cfg(any(feature = "http", feature = "tower"))]
pub(crate) mod outcome_http;
#[cfg(feature = "tower")]
pub(crate) mod owned;
#[cfg(feature = "tower")]
pub(crate) mod protocol;
pub(crate) mod queue;
#[cfg(feature = "tower")]
pub(crate) mod response;
pub(crate) mod stage;
pub(crate) mod streamed;
