//! Queues and batches: who waits, for how long, and one execution for many requests.

use crate::support::{counts, requests, shown, stages};
use futures::FutureExt;
use instrument_inference::queue::{self, Batch, Queued, Refused};
use instrument_inference::testing::Rig;
use instrument_inference::{
    Classify, ErrorType, LabelValue, RequestContext, inference_request, inference_stage,
};
use std::time::Duration;

type Answer = Result<u32, Failure>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Failure(ErrorType);

impl Classify for Failure {
    fn error_type(&self) -> ErrorType {
        self.0
    }
}

#[derive(Clone, Copy)]
struct Tenant(&'static str);

impl LabelValue for Tenant {
    const CARDINALITY: u32 = 2;
    fn index(&self) -> u32 {
        u32::from(self.0 == "b")
    }
    fn value(&self) -> Option<&str> {
        Some(self.0)
    }
}

/// Odd inputs fail.
#[inference_stage("execute", batch = batch)]
fn execute(rig: &Rig, batch: &Batch<u32, Answer>) -> Vec<Answer> {
    rig.advance(Duration::from_millis(30));
    let answer = |input: &u32| {
        if input.is_multiple_of(2) {
            Ok(input * 2)
        } else {
            Err(Failure(ErrorType::CudaOom))
        }
    };
    batch.inputs().map(answer).collect()
}

#[inference_request(ingress = "http", tenant = tenant)]
async fn predict(
    caller: queue::Caller<u32, Answer>,
    input: u32,
    tenant: Tenant,
) -> Result<u32, Failure> {
    caller
        .call(input)
        .await
        .map_err(|_| Failure(ErrorType::Internal))?
}

fn value(rig: &Rig, series: &str) -> f64 {
    rig.value(series)
        .unwrap_or_else(|| panic!("no line {series} in\n{}", rig.scrape()))
}

const LABELS: &str = "model=\"none\",queue=\"q\",version=\"none\"";

fn gauge(rig: &Rig, what: &str) -> Option<f64> {
    rig.value(&format!("inference_queue_{what}{{{LABELS}}}"))
}

fn in_flight(rig: &Rig, stage: &str) -> Option<f64> {
    rig.value(&format!(
        "inference_stage_in_flight{{model=\"none\",stage=\"{stage}\",version=\"none\"}}"
    ))
}

#[test]
fn a_batch_of_many_is_one_execution_and_a_stage_for_each_member() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let (caller, worker) = queue::batcher::<u32, Answer>("q", 8);
    let mut calls: Vec<_> = [(0, "a"), (1, "a"), (2, "b")]
        .map(|(input, tenant)| Box::pin(predict(caller.clone(), input, Tenant(tenant))))
        .into();
    for call in &mut calls {
        assert!(call.as_mut().now_or_never().is_none());
    }
    rig.advance(Duration::from_millis(10));
    assert_eq!(
        (gauge(&rig, "size"), gauge(&rig, "capacity")),
        (Some(3.0), Some(8.0))
    );
    assert_eq!(gauge(&rig, "oldest_age_seconds"), Some(0.010));

    let batch = worker
        .next_blocking(3, Duration::from_secs(60))
        .expect("three wait");
    assert_eq!(
        (
            batch.len(),
            gauge(&rig, "size"),
            gauge(&rig, "oldest_age_seconds")
        ),
        (3, Some(0.0), None)
    );
    let answers = execute(&rig, &batch);
    batch.finish(answers);
    let got: Vec<_> = calls
        .into_iter()
        .map(|call| call.now_or_never().expect("answered"))
        .collect();
    assert_eq!(got, [Ok(0), Err(Failure(ErrorType::CudaOom)), Ok(4)]);

    assert_eq!(
        shown(&stages(&rig)),
        "execute error 1, execute ok 2, queue ok 3"
    );
    assert_eq!(shown(&requests(&rig)), "error 1, ok 2");
    let blamed = counts(&rig, "inference_errors_total", &["stage", "error_type"]);
    assert_eq!(shown(&blamed), "execute cuda_oom 1");
    let labels = "model=\"none\",version=\"none\"";
    assert_eq!(
        rig.value(&format!("inference_batch_size_count{{{labels}}}")),
        Some(1.0)
    );
    assert_eq!(
        rig.value(&format!("inference_batch_size_sum{{{labels}}}")),
        Some(3.0)
    );
    let durations = "model=\"none\",outcome=\"ok\",version=\"none\"";
    assert_eq!(
        rig.value(&format!(
            "inference_batch_duration_seconds_count{{{durations}}}"
        )),
        Some(1.0)
    );
    assert_eq!(
        rig.value(&format!(
            "inference_batch_duration_seconds_sum{{{durations}}}"
        )),
        Some(0.030)
    );
    assert_eq!(
        shown(&counts(&rig, "inference_batches_total", &["trigger"])),
        "full 1"
    );
    // shares that add up to the batch's time
    for (tenant, seconds) in [("a", 0.020), ("b", 0.010)] {
        let series = format!(
            "inference_compute_seconds_total{{model=\"none\",tenant=\"{tenant}\",version=\"none\"}}"
        );
        assert!((value(&rig, &series) - seconds).abs() < 1e-8, "{tenant}");
    }
    assert_eq!(gauge(&rig, "peak"), Some(3.0));
    for stage in ["queue", "execute"] {
        let series = format!(
            "inference_stage_in_flight{{model=\"none\",stage=\"{stage}\",version=\"none\"}}"
        );
        assert_eq!(rig.value(&series), Some(0.0), "{stage}");
    }
}

