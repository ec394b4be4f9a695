//! Executions that do not get on.

use crate::story::{self, until};
use crate::{builder, install, probe, runtime, stop, value};
use futures::channel::mpsc;
use futures::stream::{Stream, StreamExt};
use instrument_inference::{
    MeasureTokens, ModelSlot, RequestContext, Telemetry, TelemetryBuilder, inference_request,
    inference_stage,
};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What `execute` and `decode` are given below.
const STALL: Duration = Duration::from_secs(1);

/// Long enough for a stall to show, were there one: it is seen within 250 ms, and what rings hold within a second.
const LONG: Duration = Duration::from_secs(3);

const DOWN: &str = "inference_health_check_state{check=\"stalled\",state=\"down\"}";

/// Works until it is told to stop; `each` is called again and again meanwhile.
#[inference_stage("execute", stall = "1s", model = slot)]
fn execute(slot: &ModelSlot, ends: &AtomicBool, each: impl Fn()) {
    while !ends.load(Ordering::Acquire) {
        each();
        thread::park_timeout(Duration::from_millis(20));
    }
}

#[inference_stage("execute", stall = "1s", model = slot)]
async fn execute_async(slot: &ModelSlot, ends: &AtomicBool) {
    // a mistake, and a common one: it keeps the worker to itself
    while !ends.load(Ordering::Acquire) {
        thread::park_timeout(Duration::from_millis(20));
    }
}

#[inference_stage("decode", stall = "1s", stream)]
fn decode(tokens: mpsc::UnboundedReceiver<u32>) -> impl Stream<Item = u32> {
    tokens
}

#[inference_request]
async fn generate(tokens: mpsc::UnboundedReceiver<u32>) -> impl Stream<Item = u32> + Unpin {
    tokens.measure_tokens(|_| 1)
}

#[inference_request]
fn handle(slot: &ModelSlot, ends: &AtomicBool, works: &AtomicBool) {
    let context = RequestContext::current().expect("it is a request");
    execute(slot, ends, || {
        if works.load(Ordering::Acquire) {
            context.heartbeat();
        }
    });
}

/// With a model that is loaded.
fn service(builder: TelemetryBuilder) -> (Telemetry, SocketAddr, ModelSlot) {
    let (telemetry, health) = install(builder);
    let slot = telemetry.model("digits", "1");
    slot.ready();
    until("it is ready", || probe(health, "/readyz").status == 200);
    (telemetry, health, slot)
}

/// Neither degraded nor unready, all that time.
fn is_well_for(health: SocketAddr, time: Duration) {
    let end = Instant::now() + time;
    while Instant::now() < end {
        let answer = probe(health, "/readyz/stalled");
        assert_eq!(answer.status, 200, "{}", answer.body);
        let answer = probe(health, "/readyz");
        assert!(answer.body.contains("\"healthy\""), "{}", answer.body);
        thread::park_timeout(Duration::from_millis(50));
    }
}

fn is_stalled(telemetry: &Telemetry, health: SocketAddr) {
    until("it is seen", || probe(health, "/readyz").status == 503);
    let body = probe(health, "/readyz").body;
    assert!(body.contains("\"reason\":\"stalled\""), "{body}");
    assert_eq!(probe(health, "/readyz/stalled").status, 503);
    assert_eq!(probe(health, "/readyz?exclude=stalled").status, 200);
    assert_eq!(probe(health, "/livez").status, 200, "nobody restarts it");
    assert_eq!(value(telemetry, DOWN), Some(1.0));
}

#[test]
fn an_execution_that_hangs_is_named_in_the_log() {
    let text = story::tell("hangs_on_a_thread", &[]);
    let line = "check stalled is down: reason=stalled error=\"`execute` of model digits, version 1, makes no progress\"";
    assert!(text.contains(line), "{text}");
}

/// Stories that say something that a test reads.
pub fn tell(story: &str) -> bool {
    let known = story == "hangs_on_a_thread";
    if known {
        hangs_on_a_thread();
    }
    known
}

fn hangs_on_a_thread() {
    let (telemetry, health, slot) = service(builder());
    assert_eq!(
        probe(health, "/readyz/stalled").status,
        200,
        "from the start"
    );
    let ends = AtomicBool::new(false);
    thread::scope(|scope| {
        let worker = scope.spawn(|| execute(&slot, &ends, || {}));
        is_stalled(&telemetry, health);
        assert_eq!(probe(health, "/v2/models/digits/ready").status, 503);
        // another one that ends is a sign of life, and the first goes on hanging
        execute(&slot, &AtomicBool::new(true), || {});
        until("it goes on", || probe(health, "/readyz").status == 200);
        is_stalled(&telemetry, health);
        ends.store(true, Ordering::Release);
        worker.join().expect("it ends");
    });
    until("it recovers", || probe(health, "/readyz").status == 200);
    assert_eq!(probe(health, "/v2/models/digits/ready").status, 200);
    assert_eq!(value(&telemetry, DOWN), Some(0.0));
    is_well_for(health, 2 * STALL);
    stop(&telemetry);
}

pub mod told {
    use super::*;

