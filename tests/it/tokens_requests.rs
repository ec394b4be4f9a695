//! Streams of tokens and the requests that they keep open.

use crate::support::{counts, shown, stages};
use crate::tokens::{
    Engine, Fails, Gives, Step, Waits, ended, generate, rig, same, script, tokens, value,
};
use futures::{FutureExt, Stream, StreamExt};
use instrument_inference::testing::Rig;
use instrument_inference::{
    FinishReason, LabelSet, MeasureTokens, RequestContext, TokenKind, inference_request,
    inference_stage,
};
use std::sync::Arc;
use std::time::Duration;

type Answer = Box<dyn Stream<Item = Result<u32, Engine>> + Send + Unpin>;

fn answer(rig: &Arc<Rig>, steps: &[Step]) -> Answer {
    Box::new(script(rig, steps).measure_tokens(tokens))
}

fn read<S: Stream + Unpin>(stream: S) -> usize {
    futures::executor::block_on(stream.count())
}

#[test]
fn the_request_lasts_as_long_as_its_stream() {
    let rig = rig();
    let _inside = rig.enter();
    let stream = generate(&rig, &[Gives(10, 1), Gives(10, 1)]);
    rig.advance(Duration::from_millis(5));
    assert_eq!(ended(&rig), "");
    assert_eq!(read(stream), 2);
    assert_eq!(ended(&rig), "ok 1");
    let labels = "model=\"llama\",outcome=\"ok\",version=\"1\"";
    let took = value(
        &rig,
        &format!("inference_request_duration_seconds_sum{{{labels}}}"),
    );
    same(took, 0.025);
    same(
        value(
            &rig,
            "inference_unattributed_seconds_total{model=\"llama\",version=\"1\"}",
        ),
        0.0,
    );
}

#[test]
fn a_handler_that_fails_ends_its_request_at_once() {
    #[inference_request]
    fn fails(rig: &Arc<Rig>, kept: &mut Option<Answer>) -> Result<(), Engine> {
        *kept = Some(answer(rig, &[Gives(1, 1)]));
        Err(Engine)
    }
    let rig = rig();
    let _inside = rig.enter();
    let mut kept = None;
    assert!(fails(&rig, &mut kept).is_err());
    assert_eq!(ended(&rig), "error 1");
    assert_eq!(read(kept.unwrap()), 1);
    assert_eq!(ended(&rig), "error 1");
    assert_eq!(shown(&stages(&rig)), "prefill cancelled 1");
}

#[test]
fn a_handler_that_is_dropped_ends_its_request_at_once() {
    #[inference_request]
    async fn hangs(rig: &Arc<Rig>) {
        let mut stream = answer(rig, &[Gives(1, 1), Waits(1), Gives(1, 1)]);
        while stream.next().await.is_some() {}
        std::future::pending::<()>().await;
    }
    let rig = rig();
    let _inside = rig.enter();
    assert!(hangs(&rig).now_or_never().is_none());
    assert_eq!(ended(&rig), "cancelled 1");
    let cancelled = counts(&rig, "inference_cancellations_total", &["stage"]);
    assert_eq!(shown(&cancelled), "decode 1");
}

#[test]
fn a_handler_that_reads_its_stream_itself_says_what_it_comes_to() {
    #[inference_request]
    async fn collects(rig: &Arc<Rig>, steps: &[Step]) -> usize {
        let mut stream = answer(rig, steps);
        let mut count = 0;
        while let Some(Ok(_)) = stream.next().await {
            count += 1;
        }
        count
    }
    let rig = rig();
    let _inside = rig.enter();
    for steps in [&[Gives(1, 1), Gives(1, 1)][..], &[Gives(1, 1), Fails(1)]] {
        futures::executor::block_on(collects(&rig, steps));
    }
    assert_eq!(ended(&rig), "ok 2");
    assert_eq!(
        shown(&counts(&rig, "inference_errors_total", &["stage"])),
        ""
    );
}

