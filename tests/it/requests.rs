//! Requests: what they count, what belongs to them, and where what went wrong is blamed.

use crate::support::{counts, requests, shown, stages};
use futures::FutureExt;
use instrument_inference::testing::Rig;
use instrument_inference::{
    Classify, ErrorType, ModelSlot, RequestContext, inference_request, inference_stage,
};
use std::future::pending;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

struct Failure(ErrorType);
impl Classify for Failure {
    fn error_type(&self) -> ErrorType {
        self.0
    }
}

/// Hides what it was made from.
struct Opaque;

#[inference_stage("preprocess")]
fn preprocess(rig: &Rig, fail: Option<ErrorType>) -> Result<(), Failure> {
    rig.advance(Duration::from_millis(10));
    fail.map_or(Ok(()), |error| Err(Failure(error)))
}

#[inference_stage("execute")]
fn execute(rig: &Rig, fail: Option<ErrorType>) -> Result<(), Failure> {
    rig.advance(Duration::from_millis(30));
    fail.map_or(Ok(()), |error| Err(Failure(error)))
}

#[inference_stage("execute")]
async fn never_ends() {
    pending::<()>().await;
}

#[inference_request(ingress = "http")]
fn predict(rig: &Rig, before: Option<ErrorType>, inside: Option<ErrorType>) -> Result<(), Failure> {
    preprocess(rig, before)?;
    rig.advance(Duration::from_millis(5));
    execute(rig, inside)
}

fn blamed(rig: &Rig) -> String {
    shown(&counts(
        rig,
        "inference_errors_total",
        &["stage", "error_type"],
    ))
}

fn value(rig: &Rig, series: &str) -> f64 {
    rig.value(series)
        .unwrap_or_else(|| panic!("no line {series} in\n{}", rig.scrape()))
}

fn close(left: f64, right: f64) -> bool {
    (left - right).abs() < 1e-9
}

#[test]
fn time_is_split_into_stages_and_the_rest() {
    let rig = Rig::new();
    let _inside = rig.enter();
    rig.model("sentiment", "1");
    assert!(predict(&rig, None, None).is_ok());
    let labels = "model=\"sentiment\",outcome=\"ok\"";
    assert!(close(
        value(
            &rig,
            &format!("inference_request_duration_seconds_sum{{{labels},version=\"1\"}}")
        ),
        0.045
    ));
    for (stage, seconds) in [("preprocess", 0.010), ("execute", 0.030)] {
        let series = format!(
            "inference_stage_duration_seconds_sum{{{labels},stage=\"{stage}\",version=\"1\"}}"
        );
        assert!(close(value(&rig, &series), seconds), "{stage}");
    }
    assert!(close(
        value(
            &rig,
            "inference_unattributed_seconds_total{model=\"sentiment\",version=\"1\"}"
        ),
        0.005
    ));
    assert_eq!(
        rig.value("inference_orphan_stages_total{stage=\"execute\"}"),
        None
    );
    let progress = value(
        &rig,
        "inference_last_progress_timestamp_seconds{model=\"sentiment\",version=\"1\"}",
    );
    assert!(close(progress, 1_767_225_600.045));
}

