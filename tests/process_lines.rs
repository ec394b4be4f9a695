//! How many lines a scrape of a small service has. A process of its own: only its five stages are linked.
#![cfg(feature = "testing")]

use instrument_inference::testing::Rig;
use instrument_inference::{ErrorType, inference_request, inference_stage};
use std::future::{Future, pending};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::pin;
use std::task::{Context, Waker};

#[derive(Clone, Copy)]
enum End {
    Well,
    Wrong,
    Refused,
    Dropped,
    Unwound,
}

#[inference_request(ingress = "http")]
async fn request(how: End) -> Result<(), ErrorType> {
    tokenize(how).await
}

#[inference_stage("tokenize")]
async fn tokenize(how: End) -> Result<(), ErrorType> {
    preprocess(how).await
}

#[inference_stage("preprocess")]
async fn preprocess(how: End) -> Result<(), ErrorType> {
    retrieve(how).await
}

#[inference_stage("retrieve")]
async fn retrieve(how: End) -> Result<(), ErrorType> {
    postprocess(how).await
}

#[inference_stage("postprocess")]
async fn postprocess(how: End) -> Result<(), ErrorType> {
    serialize(how).await
}

#[inference_stage("serialize")]
async fn serialize(how: End) -> Result<(), ErrorType> {
    match how {
        End::Well => Ok(()),
        End::Wrong => Err(ErrorType::CudaOom),
        End::Refused => Err(ErrorType::InvalidInput),
        End::Dropped => pending().await,
        End::Unwound => resume_unwind(Box::new(())),
    }
}

/// Polls once and drops what is pending.
fn run(how: End) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let request = pin!(request(how));
        request
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_ready()
    }));
}

#[test]
fn a_small_service_has_few_lines() {
    let rig = Rig::new();
    let _inside = rig.enter();
    rig.model("m", "1");
    run(End::Well);
    let lines = rig.scrape().lines().count();
    assert!(lines < 500, "{lines} with ok alone");
    for how in [End::Wrong, End::Refused, End::Dropped, End::Unwound] {
        run(how);
    }
    let scrape = rig.scrape();
    let lines = scrape.lines().count();
    assert!(lines < 1_300, "{lines} with every outcome");
    for outcome in ["ok", "error", "rejected", "cancelled", "panicked"] {
        for stage in [
            "tokenize",
            "preprocess",
            "retrieve",
            "postprocess",
            "serialize",
        ] {
            let line = format!(
                "inference_stage_duration_seconds_count{{model=\"m\",outcome=\"{outcome}\",stage=\"{stage}\",version=\"1\"}} 1"
            );
            assert!(scrape.contains(&line), "{line}");
        }
    }
}
