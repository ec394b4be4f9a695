//! Contexts that are kept too long, dropped in the wrong order, or carried where they belong.

use crate::support::{counts, requests, shown, stages};
use futures::FutureExt;
use instrument_inference::testing::Rig;
use instrument_inference::{
    ModelSlot, RequestContext, carry, carry_async, inference_request, inference_stage,
};
use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[inference_stage("postprocess")]
fn step() {}

#[inference_request]
fn gives_its_context() -> RequestContext {
    RequestContext::current().expect("a request is current in its handler")
}

#[inference_request]
fn handler() {
    step();
}

#[inference_request(model = slot)]
fn of_model(slot: &ModelSlot) {}

fn in_flight(rig: &Rig, model: &str) -> Option<f64> {
    let version = if model == "none" { "none" } else { "1" };
    rig.value(&format!(
        "inference_requests_in_flight{{model=\"{model}\",version=\"{version}\"}}"
    ))
}

#[test]
fn a_request_that_has_ended_takes_in_no_other() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let ended = gives_its_context();
    let _late = ended.enter();
    for _ in 0..5 {
        handler();
    }
    assert_eq!(shown(&requests(&rig)), "ok 6");
    assert_eq!(shown(&stages(&rig)), "postprocess ok 5");
    assert_eq!(in_flight(&rig, "none"), Some(0.0));
}

#[test]
fn guards_may_be_dropped_in_any_order() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let (first, second) = (gives_its_context().enter(), gives_its_context().enter());
    drop(first);
    assert!(RequestContext::current().is_some());
    drop(second);
    assert!(RequestContext::current().is_none());
    handler();
    assert_eq!(shown(&requests(&rig)), "ok 3");
}

#[test]
fn a_guard_that_is_forgotten_takes_in_nobody_else() {
    let rig = Rig::new();
    let _inside = rig.enter();
    std::mem::forget(gives_its_context().enter());
    for _ in 0..3 {
        handler();
    }
    assert_eq!(shown(&requests(&rig)), "ok 4");
    assert_eq!(shown(&stages(&rig)), "postprocess ok 3");
}

#[test]
fn an_entered_rig_does_not_take_stages_from_a_request() {
    let (one, other) = (Rig::new(), Rig::new());
    let _inside = one.enter();
    let context = {
        #[inference_request]
        fn within(other: &Rig) {
            let _other = other.enter();
            step();
        }
        within(&other);
        RequestContext::current()
    };
    assert!(context.is_none());
    assert_eq!(shown(&stages(&one)), "postprocess ok 1");
    assert_eq!(shown(&stages(&other)), "");
}

#[test]
fn a_model_that_comes_too_late_moves_nothing() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let (slot, _second) = (rig.model("a", "1"), rig.model("b", "1"));
    let ended = gives_its_context();
    {
        let _late = ended.enter();
        of_model(&slot);
    }
    assert_eq!(
        (in_flight(&rig, "none"), in_flight(&rig, "a")),
        (Some(0.0), Some(0.0))
    );
    assert_eq!(
        shown(&counts(&rig, "inference_requests_total", &["model"])),
        "a 1, none 1"
    );
}

#[test]
fn two_that_join_at_once_leave_nothing_in_flight() {
    #[inference_request]
    fn forks(slots: &[ModelSlot; 2]) {
        let context = RequestContext::current().expect("a request is current in its handler");
        std::thread::scope(|scope| {
            for slot in slots {
                let context = context.clone();
                scope.spawn(move || {
                    let _inside = context.enter();
                    of_model(slot);
                });
            }
        });
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let slots = [rig.model("a", "1"), rig.model("b", "1")];
    for _ in 0..300 {
        forks(&slots);
    }
    for model in ["none", "a", "b"] {
        assert!(
            in_flight(&rig, model).is_none_or(|count| count == 0.0),
            "{model}"
        );
    }
    assert_eq!(shown(&requests(&rig)), "ok 300");
}

#[test]
fn a_destructor_that_panics_ends_its_request_all_the_same() {
    struct Panics;
    impl Drop for Panics {
        fn drop(&mut self) {
            panic!("in a destructor")
        }
    }
    #[inference_request]
    async fn holds() {
        let _panics = Panics;
        pending::<()>().await;
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let mut held = Box::pin(holds());
    assert!(held.as_mut().now_or_never().is_none());
    assert!(catch_unwind(AssertUnwindSafe(|| drop(held))).is_err());
    assert_eq!(shown(&requests(&rig)), "cancelled 1");
    assert_eq!(in_flight(&rig, "none"), Some(0.0));
    assert!(RequestContext::current().is_none());
}

#[test]
fn work_is_carried_to_where_it_is_done() {
    #[inference_stage("postprocess")]
    async fn later() {
        tokio::task::yield_now().await;
    }
    #[inference_request]
    async fn hops() {
        std::thread::spawn(carry(step)).join().unwrap();
        instrument_inference::spawn_blocking(step).await.unwrap();
        instrument_inference::spawn(later()).await.unwrap();
        tokio::spawn(carry_async(later())).await.unwrap();
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(hops());
    assert_eq!(shown(&stages(&rig)), "postprocess ok 4");
    assert_eq!(
        rig.value("inference_orphan_stages_total{stage=\"postprocess\"}"),
        None
    );
    // outside of any request it is a plain call
    assert_eq!(carry(|| 7)(), 7);
    assert_eq!(runtime.block_on(carry_async(async { 7 })), 7);
}

/// A thread that waits for its halves takes up other requests meanwhile: each stays one of its own.
#[test]
fn requests_that_a_pool_takes_up_within_others_are_their_own() {
    #[inference_stage("retrieve")]
    fn half(depth: u32) {
        if depth > 0 {
            let (left, right) = (
                carry(move || half(depth - 1)),
                carry(move || half(depth - 1)),
            );
            rayon::join(left, right);
        }
    }
    #[inference_request(model = slot)]
    fn recall(slot: &ModelSlot, depth: u32) {
        half(depth);
    }
    let rig = Rig::new();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(4)
        .build()
        .unwrap();
    pool.broadcast(|_| std::mem::forget(rig.enter()));
    let slots = [rig.model("shallow", "1"), rig.model("deep", "1")];
    pool.scope(|scope| {
        for _ in 0..200 {
            scope.spawn(|_| recall(&slots[0], 1));
            scope.spawn(|_| recall(&slots[1], 4));
        }
    });
    assert_eq!(
        shown(&counts(
            &rig,
            "inference_requests_total",
            &["model", "outcome"]
        )),
        "deep ok 200, shallow ok 200"
    );
    let halves = counts(&rig, "inference_stage_duration_seconds_count", &["model"]);
    assert_eq!(shown(&halves), "deep 6200, shallow 600");
    assert_eq!(in_flight(&rig, "deep"), Some(0.0));
    assert_eq!(in_flight(&rig, "shallow"), Some(0.0));
}
