//! A stage allocates nothing after its first time, and nothing ever where nobody records. A process of its own, without the test harness, whose main thread
//! allocates when it likes: the allocator is everybody's.
#![allow(missing_docs, reason = "nobody uses a test from outside")]

use instrument_inference::testing::Rig;
use instrument_inference::{Telemetry, inference_request, inference_stage};
use std::pin::pin;
use std::task::{Context, Waker};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

#[inference_stage("execute")]
fn sync() -> Result<u8, std::io::Error> {
    Ok(1)
}

#[inference_stage("decode")]
async fn asynchronous() {}

#[inference_stage("preprocess", labels(cached = cached))]
fn labelled(cached: bool) {
    let _ = cached;
}

#[inference_request]
fn within(inside: &mut dyn FnMut()) {
    inside();
}

fn all() {
    assert!(sync().is_ok());
    labelled(true);
    assert!(
        pin!(asynchronous())
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_ready()
    );
}

/// Other threads may allocate meanwhile, but not each time.
fn nothing_is_allocated() {
    let attempt = || {
        let before = dhat::HeapStats::get().total_blocks;
        all();
        within(&mut all);
        dhat::HeapStats::get().total_blocks == before
    };
    assert!((0..10).any(|_| attempt()));
}

fn main() {
    let _profiler = dhat::Profiler::builder().testing().build();
    nothing_is_allocated();
    let disabled = Telemetry::builder("story").disabled(true).install();
    let disabled = disabled.expect("the first of this process");
    assert!(!disabled.is_enabled());
    nothing_is_allocated();
    let rig = Rig::builder().real_clock().start();
    let _inside = rig.enter();
    within(&mut || {
        all();
        let before = dhat::HeapStats::get().total_blocks;
        // more than a ring holds: recording in line allocates nothing either, once its points are bound
        rig.drain();
        let bound = dhat::HeapStats::get().total_blocks;
        assert!(bound > before, "the count counts");
        for _ in 0..1_000 {
            all();
        }
        assert_eq!(dhat::HeapStats::get().total_blocks, bound);
    });
}
