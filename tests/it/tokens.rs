//! Streams of tokens: whose the time is, from token to token, and how they end.

use crate::support::{counts, shown, stages};
use futures::{FutureExt, Stream, StreamExt};
use instrument_inference::testing::Rig;
use instrument_inference::{
    Classify, ErrorType, MeasureTokens, RequestContext, TokenKind, inference_request,
    inference_stage,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// What a scripted stream does next.
#[derive(Debug, Clone, Copy)]
pub enum Step {
    /// Works so many milliseconds, and gives so many tokens.
    Gives(u64, u32),
    /// Works so many milliseconds, and fails.
    Fails(u64),
    /// Is not ready yet; so many milliseconds pass before it wakes its reader.
    Waits(u64),
    Panics,
}
pub use Step::{Fails, Gives, Panics, Waits};

#[derive(Debug)]
pub struct Engine;
impl Classify for Engine {
    fn error_type(&self) -> ErrorType {
        ErrorType::CudaOom
    }
}

pub struct Script {
    rig: Arc<Rig>,
    steps: std::vec::IntoIter<Step>,
    /// Time that passes while nobody polls: the model's.
    pending: u64,
}

pub fn script(rig: &Arc<Rig>, steps: &[Step]) -> Script {
    Script {
        rig: Arc::clone(rig),
        steps: Vec::from(steps).into_iter(),
        pending: 0,
    }
}

impl Stream for Script {
    type Item = Result<u32, Engine>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let pass = |millis| self.rig.advance(Duration::from_millis(millis));
        pass(self.pending);
        self.pending = 0;
        match self.steps.next() {
            None => Poll::Ready(None),
            Some(Gives(millis, tokens)) => {
                self.rig.advance(Duration::from_millis(millis));
                Poll::Ready(Some(Ok(tokens)))
            }
            Some(Fails(millis)) => {
                self.rig.advance(Duration::from_millis(millis));
                Poll::Ready(Some(Err(Engine)))
            }
            Some(Waits(millis)) => {
                self.pending = millis;
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            Some(Panics) => panic!("on purpose"),
        }
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(self.steps.len()))
    }
}

pub fn tokens(item: &Result<u32, Engine>) -> Result<u32, ErrorType> {
    item.as_ref().copied().map_err(Classify::error_type)
}

/// A measured stream, begun in a request of its own that it keeps open.
#[inference_request]
pub fn generate(
    rig: &Arc<Rig>,
    steps: &[Step],
) -> impl Stream<Item = Result<u32, Engine>> + Unpin + Send + use<> {
    script(rig, steps).measure_tokens(tokens)
}

/// A rig with one model, which is `gen_ai`.
pub fn rig() -> Arc<Rig> {
    let rig = Arc::new(Rig::new());
    drop(rig.model("llama", "1").gen_ai("chat", "ours"));
    rig
}

/// The value of one line, which has to be there.
#[track_caller]
pub fn value(rig: &Rig, series: &str) -> f64 {
    rig.value(series)
        .unwrap_or_else(|| panic!("no line {series} in\n{}", rig.scrape()))
}

/// Whether two sums of seconds are the same one.
#[track_caller]
pub fn same(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() < 1e-9,
        "{found}, expected {expected}"
    );
}

pub fn ended(rig: &Rig) -> String {
    shown(&counts(rig, "inference_requests_total", &["outcome"]))
}

pub fn in_flight(rig: &Rig) -> String {
    let stages = counts(rig, "inference_stage_in_flight", &["stage"]);
    let requests = counts(rig, "inference_requests_in_flight", &["model"]);
    format!("{}; {}", shown(&requests), shown(&stages))
}

pub const L: &str = "model=\"llama\",version=\"1\"";
pub const GEN_AI: &str = "gen_ai_operation_name=\"chat\",gen_ai_provider_name=\"ours\",gen_ai_request_model=\"llama\",model=\"llama\",version=\"1\"";

