//! Attributes on functions of a service that has none of the features: nothing changes, and nothing is warned of.
#![deny(warnings)]
#![cfg(not(any(feature = "health", feature = "metrics")))]

use instrument_inference::{health_check, inference_request, inference_stage};

#[health_check]
#[deprecated]
fn on_its_way_out() -> bool {
    true
}

#[deprecated]
#[health_check]
async fn on_its_way_out_too() {}

#[health_check]
#[cfg(any())]
fn left_out() {}

#[health_check]
#[must_use]
fn used_by_nobody() -> bool {
    true
}

#[inference_stage("execute")]
fn execute() -> u8 {
    1
}

#[inference_request]
fn predict() -> u8 {
    execute()
}

#[test]
fn functions_are_as_they_are_written() {
    assert_eq!(predict(), 1);
}
