//! The only place that wires: builder, installation, and the handle that drains, flushes and stops.

pub(crate) mod bounded;
pub(crate) mod builder;
pub(crate) mod error;
pub(crate) mod place;
#[cfg(feature = "tower")]
pub(crate) mod request_layer;
#[cfg(feature = "prometheus")]
pub(crate) mod scraping;
pub(crate) mod telemetry;
pub(crate) mod wiring;