#[test]
fn a_client_that_leaves_the_queue_is_not_handed_out() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let (caller, worker) = queue::batcher::<u32, Answer>("q", 8);
    let mut stays = Box::pin(predict(caller.clone(), 2, Tenant("a")));
    let mut leaves = Box::pin(predict(caller, 4, Tenant("a")));
    assert!(leaves.as_mut().now_or_never().is_none() && stays.as_mut().now_or_never().is_none());
    drop(leaves);
    let batch = worker.next_blocking(2, Duration::ZERO).expect("one waits");
    assert_eq!(batch.inputs().copied().collect::<Vec<_>>(), [2]);
    batch.finish(vec![Ok(1)]);
    assert_eq!(stays.now_or_never(), Some(Ok(1)));
    assert_eq!(shown(&requests(&rig)), "cancelled 1, ok 1");
    assert_eq!(
        shown(&counts(&rig, "inference_batches_total", &["trigger"])),
        "timeout 1"
    );
    assert_eq!(gauge(&rig, "size"), Some(0.0));
}

#[test]
fn a_full_queue_refuses_and_says_why_whatever_the_service_makes_of_it() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let (caller, worker) = queue::batcher::<u32, Answer>("q", 1);
    let mut waits = Box::pin(predict(caller.clone(), 2, Tenant("a")));
    assert!(waits.as_mut().now_or_never().is_none());
    let refused = predict(caller.clone(), 4, Tenant("a")).now_or_never();
    assert_eq!(refused, Some(Err(Failure(ErrorType::Internal))));
    worker.drain();
    assert!(
        predict(caller.clone(), 6, Tenant("a"))
            .now_or_never()
            .is_some_and(|answer| answer.is_err())
    );
    assert_eq!(caller.call_blocking(8), Err(Refused::Draining));
    let reasons = counts(&rig, "inference_rejections_total", &["reason"]);
    assert_eq!(shown(&reasons), "draining 1, queue_full 1");
    drop(worker);
    assert!(
        waits.now_or_never().is_some_and(|answer| answer.is_err()),
        "the worker is gone"
    );
    assert_eq!(gauge(&rig, "size"), Some(0.0));
    let stages = stages(&rig);
    assert_eq!(shown(&stages), "queue cancelled 1, queue rejected 1");
}

#[test]
fn a_worker_that_is_gone_without_a_word_is_an_error_and_no_refusal() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let (caller, worker) = queue::batcher::<u32, Answer>("q", 4);
    drop(worker);
    for _ in 0..3 {
        let answer = predict(caller.clone(), 2, Tenant("a")).now_or_never();
        assert_eq!(answer, Some(Err(Failure(ErrorType::Internal))));
    }
    assert_eq!(caller.call_blocking(8), Err(Refused::Gone));
    assert_eq!(shown(&requests(&rig)), "error 3");
}

