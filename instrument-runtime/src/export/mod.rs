//! The ways out for what was recorded.

#[cfg(feature = "prometheus")]
pub(crate) mod prometheus;
#[cfg(feature = "prometheus")]
pub(crate) mod summary;
