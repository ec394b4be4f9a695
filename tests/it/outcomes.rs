//! Every stage that begins ends once, in the right outcome, whatever leaves it.

use crate::support::{counts, shown, stages};
use futures::FutureExt;
use instrument_inference::testing::Rig;
use instrument_inference::{Classify, ErrorType, inference_request, inference_stage};
use std::future::pending;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

#[inference_stage("execute")]
fn fine() -> u8 {
    1
}

#[inference_stage("execute")]
fn early(text: &str) -> Result<u8, std::num::ParseIntError> {
    let number: u8 = text.parse()?;
    if number > 3 {
        return Ok(0);
    }
    Ok(number)
}

#[inference_stage("execute")]
fn boom() -> u8 {
    panic!("boom")
}

#[inference_stage("execute")]
async fn waits() {
    tokio::task::yield_now().await;
    pending::<()>().await;
}

#[inference_stage("execute")]
async fn booms(after: bool) -> u8 {
    if after {
        tokio::task::yield_now().await;
    }
    panic!("boom")
}

#[inference_stage("preprocess")]
async fn around() -> u8 {
    booms(true).await
}

#[inference_stage("execute")]
async fn fails() -> Result<u8, io::Error> {
    tokio::task::yield_now().await;
    Err(io::ErrorKind::TimedOut.into())
}

fn ended(rig: &Rig) -> String {
    shown(&stages(rig))
}

fn in_flight(rig: &Rig) -> f64 {
    let series = "inference_stage_in_flight{model=\"none\",stage=\"execute\",version=\"none\"}";
    rig.value(series).expect("a stage that ran is shown")
}

fn block_on<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .start_paused(true)
        .build();
    runtime.expect("a runtime starts").block_on(future)
}

#[test]
fn returning_by_any_way_is_ok_or_error() {
    let rig = Rig::new();
    let _inside = rig.enter();
    fine();
    assert_eq!(early("2"), Ok(2));
    assert_eq!(early("9"), Ok(0));
    assert!(early("x").is_err());
    assert_eq!(ended(&rig), "execute error 1, execute ok 3");
    assert!(in_flight(&rig).abs() < f64::EPSILON);
}

#[test]
fn a_panic_is_panicked_once_for_each_stage_around_it() {
    let rig = Rig::new();
    let _inside = rig.enter();
    assert!(catch_unwind(boom).is_err());
    block_on(async {
        assert!(AssertUnwindSafe(around()).catch_unwind().await.is_err());
        assert!(AssertUnwindSafe(booms(false)).catch_unwind().await.is_err());
    });
    assert_eq!(ended(&rig), "execute panicked 3, preprocess panicked 1");
    assert!(in_flight(&rig).abs() < f64::EPSILON);
}

#[test]
fn a_panic_arrives_as_it_was_thrown() {
    #[inference_stage("execute")]
    fn throws() {
        std::panic::panic_any(7_u8);
    }
    #[inference_stage("execute")]
    async fn throws_later() {
        tokio::task::yield_now().await;
        std::panic::panic_any(8_u8);
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let thrown = |caught: std::thread::Result<()>| *caught.unwrap_err().downcast::<u8>().unwrap();
    assert_eq!(thrown(catch_unwind(throws)), 7);
    block_on(async {
        let caught = AssertUnwindSafe(throws_later()).catch_unwind().await;
        assert_eq!(thrown(caught), 8);
        let task = tokio::spawn(throws_later()).await;
        assert_eq!(thrown(Err(task.unwrap_err().into_panic())), 8);
    });
    assert_eq!(ended(&rig), "execute panicked 3");
}

#[test]
fn a_dropped_future_is_cancelled() {
    let rig = Rig::new();
    let _inside = rig.enter();
    block_on(async {
        assert!(
            tokio::time::timeout(Duration::from_millis(5), waits())
                .await
                .is_err()
        );
        let task = tokio::spawn(waits());
        tokio::task::yield_now().await;
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
        tokio::select! {
            biased;
            () = waits() => unreachable!(),
            () = tokio::task::yield_now() => {}
        }
    });
    assert_eq!(ended(&rig), "execute cancelled 3");
    assert!(in_flight(&rig).abs() < f64::EPSILON);
}

#[test]
fn the_time_until_a_drop_is_in_a_series_of_its_own() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let mut dropped = Box::pin(waits());
    assert!(dropped.as_mut().now_or_never().is_none());
    rig.advance(Duration::from_millis(40));
    assert_eq!(
        ended(&rig),
        "",
        "a hung stage is in flight and nowhere else"
    );
    assert!((in_flight(&rig) - 1.0).abs() < f64::EPSILON);
    drop(dropped);
    fine();
    let seconds = |outcome: &str| {
        rig.value(&format!(
            "inference_stage_duration_seconds_sum{{model=\"none\",outcome=\"{outcome}\",stage=\"execute\",version=\"none\"}}"
        ))
    };
    assert_eq!(
        (seconds("cancelled"), seconds("ok")),
        (Some(0.040), Some(0.0))
    );
    assert_eq!(ended(&rig), "execute cancelled 1, execute ok 1");
}

