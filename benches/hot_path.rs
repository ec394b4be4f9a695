//! What a stage costs: a function that does nothing, with and without the attribute, in one run.
//!
//! Every case is measured in bursts that fit into a ring, in turn with the others, and the median is shown together
//! with its ratio to a bare pair of clock reads. What the bursts leave in the rings is drained between them, untimed.
//! `cargo bench --bench hot_path --features testing`; the latest figures are in `docs/performance.md`.
#![allow(missing_docs, reason = "nobody uses a benchmark from outside")]

use futures::{StreamExt, stream};
use instrument_inference::testing::Rig;
use instrument_inference::{MeasureTokens, Telemetry, inference_request, inference_stage};
use std::hint::black_box;
use std::pin::pin;
use std::sync::Barrier;
use std::task::{Context, Poll, Waker};
use std::time::Instant;
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

/// Two events a stage: a burst fills less than half of a ring.
const BURST: u32 = 200;
const BURSTS: usize = 2_000;

#[inline(never)]
fn nothing() {
    black_box(());
}

#[inference_stage("execute")]
#[inline(never)]
fn stage() {
    nothing();
}

#[inference_stage("preprocess")]
#[inline(never)]
fn fallible() -> Result<u32, std::io::Error> {
    black_box(Ok(1))
}

#[inference_stage("preprocess", labels(cached = cached))]
#[inline(never)]
fn labelled(cached: bool) {
    black_box(cached);
}

#[inference_stage("decode")]
async fn asynchronous() {
    nothing();
}

#[expect(clippy::unused_async, reason = "as its annotated twin")]
async fn plain_asynchronous() {
    nothing();
}

#[inference_request(ingress = "http")]
#[inline(never)]
fn request() {
    stage();
}

/// Runs `inside` within one request.
#[inference_request(ingress = "http")]
fn within(inside: &mut dyn FnMut()) {
    inside();
}

/// Looks at spans up to a level, and does nothing with them.
struct Idle(LevelFilter);

impl Subscriber for Idle {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.0
    }
    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.0)
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// A stage inside a request, while a subscriber looks at this level.
fn seen_at(rig: &Rig, level: LevelFilter) -> f64 {
    let mut times = Vec::with_capacity(BURSTS);
    tracing::subscriber::with_default(Idle(level), || {
        within(&mut || {
            for _ in 0..BURSTS {
                times.push(burst(&mut stage));
                rig.drain();
            }
        });
    });
    median(times)
}

fn poll_once<F: Future>(future: F) -> F::Output {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("it is ready at once"),
    }
}

fn burst(body: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..BURST {
        body();
    }
    start.elapsed().as_secs_f64() * 1e9 / f64::from(BURST)
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The next token of a stream that never ends. It belongs to the request in which it is asked first.
fn token<'a>() -> Box<dyn FnMut() + Send + 'a> {
    let mut tokens = None;
    Box::new(move || {
        let tokens = tokens.get_or_insert_with(|| stream::repeat(1_u8).measure_tokens(|_| 1));
        black_box(poll_once(tokens.next()));
    })
}

/// A case and its body.
type Case<'a> = (&'static str, Box<dyn FnMut() + Send + 'a>);

fn cases(clock: &quanta::Clock) -> Vec<Case<'_>> {
    vec![
        ("bare call", Box::new(nothing)),
        (
            "pair of quanta reads",
            Box::new(|| {
                let start = clock.raw();
                nothing();
                black_box(clock.raw().wrapping_sub(start));
            }),
        ),
        (
            "pair of std::time::Instant",
            Box::new(|| {
                let start = Instant::now();
                nothing();
                black_box(start.elapsed());
            }),
        ),
        ("stage", Box::new(stage)),
        ("stage, Result", Box::new(|| drop(black_box(fallible())))),
        ("stage, one label", Box::new(|| labelled(black_box(true)))),
        (
            "plain async fn",
            Box::new(|| poll_once(plain_asynchronous())),
        ),
        ("stage, async", Box::new(|| poll_once(asynchronous()))),
        ("token of a stream", token()),
    ]
}

