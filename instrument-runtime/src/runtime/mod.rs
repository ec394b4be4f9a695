//! The only place that wires: builder, installation, and the handle that drains, flushes and stops.

pub(crate) mod bounded;
pub(crate) mod builder;
pub(crate) mod error;
#[cfg(feature = "otlp")]
pub(crate) mod otlp_builder;
pub(crate) mod place;
pub(crate) mod pushing;
#[cfg(feature = "tower")]
pub(crate) mod request_layer;
#[cfg(feature = "prometheus")]
pub(crate) mod scraping;
pub(crate) mod telemetry;
pub(crate) mod wiring;
