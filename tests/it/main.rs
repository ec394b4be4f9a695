//! What users see of the recording, each test with a runtime of its own.
#![cfg(feature = "testing")]
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "nobody uses a test from outside"
)]
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "the numbers of these tests are small"
)]

mod caches;
mod contexts;
mod derives;
#[cfg(feature = "tracing")]
mod events;
mod exact;
mod labels;
mod lines;
mod models;
mod outcomes;
mod progress;
mod queues;
mod requests;
mod runtimes;
mod scrape;
mod sequences;
mod streams;
mod support;
mod tenants;
mod tokens;
mod tokens_requests;