#[test]
fn a_future_that_is_dropped_on_another_thread_ends_where_it_began() {
    let rig = Rig::new();
    let mut dropped = Box::pin(waits());
    {
        let _inside = rig.enter();
        assert!(dropped.as_mut().now_or_never().is_none());
    }
    // neither the rig nor a runtime is there
    std::thread::spawn(|| drop(dropped)).join().unwrap();
    assert_eq!(ended(&rig), "execute cancelled 1");
    assert!(in_flight(&rig).abs() < f64::EPSILON);
}

#[test]
fn dropping_a_runtime_cancels_what_is_left_in_it() {
    let rig = Rig::new();
    let inside = rig.enter();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    runtime.spawn(waits());
    runtime.block_on(tokio::task::yield_now());
    assert!(
        (in_flight(&rig) - 1.0).abs() < f64::EPSILON,
        "not ended yet"
    );
    drop(runtime);
    drop(inside);
    assert_eq!(ended(&rig), "execute cancelled 1");
}

#[test]
fn a_future_that_is_never_polled_is_nothing() {
    let rig = Rig::new();
    let _inside = rig.enter();
    drop(waits());
    assert_eq!(ended(&rig), "");
}

#[test]
fn unwinding_for_another_reason_is_not_a_panic_of_the_stage() {
    struct RunsAStage;
    impl Drop for RunsAStage {
        fn drop(&mut self) {
            assert!(std::thread::panicking());
            fine();
        }
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let unwound = catch_unwind(|| {
        let _runs = RunsAStage;
        panic!("unrelated")
    });
    assert!(unwound.is_err());
    assert_eq!(ended(&rig), "execute ok 1");

    let mut suspended = Box::pin(waits());
    assert!(suspended.as_mut().now_or_never().is_none());
    let unwound = catch_unwind(AssertUnwindSafe(|| {
        let _held = suspended;
        panic!("unrelated")
    }));
    assert!(unwound.is_err());
    assert_eq!(ended(&rig), "execute cancelled 1, execute ok 1");
}

#[test]
fn an_error_is_asked_what_it_is() {
    struct Refusal;
    impl Classify for Refusal {
        fn error_type(&self) -> ErrorType {
            ErrorType::InvalidInput
        }
    }
    #[inference_stage("preprocess")]
    fn refuses() -> Result<(), Refusal> {
        Err(Refusal)
    }
    fn busy(_: &String) -> ErrorType {
        ErrorType::RateLimited
    }
    #[inference_stage("postprocess", error = busy)]
    fn by_path() -> Result<(), String> {
        Err(String::new())
    }
    type Hidden<T> = Option<T>;
    #[inference_stage("batch")]
    fn no_result_at_all() -> Hidden<u8> {
        None
    }
    #[inference_stage("decode")]
    fn answers() -> Result<http::Response<()>, io::Error> {
        Ok(http::Response::builder()
            .status(503)
            .body(())
            .expect("a valid response"))
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    assert!(refuses().is_err() && by_path().is_err() && no_result_at_all().is_none());
    assert!(block_on(fails()).is_err() && answers().is_ok());
    assert_eq!(
        ended(&rig),
        "batch ok 1, decode error 1, execute error 1, postprocess rejected 1, preprocess rejected 1"
    );
}

#[test]
fn an_error_says_the_same_whatever_is_around_it() {
    #[derive(Debug)]
    struct Known;
    impl Classify for Known {
        fn error_type(&self) -> ErrorType {
            ErrorType::RateLimited
        }
    }
    #[derive(Debug, thiserror::Error)]
    #[error("busy")]
    struct Around(#[source] io::Error);
    type Shared = Arc<dyn std::error::Error + Send + Sync>;
    fn slow() -> io::Error {
        io::ErrorKind::TimedOut.into()
    }
    macro_rules! fails {
        ($error:ty, $make:expr) => {{
            #[inference_request]
            fn fails() -> Result<(), $error> {
                Err($make)
            }
            assert!(fails().is_err());
        }};
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    fails!(Known, Known);
    fails!(Box<Known>, Box::new(Known));
    fails!(Arc<Known>, Arc::new(Known));
    fails!(&'static Known, &Known);
    fails!(Option<Known>, Some(Known));
    fails!(Arc<Box<Known>>, Arc::new(Box::new(Known)));
    assert_eq!(
        shown(&counts(&rig, "inference_rejections_total", &["reason"])),
        "rate_limited 6"
    );
    fails!(Around, Around(slow()));
    fails!(Box<Around>, Box::new(Around(slow())));
    fails!(Arc<Around>, Arc::new(Around(slow())));
    fails!(Arc<io::Error>, Arc::new(slow()));
    fails!(Shared, Arc::new(Around(slow())));
    fails!(Box<dyn std::error::Error>, Box::new(Around(slow())));
    fails!(Box<dyn std::error::Error + Send>, Box::new(Around(slow())));
    fails!(io::Error, io::Error::other(Around(slow())));
    assert_eq!(
        shown(&counts(&rig, "inference_errors_total", &["error_type"])),
        "dependency_timeout 8"
    );
}

#[test]
fn what_is_no_result_ended_well_whatever_is_in_it() {
    use std::ops::ControlFlow;
    use std::task::Poll;
    #[inference_stage("preprocess")]
    fn control(go: bool) -> ControlFlow<u8> {
        if go {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(1)
        }
    }
    #[inference_stage("batch")]
    async fn polled() -> Poll<Result<u8, io::Error>> {
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
    #[inference_stage("decode")]
    fn perhaps() -> Option<Result<u8, io::Error>> {
        Some(Err(io::ErrorKind::TimedOut.into()))
    }
    #[inference_stage("postprocess")]
    fn errors() -> Vec<io::Error> {
        vec![io::ErrorKind::TimedOut.into()]
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    assert!(control(true).is_continue() && control(false).is_break());
    assert!(block_on(polled()).is_ready() && perhaps().is_some() && !errors().is_empty());
    assert_eq!(
        ended(&rig),
        "batch ok 1, decode ok 1, postprocess ok 1, preprocess ok 2"
    );
}

#[test]
fn without_a_runtime_functions_do_what_they_did() {
    assert_eq!(fine(), 1);
    assert!(catch_unwind(boom).is_err());
    assert!(block_on(fails()).is_err());
}

#[test]
fn what_began_in_one_runtime_ends_there() {
    let (first, second) = (Rig::new(), Rig::new());
    let mut suspended = {
        let _inside = first.enter();
        let mut suspended = Box::pin(waits());
        assert!(suspended.as_mut().now_or_never().is_none());
        suspended
    };
    {
        let _inside = second.enter();
        assert!(suspended.as_mut().now_or_never().is_none());
        fine();
        drop(suspended);
    }
    assert_eq!(ended(&first), "execute cancelled 1");
    assert_eq!(ended(&second), "execute ok 1");
}

#[test]
fn what_ends_after_its_runtime_ends_nowhere() {
    let other = Rig::new();
    let suspended = {
        let gone = Rig::new();
        let _inside = gone.enter();
        let mut suspended = Box::pin(waits());
        assert!(suspended.as_mut().now_or_never().is_none());
        suspended
    };
    let _inside = other.enter();
    drop(suspended);
    assert_eq!(ended(&other), "");
}

#[test]
fn events_of_ending_threads_are_not_lost() {
    struct Late;
    impl Drop for Late {
        fn drop(&mut self) {
            fine();
        }
    }
    thread_local!(static LATE: Late = const { Late });
    let rig = Rig::new();
    for first in [true, false] {
        std::thread::scope(|scope| {
            let run = || {
                // destructors of thread-locals run inside the rig too
                std::mem::forget(rig.enter());
                if first {
                    LATE.with(|_| {});
                }
                fine();
                LATE.with(|_| {});
            };
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(run)).collect();
            // the scope alone does not wait for those destructors
            for thread in threads {
                thread.join().unwrap();
            }
        });
    }
    assert_eq!(ended(&rig), "execute ok 12");
}

#[test]
fn a_stage_beside_it_that_ends_well_does_not_take_the_blame_away() {
    #[inference_stage("preprocess")]
    async fn bad(rig: &Rig) -> Result<(), ErrorType> {
        rig.advance(Duration::from_millis(1));
        Err(ErrorType::CudaOom)
    }
    #[inference_stage("tokenize")]
    async fn good() {}
    #[inference_request]
    async fn both(rig: &Rig) -> Result<(), ErrorType> {
        futures::join!(bad(rig), good()).0
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    assert!(
        both(&rig)
            .now_or_never()
            .is_some_and(|answer| answer.is_err())
    );
    let blamed = counts(&rig, "inference_errors_total", &["stage", "error_type"]);
    assert_eq!(shown(&blamed), "preprocess cuda_oom 1");
}
