//! Answers questions over HTTP, on threads and addresses of their own.

#[cfg(any(feature = "prometheus", feature = "health"))]
pub(crate) mod connection;
#[cfg(feature = "health")]
pub(crate) mod health_accept;
#[cfg(feature = "health")]
pub(crate) mod health_http;
#[cfg(any(feature = "prometheus", feature = "health"))]
pub(crate) mod held;
#[cfg(any(feature = "prometheus", feature = "health"))]
pub(crate) mod http;
#[cfg(any(feature = "prometheus", feature = "health"))]
pub(crate) mod http1;
#[cfg(any(feature = "prometheus", feature = "health"))]
pub(crate) mod http2;
#[cfg(feature = "prometheus")]
pub(crate) mod metrics;
#[cfg(any(feature = "prometheus", feature = "health"))]
pub(crate) mod watched;