    pub fn an_execution_that_blocks_the_runtime_is_seen() {
        let (telemetry, health, slot) = service(builder());
        let runtime = runtime(1);
        let ends = Arc::new(AtomicBool::new(false));
        let stops = Arc::clone(&ends);
        let task = runtime.spawn(async move { execute_async(&slot, &stops).await });
        is_stalled(&telemetry, health);
        ends.store(true, Ordering::Release);
        runtime.block_on(task).expect("it ends");
        until("it recovers", || probe(health, "/readyz").status == 200);
        stop(&telemetry);
    }

    pub fn a_long_execution_with_signs_of_life_is_not_stalled() {
        let (telemetry, health, slot) = service(builder());
        let (ends, works) = (AtomicBool::new(false), AtomicBool::new(true));
        let beats = || {
            if works.load(Ordering::Acquire) {
                slot.heartbeat();
            }
        };
        thread::scope(|scope| {
            let worker = scope.spawn(|| execute(&slot, &ends, beats));
            is_well_for(health, LONG);
            works.store(false, Ordering::Release);
            is_stalled(&telemetry, health);
            ends.store(true, Ordering::Release);
            worker.join().expect("it ends");
            until("it recovers", || probe(health, "/readyz").status == 200);
            // the same within a request
            ends.store(false, Ordering::Release);
            works.store(true, Ordering::Release);
            let worker = scope.spawn(|| handle(&slot, &ends, &works));
            is_well_for(health, LONG);
            works.store(false, Ordering::Release);
            is_stalled(&telemetry, health);
            ends.store(true, Ordering::Release);
            worker.join().expect("it ends");
        });
        stop(&telemetry);
    }

    fn a_reader_takes_his_time(
        telemetry: &Telemetry,
        health: SocketAddr,
        send: &mpsc::UnboundedSender<u32>,
        mut stream: impl Stream<Item = u32> + Unpin,
    ) {
        let next = |stream: &mut _| futures::FutureExt::now_or_never(StreamExt::next(stream));
        // he has not asked at all: his connection takes nothing in
        is_well_for(health, LONG);
        for token in 0..2 {
            send.unbounded_send(token).expect("somebody reads");
            assert_eq!(next(&mut stream), Some(Some(token)));
            is_well_for(health, LONG);
        }
        // he asks, and nothing comes
        assert_eq!(next(&mut stream), None);
        is_stalled(telemetry, health);
        send.unbounded_send(2).expect("somebody reads");
        assert_eq!(next(&mut stream), Some(Some(2)));
        until("it gets on", || probe(health, "/readyz").status == 200);
        drop(stream);
        is_well_for(health, LONG);
    }

    pub fn a_slow_reader_of_a_stream_is_no_stall() {
        let (telemetry, health, _) = service(builder());
        let (send, tokens) = mpsc::unbounded();
        a_reader_takes_his_time(&telemetry, health, &send, decode(tokens));
        let (send, tokens) = mpsc::unbounded();
        let stream = futures::executor::block_on(generate(tokens));
        a_reader_takes_his_time(&telemetry, health, &send, stream);
        stop(&telemetry);
    }

    pub fn an_execution_that_feeds_a_slow_reader_is_no_stall() {
        #[inference_request]
        fn serve(
            slot: &ModelSlot,
            ends: &Arc<AtomicBool>,
            tokens: mpsc::UnboundedReceiver<u32>,
        ) -> (thread::JoinHandle<()>, Box<dyn Stream<Item = u32> + Unpin>) {
            let (slot, ends) = (slot.clone(), Arc::clone(ends));
            // it waits until there is room in a channel
            let engine = instrument_inference::carry(move || execute(&slot, &ends, || {}));
            let worker = thread::spawn(engine);
            (worker, Box::new(tokens.measure_tokens(|_| 1)))
        }
        let (telemetry, health, slot) = service(builder());
        let ends = Arc::new(AtomicBool::new(false));
        let (send, tokens) = mpsc::unbounded();
        let (worker, mut stream) = serve(&slot, &ends, tokens);
        until("it runs", || {
            let running =
                "inference_stage_in_flight{model=\"digits\",stage=\"execute\",version=\"1\"}";
            value(&telemetry, running) == Some(1.0)
        });
        send.unbounded_send(7).expect("somebody reads");
        let next = |stream: &mut _| futures::FutureExt::now_or_never(StreamExt::next(stream));
        assert_eq!(next(&mut stream), Some(Some(7)));
        is_well_for(health, LONG);
        assert_eq!(next(&mut stream), None);
        is_stalled(&telemetry, health);
        ends.store(true, Ordering::Release);
        worker.join().expect("it ends");
        drop(stream);
        until("it recovers", || probe(health, "/readyz").status == 200);
        stop(&telemetry);
    }

    pub fn a_service_may_do_without_the_check_of_executions() {
        let (telemetry, health, slot) = service(builder().without_check("stalled"));
        let ends = AtomicBool::new(false);
        thread::scope(|scope| {
            let worker = scope.spawn(|| execute(&slot, &ends, || {}));
            let end = Instant::now() + LONG;
            while Instant::now() < end {
                assert_eq!(probe(health, "/readyz").status, 200);
                thread::park_timeout(Duration::from_millis(50));
            }
            assert_eq!(probe(health, "/readyz/stalled").status, 404);
            assert_eq!(probe(health, "/v2/models/digits/ready").status, 200);
            assert_eq!(value(&telemetry, DOWN), None);
            ends.store(true, Ordering::Release);
            worker.join().expect("it ends");
        });
        stop(&telemetry);
    }
}
