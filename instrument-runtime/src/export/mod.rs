//! The ways out for what was recorded.

pub(crate) mod exporters;
#[cfg(feature = "otlp")]
pub(crate) mod otlp;
#[cfg(feature = "otlp")]
pub(crate) mod otlp_env;
#[cfg(feature = "otlp")]
pub(crate) mod otlp_given;
#[cfg(feature = "otlp")]
pub(crate) mod otlp_http;
#[cfg(feature = "otlp-tls")]
pub(crate) mod otlp_tls;
#[cfg(feature = "prometheus")]
pub(crate) mod prometheus;
#[cfg(feature = "otlp")]
pub(crate) mod push;
#[cfg(feature = "otlp")]
pub(crate) mod push_report;
#[cfg(feature = "prometheus")]
pub(crate) mod summary;
