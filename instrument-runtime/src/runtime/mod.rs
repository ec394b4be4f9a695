//! The only place that wires: builder, installation, and the handle that drains, flushes and stops.

#[cfg(feature = "http")]
pub(crate) mod binding;
pub(crate) mod bounded;
pub(crate) mod builder;
#[cfg(feature = "health")]
pub(crate) mod check_runtime;
#[cfg(all(feature = "health", feature = "grpc"))]
pub(crate) mod control;
#[cfg(all(feature = "health", not(feature = "grpc")))]
#[path = "control_off.rs"]
pub(crate) mod control;
#[cfg(all(feature = "nvml", feature = "metrics"))]
pub(crate) mod device_builder;
#[cfg(all(feature = "nvml", feature = "metrics"))]
pub(crate) mod device_metrics;
#[cfg(all(feature = "nvml", not(feature = "metrics")))]
#[path = "device_metrics_off.rs"]
pub(crate) mod device_metrics;
pub(crate) mod ending;
pub(crate) mod error;
#[cfg(feature = "nvml")]
pub(crate) mod gpus;
#[cfg(not(feature = "nvml"))]
#[path = "gpus_off.rs"]
pub(crate) mod gpus;
#[cfg(feature = "health")]
pub(crate) mod health;
#[cfg(not(feature = "health"))]
#[path = "health_off.rs"]
pub(crate) mod health;
#[cfg(feature = "health")]
pub(crate) mod health_builder;
#[cfg(all(feature = "health", feature = "metrics"))]
pub(crate) mod health_metrics;
#[cfg(not(all(feature = "health", feature = "metrics")))]
#[path = "health_metrics_off.rs"]
pub(crate) mod health_metrics;
#[cfg(all(feature = "health", feature = "http"))]
pub(crate) mod health_serving;
#[cfg(all(feature = "health", not(feature = "http")))]
#[path = "health_serving_off.rs"]
pub(crate) mod health_serving;
#[cfg(feature = "health")]
pub(crate) mod health_setup;
#[cfg(not(feature = "health"))]
#[path = "health_setup_off.rs"]
pub(crate) mod health_setup;
pub(crate) mod install;
#[cfg(feature = "health")]
pub(crate) mod lifecycle;
#[cfg(feature = "metrics")]
pub(crate) mod meter;
#[cfg(all(feature = "health", feature = "http"))]
mod mounting;
#[cfg(all(feature = "health", feature = "grpc"))]
mod mounting_grpc;
#[cfg(all(feature = "prometheus", feature = "http"))]
mod mounting_metrics;
mod near_variables;
#[cfg(feature = "otlp")]
pub(crate) mod otlp_builder;
pub(crate) mod place;
#[cfg(feature = "metrics")]
pub(crate) mod pushing;
#[cfg(feature = "metrics")]
pub(crate) mod recording;
#[cfg(not(feature = "metrics"))]
#[path = "recording_off.rs"]
pub(crate) mod recording;
#[cfg(feature = "tower")]
pub(crate) mod request_layer;
#[cfg(feature = "metrics")]
pub(crate) mod resource;
#[cfg(feature = "prometheus")]
pub(crate) mod scraping;
#[cfg(all(feature = "health", unix))]
pub(crate) mod signals;
#[cfg(all(feature = "health", not(unix)))]
#[path = "signals_off.rs"]
pub(crate) mod signals;
pub(crate) mod telemetry;
#[cfg(feature = "metrics")]
pub(crate) mod wiring;
