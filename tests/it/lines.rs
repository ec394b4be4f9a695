//! How many lines a scrape has: what Prometheus bills.

use crate::support::{counts, shown};
use instrument_inference::testing::Rig;
use instrument_inference::{ErrorType, LabelValue, ModelSlot, inference_request, inference_stage};
use std::future::{Future, pending};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::pin;
use std::task::{Context, Waker};

/// One of fifty.
struct Customer(u32, String);

impl LabelValue for Customer {
    const CARDINALITY: u32 = 50;
    fn index(&self) -> u32 {
        self.0
    }
    fn value(&self) -> Option<&str> {
        Some(&self.1)
    }
}

#[derive(LabelValue, Clone, Copy)]
enum Tier {
    Free,
    Paid,
    Internal,
}

#[derive(Clone, Copy)]
enum End {
    Well,
    Wrong,
    Refused,
    Dropped,
    Unwound,
}

const ENDS: [End; 5] = [
    End::Well,
    End::Wrong,
    End::Refused,
    End::Dropped,
    End::Unwound,
];

async fn end(how: End) -> Result<(), ErrorType> {
    match how {
        End::Well => Ok(()),
        End::Wrong => Err(ErrorType::CudaOom),
        End::Refused => Err(ErrorType::InvalidInput),
        End::Dropped => pending().await,
        End::Unwound => resume_unwind(Box::new(())),
    }
}

/// A request of eight stages, each of which ends as the request does.
macro_rules! request {
    ($request:ident, $ingress:literal) => {
        #[inference_request(model = slot, ingress = $ingress, tier = tier, tenant = customer)]
        async fn $request(
            slot: &ModelSlot,
            tier: Tier,
            customer: &Customer,
            how: End,
        ) -> Result<(), ErrorType> {
            stages(how).await
        }
    };
}

request!(by_http, "http");
request!(by_grpc, "grpc");
request!(by_batch, "batch");

macro_rules! around {
    ($outer:ident $name:literal, $inner:ident) => {
        #[inference_stage($name)]
        async fn $outer(how: End) -> Result<(), ErrorType> {
            $inner(how).await
        }
    };
}

around!(stages "ingress", tokenize);
around!(tokenize "tokenize", preprocess);
around!(preprocess "preprocess", queue);
around!(queue "queue", batch);
around!(batch "batch", detokenize);
around!(detokenize "detokenize", postprocess);
around!(postprocess "postprocess", serialize);
around!(serialize "serialize", end);

/// Polls once, which is all that these need, and drops what is pending.
fn run(request: impl Future<Output = Result<(), ErrorType>>) {
    let _ = catch_unwind(AssertUnwindSafe(|| {
        let request = pin!(request);
        request
            .poll(&mut Context::from_waker(Waker::noop()))
            .is_ready()
    }));
}

#[test]
fn a_large_service_stays_within_what_a_scrape_may_have() {
    let rig = Rig::new();
    let _inside = rig.enter();
    let customers: Vec<_> = (0..50)
        .map(|number| Customer(number, format!("customer-{number}")))
        .collect();
    let slots: Vec<_> = (0..5)
        .flat_map(|model| ["1", "2", "3"].map(|version| (format!("model-{model}"), version)))
        .map(|(model, version)| rig.model(&model, version))
        .collect();
    let all = |how: End| {
        for slot in &slots {
            for customer in &customers {
                for tier in [Tier::Free, Tier::Paid, Tier::Internal] {
                    run(by_http(slot, tier, customer, how));
                    run(by_grpc(slot, tier, customer, how));
                    run(by_batch(slot, tier, customer, how));
                }
            }
        }
    };
    all(End::Well);
    let lines = rig.scrape().lines().count();
    assert!(lines < 22_000, "{lines} with ok alone");
    for how in &ENDS[1..] {
        all(*how);
    }
    let scrape = rig.scrape();
    let lines = scrape.lines().count();
    assert!(lines < 45_000, "{lines} with every outcome");
    // and nothing was folded to get there
    assert!(!scrape.contains("=\"other\""), "something was folded");
    assert_eq!(
        shown(&counts(&rig, "inference_requests_total", &["outcome"])),
        "cancelled 6750, error 6750, ok 6750, panicked 6750, rejected 6750"
    );
    assert_eq!(
        counts(&rig, "inference_stage_duration_seconds_count", &["stage"]).len(),
        8
    );
}