/// Medians of all cases, their bursts taken in turn so that the machine's moods hit all alike.
fn in_turn(rig: &Rig, cases: &mut [Case<'_>], barrier: Option<&Barrier>) -> Vec<f64> {
    let mut times = vec![Vec::with_capacity(BURSTS); cases.len()];
    let mut all = || {
        for _ in 0..BURSTS {
            for (times, (_, body)) in times.iter_mut().zip(cases.iter_mut()) {
                if let Some(barrier) = barrier {
                    barrier.wait();
                }
                times.push(burst(body));
                // drains this ring: the next burst finds it empty
                rig.drain();
            }
        }
    };
    within(&mut all);
    times.into_iter().map(median).collect()
}

fn main() {
    let clock = quanta::Clock::new();
    let rig = Rig::builder().real_clock().start();
    let inside = rig.enter();
    rig.model("m", "1");

    let mut one = cases(&clock);
    let alone = in_turn(&rig, &mut one, None);
    let barrier = Barrier::new(2);
    let shared = std::thread::scope(|scope| {
        let run = || {
            let _inside = rig.enter();
            in_turn(&rig, &mut cases(&clock), Some(&barrier))
        };
        let threads = [scope.spawn(run), scope.spawn(run)];
        let [first, second] = threads.map(|thread| thread.join().expect("a benchmark thread ends"));
        first
            .into_iter()
            .zip(second)
            .map(|(a, b)| f64::midpoint(a, b))
            .collect::<Vec<_>>()
    });

    let (quanta, instant) = (alone[1], alone[2]);
    println!(
        "{:<28} {:>9} {:>9} {:>10} {:>10}",
        "", "1 thread", "/ quanta", "/ Instant", "2 threads"
    );
    for (((name, _), alone), shared) in one.iter().zip(&alone).zip(&shared) {
        let ratios = (alone / quanta, alone / instant);
        println!(
            "{name:<28} {alone:>6.1} ns {:>9.2} {:>10.2} {shared:>7.1} ns",
            ratios.0, ratios.1
        );
    }

    let whole = median(
        (0..BURSTS)
            .map(|_| {
                let time = burst(&mut request);
                rig.drain();
                time
            })
            .collect(),
    );
    println!(
        "request with one stage       {whole:>6.1} ns {:>9.2} {:>10.2}",
        whole / quanta,
        whole / instant
    );

    for level in [LevelFilter::OFF, LevelFilter::INFO, LevelFilter::DEBUG] {
        let stage = seen_at(&rig, level);
        println!(
            "stage, subscriber at {level:<7} {stage:>6.1} ns {:>8.2} {:>10.2}",
            stage / quanta,
            stage / instant
        );
    }

    drop(inside);
    drop(rig);
    nobody_records("not installed", quanta);
    let telemetry = Telemetry::builder("bench").disabled(true).install();
    let telemetry = telemetry.expect("the first of this process");
    assert!(!telemetry.is_enabled());
    nobody_records("disabled", quanta);
}

/// What is left of an attribute: a load and a branch.
fn nobody_records(why: &str, quanta: f64) {
    let mut cases: [Case<'_>; 6] = [
        ("bare call", Box::new(nothing)),
        ("stage", Box::new(stage)),
        ("stage, one label", Box::new(|| labelled(black_box(true)))),
        ("request with one stage", Box::new(request)),
        (
            "plain async fn",
            Box::new(|| poll_once(plain_asynchronous())),
        ),
        ("stage, async", Box::new(|| poll_once(asynchronous()))),
    ];
    let mut times = vec![Vec::with_capacity(BURSTS); cases.len()];
    for _ in 0..BURSTS {
        for (times, (_, body)) in times.iter_mut().zip(&mut cases) {
            times.push(burst(body));
        }
    }
    println!("\n{why}");
    for ((name, _), time) in cases.iter().zip(times.into_iter().map(median)) {
        println!("{name:<28} {time:>6.1} ns {:>9.2}", time / quanta);
    }
}
