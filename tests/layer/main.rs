//! The layer that owns requests, around real servers: what their clients see, and what is recorded of it.
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "nobody uses a test from outside"
)]

mod grpc;
mod http1_and_http2;
mod sequences;
mod service;
mod streams;
#[path = "../it/support.rs"]
mod support;
mod tokens;
mod traces;
mod wire;
