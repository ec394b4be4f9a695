//! Words that are nearly right, in the environment and in the code, are named when the service starts.
#![cfg(all(feature = "metrics", feature = "tower"))]
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "nobody uses a test from outside"
)]

#[path = "peers/story.rs"]
mod story;

use instrument_inference::{Telemetry, inference_stage};

#[inference_stage("preprocess")]
fn preprocess() {}

#[test]
fn what_is_nearly_right_is_named_with_what_was_meant() {
    let said = story::tell("near", &[("INSTRUMENT_METRIC_ADDR", "127.0.0.1:0")]);
    let lines: Vec<_> = said
        .lines()
        .filter(|line| line.starts_with("instrument_inference: "))
        .collect();
    let [variable, layer, stage] = lines.as_slice() else {
        panic!("{said}");
    };
    assert!(
        variable.contains("INSTRUMENT_METRIC_ADDR says nothing")
            && variable.ends_with("did you mean INSTRUMENT_METRICS_ADDR?"),
        "{variable}"
    );
    assert!(
        layer.contains("request_layer(\"htpp\") at tests/process_words.rs:")
            && layer.ends_with("Did you mean \"http\"?"),
        "{layer}"
    );
    assert!(
        stage.contains("stage `preprocess` at tests/process_words.rs:")
            && stage.contains("put `#[inference_request]` on the handler")
            && stage.contains("`spawn_blocking`"),
        "{stage}"
    );
}

/// Not a test of its own: what a started process runs.
#[test]
fn story() {
    if story::wanted().is_none() {
        return;
    }
    let telemetry = Telemetry::builder("service").from_env().install().unwrap();
    drop(telemetry.request_layer("htpp"));
    drop(telemetry.request_layer("grpc"));
    preprocess();
    preprocess();
    telemetry.shutdown_blocking(story::PATIENCE).unwrap();
    println!("story told");
}
