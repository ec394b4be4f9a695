//! What annotated code runs through: requests, stages, their outcomes, and the context that travels with them.

pub(crate) mod classify;
pub(crate) mod context;
pub(crate) mod life;
pub(crate) mod opened;
pub(crate) mod opening;
pub(crate) mod outcome;
#[cfg(feature = "http")]
pub(crate) mod outcome_http;
pub(crate) mod slot;
pub(crate) mod stage;
