//! Subscribers that panic, once or from then on, in any of their calls: afterwards nothing is open, entered, or mixed up.

use crate::tree::Tree;
use futures::future::FutureExt;
use futures::stream::{self, BoxStream, StreamExt};
use instrument_inference::testing::Rig;
use instrument_inference::{
    MeasureTokens, RequestContext, carry, carry_async, inference_request, inference_stage, queue,
};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tower::{Layer as _, Service};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Span, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    New,
    Record,
    Follows,
    Event,
    Enter,
    Exit,
    Close,
}

const CALLS: [Call; 7] = [
    Call::New,
    Call::Record,
    Call::Follows,
    Call::Event,
    Call::Enter,
    Call::Exit,
    Call::Close,
];

/// Panics in this call, from the one of this number on; `once`: in that one only.
#[derive(Debug, Clone)]
struct Sly {
    call: Call,
    after: u32,
    once: bool,
    called: Arc<AtomicU32>,
}

impl Sly {
    fn at(&self, call: Call) {
        if call != self.call {
            return;
        }
        let before = self.called.fetch_add(1, Ordering::SeqCst);
        let panics = if self.once {
            before == self.after
        } else {
            before >= self.after
        };
        if panics {
            // without a line for each in the log
            std::panic::resume_unwind(Box::new("a subscriber"));
        }
    }
}

impl<S: Subscriber> Layer<S> for Sly {
    fn on_new_span(&self, _: &Attributes<'_>, _: &Id, _: Context<'_, S>) {
        self.at(Call::New);
    }
    fn on_record(&self, _: &Id, _: &Record<'_>, _: Context<'_, S>) {
        self.at(Call::Record);
    }
    fn on_follows_from(&self, _: &Id, _: &Id, _: Context<'_, S>) {
        self.at(Call::Follows);
    }
    fn on_event(&self, _: &Event<'_>, _: Context<'_, S>) {
        self.at(Call::Event);
    }
    fn on_enter(&self, _: &Id, _: Context<'_, S>) {
        self.at(Call::Enter);
    }
    fn on_exit(&self, _: &Id, _: Context<'_, S>) {
        self.at(Call::Exit);
    }
    fn on_close(&self, _: Id, _: Context<'_, S>) {
        self.at(Call::Close);
    }
}

thread_local! {
    static LIVE: Cell<u32> = const { Cell::new(0) };
}

/// Something that a service hands out: there may be none left.
struct Live;

impl Live {
    fn new(_: u8) -> Live {
        execute();
        LIVE.set(LIVE.get() + 1);
        Live
    }
}

impl Drop for Live {
    fn drop(&mut self) {
        LIVE.set(LIVE.get() - 1);
    }
}

#[inference_stage("execute")]
fn execute() {}

#[inference_stage("preprocess")]
async fn preprocess() -> Live {
    let (now, later) = (carry(|| Live::new(0)), carry_async(async { Live::new(0) }));
    tokio::task::yield_now().await;
    drop(now());
    later.await
}

#[inference_request]
fn sync() -> Result<(), std::io::Error> {
    execute();
    Err(std::io::ErrorKind::Other.into())
}

#[inference_request]
async fn asynchronous() -> Live {
    preprocess().await
}

#[inference_stage("decode", stream)]
fn decode() -> BoxStream<'static, Live> {
    stream::iter(0..3).map(Live::new).boxed()
}

#[inference_request(stream)]
fn streams() -> BoxStream<'static, Live> {
    decode().inspect(|_| execute()).boxed()
}

#[inference_request]
fn generates() -> BoxStream<'static, Live> {
    let items = stream::iter(0..3).map(Live::new);
    items.measure_tokens(|_| 1_u8).boxed()
}

#[inference_stage("execute", batch = members)]
async fn batched(members: Vec<RequestContext>) {
    tokio::task::yield_now().await;
    drop(members);
}

#[inference_request]
async fn queued(meter: queue::Meter) {
    let context = RequestContext::current().into_iter().collect();
    let waits = meter.wrap(());
    batched(context).await;
    waits.take();
}

#[inference_stage("execute", batch = batch)]
fn executes(batch: &queue::Batch<(), Live>) -> Vec<Live> {
    batch.inputs().map(|()| Live::new(0)).collect()
}

#[inference_request]
async fn calls(caller: queue::Caller<(), Live>) -> Result<Live, queue::Refused> {
    caller.call(()).await
}

/// Both ends are dropped, whatever happens.
fn through_a_batcher(takes: bool) {
    let (caller, worker) = queue::batcher::<(), Live>("b", 2);
    let mut call = Box::pin(calls(caller));
    let _ = call.as_mut().now_or_never();
    if takes && let Some(batch) = worker.next_blocking(2, Duration::ZERO) {
        let answers = executes(&batch);
        batch.finish(answers);
    }
    drop(worker);
    let _ = call.as_mut().now_or_never();
}

