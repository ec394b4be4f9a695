//! Answers questions over HTTP, on threads and addresses of their own.

pub(crate) mod http;
pub(crate) mod metrics;
pub(crate) mod watched;
