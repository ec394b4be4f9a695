//! Signs of life of a model.

use crate::support::shown;
use instrument_inference::testing::Rig;
use instrument_inference::{RequestContext, inference_request, inference_stage};
use std::time::Duration;

const PROGRESS: &str = "inference_last_progress_timestamp_seconds{model=\"digits\",version=\"1\"}";

/// Where the clock of a rig starts.
const START: f64 = 1_767_225_600.0;

#[inference_stage("execute")]
async fn execute(rig: &Rig, ends: bool) {
    rig.advance(Duration::from_secs(1));
    if !ends {
        std::future::pending::<()>().await;
    }
}

#[inference_request]
async fn predict(rig: &Rig, ends: bool) {
    execute(rig, ends).await;
}

fn after(rig: &Rig) -> Option<f64> {
    rig.value(PROGRESS).map(|at| at - START)
}

#[test]
fn an_execution_that_is_dropped_did_not_get_on() {
    let rig = Rig::new();
    rig.model("digits", "1");
    let _inside = rig.enter();
    assert!(futures::FutureExt::now_or_never(predict(&rig, false)).is_none());
    assert_eq!(shown(&crate::support::stages(&rig)), "execute cancelled 1");
    assert_eq!(after(&rig), None);
    futures::executor::block_on(predict(&rig, true));
    assert_eq!(after(&rig), Some(2.0));
}

#[test]
fn an_execution_that_nobody_waits_for_any_more_got_on_all_the_same() {
    #[inference_stage("execute")]
    fn execute_on(rig: &Rig) {
        rig.advance(Duration::from_secs(1));
    }
    #[inference_request]
    async fn left(context: &mut Option<RequestContext>) {
        *context = RequestContext::current();
        std::future::pending::<()>().await;
    }
    let rig = Rig::new();
    rig.model("digits", "1");
    let _inside = rig.enter();
    let mut context = None;
    assert!(futures::FutureExt::now_or_never(left(&mut context)).is_none());
    let _back = context.expect("it has begun").enter();
    execute_on(&rig);
    assert_eq!(shown(&crate::support::stages(&rig)), "execute cancelled 1");
    assert_eq!(after(&rig), Some(1.0));
}

#[test]
fn heartbeats_are_signs_of_life() {
    #[inference_request]
    fn handle(rig: &Rig) {
        rig.advance(Duration::from_secs(1));
        RequestContext::current()
            .expect("it is a request")
            .heartbeat();
        rig.advance(Duration::from_secs(1));
    }
    let rig = Rig::new();
    let slot = rig.model("digits", "1");
    let _inside = rig.enter();
    handle(&rig);
    assert_eq!(after(&rig), Some(1.0));
    slot.heartbeat();
    assert_eq!(after(&rig), Some(2.0));
}
