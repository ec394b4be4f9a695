//! Answers questions over HTTP and gRPC, on threads and addresses of their own.

#[cfg(any(feature = "prometheus", feature = "health"))]
pub(crate) mod connection;
#[cfg(all(feature = "grpc", feature = "health"))]
pub(crate) mod control;
#[cfg(all(test, feature = "grpc", feature = "health"))]
mod control_peers;
#[cfg(all(test, feature = "grpc", feature = "health"))]
pub(crate) mod control_rig;
#[cfg(all(test, feature = "grpc", feature = "health"))]
mod control_tests;
#[cfg(all(feature = "grpc", feature = "health"))]
pub(crate) mod grpc_health;
#[cfg(feature = "health")]
pub(crate) mod health_accept;
#[cfg(feature = "health")]
pub(crate) mod health_http;
#[cfg(all(feature = "grpc", feature = "health"))]
pub(crate) mod health_names;
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
#[cfg(all(feature = "grpc", feature = "health"))]
pub(crate) mod kserve_grpc;
#[cfg(all(test, feature = "grpc", feature = "health"))]
mod kserve_tests;
#[cfg(feature = "prometheus")]
pub(crate) mod metrics;
#[cfg(all(feature = "grpc", feature = "health"))]
pub(crate) mod pb;
#[cfg(all(feature = "grpc", feature = "health"))]
pub(crate) mod watch;
#[cfg(all(feature = "grpc", feature = "health"))]
pub(crate) mod watch_seats;
#[cfg(any(feature = "prometheus", feature = "health"))]
pub(crate) mod watched;