pub fn stage_seconds(rig: &Rig, stage: &str, outcome: &str) -> f64 {
    let labels = format!("model=\"llama\",outcome=\"{outcome}\",stage=\"{stage}\",version=\"1\"");
    value(
        rig,
        &format!("inference_stage_duration_seconds_sum{{{labels}}}"),
    )
}

/// Count and sum of the times from token to token.
pub fn gaps(rig: &Rig) -> (f64, f64) {
    let line = |part| {
        value(
            rig,
            &format!("inference_inter_token_latency_seconds_{part}{{{L}}}"),
        )
    };
    (line("count"), line("sum"))
}

pub fn gen_ai(rig: &Rig, family: &str, part: &str) -> Option<f64> {
    rig.value(&format!(
        "gen_ai_server_{family}_seconds_{part}{{{GEN_AI}}}"
    ))
}

fn drain<S: Stream + Unpin>(mut stream: S, rig: &Rig, reader: u64) {
    futures::executor::block_on(async {
        while stream.next().await.is_some() {
            rig.advance(Duration::from_millis(reader));
        }
    });
}

#[test]
fn time_is_the_models_or_the_readers() {
    let rig = rig();
    let _inside = rig.enter();
    let stream = generate(
        &rig,
        // a role, then three chunks and a summary of usage
        &[
            Gives(1, 0),
            Waits(20),
            Gives(4, 1),
            Gives(10, 2),
            Waits(15),
            Gives(5, 4),
            Gives(2, 0),
        ],
    );
    assert_eq!(stream.size_hint(), (0, Some(7)));
    assert_eq!(ended(&rig), "");
    assert_eq!(in_flight(&rig), "llama 1; prefill 1");
    drain(stream, &rig, 100);
    assert_eq!(ended(&rig), "ok 1");
    assert_eq!(in_flight(&rig), "; ");
    same(stage_seconds(&rig, "prefill", "ok"), 0.025);
    same(stage_seconds(&rig, "decode", "ok"), 0.030);
    let (count, sum) = gaps(&rig);
    same(count, 6.0);
    same(sum, 0.030);
    same(
        value(
            &rig,
            &format!("inference_stream_backpressure_seconds_total{{{L}}}"),
        ),
        0.5,
    );
    same(gen_ai(&rig, "time_to_first_token", "sum").unwrap(), 0.125);
    same(gen_ai(&rig, "time_per_output_token", "sum").unwrap(), 0.005);
    same(gen_ai(&rig, "request_duration", "sum").unwrap(), 0.557);
    assert_eq!(gen_ai(&rig, "time_to_first_token", "count"), Some(1.0));
    let output =
        |family: &str| format!("{family}{{model=\"llama\",token_type=\"output\",version=\"1\"}}");
    assert_eq!(rig.value(&output("inference_tokens_total")), Some(7.0));
    assert_eq!(
        rig.value(&output("inference_request_tokens_sum")),
        Some(7.0)
    );
    assert_eq!(
        rig.value(&output("inference_request_tokens_count")),
        Some(1.0)
    );
}

#[test]
fn a_chunk_of_n_tokens_has_n_times_its_part() {
    let rig = rig();
    let _inside = rig.enter();
    drain(generate(&rig, &[Gives(5, 1), Gives(40, 8)]), &rig, 0);
    let scrape = rig.scrape();
    // all eight in the bucket of 5 ms
    for (edge, count) in [("0.0025", 0), ("0.005", 8), ("10", 8)] {
        let line = format!(
            "inference_inter_token_latency_seconds_bucket{{model=\"llama\",version=\"1\",le=\"{edge}\"}} {count}\n"
        );
        assert!(scrape.contains(&line), "{line}{scrape}");
    }
}

