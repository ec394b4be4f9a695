//! What must hold while nothing moves.

use crate::book::Book;
use crate::scraped::Scraped;
use instrument_inference::ModelSlot;
use std::collections::BTreeMap;

/// In the order of the slots.
pub const MODELS: [(&str, &str); 4] = [("a", "1"), ("a", "2"), ("b", "1"), ("b", "2")];

const OUTCOMES: [&str; 5] = ["ok", "error", "rejected", "cancelled", "panicked"];

fn labels(model: Option<usize>) -> [(&'static str, &'static str); 2] {
    let (model, version) = model.map_or(("none", "none"), |place| MODELS[place]);
    [("model", model), ("version", version)]
}

fn models() -> impl Iterator<Item = Option<usize>> {
    (0..MODELS.len()).map(Some).chain([None])
}

/// Every request that has begun has ended, in the way that its client saw.
pub fn requests(scraped: &Scraped, book: &Book) {
    let seen = book.seen();
    let count = |name, with: &[(&str, &str)]| scraped.count(name, with);
    for outcome in OUTCOMES {
        let with = [("outcome", outcome)];
        let ended = seen.by_outcome().get(outcome).copied().unwrap_or(0);
        assert_eq!(count("inference_requests_total", &with), ended, "{outcome}");
        assert_eq!(
            count("inference_request_duration_seconds_count", &with),
            ended,
            "durations: {outcome}"
        );
        let tenants = seen.tenants.get(outcome).copied().unwrap_or(0);
        assert_eq!(
            count("inference_tenant_requests_total", &with),
            tenants,
            "tenants: {outcome}"
        );
        for model in models() {
            let [model_name, version] = labels(model);
            let ended = seen.ended.get(&(model, outcome)).copied().unwrap_or(0);
            assert_eq!(
                count(
                    "inference_requests_total",
                    &[model_name, version, ("outcome", outcome)]
                ),
                ended,
                "{model_name:?} {version:?} {outcome}"
            );
        }
    }
    let all: u64 = seen.by_model().values().sum();
    assert_eq!(book.started.get(), all, "what begins ends");
    assert_eq!(count("inference_requests_total", &[]), all);
    assert_eq!(scraped.count("inference_requests_in_flight", &[]), 0);

    let of = |outcome| seen.by_outcome().get(outcome).copied().unwrap_or(0);
    assert_eq!(count("inference_errors_total", &[]), of("error"));
    assert_eq!(count("inference_rejections_total", &[]), of("rejected"));
    assert_eq!(count("inference_cancellations_total", &[]), of("cancelled"));
    let of_tenants = |outcome| seen.tenants.get(outcome).copied().unwrap_or(0);
    assert_eq!(
        count("inference_tenant_errors_total", &[]),
        of_tenants("error")
    );
    let reasons = ["invalid_input", "rate_limited", "queue_full", "draining"];
    let counted = reasons.map(|reason| {
        let counted = count("inference_rejections_total", &[("reason", reason)]);
        (reason, counted)
    });
    let counted: BTreeMap<_, _> = counted
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .collect();
    assert_eq!(counted, seen.rejected);
}

/// Every stage that has begun has ended, and each execution served those whom its worker saw.
pub fn stages(scraped: &Scraped, book: &Book) {
    let count = |name, with: &[(&str, &str)]| scraped.count(name, with);
    assert_eq!(count("inference_stage_in_flight", &[]), 0);
    let ended = |stage| {
        count(
            "inference_stage_duration_seconds_count",
            &[("stage", stage)],
        )
    };
    assert_eq!(ended("execute"), book.members.get(), "members");
    assert_eq!(ended("preprocess"), book.preprocessed.get(), "preprocess");
    assert_eq!(
        count("inference_batch_size_count", &[]),
        book.executions.get(),
        "executions"
    );
    assert_eq!(
        count("inference_batch_duration_seconds_count", &[]),
        book.executions.get(),
        "executions have durations"
    );
    assert_eq!(
        count("inference_batch_size_sum", &[]),
        book.members.get(),
        "sizes"
    );
    assert_eq!(
        count("inference_batches_total", &[]),
        book.batches.get(),
        "batches"
    );
    for stage in ["preprocess", "postprocess", "lookup", "rerank"] {
        let orphans = count("inference_orphan_stages_total", &[("stage", stage)]);
        assert_eq!(orphans, 0, "{stage} was carried everywhere");
    }
}

