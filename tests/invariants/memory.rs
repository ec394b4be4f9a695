//! Requests leave no memory behind.
#![cfg(target_os = "linux")]

use crate::alone;
use crate::plan::{Random, Tenant, Tier};
use futures::StreamExt;
use instrument_inference::queue::{self, Batch, Caller};
use instrument_inference::testing::Rig;
use instrument_inference::{ErrorType, ModelSlot, inference_request, inference_stage};
use std::time::Duration;
use tokio::task::yield_now;

/// Set in the process that measures itself.
const MEASURES: &str = "INVARIANT_MEMORY";

const WARM_UP: u32 = 20_000;
const REQUESTS: u32 = 200_000;

/// No allocator gives less than 24 bytes and a word of its own to what is kept: one such piece for each request would
/// be 6.4 MB. What is not the requests' own (stacks, the allocator's arenas, the text of a scrape) moves by less.
const MOST_GROWTH: u64 = 4 << 20;

#[inference_stage("preprocess")]
async fn preprocess(kind: u32) -> Result<(), ErrorType> {
    if kind == 1 {
        return Err(ErrorType::InvalidInput);
    }
    if kind < 8 {
        yield_now().await;
    }
    Ok(())
}

#[inference_stage("execute")]
fn execute(kind: u32) -> Result<u32, ErrorType> {
    if kind == 2 {
        Err(ErrorType::CudaOom)
    } else {
        Ok(kind)
    }
}

#[inference_stage("execute", batch = batch)]
fn execute_many(batch: &Batch<u32, Result<u32, ErrorType>>) -> Vec<Result<u32, ErrorType>> {
    batch.inputs().map(|kind| Ok(*kind)).collect()
}

#[inference_request(model = slot, ingress = "http", tenant = tenant, tier = tier)]
async fn predict(
    slot: &ModelSlot,
    caller: &Caller<u32, Result<u32, ErrorType>>,
    tenant: Option<Tenant>,
    tier: Tier,
    kind: u32,
) -> Result<u32, ErrorType> {
    preprocess(kind).await?;
    if kind < 8 {
        let answer = caller.call(kind).await;
        answer.map_err(|_| ErrorType::Internal)?
    } else {
        execute(kind - 8)
    }
}

/// What the process holds, in bytes.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").expect("linux says");
    let pages = statm.split(' ').nth(1).and_then(|pages| pages.parse().ok());
    let pages: u64 = pages.expect("the second number is the resident pages");
    pages * 4_096
}

async fn requests(slots: &[ModelSlot], rig: &Rig, random: &mut Random, requests: u32) {
    let (caller, worker) = queue::batcher("memory", 128);
    let caller = caller.model(&slots[0]);
    let worker = std::thread::spawn(move || {
        while let Some(batch) = worker.next_blocking(32, Duration::from_micros(100)) {
            let answers = execute_many(&batch);
            batch.finish(answers);
        }
    });
    let caller_of_all = &caller;
    let clients = (0..requests).map(|number| {
        let slot = &slots[random.below(2) as usize];
        let tenant = random.of(&[None, Some(Tenant::Acme), Some(Tenant::Initech)]);
        let tier = random.of(&[Tier::Free, Tier::Paid]);
        let (kind, leaves) = (random.below(128), random.one_in(32));
        async move {
            let mut request = Box::pin(predict(slot, caller_of_all, tenant, tier, kind));
            if leaves {
                let _ = futures::poll!(request.as_mut());
            } else {
                let _ = request.await;
            }
            if number % 1_000 == 0 {
                assert!(!rig.scrape().is_empty());
                // a thread that comes and goes
                let end = std::thread::spawn(move || execute(kind)).join();
                let _ = end.expect("it does not panic");
            }
        }
    });
    let mut clients = futures::stream::iter(clients).buffer_unordered(64);
    while clients.next().await.is_some() {}
    drop(clients);
    drop(caller);
    worker.join().expect("the worker ends with its callers");
}

fn measure() {
    let rig = Rig::builder().real_clock().start();
    let slots = [rig.model("a", "1"), rig.model("a", "2")];
    let _inside = rig.enter();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime starts");
    let mut random = Random::new(1);
    runtime.block_on(requests(&slots, &rig, &mut random, WARM_UP));
    let before = resident();
    runtime.block_on(requests(&slots, &rig, &mut random, REQUESTS));
    let grown = resident().saturating_sub(before);
    eprintln!("{REQUESTS} requests: {grown} bytes");
    assert!(
        grown < MOST_GROWTH,
        "{REQUESTS} requests have left {grown} bytes behind, after {before}"
    );
}

#[test]
fn requests_leave_no_memory_behind() {
    let _alone = alone();
    if std::env::var_os(MEASURES).is_some() {
        return measure();
    }
    // a process of its own: what other tests have freed would hide what is kept here
    let this = std::env::current_exe().expect("a test knows its program");
    let name = "memory::requests_leave_no_memory_behind";
    let measured = std::process::Command::new(this)
        .args([name, "--exact", "--nocapture"])
        .env(MEASURES, "1")
        .output()
        .expect("it can be run once more");
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (said(&measured.stdout), said(&measured.stderr));
    assert!(
        measured.status.success() && out.contains("1 passed"),
        "{out}\n{err}"
    );
}