#[test]
fn a_worker_that_panics_leaves_nobody_waiting() {
    #[inference_stage("execute", batch = batch)]
    fn booms(batch: &Batch<u32, Answer>) -> Vec<Answer> {
        panic!("boom")
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let (caller, worker) = queue::batcher::<u32, Answer>("q", 4);
    let mut waits = Box::pin(predict(caller, 2, Tenant("a")));
    assert!(waits.as_mut().now_or_never().is_none());
    let batch = worker.next_blocking(1, Duration::ZERO).expect("one waits");
    let boom = std::panic::AssertUnwindSafe(|| booms(&batch));
    assert!(std::panic::catch_unwind(boom).is_err());
    drop(batch);
    assert_eq!(
        waits.now_or_never(),
        Some(Err(Failure(ErrorType::Internal)))
    );
    assert_eq!(shown(&stages(&rig)), "execute panicked 1, queue ok 1");
    let blamed = counts(&rig, "inference_errors_total", &["stage", "error_type"]);
    assert_eq!(shown(&blamed), "execute internal 1");
}

#[test]
fn a_batch_may_be_consumed_by_its_execution() {
    #[inference_stage("execute", batch = batch)]
    fn consumes(batch: &mut Batch<u32, Answer>) -> Vec<Answer> {
        batch.take_inputs().into_iter().map(Ok).collect()
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let (caller, worker) = queue::batcher::<u32, Answer>("q", 4);
    let mut waits = Box::pin(predict(caller, 2, Tenant("a")));
    assert!(waits.as_mut().now_or_never().is_none());
    let mut batch = worker.next_blocking(1, Duration::ZERO).expect("one waits");
    let answers = consumes(&mut batch);
    batch.finish(answers);
    assert!(waits.now_or_never().expect("it has an answer").is_ok());
    assert_eq!(shown(&stages(&rig)), "execute ok 1, queue ok 1");
}

#[test]
fn an_error_of_the_whole_batch_is_one_of_every_member() {
    #[inference_stage("execute", batch = inputs)]
    async fn fails(inputs: Vec<Queued<u32>>) -> Result<Vec<u32>, Failure> {
        tokio::task::yield_now().await;
        Err(Failure(ErrorType::DeviceFault))
    }
    #[inference_request]
    async fn waits(meter: queue::Meter, sender: std::sync::mpsc::Sender<Queued<u32>>) {
        sender.send(meter.wrap(1)).expect("the other end is there");
        std::future::pending::<()>().await;
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let meter = queue::meter("q", 4);
    let (sender, receiver) = std::sync::mpsc::channel();
    let mut waiting: Vec<_> = (0..2)
        .map(|_| Box::pin(waits(meter.clone(), sender.clone())))
        .collect();
    for one in &mut waiting {
        assert!(one.as_mut().now_or_never().is_none());
    }
    let members: Vec<_> = receiver.try_iter().collect();
    let failed = futures::executor::block_on(async { fails(members).await });
    assert_eq!(failed, Err(Failure(ErrorType::DeviceFault)));
    assert_eq!(shown(&stages(&rig)), "execute error 2, queue ok 2");
    let durations = "model=\"none\",outcome=\"error\",version=\"none\"";
    assert_eq!(
        rig.value(&format!(
            "inference_batch_duration_seconds_count{{{durations}}}"
        )),
        Some(1.0)
    );
}

#[test]
fn what_waits_and_is_dropped_is_cancelled_in_the_queue() {
    #[inference_stage("execute", batch = 3)]
    fn three() {}
    #[inference_request]
    fn wraps(meter: &queue::Meter) -> Queued<u8> {
        meter.wrap(1)
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let meter = queue::meter("q", 4);
    meter.show();
    assert_eq!(
        (gauge(&rig, "size"), gauge(&rig, "capacity")),
        (Some(0.0), Some(4.0))
    );
    let queued = wraps(&meter);
    assert_eq!(gauge(&rig, "size"), Some(1.0));
    drop(queued);
    assert_eq!(gauge(&rig, "size"), Some(0.0));
    assert_eq!(shown(&stages(&rig)), "queue cancelled 1");
    // a plain number of requests of which nothing else is known
    three();
    assert_eq!(shown(&stages(&rig)), "execute ok 3, queue cancelled 1");
}

#[test]
fn a_member_whose_client_left_wastes_its_share() {
    #[inference_request]
    async fn waits(sender: std::sync::mpsc::Sender<RequestContext>) {
        let context = RequestContext::current().expect("a request is current in its handler");
        sender.send(context).expect("the other end is there");
        std::future::pending::<()>().await;
    }
    #[inference_stage("execute", batch = members)]
    fn runs(rig: &Rig, members: &[RequestContext], leaves: &mut Option<impl Sized>) {
        rig.advance(Duration::from_millis(10));
        drop(leaves.take());
        rig.advance(Duration::from_millis(10));
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let (sender, receiver) = std::sync::mpsc::channel();
    let mut waiting: Vec<_> = (0..2).map(|_| Box::pin(waits(sender.clone()))).collect();
    for one in &mut waiting {
        assert!(one.as_mut().now_or_never().is_none());
    }
    let members: Vec<_> = receiver.try_iter().collect();
    runs(&rig, &members, &mut waiting.pop());
    assert_eq!(shown(&stages(&rig)), "execute cancelled 1, execute ok 1");
    let wasted = value(
        &rig,
        "inference_wasted_compute_seconds_total{model=\"none\",version=\"none\"}",
    );
    assert!(
        (wasted - 0.010).abs() < 1e-9,
        "half of the batch's time: {wasted}"
    );
}

/// The stage at which a request was cancelled.
fn left_at(rig: &Rig) -> String {
    shown(&counts(rig, "inference_cancellations_total", &["stage"]))
}

#[test]
fn a_client_that_leaves_is_cancelled_where_its_request_was() {
    #[inference_stage("execute", batch = batch)]
    fn during(batch: &Batch<u32, Answer>, leaves: &mut Option<impl Sized>) -> Vec<Answer> {
        drop(leaves.take());
        batch.inputs().map(|input| Ok(*input)).collect()
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let (caller, worker) = queue::batcher::<u32, Answer>("q", 8);
    let call = || {
        let mut call = Box::pin(predict(caller.clone(), 2, Tenant("a")));
        assert!(call.as_mut().now_or_never().is_none());
        call
    };
    drop(call());
    assert_eq!(left_at(&rig), "queue 1");
    let mut leaves = Some(call());
    let batch = worker.next_blocking(1, Duration::ZERO).expect("one waits");
    let answers = during(&batch, &mut leaves);
    assert_eq!(left_at(&rig), "execute 1, queue 1");
    batch.finish(answers);
    let leaves = call();
    let batch = worker.next_blocking(1, Duration::ZERO).expect("one waits");
    let answers = execute(&rig, &batch);
    drop(leaves);
    batch.finish(answers);
    assert_eq!(left_at(&rig), "execute 1, none 1, queue 1");
    assert_eq!(shown(&requests(&rig)), "cancelled 3");
    assert_eq!(gauge(&rig, "size"), Some(0.0));
}

#[test]
fn a_batch_that_is_dropped_or_unwound_ends_for_every_member() {
    #[inference_stage("execute", batch = members)]
    async fn runs(rig: &Rig, members: Vec<RequestContext>, panics: bool) -> Vec<Answer> {
        rig.advance(Duration::from_millis(5));
        assert!(!panics, "on purpose");
        std::future::pending().await
    }
    #[inference_request]
    async fn waits(sender: std::sync::mpsc::Sender<RequestContext>) {
        let context = RequestContext::current().expect("a request is current in its handler");
        sender.send(context).expect("the other end is there");
        std::future::pending::<()>().await;
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let (sender, receiver) = std::sync::mpsc::channel();
    let mut waiting: Vec<_> = (0..3).map(|_| Box::pin(waits(sender.clone()))).collect();
    for one in &mut waiting {
        assert!(one.as_mut().now_or_never().is_none());
    }
    let members: Vec<_> = receiver.try_iter().collect();
    let unwound = std::panic::AssertUnwindSafe(runs(&rig, members.clone(), true)).catch_unwind();
    assert!(futures::executor::block_on(unwound).is_err());
    assert_eq!(shown(&stages(&rig)), "execute panicked 3");
    let mut dropped = Box::pin(runs(&rig, members, false));
    assert!(dropped.as_mut().now_or_never().is_none());
    assert_eq!(in_flight(&rig, "execute"), Some(3.0));
    drop(dropped);
    assert_eq!(
        shown(&stages(&rig)),
        "execute cancelled 3, execute panicked 3"
    );
    assert_eq!(in_flight(&rig, "execute"), Some(0.0));
    let batches = counts(&rig, "inference_batch_duration_seconds_count", &["outcome"]);
    assert_eq!(shown(&batches), "cancelled 1, panicked 1");
}

#[test]
fn an_execution_that_answers_too_few_has_failed_the_others() {
    #[inference_stage("execute", batch = batch)]
    fn forgets(batch: &Batch<u32, Answer>) -> Vec<Answer> {
        batch.inputs().take(1).map(|input| Ok(*input)).collect()
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let (caller, worker) = queue::batcher::<u32, Answer>("q", 8);
    let mut calls = [1, 2].map(|input| Box::pin(predict(caller.clone(), input, Tenant("a"))));
    for call in &mut calls {
        assert!(call.as_mut().now_or_never().is_none());
    }
    let batch = worker.next_blocking(2, Duration::ZERO).expect("two wait");
    let answers = forgets(&batch);
    batch.finish(answers);
    let got = calls.map(|call| call.now_or_never().expect("answered"));
    assert_eq!(got, [Ok(1), Err(Failure(ErrorType::Internal))]);
    assert_eq!(
        shown(&stages(&rig)),
        "execute error 1, execute ok 1, queue ok 2"
    );
    let blamed = counts(&rig, "inference_errors_total", &["stage", "error_type"]);
    assert_eq!(shown(&blamed), "execute internal 1");
}

/// Without anything that the thread of the handler has: the requests travel with their inputs.
#[test]
fn a_worker_on_a_thread_of_its_own_works_for_the_requests_that_it_takes() {
    let rig = Rig::new();
    let (caller, worker) = queue::batcher::<u32, Answer>("q", 8);
    let mut calls = {
        let _inside = rig.enter();
        rig.model("m", "1");
        let mut calls = [0, 2].map(|input| Box::pin(predict(caller.clone(), input, Tenant("b"))));
        for call in &mut calls {
            assert!(call.as_mut().now_or_never().is_none());
        }
        calls
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let batch = worker.next_blocking(2, Duration::ZERO).expect("two wait");
            let answers = execute(&rig, &batch);
            batch.finish(answers);
        });
    });
    for (call, expected) in calls.iter_mut().zip([0, 4]) {
        assert_eq!(call.as_mut().now_or_never(), Some(Ok(expected)));
    }
    let by = ["model", "stage", "outcome"];
    assert_eq!(
        shown(&counts(&rig, "inference_stage_duration_seconds_count", &by)),
        "m execute ok 2, m queue ok 2"
    );
    assert_eq!(
        counts(&rig, "inference_orphan_stages_total", &["stage"]).len(),
        0
    );
}

#[test]
fn what_is_put_back_waits_again_and_both_times_count() {
    #[inference_request]
    fn preempted(rig: &Rig, meter: &queue::Meter) {
        for millis in [10, 20] {
            let queued = meter.wrap(());
            rig.advance(Duration::from_millis(millis));
            queued.take();
            rig.advance(Duration::from_millis(1));
        }
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    preempted(&rig, &queue::meter("q", 4));
    assert_eq!(shown(&stages(&rig)), "queue ok 2");
    let seconds = rig.value(
        "inference_stage_duration_seconds_sum{model=\"none\",outcome=\"ok\",stage=\"queue\",version=\"none\"}",
    );
    assert_eq!(seconds, Some(0.030));
    let rest = value(
        &rig,
        "inference_unattributed_seconds_total{model=\"none\",version=\"none\"}",
    );
    assert!((rest - 0.002).abs() < 1e-9, "{rest}");
}

#[test]
fn each_queue_on_the_way_has_its_own_size() {
    #[inference_request]
    fn waits_twice(rig: &Rig, first: &queue::Meter, second: &queue::Meter) {
        let size = |queue: &str| {
            rig.value(&format!(
                "inference_queue_size{{model=\"none\",queue=\"{queue}\",version=\"none\"}}"
            ))
        };
        let queued = first.wrap(1);
        assert_eq!((size("first"), size("second")), (Some(1.0), Some(0.0)));
        let queued = second.wrap(queued.take());
        assert_eq!((size("first"), size("second")), (Some(0.0), Some(1.0)));
        drop(queued);
        assert_eq!((size("first"), size("second")), (Some(0.0), Some(0.0)));
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let (first, second) = (queue::meter("first", 4), queue::meter("second", 4));
    second.show();
    waits_twice(&rig, &first, &second);
    assert_eq!(shown(&stages(&rig)), "queue cancelled 1, queue ok 1");
}

#[test]
fn what_a_worker_had_taken_that_stops_waiting_is_handed_out_next() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let (caller, worker) = queue::batcher::<u32, Answer>("q", 8);
    let mut calls = [1, 2].map(|input| Box::pin(predict(caller.clone(), input, Tenant("a"))));
    for call in &mut calls {
        assert!(call.as_mut().now_or_never().is_none());
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .unwrap();
    let patience = Duration::from_secs(60);
    // it has taken both and waits for a third when it is dropped
    let stops = || runtime.block_on(async { worker.next(3, patience).now_or_never().is_none() });
    assert!(stops());
    assert_eq!(
        gauge(&rig, "size"),
        Some(2.0),
        "they wait as long as nobody works for them"
    );
    let batch = worker.next_blocking(1, patience).unwrap();
    assert_eq!(batch.inputs().as_slice(), [1], "no more than it asks for");
    batch.finish(vec![Ok(10)]);
    assert!(stops());
    drop(worker);
    let [first, second] = calls;
    assert!(matches!(first.now_or_never(), Some(Ok(_))));
    assert_eq!(
        second.now_or_never(),
        Some(Err(Failure(ErrorType::Internal)))
    );
    assert_eq!(gauge(&rig, "size"), Some(0.0));
    assert_eq!(in_flight(&rig, "queue"), Some(0.0));
    assert_eq!(shown(&stages(&rig)), "queue cancelled 1, queue ok 1");
    assert_eq!(shown(&requests(&rig)), "error 1, ok 1");
}

#[test]
fn a_queue_in_front_of_a_model_is_shown_before_anybody_waits() {
    let rig = Rig::new();
    let slot = rig.model("m", "1");
    let (caller, _worker) = queue::batcher::<u32, u32>("batcher", 8);
    assert!(!rig.scrape().contains("inference_queue_size"));
    let _caller = {
        let _inside = rig.enter();
        caller.model(&slot)
    };
    assert_eq!(
        rig.value("inference_queue_size{model=\"m\",queue=\"batcher\",version=\"1\"}"),
        Some(0.0)
    );
}

#[test]
fn calls_that_were_given_up_are_not_handed_out_and_patience_has_no_end() {
    // without any telemetry
    let (caller, worker) = queue::batcher::<u32, u32>("q", 8);
    assert!(caller.call(1).now_or_never().is_none());
    let mut kept = Box::pin(caller.call(2));
    assert!(kept.as_mut().now_or_never().is_none());
    let batch = worker.next_blocking(1, Duration::MAX).unwrap();
    assert_eq!(batch.inputs().as_slice(), [2]);
}

#[test]
fn an_execution_that_answers_nobody_has_failed() {
    #[inference_stage("execute", batch = 2)]
    fn silent() -> Vec<Answer> {
        Vec::new()
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    assert!(silent().is_empty());
    let batches = counts(&rig, "inference_batch_duration_seconds_count", &["outcome"]);
    assert_eq!(shown(&batches), "error 1");
}
