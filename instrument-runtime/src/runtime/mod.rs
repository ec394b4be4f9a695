//! The only place that wires: builder, installation, and the handle that drains, flushes and stops.

pub(crate) mod bounded;
pub(crate) mod builder;
pub(crate) mod error;
#[cfg(feature = "health")]
pub(crate) mod health;
#[cfg(not(feature = "health"))]
#[path = "health_off.rs"]
pub(crate) mod health;
pub(crate) mod install;
#[cfg(feature = "metrics")]
pub(crate) mod meter;
pub(crate) mod place;
#[cfg(feature = "metrics")]
pub(crate) mod recording;
#[cfg(not(feature = "metrics"))]
#[path = "recording_off.rs"]
pub(crate) mod recording;
#[cfg(feature = "tower")]
pub(crate) mod request_layer;
#[cfg(feature = "prometheus")]
pub(crate) mod scraping;
pub(crate) mod telemetry;
#[cfg(feature = "metrics")]
pub(crate) mod wiring;
