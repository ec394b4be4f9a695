//! What annotated code runs through: requests, stages, their outcomes, and the context that travels with them.

pub(crate) mod batch_stage;
pub(crate) mod batcher;
pub(crate) mod classify;
pub(crate) mod classify_text;
#[cfg(feature = "http")]
pub(crate) mod classify_tokio;
pub(crate) mod context;
#[cfg(feature = "tracing")]
pub(crate) mod event;
pub(crate) mod hops;
pub(crate) mod inner;
pub(crate) mod life;
pub(crate) mod members;
pub(crate) mod opened;
pub(crate) mod opening;
pub(crate) mod outcome;
#[cfg(feature = "http")]
pub(crate) mod outcome_http;
pub(crate) mod queue;
pub(crate) mod slot;
pub(crate) mod stage;