#[test]
fn an_answer_of_one_token_has_no_decode_and_no_time_per_token() {
    for only in [Gives(30, 1), Gives(30, 50)] {
        let rig = rig();
        let _inside = rig.enter();
        drain(generate(&rig, &[only]), &rig, 7);
        assert_eq!(shown(&stages(&rig)), "prefill ok 1");
        assert_eq!(in_flight(&rig), "; ");
        same(gen_ai(&rig, "time_to_first_token", "sum").unwrap(), 0.030);
        assert_eq!(gen_ai(&rig, "time_per_output_token", "count"), None);
        assert!(!rig.scrape().contains("inference_inter_token_latency"));
    }
}

#[test]
fn a_stream_without_tokens_has_only_prefill() {
    let rig = rig();
    let _inside = rig.enter();
    drain(generate(&rig, &[Gives(3, 0)]), &rig, 1);
    assert_eq!(shown(&stages(&rig)), "prefill ok 1");
    assert_eq!(gen_ai(&rig, "time_to_first_token", "count"), None);
    assert_eq!(gen_ai(&rig, "request_duration", "count"), Some(1.0));
    let observed =
        "inference_request_tokens_count{model=\"llama\",token_type=\"output\",version=\"1\"}";
    assert_eq!(rig.value(observed), Some(1.0));
}

#[test]
fn an_error_is_terminal_unless_more_comes() {
    let last = &[Gives(5, 1), Gives(5, 1), Fails(10)][..];
    for (asked_again, steps, outcome, decode) in [
        (true, last, "error 1", "decode error 1"),
        (false, last, "error 1", "decode error 1"),
        (
            true,
            &[Gives(5, 1), Fails(10), Gives(5, 1)][..],
            "ok 1",
            "decode ok 1",
        ),
        (
            true,
            &[Fails(10), Gives(5, 1), Gives(5, 1)][..],
            "ok 1",
            "decode ok 1",
        ),
    ] {
        let rig = rig();
        let _inside = rig.enter();
        let mut stream = generate(&rig, steps);
        futures::executor::block_on(async {
            for _ in steps {
                assert!(stream.next().await.is_some());
            }
            if asked_again {
                assert!(stream.next().await.is_none());
            }
        });
        drop(stream);
        assert_eq!(ended(&rig), outcome, "{steps:?}");
        assert_eq!(shown(&stages(&rig)), format!("{decode}, prefill ok 1"));
        let errors = counts(&rig, "inference_errors_total", &["stage", "error_type"]);
        if outcome == "error 1" {
            assert_eq!(shown(&errors), "decode cuda_oom 1");
            same(stage_seconds(&rig, "decode", "error"), 0.015);
            assert_eq!(gen_ai(&rig, "time_to_first_token", "count"), None);
            assert_eq!(gen_ai(&rig, "request_duration", "count"), None);
            let failed = GEN_AI.replacen("gen_ai", "error_type=\"cuda_oom\",gen_ai", 1);
            let failed = format!("gen_ai_server_request_duration_seconds_count{{{failed}}}");
            assert_eq!(rig.value(&failed), Some(1.0));
        } else {
            assert_eq!(shown(&errors), "");
        }
    }
}

#[test]
fn dropped_before_its_end_it_is_cancelled_where_it_was() {
    for (read, stage, waiting) in [
        (0, "prefill", false),
        (1, "decode", false),
        (2, "decode", true),
    ] {
        let rig = rig();
        let _inside = rig.enter();
        let mut stream = generate(&rig, &[Gives(5, 1), Gives(5, 1), Waits(10), Gives(5, 1)]);
        for _ in 0..read {
            assert!(stream.next().now_or_never().is_some());
        }
        if waiting {
            assert!(stream.next().now_or_never().is_none());
        }
        drop(stream);
        assert_eq!(ended(&rig), "cancelled 1");
        let cancelled = counts(&rig, "inference_cancellations_total", &["stage", "cause"]);
        assert_eq!(shown(&cancelled), format!("{stage} unknown 1"));
        assert_eq!(in_flight(&rig), "; ");
        let output = "inference_tokens_total{model=\"llama\",token_type=\"output\",version=\"1\"}";
        assert_eq!(rig.value(output), Some(f64::from(read)));
    }
}

