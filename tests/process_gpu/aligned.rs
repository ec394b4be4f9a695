//! Requests and resources in one query: that of `docs/devices.md`, asked of a real Prometheus.

use crate::library::{machine, says};
use crate::story::{self, until};
use crate::{peer, prometheus};
use instrument_inference::{Telemetry, inference_request, inference_stage};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// What the query shows of a replica that has a device.
const SHOWS: [&str; 5] = ["memory", "cpu", "gpu", "gpu memory", "execute p99"];

#[inference_stage("execute")]
fn execute(rows: u32) -> u32 {
    (0..rows).fold(0, |sum, row| sum ^ row.wrapping_mul(31))
}

#[inference_request(ingress = "http")]
fn predict(rows: u32) -> u32 {
    execute(rows)
}

pub(crate) fn one_query() {
    says(&machine(1));
    let telemetry = Telemetry::builder("story")
        .metrics_addr("127.0.0.1:0")
        .install()
        .expect("it starts");
    let replica = telemetry.metrics_addr().expect("it was asked for");
    let done = Arc::new(AtomicBool::new(false));
    let over = Arc::clone(&done);
    let load = thread::spawn(move || {
        while !over.load(Ordering::Acquire) {
            predict(100_000);
        }
    });
    let program = peer::require("prometheus").expect("the test has looked for it");
    let (_server, address) = prometheus::start(&program, &[replica]);
    let (promql, from) = (prometheus::aligned(replica), prometheus::now());
    until("all of them have times in common", || {
        let times = prometheus::times(address, &promql, from);
        let sets = SHOWS.map(|shows| times.get(shows).cloned().unwrap_or_default());
        let first = sets[0].iter();
        let common = first.filter(|at| sets.iter().all(|set| set.contains(at)));
        common.count() >= 3
    });
    done.store(true, Ordering::Release);
    load.join().expect("requests end");
    telemetry
        .shutdown_blocking(story::PATIENCE)
        .expect("it stops");
}