#[test]
fn stages_within_stages_and_beside_each_other_count_once() {
    #[inference_stage("postprocess")]
    async fn outer(rig: &Rig) {
        rig.advance(Duration::from_millis(1));
        inner(rig).await;
        rig.advance(Duration::from_millis(1));
    }
    #[inference_stage("rerank")]
    async fn inner(rig: &Rig) {
        rig.advance(Duration::from_millis(3));
        tokio::task::yield_now().await;
        rig.advance(Duration::from_millis(3));
    }
    #[inference_request]
    async fn both(rig: &Rig) {
        futures::join!(outer(rig), inner(rig));
        rig.advance(Duration::from_millis(4));
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    futures::executor::block_on(both(&rig));
    assert!(close(
        value(
            &rig,
            "inference_unattributed_seconds_total{model=\"none\",version=\"none\"}"
        ),
        0.004
    ));
}

#[test]
fn an_error_is_blamed_on_the_stage_where_it_was_born() {
    let rig = Rig::new();
    let _inside = rig.enter();
    assert!(predict(&rig, None, Some(ErrorType::CudaOom)).is_err());
    assert!(predict(&rig, Some(ErrorType::DependencyTimeout), None).is_err());
    assert_eq!(shown(&requests(&rig)), "error 2");
    assert_eq!(
        blamed(&rig),
        "execute cuda_oom 1, preprocess dependency_timeout 1"
    );
}

#[test]
fn an_error_that_hides_its_cause_keeps_what_its_stage_knew() {
    #[inference_request]
    fn hides(rig: &Rig) -> Result<(), Opaque> {
        execute(rig, Some(ErrorType::DeviceFault)).map_err(|_| Opaque)
    }
    #[inference_request]
    fn own() -> Result<(), Opaque> {
        Err(Opaque)
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    assert!(hides(&rig).is_err() && own().is_err());
    assert_eq!(blamed(&rig), "execute device_fault 1, none internal 1");
}

#[test]
fn an_error_that_was_overcome_is_forgotten() {
    #[inference_stage("postprocess")]
    fn retries(rig: &Rig) {
        let _ = preprocess(rig, Some(ErrorType::Unavailable));
    }
    #[inference_request]
    fn goes_on(rig: &Rig) -> Result<(), Failure> {
        retries(rig);
        Err(Failure(ErrorType::Internal))
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    assert!(goes_on(&rig).is_err());
    assert_eq!(blamed(&rig), "none internal 1");
}

#[test]
fn a_callers_mistake_is_a_rejection_until_the_model_has_run() {
    let rig = Rig::new();
    let _inside = rig.enter();
    assert!(predict(&rig, Some(ErrorType::InvalidInput), None).is_err());
    assert!(predict(&rig, Some(ErrorType::RateLimited), None).is_err());
    assert!(predict(&rig, None, Some(ErrorType::InvalidInput)).is_err());
    assert_eq!(shown(&requests(&rig)), "error 1, rejected 2");
    assert_eq!(
        shown(&counts(&rig, "inference_rejections_total", &["reason"])),
        "invalid_input 1, rate_limited 1"
    );
    assert_eq!(blamed(&rig), "execute invalid_input 1");
    assert_eq!(
        shown(&stages(&rig)),
        "execute error 1, preprocess ok 1, preprocess rejected 2"
    );
}

#[test]
fn a_cancellation_names_the_stage_where_the_client_left() {
    #[inference_request]
    async fn waits_in_a_stage() {
        never_ends().await;
    }
    #[inference_request]
    async fn tells(context: &std::sync::OnceLock<RequestContext>) {
        let _ =
            context.set(RequestContext::current().expect("a request is current in its handler"));
        pending::<()>().await;
    }
    #[inference_request]
    async fn waits_outside() {
        futures::select_biased! {
            () = std::future::ready(()).fuse() => {},
            () = never_ends().fuse() => {},
        }
        pending::<()>().await;
    }
    #[inference_request]
    async fn drops_a_stage_itself(rig: &Rig) -> Result<(), Failure> {
        let mut inner = Box::pin(never_ends());
        assert!(futures::poll!(inner.as_mut()).is_pending());
        drop(inner);
        preprocess(rig, None)
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    assert!(waits_in_a_stage().now_or_never().is_none());
    assert!(waits_outside().now_or_never().is_none());
    assert!(
        drops_a_stage_itself(&rig)
            .now_or_never()
            .is_some_and(|result| result.is_ok())
    );
    assert_eq!(shown(&requests(&rig)), "cancelled 2, ok 1");
    let context = std::sync::OnceLock::new();
    let mut told = Box::pin(tells(&context));
    assert!(told.as_mut().now_or_never().is_none());
    assert!(!context.get().expect("it was told").is_cancelled());
    drop(told);
    assert!(context.get().expect("it was told").is_cancelled());
    let cancelled = counts(&rig, "inference_cancellations_total", &["stage", "cause"]);
    assert_eq!(shown(&cancelled), "execute unknown 1, none unknown 2");
    assert!(close(
        value(
            &rig,
            "inference_requests_in_flight{model=\"none\",version=\"none\"}"
        ),
        0.0
    ));
    assert!(close(
        value(
            &rig,
            "inference_stage_in_flight{model=\"none\",stage=\"execute\",version=\"none\"}"
        ),
        0.0
    ));
}

#[test]
fn leaving_a_request_by_any_way_ends_it() {
    #[inference_request]
    async fn leaves(rig: &Rig, how: u8) -> Result<u8, Failure> {
        let found = 'search: {
            for step in 0..3 {
                tokio::task::yield_now().await;
                match how {
                    0 => preprocess(rig, Some(ErrorType::Internal))?,
                    1 => return Ok(step),
                    2 => break 'search step,
                    3 => return Err(Failure(ErrorType::Internal)),
                    _ => {}
                }
            }
            9
        };
        Ok(found)
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    for how in 0..5 {
        let left = futures::executor::block_on(leaves(&rig, how));
        assert_eq!(left.is_err(), [0, 3].contains(&how));
    }
    assert_eq!(shown(&requests(&rig)), "error 2, ok 3");
    assert!(close(
        value(
            &rig,
            "inference_requests_in_flight{model=\"none\",version=\"none\"}"
        ),
        0.0
    ));
}

#[test]
fn functions_of_one_name_are_the_stages_that_their_attributes_say() {
    mod text {
        #[instrument_inference::inference_stage("tokenize")]
        pub fn prepare() {}
    }
    mod image {
        #[instrument_inference::inference_stage("preprocess")]
        pub fn prepare() {}
    }
    mod sound {
        // the same stage at another place
        #[instrument_inference::inference_stage("preprocess")]
        pub fn prepare() {}
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    text::prepare();
    image::prepare();
    sound::prepare();
    assert_eq!(shown(&stages(&rig)), "preprocess ok 2, tokenize ok 1");
    let family = "# TYPE inference_stage_duration_seconds ";
    assert_eq!(rig.scrape().matches(family).count(), 1);
}

#[test]
fn a_panic_ends_a_request_as_panicked() {
    #[inference_request]
    fn booms() {
        panic!("boom")
    }
    #[inference_request]
    async fn booms_later() {
        tokio::task::yield_now().await;
        panic!("boom")
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    assert!(catch_unwind(booms).is_err());
    assert!(futures::executor::block_on(AssertUnwindSafe(booms_later()).catch_unwind()).is_err());
    assert_eq!(shown(&requests(&rig)), "panicked 2");
    assert!(
        RequestContext::current().is_none(),
        "nothing is left behind on the thread"
    );
}

#[test]
fn a_handler_within_a_handler_joins_and_the_same_one_is_new() {
    #[inference_request(ingress = "http")]
    fn outer(depth: u8, slot: &ModelSlot) {
        inner(slot);
        if depth > 0 {
            outer(depth - 1, slot);
        }
    }
    #[inference_request(model = slot, ingress = "grpc")]
    fn inner(slot: &ModelSlot) {}
    #[inference_request(root)]
    fn alone() {}
    #[inference_request]
    fn around() {
        alone();
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let (first, _second) = (rig.model("a", "1"), rig.model("b", "1"));
    outer(1, &first);
    let by = ["ingress", "model"];
    assert_eq!(
        shown(&counts(&rig, "inference_requests_total", &by)),
        "http a 2"
    );
    around();
    assert_eq!(shown(&requests(&rig)), "ok 4");
    for model in ["a", "none"] {
        let version = if model == "none" { "none" } else { "1" };
        let series =
            format!("inference_requests_in_flight{{model=\"{model}\",version=\"{version}\"}}");
        assert!(close(value(&rig, &series), 0.0), "{model}");
    }
}

#[test]
fn the_model_is_the_only_one_or_the_one_that_is_named() {
    #[inference_request(model = &*slot)]
    fn named(slot: Box<ModelSlot>) {
        // the attribute has read it before
        drop(slot);
        fine();
    }
    #[inference_request]
    fn unnamed() {
        fine();
    }
    #[inference_stage("postprocess")]
    fn fine() {}
    #[inference_stage("execute", model = other)]
    fn elsewhere(other: &ModelSlot) {}
    let rig = Rig::new();
    let _inside = rig.enter();
    let only = rig.model("only", "1");
    unnamed();
    fine();
    let second = rig.model("second", "2");
    unnamed();
    named(Box::new(second.clone()));
    elsewhere(&second);
    elsewhere(&only);
    let by = ["model", "version"];
    assert_eq!(
        shown(&counts(&rig, "inference_requests_total", &by)),
        "none none 1, only 1 1, second 2 1"
    );
    let stages = counts(
        &rig,
        "inference_stage_duration_seconds_count",
        &["stage", "model"],
    );
    assert_eq!(
        shown(&stages),
        "execute only 1, execute second 1, postprocess none 1, postprocess only 2, postprocess second 1"
    );
}

#[test]
fn a_stage_outside_of_any_request_is_an_orphan() {
    let rig = Rig::new();
    let _inside = rig.enter();
    assert!(preprocess(&rig, Some(ErrorType::Internal)).is_err());
    assert!(close(
        value(&rig, "inference_orphan_stages_total{stage=\"preprocess\"}"),
        1.0
    ));
    assert_eq!(blamed(&rig), "");
}

#[test]
fn a_context_travels_where_it_is_carried() {
    #[inference_stage("postprocess")]
    fn step() {}
    #[inference_stage("postprocess")]
    async fn step_later() {
        tokio::task::yield_now().await;
    }
    #[inference_request]
    async fn hops() {
        let context = RequestContext::current().expect("a request is current in its handler");
        let carried = context.clone();
        tokio::task::spawn_blocking(move || {
            let _inside = carried.enter();
            step();
        })
        .await
        .unwrap();
        tokio::spawn(context.scope(step_later())).await.unwrap();
        // without being carried it is lost
        tokio::task::spawn_blocking(|| assert!(RequestContext::current().is_none()))
            .await
            .unwrap();
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.block_on(hops());
    assert!(RequestContext::current().is_none());
    assert_eq!(shown(&stages(&rig)), "postprocess ok 2");
    assert_eq!(
        rig.value("inference_orphan_stages_total{stage=\"postprocess\"}"),
        None
    );
}

#[test]
fn work_that_outlives_its_request_is_cancelled_and_wasted() {
    #[inference_request]
    async fn leaves() -> RequestContext {
        RequestContext::current().expect("a request is current in its handler")
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let context = leaves().now_or_never().expect("ready at once");
    assert!(!context.is_cancelled());
    {
        let _late = context.enter();
        assert!(execute(&rig, None).is_ok());
    }
    assert_eq!(shown(&stages(&rig)), "execute cancelled 1");
    assert!(close(
        value(
            &rig,
            "inference_wasted_compute_seconds_total{model=\"none\",version=\"none\"}"
        ),
        0.030
    ));
}