#[test]
fn a_panic_in_the_stream_or_in_the_closure_is_one() {
    #[inference_request]
    fn miscounted(rig: &Arc<Rig>) -> impl Stream<Item = Result<u32, Engine>> + Unpin + use<> {
        script(rig, &[Gives(1, 1)]).measure_tokens(|_| -> u32 { panic!("on purpose") })
    }
    let rig = rig();
    let _inside = rig.enter();
    let stream = generate(&rig, &[Gives(5, 1), Panics]);
    let read = catch_unwind(AssertUnwindSafe(|| drain(stream, &rig, 0)));
    assert!(read.is_err());
    assert_eq!(ended(&rig), "panicked 1");
    assert_eq!(shown(&stages(&rig)), "decode panicked 1, prefill ok 1");

    let stream = miscounted(&rig);
    assert!(catch_unwind(AssertUnwindSafe(|| drain(stream, &rig, 0))).is_err());
    assert_eq!(ended(&rig), "panicked 2");
}

#[test]
fn asked_again_after_its_end_it_is_the_stream_that_it_was() {
    struct Again(u32);
    impl Stream for Again {
        type Item = u32;
        fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<u32>> {
            self.0 += 1;
            Poll::Ready((!self.0.is_multiple_of(2)).then_some(self.0))
        }
    }
    let rig = rig();
    let _inside = rig.enter();
    let mut stream = Again(0).measure_tokens(|_| 1);
    let mut next = || stream.next().now_or_never().unwrap();
    assert_eq!(
        [next(), next(), next(), next()],
        [Some(1), None, Some(3), None]
    );
}

#[test]
fn what_is_dropped_with_the_stream_works_for_its_request() {
    #[inference_stage("cleanup")]
    fn cleanup() {}
    struct Cleans;
    impl Drop for Cleans {
        fn drop(&mut self) {
            cleanup();
            assert!(RequestContext::current().is_some_and(|it| it.is_cancelled()));
        }
    }
    #[inference_request]
    fn handler() -> impl Stream<Item = u8> {
        let kept = Cleans;
        futures::stream::pending()
            .map(move |(): ()| {
                let _kept = &kept;
                1
            })
            .measure_tokens(|_| 1)
    }
    let rig = rig();
    let _inside = rig.enter();
    let stream = handler();
    drop(stream);
    assert_eq!(shown(&stages(&rig)), "cleanup ok 1, prefill cancelled 1");
    assert!(!rig.scrape().contains("inference_orphan_stages_total"));
}

#[test]
fn outside_of_any_request_its_stages_are_orphans() {
    let rig = rig();
    let _inside = rig.enter();
    let steps = [Gives(5, 1), Gives(10, 3)];
    drain(script(&rig, &steps).measure_tokens(tokens), &rig, 1);
    assert_eq!(shown(&stages(&rig)), "decode ok 1, prefill ok 1");
    let orphans = counts(&rig, "inference_orphan_stages_total", &["stage"]);
    assert_eq!(shown(&orphans), "decode 1, prefill 1");
    same(gaps(&rig).0, 3.0);
    let output = "inference_tokens_total{model=\"llama\",token_type=\"output\",version=\"1\"}";
    assert_eq!(rig.value(output), Some(4.0));
    assert_eq!(ended(&rig), "");
    assert_eq!(gen_ai(&rig, "time_to_first_token", "count"), None);
}

#[test]
fn when_nobody_records_it_is_handed_through() {
    let rig = rig();
    let steps = [Gives(5, 1), Fails(1)];
    let stream = script(&rig, &steps).measure_tokens(tokens);
    let _inside = rig.enter();
    drain(stream, &rig, 1);
    assert_eq!(shown(&stages(&rig)), "");
}

