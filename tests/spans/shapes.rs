//! Every shape of function: which spans there are, what they say, and that each is left.

use crate::tree::Tree;
use futures::FutureExt;
use futures::future::{BoxFuture, join};
use instrument_inference::testing::Rig;
use instrument_inference::{ErrorType, inference_request, inference_stage};
use std::future::{pending, ready};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::{Context, Waker};

fn rig() -> (Rig, instrument_inference::testing::EnteredRig) {
    let rig = Rig::new();
    let inside = rig.enter();
    rig.model("sentiment", "2024.06.15");
    (rig, inside)
}

#[inference_stage("execute")]
fn execute(fail: Option<ErrorType>) -> Result<(), ErrorType> {
    tracing::info!("inside");
    fail.map_or(Ok(()), Err)
}

#[inference_request(ingress = "http")]
fn predict(fail: Option<ErrorType>) -> Result<(), ErrorType> {
    execute(fail)
}

#[test]
fn a_request_is_a_span_and_its_stages_are_its_children() {
    let (_rig, _inside) = rig();
    let tree = Tree::of(|| {
        let _ = predict(None);
        let _ = predict(Some(ErrorType::CudaOom));
    });
    assert_eq!(
        tree.shown(),
        "predict ok\n  execute ok\npredict error cuda_oom\n  execute error cuda_oom\n"
    );
    assert!(tree.is_settled());
}

#[test]
fn a_span_says_where_the_function_stands_and_what_the_metrics_say() {
    let (_rig, _inside) = rig();
    let tree = Tree::of(|| assert!(predict(None).is_ok()));
    let [request, stage] = &tree.spans()[..] else {
        panic!("two spans: {}", tree.shown());
    };
    let field = |span: &crate::tree::Seen, name| span.fields.get(name).cloned().unwrap_or_default();
    assert_eq!(
        (request.name, &*request.level),
        ("inference.request", "INFO")
    );
    assert_eq!((stage.name, &*stage.level), ("inference.stage", "DEBUG"));
    assert_eq!(field(request, "ingress"), "\"http\"");
    for span in [request, stage] {
        assert_eq!(span.target, module_path!());
        assert_eq!(span.file, file!());
        assert_eq!(field(span, "model"), "\"sentiment\"");
        assert_eq!(field(span, "version"), "\"2024.06.15\"");
    }
    let line = |text: &str| {
        1 + include_str!("shapes.rs")
            .lines()
            .position(|line| line == text)
            .expect("it is there")
    };
    assert_eq!(stage.line as usize, line("#[inference_stage(\"execute\")]"));
    assert_eq!(
        request.line as usize,
        line("fn predict(fail: Option<ErrorType>) -> Result<(), ErrorType> {")
    );
}

#[test]
fn events_are_told_in_the_span_that_they_happen_in() {
    let (_rig, _inside) = rig();
    let tree = Tree::of(|| assert!(predict(Some(ErrorType::Internal)).is_err()));
    let events: Vec<_> = tree.spans().iter().map(|span| span.events).collect();
    assert_eq!(
        events,
        [1, 1],
        "the failed request tells, and `inside` is in the stage"
    );
}

#[inference_stage("preprocess")]
async fn preprocess(times: u32) {
    for _ in 0..times {
        tokio::task::yield_now().await;
        tracing::info!("inside");
    }
}

#[inference_request]
async fn predict_async() {
    join(preprocess(1), preprocess(2)).await;
}

#[tokio::test]
async fn a_future_is_in_its_span_in_each_poll_and_in_no_other() {
    let (_rig, _inside) = rig();
    let tree = Tree::default();
    let _on = tracing::subscriber::set_default(tree.subscriber());
    join(predict_async(), async {
        tokio::task::yield_now().await;
        tracing::info!("outside");
    })
    .await;
    assert_eq!(
        tree.shown(),
        "predict_async ok\n  preprocess ok\n  preprocess ok\n"
    );
    let spans = tree.spans();
    let polls: Vec<_> = spans.iter().map(|span| span.entered).collect();
    assert_eq!(polls, [3, 2, 3]);
    let events: Vec<_> = spans.iter().map(|span| span.events).collect();
    assert_eq!(events, [0, 1, 2]);
    assert!(tree.is_settled());
}

struct TellsWhenDropped;

impl Drop for TellsWhenDropped {
    fn drop(&mut self) {
        tracing::info!("dropped");
    }
}