/// Whatever went into a queue has left it. Not while workers leave, when some calls are refused before they wait.
pub fn waits(scraped: &Scraped, book: &Book) {
    let stage = [("stage", "queue")];
    let ended = scraped.count("inference_stage_duration_seconds_count", &stage);
    assert_eq!(ended, book.asked.get(), "what waited");
    let orphans = scraped.count("inference_orphan_stages_total", &stage);
    assert_eq!(orphans, book.bare.get(), "what waited for no request");
}

/// Time adds up.
pub fn seconds(scraped: &Scraped, book: &Book) {
    let sum = |name, with: &[(&str, &str)]| scraped.sum(name, with);
    // each span is cut to whole nanoseconds when it is recorded: once for an execution, once for each share in it
    let cut = 1e-9;
    let spans = (book.members.get() + book.executions.get()) as f64 * cut;
    let (shares, executions) = (
        sum("inference_compute_seconds_total", &[]),
        sum("inference_batch_duration_seconds_sum", &[]),
    );
    assert!(
        (shares - executions).abs() <= executions * 1e-6 + spans,
        "shares of compute add up to {shares} s, executions to {executions} s"
    );
    for model in models() {
        let with = labels(model);
        let rest = sum("inference_unattributed_seconds_total", &with);
        let total = sum("inference_request_duration_seconds_sum", &with);
        assert!(
            rest >= 0.0 && rest <= total,
            "{with:?}: {rest} of {total} s"
        );
    }
    let covered = sum("inference_request_duration_seconds_sum", &[])
        - sum("inference_unattributed_seconds_total", &[]);
    let stages = sum("inference_stage_duration_seconds_sum", &[]);
    let spans = scraped.count("inference_stage_duration_seconds_count", &[]) as f64 * cut;
    assert!(
        covered <= stages + spans,
        "stages cover {covered} s, and took {stages} s"
    );
    let wasted = sum("inference_wasted_compute_seconds_total", &[]);
    assert!(wasted >= 0.0 && wasted <= stages + spans, "{wasted} s");
    let tenants = sum("inference_tenant_request_seconds_total", &[]);
    let total = sum("inference_request_duration_seconds_sum", &[]);
    assert!(tenants <= total * (1.0 + 1e-9), "{tenants} of {total} s");
}

/// `waited`: how many certainly waited at one time, in each queue.
pub fn queues(scraped: &Scraped, waited: [u64; 2]) {
    assert_eq!(scraped.count("inference_queue_size", &[]), 0);
    assert!(!scraped.has("inference_queue_oldest_age_seconds"));
    for (queue, waited) in ["first", "second"].into_iter().zip(waited) {
        let peak = scraped.count("inference_queue_peak", &[("queue", queue)]);
        assert!(
            peak >= waited,
            "{queue}: {waited} waited, the peak is {peak}"
        );
    }
}

pub fn models_are(scraped: &Scraped, slots: &[ModelSlot], book: &Book) {
    for (place, slot) in slots.iter().enumerate() {
        let ready = scraped.count("inference_model_ready", &labels(Some(place)));
        assert_eq!(ready, u64::from(slot.is_ready()), "{place}");
    }
    for (result, expected) in [("ok", book.loaded.get()), ("error", book.not_loaded.get())] {
        let loads = scraped.count("inference_model_loads_total", &[("result", result)]);
        assert_eq!(loads, expected, "loads: {result}");
    }
}
