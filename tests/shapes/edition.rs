//! Every shape of function that the attributes take, in the edition that the manifest says.
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "nobody uses a test from outside"
)]

#[path = "checks.rs"]
mod checks;
#[path = "probe.rs"]
mod probe;
#[path = "shapes.rs"]
mod shapes;
