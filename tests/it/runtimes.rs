//! A stage in a model of another runtime, inside a request: it is recorded there, and no part of the request.

use crate::support::{counts, requests, shown, stages};
use futures::stream::{self, Stream};
use futures::{FutureExt, StreamExt};
use instrument_inference::testing::Rig;
use instrument_inference::{ModelSlot, RequestContext, inference_request, inference_stage, queue};
use std::time::Duration;

const STEP: Duration = Duration::from_millis(10);

/// Two runtimes with clocks that are far apart, and a model of the second one.
struct Two {
    here: Rig,
    there: Rig,
    slot: ModelSlot,
}

impl Two {
    fn new() -> Two {
        let (here, there) = (Rig::new(), Rig::new());
        there.advance(Duration::from_secs(3_600));
        let slot = there.model("beside", "1");
        Two { here, there, slot }
    }

    fn step(&self) {
        self.here.advance(STEP);
        self.there.advance(STEP);
    }

    /// What the request around says of itself, and nothing is left open in either.
    #[track_caller]
    fn check(&self, outcome: &str, here: &str, there: &str, unattributed: f64) {
        assert_eq!(shown(&requests(&self.here)), format!("{outcome} 1"));
        assert_eq!(shown(&stages(&self.here)), here);
        assert_eq!(shown(&stages(&self.there)), there);
        assert_eq!(shown(&requests(&self.there)), "");
        let rest = "inference_unattributed_seconds_total{model=\"none\",version=\"none\"}";
        let rest = self.here.value(rest).unwrap_or_default();
        assert!((rest - unattributed).abs() < 1e-9, "{rest}");
        for rig in [&self.here, &self.there] {
            assert_eq!(
                counts(rig, "inference_stage_in_flight", &["stage"]).len(),
                0
            );
        }
    }
}

#[inference_stage("preprocess")]
async fn around(two: &Two, inner: impl Future<Output = ()>) {
    inner.await;
    two.step();
}

#[inference_request]
async fn handler(two: &Two, inner: impl Future<Output = ()>) {
    around(two, inner).await;
    // outside of all stages
    two.step();
}

#[inference_stage("execute", model = &two.slot)]
fn runs(two: &Two) {
    two.step();
}

#[inference_stage("execute", model = &two.slot)]
async fn runs_async(two: &Two) {
    two.step();
    tokio::task::yield_now().await;
    two.step();
}

#[inference_stage("decode", model = &two.slot, stream)]
fn streams(two: &Two) -> impl Stream<Item = ()> + use<'_> {
    stream::iter(0..2).map(|_| two.step())
}

#[inference_stage("execute", batch = members, model = &two.slot)]
fn batched(two: &Two, members: &[RequestContext]) {
    two.step();
}

fn block(two: &Two, inner: impl Future<Output = ()>) {
    let _inside = two.here.enter();
    futures::executor::block_on(handler(two, inner));
}

#[test]
fn a_stage_of_another_runtime_is_counted_there() {
    let two = Two::new();
    block(&two, async {
        runs(&two);
        runs_async(&two).await;
    });
    two.check("ok", "preprocess ok 1", "execute ok 2", 0.01);
    let orphans = counts(&two.there, "inference_orphan_stages_total", &["stage"]);
    assert_eq!(shown(&orphans), "execute 2");
}

#[test]
fn a_stage_of_another_runtime_covers_nothing_of_the_request() {
    #[inference_request]
    async fn bare(two: &Two) {
        runs(two);
        runs_async(two).await;
        streams(two).collect::<Vec<_>>().await;
    }
    let two = Two::new();
    let _inside = two.here.enter();
    futures::executor::block_on(bare(&two));
    two.check("ok", "", "decode ok 1, execute ok 2", 0.05);
}

#[test]
fn a_stage_of_another_runtime_that_is_dropped_is_not_where_the_request_was() {
    let two = Two::new();
    let inside = two.here.enter();
    let inner = async {
        runs_async(&two).await;
    };
    let mut request = Box::pin(handler(&two, inner));
    assert!(request.as_mut().now_or_never().is_none());
    drop(request);
    drop(inside);
    two.check(
        "cancelled",
        "preprocess cancelled 1",
        "execute cancelled 1",
        0.0,
    );
    let left = counts(&two.here, "inference_cancellations_total", &["stage"]);
    assert_eq!(shown(&left), "preprocess 1");
}

#[test]
fn a_stream_of_another_runtime_covers_nothing_of_the_request() {
    let two = Two::new();
    block(&two, async {
        streams(&two).collect::<Vec<_>>().await;
    });
    two.check("ok", "preprocess ok 1", "decode ok 1", 0.01);
}

#[test]
fn a_queue_and_a_batch_of_another_runtime_are_not_where_the_request_was() {
    let two = Two::new();
    let inside = two.here.enter();
    let meter = queue::meter("beside", 1).model(&two.slot);
    let mut waits = None;
    let inner = async {
        let context = RequestContext::current().expect("a request is current in its handler");
        batched(&two, &[context]);
        waits = Some(meter.wrap(()));
        std::future::pending::<()>().await;
    };
    let mut request = Box::pin(handler(&two, inner));
    assert!(request.as_mut().now_or_never().is_none());
    drop(request);
    drop((waits, inside));
    let there = "execute ok 1, queue cancelled 1";
    two.check("cancelled", "preprocess cancelled 1", there, 0.0);
    let left = counts(&two.here, "inference_cancellations_total", &["stage"]);
    assert_eq!(shown(&left), "preprocess 1");
}
