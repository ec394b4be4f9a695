//! What must hold whatever the load: a service under random requests, failures and departures, whose scrape must agree
//! with what its clients saw, and not grow.
//!
//! Each load follows from a seed, up to the order in which threads run. `INVARIANT_SEEDS=n` runs `n` of them.
#![cfg(feature = "testing")]
#![allow(
    missing_docs,
    unreachable_pub,
    reason = "nobody uses a test from outside"
)]
#![allow(
    clippy::cast_precision_loss,
    reason = "the numbers of these tests are small"
)]

#[path = "invariants/book.rs"]
mod book;
#[path = "invariants/checks.rs"]
mod checks;
#[path = "invariants/load.rs"]
mod load;
#[path = "invariants/memory.rs"]
mod memory;
#[path = "invariants/plan.rs"]
mod plan;
#[path = "invariants/scraped.rs"]
mod scraped;
#[path = "invariants/service.rs"]
mod service;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// One test at a time: each keeps all cores busy.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Says which seed it was when a test fails.
struct Seed(u64);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed with seed {}", self.0);
        }
    }
}

fn seeds() -> u64 {
    let asked = std::env::var("INVARIANT_SEEDS").ok();
    asked.and_then(|seeds| seeds.parse().ok()).unwrap_or(3)
}

#[test]
fn what_clients_saw_is_what_is_counted_on_two_threads() {
    let _alone = alone();
    for seed in 0..seeds() {
        let _seed = Seed(seed);
        let runtime = tokio::runtime::Builder::new_multi_thread();
        load::run(seed, runtime);
    }
}

#[test]
fn what_clients_saw_is_what_is_counted_on_one_thread() {
    let _alone = alone();
    for seed in 0..seeds() {
        let _seed = Seed(seed);
        let runtime = tokio::runtime::Builder::new_current_thread();
        load::run(seed ^ 0x5eed, runtime);
    }
}

/// What the random loads find at once where it does not hold, in the fewest steps.
#[test]
fn an_execution_whose_client_has_left_is_still_counted_as_compute() {
    use futures::FutureExt;
    use instrument_inference::testing::Rig;
    use instrument_inference::{RequestContext, inference_request, inference_stage};
    use std::time::Duration;

    #[inference_request(tenant = plan::Tenant::Acme)]
    async fn waits(told: &mut Option<RequestContext>) {
        *told = RequestContext::current();
        std::future::pending::<()>().await;
    }
    #[inference_stage("execute", batch = members)]
    fn execute(rig: &Rig, members: &[RequestContext]) {
        rig.advance(Duration::from_millis(10));
    }
    let _alone = alone();
    let rig = Rig::new();
    let _inside = rig.enter();
    let mut told = None;
    let mut client = Box::pin(waits(&mut told));
    assert!(client.as_mut().now_or_never().is_none());
    drop(client);
    let member = told.expect("the handler has begun");
    execute(&rig, &[member]);
    let scraped = scraped::Scraped::read(&rig.scrape()).expect("a scrape can be read");
    let executions = scraped.sum("inference_batch_duration_seconds_sum", &[]);
    let shares = scraped.sum("inference_compute_seconds_total", &[]);
    assert!(
        (executions - shares).abs() < 1e-9,
        "executions took {executions} s, their shares add up to {shares} s"
    );
}
