//! Subscribers that misbehave: nothing that was recorded is lost or counted twice.

use instrument_inference::testing::Rig;
use instrument_inference::{inference_request, inference_stage};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

#[inference_stage("execute")]
fn execute() {}

#[inference_stage("preprocess")]
async fn preprocess() {}

#[inference_request]
fn predict() {
    execute();
}

#[inference_request]
async fn predict_async() {
    preprocess().await;
    execute();
}

#[inference_request(root)]
fn of_a_subscriber() {
    execute();
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    New,
    Record,
    Enter,
    Exit,
    Close,
}

/// Does something in one of its calls, once it has been called that many times.
#[derive(Clone)]
struct Sly {
    call: Call,
    after: u32,
    called: Arc<AtomicU32>,
    spans: Arc<AtomicU32>,
    does: fn(),
}

impl Sly {
    fn at(&self, call: Call) {
        if call == self.call && self.called.fetch_add(1, Ordering::SeqCst) == self.after {
            (self.does)();
        }
    }
}

impl Subscriber for Sly {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        self.spans.fetch_add(1, Ordering::SeqCst);
        self.at(Call::New);
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {
        self.at(Call::Record);
    }
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, _: &Event<'_>) {}
    fn enter(&self, _: &Id) {
        self.at(Call::Enter);
    }
    fn exit(&self, _: &Id) {
        self.at(Call::Exit);
    }
    fn try_close(&self, _: Id) -> bool {
        self.at(Call::Close);
        true
    }
}

const CALLS: [Call; 5] = [
    Call::New,
    Call::Record,
    Call::Enter,
    Call::Exit,
    Call::Close,
];

fn value(rig: &Rig, series: &str) -> u64 {
    let all = rig.scrape();
    all.lines()
        .filter(|line| line.starts_with(series))
        .filter_map(|line| line.rsplit_once(' ')?.1.parse::<u64>().ok())
        .sum()
}

/// What each call of a subscriber may do in the first and the second span, in both kinds of function.
fn each(does: fn(), check: impl Fn(&Rig, u32, &str)) {
    for call in CALLS {
        for after in [0, 1] {
            for is_async in [false, true] {
                let rig = Rig::new();
                let _inside = rig.enter();
                let spans = Arc::new(AtomicU32::new(0));
                let sly = Sly {
                    call,
                    after,
                    called: Arc::default(),
                    spans: Arc::clone(&spans),
                    does,
                };
                tracing::subscriber::with_default(sly, || {
                    let _ = catch_unwind(AssertUnwindSafe(|| {
                        if is_async {
                            futures::executor::block_on(predict_async());
                        } else {
                            predict();
                        }
                    }));
                });
                check(
                    &rig,
                    spans
                        .load(Ordering::SeqCst)
                        .saturating_sub(u32::from(is_async)),
                    &format!("{call:?}, {after}, async: {is_async}"),
                );
            }
        }
    }
}

#[test]
fn a_subscriber_that_panics_leaves_nothing_in_flight() {
    each(
        || panic!("a subscriber"),
        |rig, _, case| {
            assert_eq!(value(rig, "inference_requests_in_flight"), 0, "{case}");
            assert_eq!(value(rig, "inference_stage_in_flight"), 0, "{case}");
            assert!(value(rig, "inference_requests_total") <= 1, "{case}");
            // the thread is outside of all requests again
            assert!(
                instrument_inference::RequestContext::current().is_none(),
                "{case}"
            );
        },
    );
}

#[test]
fn a_subscriber_that_calls_annotated_code_is_counted_and_makes_no_spans() {
    each(of_a_subscriber, |rig, spans, case| {
        // a request and a stage, for an asynchronous one another stage
        assert_eq!(spans, 2, "{case}");
        assert_eq!(value(rig, "inference_requests_total"), 2, "{case}");
        assert_eq!(value(rig, "inference_requests_in_flight"), 0, "{case}");
    });
}