#[test]
fn of_several_streams_the_last_one_ends_the_request() {
    #[inference_request]
    fn choices(rig: &Arc<Rig>, one: &[Step], other: &[Step]) -> [Answer; 2] {
        [answer(rig, one), answer(rig, other)]
    }
    let rig = rig();
    let _inside = rig.enter();
    let steps = [Gives(10, 1), Gives(10, 1)];
    let [one, other] = choices(&rig, &steps, &[Gives(10, 1), Fails(10)]);
    assert_eq!(read(other), 2);
    assert_eq!(ended(&rig), "", "one is still open");
    drop(one);
    assert_eq!(
        ended(&rig),
        "error 1",
        "an error says more than a client that left"
    );
    let [one, other] = choices(&rig, &steps, &steps);
    assert_eq!((read(one), read(other)), (2, 2));
    assert_eq!(ended(&rig), "error 1, ok 1");
    let first = format!(
        "gen_ai_server_time_to_first_token_seconds_count{{{}}}",
        crate::tokens::GEN_AI
    );
    assert_eq!(rig.value(&first), Some(1.0), "once a request");
}

#[test]
fn a_stream_moves_to_other_threads_and_stays_with_its_request() {
    #[inference_stage("sample")]
    fn sample() {}
    #[inference_request]
    fn handler(rig: &Arc<Rig>) -> impl Stream<Item = Result<u32, Engine>> + Send + Unpin + use<> {
        script(rig, &[Gives(1, 1), Gives(1, 1)])
            .inspect(|_| sample())
            .measure_tokens(tokens)
    }
    let rig = rig();
    let stream = {
        let _inside = rig.enter();
        handler(&rig)
    };
    assert_eq!(std::thread::spawn(move || read(stream)).join().unwrap(), 2);
    assert_eq!(ended(&rig), "ok 1");
    assert_eq!(
        shown(&stages(&rig)),
        "decode ok 1, prefill ok 1, sample ok 2"
    );
    assert!(!rig.scrape().contains("inference_orphan_stages_total"));
}

const COMPUTE: &str = "inference_compute_seconds_total{model=\"llama\",version=\"1\"}";

fn executions(rig: &Rig) -> f64 {
    value(
        rig,
        "inference_batch_size_count{model=\"llama\",version=\"1\"}",
    )
}

#[test]
fn its_stages_are_executions_where_the_service_has_none() {
    let rig = rig();
    let _inside = rig.enter();
    let stream = generate(&rig, &[Gives(10, 1), Gives(30, 1)]);
    for item in futures::executor::block_on_stream(stream) {
        assert!(item.is_ok());
        rig.advance(Duration::from_secs(1));
    }
    same(value(&rig, COMPUTE), 0.040);
    same(executions(&rig), 2.0);
}

#[test]
fn compute_is_counted_once_beside_and_around_executions_of_the_services_own() {
    #[inference_stage("execute")]
    fn step(rig: &Rig) {
        rig.advance(Duration::from_millis(8));
    }
    #[inference_request]
    fn beside(rig: &Arc<Rig>) -> Answer {
        let inner = Arc::clone(rig);
        let stream = script(rig, &[Gives(1, 1), Gives(1, 1)]);
        Box::new(stream.inspect(move |_| step(&inner)).measure_tokens(tokens))
    }
    #[inference_stage("execute")]
    fn all(rig: &Arc<Rig>) {
        assert_eq!(read(answer(rig, &[Gives(10, 1), Gives(10, 1)])), 2);
    }
    #[inference_request]
    fn around(rig: &Arc<Rig>) {
        all(rig);
    }
    let rig = rig();
    let _inside = rig.enter();
    assert_eq!(read(beside(&rig)), 2);
    same(value(&rig, COMPUTE), 0.016);
    same(executions(&rig), 2.0);
    around(&rig);
    same(value(&rig, COMPUTE), 0.036);
    same(executions(&rig), 3.0);
}

#[test]
fn tokens_are_on_the_bill_of_the_tenant() {
    #[inference_request(tenant = tenant)]
    fn handler(rig: &Arc<Rig>, tenant: &instrument_inference::Label) -> Answer {
        let _ = tenant;
        answer(rig, &[Gives(1, 1), Gives(1, 2)])
    }
    let tenants = LabelSet::listed("tenant", &["acme"]);
    let rig = rig();
    let _inside = rig.enter();
    assert_eq!(read(handler(&rig, &tenants.get("acme"))), 2);
    let found = counts(&rig, "inference_tokens_total", &["tenant", "token_type"]);
    assert_eq!(shown(&found), "acme output 3");
}

