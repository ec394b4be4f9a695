//! A service that has health, and records nothing.
#![cfg(all(feature = "health", feature = "http", not(feature = "metrics")))]

use instrument_inference::Telemetry;
use std::time::Duration;

#[test]
fn the_defaults_ask_for_nothing_that_cannot_be_served() {
    let defaults = Telemetry::defaults("story");
    let telemetry = defaults
        .health_addr("127.0.0.1:0")
        .install()
        .expect("it asks for no metrics");
    assert!(telemetry.health_addr().is_some() && telemetry.metrics_addr().is_none());
    // what an engine says is heard by nobody
    let slot = telemetry.model("llama", "1");
    slot.kv_usage(0.5);
    slot.kv_cache(16, 1_024);
    slot.cache("prefix", true);
    let stopped = telemetry.shutdown_blocking(Duration::from_secs(60));
    assert_eq!(stopped, Ok(()));
}
