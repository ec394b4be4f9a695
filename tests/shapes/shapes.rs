//! Every shape of function that an attribute may stand on, and what is counted for it: the tests of one crate per edition.
#![deny(
    warnings,
    missing_docs,
    rust_2018_idioms,
    unused_must_use,
    unsafe_op_in_unsafe_fn
)]
// Half of the shapes are here to compile, and most are unusual on purpose: clippy's part is `strict.rs`.
#![allow(dead_code, clippy::all)]

mod asynchronous;
mod attributes;
mod both_attributes;
mod boxes;
mod checks;
mod coercions;
mod drop_order;
mod expressions;
mod generics;
mod hygiene;
mod methods;
mod names;
mod neighbours;
mod outcomes;
mod probe;
mod requests;
mod returns;
mod sync;