/// As from a task that goes on when the handler has returned, or the client has left.
#[test]
fn tokens_that_come_after_the_end_are_nobodys() {
    #[inference_request(tenant = tenant)]
    fn handler(tenant: &instrument_inference::Label) -> Option<RequestContext> {
        let _ = tenant;
        let request = RequestContext::current()?;
        request.tokens(TokenKind::Input, 5);
        Some(request)
    }
    let tenants = LabelSet::listed("tenant", &["acme"]);
    let rig = rig();
    let _inside = rig.enter();
    let request = handler(&tenants.get("acme")).expect("a request is current in its handler");
    request.tokens(TokenKind::Input, 2);
    let _late = request.enter();
    assert_eq!(read(answer(&rig, &[Gives(1, 1), Gives(1, 2)])), 2);
    let found = counts(&rig, "inference_tokens_total", &["tenant", "token_type"]);
    assert_eq!(shown(&found), " input 2,  output 3, acme input 5");
}

/// As from a difference that went below 0: added as it is, such a number would take away.
#[test]
fn a_number_that_nobody_has_takes_nothing_away() {
    #[inference_request]
    fn generates(tokens: u64) {
        if let Some(request) = RequestContext::current() {
            request.tokens(TokenKind::Input, tokens);
        }
    }
    let rig = Rig::new();
    let _inside = rig.enter();
    let mut total = 0.0;
    let labels = "model=\"none\",token_type=\"input\",version=\"none\"";
    for tokens in [5, u64::MAX, u64::MAX, 0] {
        generates(tokens);
        let grown = value(&rig, &format!("inference_tokens_total{{{labels}}}"));
        assert!(grown >= total, "{grown} after {total}");
        total = grown;
    }
}

#[test]
fn a_request_says_once_why_the_model_stopped() {
    #[inference_request]
    fn handler() {
        let context = RequestContext::current().unwrap();
        context.finish(FinishReason::Length);
        context.finish(FinishReason::Error);
    }
    let rig = rig();
    let _inside = rig.enter();
    handler();
    let found = counts(&rig, "inference_finishes_total", &["finish_reason"]);
    assert_eq!(shown(&found), "length 1");
}

#[test]
fn tokens_move_the_progress_of_a_model() {
    let rig = rig();
    let _inside = rig.enter();
    let mut stream = generate(&rig, &[Gives(1, 1), Gives(60_000, 1), Gives(1, 1)]);
    for _ in 0..2 {
        assert!(stream.next().now_or_never().is_some());
    }
    let last = "inference_last_progress_timestamp_seconds{model=\"llama\",version=\"1\"}";
    same(value(&rig, last), 1_767_225_660.001);
}

#[test]
fn a_service_that_generates_nothing_has_no_families_for_it() {
    #[inference_request]
    fn handler() {}
    let rig = Rig::new();
    rig.model("sentiment", "1");
    let _inside = rig.enter();
    handler();
    let scrape = rig.scrape();
    for family in [
        "token",
        "gen_ai",
        "backpressure",
        "finishes",
        "decode",
        "prefill",
    ] {
        assert!(!scrape.contains(family), "{family} in\n{scrape}");
    }
}

#[test]
fn pushes_count_what_scrapes_count_in_both_temporalities() {
    use opentelemetry_sdk::metrics::data::{
        AggregatedMetrics, HistogramDataPoint, MetricData, ResourceMetrics, ScopeMetrics,
    };
    for delta in [false, true] {
        let builder = Rig::builder();
        let rig = Arc::new(if delta { builder.delta() } else { builder }.start());
        drop(rig.model("llama", "1").gen_ai("chat", "ours"));
        let _inside = rig.enter();
        let mut pushed = Vec::new();
        for _ in 0..2 {
            assert_eq!(
                read(generate(&rig, &[Gives(5, 1), Gives(20, 2), Gives(3, 1)])),
                3
            );
            let push = rig.push();
            let metrics = push.iter().flat_map(ResourceMetrics::scope_metrics);
            let metrics = metrics.flat_map(ScopeMetrics::metrics);
            let gaps = metrics.filter(|one| one.name() == "inference.inter_token.latency");
            for metric in gaps {
                let AggregatedMetrics::F64(MetricData::Histogram(histogram)) = metric.data() else {
                    panic!("a histogram");
                };
                pushed.extend(histogram.data_points().map(HistogramDataPoint::count));
            }
        }
        assert_eq!(pushed, if delta { [3, 3] } else { [3, 6] });
    }
}
