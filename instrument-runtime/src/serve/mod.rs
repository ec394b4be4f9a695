//! Answers questions over HTTP and gRPC, on threads and addresses of their own.

#[cfg(all(feature = "grpc", feature = "health"))]
pub(crate) mod connection;
#[cfg(all(feature = "grpc", feature = "health"))]
#[cfg_attr(not(test), expect(dead_code, reason = "nobody mounts it yet"))]
pub(crate) mod control;
#[cfg(all(test, feature = "grpc", feature = "health"))]
mod control_peers;
#[cfg(all(test, feature = "grpc", feature = "health"))]
pub(crate) mod control_rig;
#[cfg(all(feature = "grpc", feature = "health"))]
pub(crate) mod grpc_health;
#[cfg(all(feature = "grpc", feature = "health"))]
pub(crate) mod health_names;
#[cfg(feature = "prometheus")]
pub(crate) mod http;
#[cfg(all(feature = "grpc", feature = "health"))]
pub(crate) mod kserve_grpc;
#[cfg(feature = "prometheus")]
pub(crate) mod metrics;
#[cfg(all(feature = "grpc", feature = "health"))]
pub(crate) mod pb;
#[cfg(all(feature = "grpc", feature = "health"))]
pub(crate) mod watch;
#[cfg(all(feature = "grpc", feature = "health"))]
pub(crate) mod watch_seats;
#[cfg(feature = "prometheus")]
pub(crate) mod watched;
