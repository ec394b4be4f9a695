//! Facts, as metrics.

#[cfg(feature = "nvml")]
pub(crate) mod device;
#[cfg(feature = "health")]
pub(crate) mod health;