/// The spans of the outer stages are parked while a subscriber panics further in.
#[inference_stage("postprocess")]
fn around() {
    let quiet = |code: &dyn Fn()| drop(catch_unwind(AssertUnwindSafe(code)));
    quiet(&|| poll(1, preprocess()));
    quiet(&execute);
    quiet(&|| poll(1, decode().for_each(async |_| {})));
    quiet(&|| drop(RequestContext::current().map(RequestContext::enter)));
}

#[inference_request]
fn overcomes() {
    around();
}

/// Polls so many times, and drops what is left.
fn poll<T>(times: u32, future: impl Future<Output = T>) {
    let mut future = Box::pin(future);
    for _ in 0..times {
        if future.as_mut().now_or_never().is_some() {
            return;
        }
    }
}

fn through_a_layer(rig: &Rig, times: u32) {
    let handler = tower::service_fn(|_: axum::http::Request<()>| async {
        asynchronous().await;
        Ok::<_, std::convert::Infallible>(axum::http::Response::new(String::from("an answer")))
    });
    let mut service = rig.request_layer("http").layer(handler);
    let request = axum::http::Request::new(());
    poll(times, service.call(request).map(drop));
}

type Scenario = (&'static str, fn(&Rig));

const SCENARIOS: [Scenario; 14] = [
    ("sync", |_| drop(sync())),
    ("async", |_| poll(9, asynchronous())),
    ("async, dropped", |_| poll(1, asynchronous())),
    ("stream", |_| poll(9, streams().for_each(async |_| {}))),
    ("stream, dropped", |_| {
        streams().next().now_or_never();
    }),
    ("stream, not polled", |_| drop(streams())),
    ("tokens", |_| poll(9, generates().for_each(async |_| {}))),
    ("tokens, dropped", |_| {
        generates().next().now_or_never();
    }),
    ("queue", |_| poll(9, queued(queue::meter("q", 1)))),
    ("queue, dropped", |_| poll(1, queued(queue::meter("q", 1)))),
    ("batcher", |_| through_a_batcher(true)),
    ("batcher, dropped", |_| through_a_batcher(false)),
    ("layer", |rig| through_a_layer(rig, 9)),
    ("overcomes", |_| overcomes()),
];

const GAUGES: [&str; 3] = [
    "inference_requests_in_flight{",
    "inference_stage_in_flight{",
    "inference_queue_size{",
];

/// The gauges that are not at 0.
fn open(rig: &Rig) -> Vec<String> {
    let all = rig.scrape();
    let of_gauge = |line: &&str| GAUGES.iter().any(|gauge| line.starts_with(gauge));
    let lines = all.lines().filter(of_gauge);
    lines
        .filter(|line| !line.ends_with(" 0"))
        .map(str::to_owned)
        .collect()
}

#[track_caller]
fn check(call: Call, count: u32, once: bool, (name, run): Scenario, rig: &Rig) -> bool {
    let case = format!("{name}: {call:?} {count}, once: {once}");
    let _inside = rig.enter();
    let tree = Tree::default();
    let called = Arc::<AtomicU32>::default();
    let sly = Sly {
        call,
        after: count,
        once,
        called: Arc::clone(&called),
    };
    tracing::subscriber::with_default(tree.subscriber().with(sly), || {
        let _ = catch_unwind(AssertUnwindSafe(|| run(rig)));
        assert!(Span::current().is_none(), "{case}: {}", tree.shown());
    });
    assert!(RequestContext::current().is_none(), "{case}");
    assert_eq!(LIVE.get(), 0, "{case}");
    assert_eq!(open(rig), Vec::<String>::new(), "{case}");
    for span in tree.spans() {
        assert_eq!(span.entered, span.left, "{case}: {span:?}");
        // nobody has got what a subscriber did not give
        assert!(span.closed || call == Call::New, "{case}: {span:?}");
    }
    // and what runs on this thread afterwards is as ever
    let after = Tree::of(|| drop(sync()));
    assert_eq!(
        after.shown(),
        "sync error internal\n  execute ok\n",
        "{case}"
    );
    called.load(Ordering::SeqCst) > count
}

#[test]
fn a_subscriber_that_panics_leaves_nothing_open() {
    for scenario in SCENARIOS {
        let rig = Rig::new();
        for call in CALLS {
            for once in [true, false] {
                let mut after = 0..20;
                while after
                    .next()
                    .is_some_and(|after| check(call, after, once, scenario, &rig))
                {}
            }
        }
    }
}