#[inference_stage("execute")]
async fn never() {
    let _tells = TellsWhenDropped;
    pending::<()>().await;
}

#[inference_request]
async fn abandoned() {
    never().await;
}

fn poll_once(future: impl Future) {
    let polled = pin!(future).poll(&mut Context::from_waker(Waker::noop()));
    assert!(polled.is_pending());
}

#[test]
fn a_dropped_future_ends_its_spans_and_its_destructors_are_inside() {
    let (_rig, _inside) = rig();
    let tree = Tree::of(|| poll_once(abandoned()));
    assert_eq!(tree.shown(), "abandoned cancelled\n  execute cancelled\n");
    assert_eq!(tree.spans()[1].events, 1);
    assert!(tree.is_settled());
}

#[test]
fn a_future_that_is_never_polled_is_no_span() {
    let (_rig, _inside) = rig();
    let tree = Tree::of(|| drop(abandoned()));
    assert_eq!(tree.shown(), "");
}

#[inference_stage("execute")]
fn explode() {
    panic!("boom");
}

#[inference_stage("execute")]
async fn explode_later() {
    tokio::task::yield_now().await;
    panic!("boom");
}

#[inference_request]
async fn explodes(now: bool) {
    if now {
        explode();
    }
    explode_later().await;
}

#[tokio::test]
async fn a_panic_ends_its_spans() {
    let (_rig, _inside) = rig();
    for now in [true, false] {
        let tree = Tree::default();
        let _on = tracing::subscriber::set_default(tree.subscriber());
        let panicked = AssertUnwindSafe(explodes(now)).catch_unwind().await;
        assert!(panicked.is_err());
        assert_eq!(tree.shown(), "explodes panicked\n  execute panicked\n");
        assert!(tree.is_settled());
    }
}

#[inference_stage("postprocess")]
fn boxed() -> BoxFuture<'static, u32> {
    Box::pin(ready(1))
}

#[inference_stage("postprocess")]
fn opaque() -> impl Future<Output = u32> {
    async {
        boxed().await;
        tokio::task::yield_now().await;
        2
    }
}

#[inference_stage("postprocess")]
#[track_caller]
fn in_place() {
    tracing::info!("inside");
}

#[inference_stage("postprocess")]
fn factorial(n: u32) -> u32 {
    if n == 0 { 1 } else { n * factorial(n - 1) }
}

#[inference_request]
fn again(n: u32) {
    if n > 0 {
        again(n - 1);
    }
}

#[tokio::test]
async fn functions_that_return_futures_and_those_that_call_themselves_nest() {
    let (_rig, _inside) = rig();
    let tree = Tree::default();
    let _on = tracing::subscriber::set_default(tree.subscriber());
    opaque().await;
    in_place();
    factorial(1);
    again(1);
    assert_eq!(
        tree.shown(),
        "postprocess ok\n  postprocess ok\npostprocess ok\npostprocess ok\n  postprocess ok\nagain ok\n  again ok\n"
    );
    assert_eq!(tree.spans()[0].entered, 2, "polled twice");
    assert!(tree.is_settled());
}

#[inference_stage("execute", no_span)]
fn hot() {
    cold();
}

#[inference_stage("decode")]
fn cold() {}

#[inference_request(no_span)]
fn quiet() {
    hot();
}

#[test]
fn with_no_span_there_is_none_and_those_inside_belong_to_what_is_around() {
    let (rig, _inside) = rig();
    let tree = Tree::of(|| tracing::info_span!("theirs").in_scope(quiet));
    assert_eq!(tree.shown(), "theirs\n  decode ok\n");
    let ended = "inference_stage_duration_seconds_count{model=\"sentiment\",outcome=\"ok\",stage=\"execute\"";
    assert!(rig.scrape().contains(ended), "it is counted all the same");
}

#[test]
fn where_nobody_records_there_are_no_spans() {
    let tree = Tree::of(|| assert!(predict(None).is_ok()));
    assert_eq!(tree.shown(), "");
}

#[inference_stage("decode")]
async fn settled() {
    ready(()).await;
}

#[inference_request]
async fn settled_inside() {
    settled().await;
}

#[test]
fn what_an_unwinding_closure_may_hold_does_not_change() {
    fn may_unwind<T: std::panic::UnwindSafe + Send>(_: &T) {}
    may_unwind(&settled());
    may_unwind(&settled_inside());
    let (_rig, _inside) = rig();
    assert!(catch_unwind(|| predict(None)).is_ok());
}
