//! What annotated code runs through: requests, stages, their outcomes, and the context that travels with them.

#[cfg(feature = "metrics")]
pub(crate) mod batch_stage;
#[cfg(feature = "metrics")]
pub(crate) mod batcher;
#[cfg(feature = "metrics")]
pub(crate) mod caller;
pub(crate) mod classify;
pub(crate) mod classify_text;
#[cfg(feature = "http")]
pub(crate) mod classify_tokio;
#[cfg(all(feature = "metrics", feature = "grpc"))]
pub(crate) mod classify_tonic;
#[cfg(feature = "metrics")]
pub(crate) mod context;
#[cfg(feature = "tower")]
pub(crate) mod deadline;
#[cfg(feature = "tracing")]
pub(crate) mod event;
#[cfg(feature = "metrics")]
pub(crate) mod follow;
#[cfg(all(feature = "metrics", feature = "http"))]
pub(crate) mod follow_http;
#[cfg(all(feature = "metrics", feature = "grpc"))]
pub(crate) mod follow_tonic;
#[cfg(feature = "metrics")]
pub(crate) mod hops;
pub(crate) mod inner;
#[cfg(feature = "tower")]
pub(crate) mod layer;
#[cfg(feature = "metrics")]
pub(crate) mod life;
#[cfg(feature = "tower")]
pub(crate) mod measured_body;
#[cfg(feature = "metrics")]
pub(crate) mod measured_tokens;
#[cfg(feature = "metrics")]
pub(crate) mod members;
#[cfg(not(feature = "metrics"))]
pub(crate) mod members_off;
#[cfg(not(any(feature = "metrics", feature = "health")))]
pub(crate) mod model_none;
#[cfg(all(feature = "health", not(feature = "metrics")))]
pub(crate) mod model_off;
#[cfg(feature = "metrics")]
pub(crate) mod opened;
#[cfg(feature = "metrics")]
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
#[cfg(feature = "metrics")]
pub(crate) mod queue;
#[cfg(feature = "tower")]
pub(crate) mod response;
#[cfg(feature = "metrics")]
pub(crate) mod sequence;
#[cfg(feature = "tracing")]
pub(crate) mod spans;
#[cfg(all(feature = "metrics", not(feature = "tracing")))]
#[path = "spans_off.rs"]
pub(crate) mod spans;
#[cfg(feature = "metrics")]
pub(crate) mod stage;
#[cfg(feature = "metrics")]
pub(crate) mod streamed;
#[cfg(feature = "metrics")]
pub(crate) mod token_count;
#[cfg(feature = "metrics")]
pub(crate) mod token_meter;
#[cfg(feature = "tracing")]
pub(crate) mod traces;
#[cfg(all(feature = "metrics", not(feature = "tracing")))]
#[path = "traces_off.rs"]
pub(crate) mod traces;
