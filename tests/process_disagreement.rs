//! Two attributes of one stage that disagree: a process of its own, since they are linked into all of it.
#![cfg(feature = "metrics")]
#![allow(missing_docs, reason = "nobody uses a test from outside")]

use instrument_inference::{InstallError, Telemetry, inference_stage};

#[inference_stage("execute", buckets = fast)]
fn one() {}

#[inference_stage("execute", buckets = micro)]
fn other() {}

#[inference_stage("execute")]
fn says_nothing() {}

#[test]
fn attributes_that_disagree_about_buckets_are_both_named_at_the_start() {
    let error = Telemetry::builder("disagreement").install().unwrap_err();
    assert!(matches!(
        error,
        InstallError::Disagreement {
            what: "buckets",
            ..
        }
    ));
    let text = error.to_string();
    let file = "process_disagreement.rs";
    let (first, second) = (format!("{file}:7"), format!("{file}:10"));
    assert!(text.contains(&first) && text.contains(&second), "{text}");
    // the functions do what they did
    one();
    other();
    says_nothing();
}