#[test]
fn a_number_that_a_service_made_up_holds_nobody_up() {
    #[inference_request]
    fn handler(rig: &Arc<Rig>, forged: &[u64]) -> impl Stream<Item = u64> + Unpin + use<> {
        let rig = Arc::clone(rig);
        let items = futures::stream::iter(forged.to_vec());
        items
            .inspect(move |_| rig.advance(Duration::from_millis(64)))
            .measure_tokens(|tokens| *tokens)
    }
    let rig = rig();
    let _inside = rig.enter();
    let forged = [u64::MAX, 1, u64::MAX, u64::MAX];
    drain(handler(&rig, &forged), &rig, 0);
    let (count, sum) = gaps(&rig);
    same(count, 1.0 + 2.0 * f64::from(1 << 14));
    same(sum, 3.0 * 0.064);
    let output = "inference_tokens_total{model=\"llama\",token_type=\"output\",version=\"1\"}";
    // the most that is counted, so that a counter never wraps around
    assert_eq!(rig.value(output), Some((1_u64 << 52) as f64));
}

/// Numbers without a crate: the same in every run.
struct Numbers(u64);
impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

#[test]
fn gaps_and_backpressure_add_up_to_the_time_after_the_first_token() {
    let mut numbers = Numbers(7);
    for _ in 0..200 {
        let rig = rig();
        let _inside = rig.enter();
        let mut steps = Vec::new();
        for _ in 0..=numbers.below(12) {
            if numbers.below(3) == 0 {
                steps.push(Waits(numbers.below(9)));
            }
            steps.push(Gives(numbers.below(30), numbers.below(4) as u32));
        }
        // from the last token on nothing happens
        steps.push(Gives(numbers.below(30), 1));
        let mut stream = generate(&rig, &steps);
        // milliseconds from the beginning
        let (mut now, mut first, mut last, mut held, mut all) = (0, None, 0, 0, 0);
        futures::executor::block_on(async {
            for step in &steps {
                match *step {
                    Waits(time) => now += time,
                    Gives(time, tokens) => {
                        assert!(stream.next().await.is_some());
                        now += time;
                        if tokens > 0 {
                            first = first.or(Some((now, held, tokens)));
                            last = now;
                        }
                        all += u64::from(tokens);
                        let reader = numbers.below(20);
                        rig.advance(Duration::from_millis(reader));
                        now += reader;
                        held += reader;
                    }
                    Fails(_) | Panics => unreachable!(),
                }
            }
            assert!(stream.next().await.is_none());
        });
        let (first, held_before, with_first) = first.expect("the last one has a token");
        let series = format!("inference_stream_backpressure_seconds_total{{{L}}}");
        same(rig.value(&series).unwrap_or(0.0), held as f64 / 1e3);
        let after_last = now - last;
        let held_between = held - held_before - after_last;
        if all == u64::from(with_first) {
            assert_eq!(gen_ai(&rig, "time_per_output_token", "count"), None);
            continue;
        }
        let (count, sum) = gaps(&rig);
        same(count, (all - u64::from(with_first)) as f64);
        same(sum, (last - first - held_between) as f64 / 1e3);
        same(
            gen_ai(&rig, "time_to_first_token", "sum").unwrap(),
            first as f64 / 1e3,
        );
        same(
            gen_ai(&rig, "time_per_output_token", "sum").unwrap(),
            sum / (all - 1) as f64,
        );
    }
}

#[test]
fn kinds_of_tokens_are_counted_as_the_service_tells_them() {
    #[inference_request]
    fn handler() {
        let context = RequestContext::current().unwrap();
        context.tokens(TokenKind::Input, 100);
        context.tokens(TokenKind::Input, 20);
        context.tokens(TokenKind::CachedInput, 0);
    }
    let rig = rig();
    let _inside = rig.enter();
    handler();
    let found = counts(&rig, "inference_tokens_total", &["token_type"]);
    assert_eq!(shown(&found), "input 120");
    let observed = counts(&rig, "inference_request_tokens_count", &["token_type"]);
    assert_eq!(shown(&observed), "cached_input 1, input 1");
}
