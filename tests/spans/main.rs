//! What a subscriber of `tracing` sees of stages and requests.
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "nobody uses a test from outside"
)]

mod filters;
mod forest;
mod hops;
mod layer;
mod panics;
mod shapes;
mod streams;
mod subscribers;
mod traces;
mod tree;
