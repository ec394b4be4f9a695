//! Answers questions over HTTP, on threads and addresses of their own.

#[cfg(any(feature = "prometheus", feature = "health"))]
pub(crate) mod connection;
#[cfg(feature = "health")]
pub(crate) mod health_accept;
#[cfg(feature = "health")]
pub(crate) mod health_http;
#[cfg(all(test, feature = "health"))]
mod health_rig;
#[cfg(all(test, feature = "health"))]
mod health_sockets;
#[cfg(all(test, feature = "health"))]
mod health_table;
#[cfg(all(test, feature = "health"))]
mod health_tests;
#[cfg(any(feature = "prometheus", feature = "health"))]
pub(crate) mod held;
#[cfg(any(feature = "prometheus", feature = "health"))]
pub(crate) mod http;
#[cfg(any(feature = "prometheus", feature = "health"))]
pub(crate) mod http1;
#[cfg(any(feature = "prometheus", feature = "health"))]
pub(crate) mod http2;
#[cfg(all(test, any(feature = "prometheus", feature = "health")))]
mod http2_tests;
#[cfg(all(test, any(feature = "prometheus", feature = "health")))]
mod http_tests;
#[cfg(feature = "prometheus")]
pub(crate) mod metrics;
#[cfg(any(feature = "prometheus", feature = "health"))]
pub(crate) mod watched;
