//! What users see of the recording, each test with a runtime of its own.
#![cfg(feature = "testing")]
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "nobody uses a test from outside"
)]

mod exact;
mod labels;
mod outcomes;
mod requests;
mod scrape;
mod support;
