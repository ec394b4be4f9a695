//! Requests and resources in one query: that of `docs/devices.md`, asked of a real Prometheus.

use crate::library::{machine, says};
use crate::peer::{self, Process, Scratch};
use crate::story::until;
use instrument_inference::{Telemetry, inference_request, inference_stage};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const DOCUMENT: &str = include_str!("../../docs/devices.md");

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

/// The query of the document, about this replica, over a time that a test can wait for.
fn query(instance: SocketAddr) -> String {
    let blocks = DOCUMENT.split("```promql\n").skip(1);
    let mut blocks = blocks.filter_map(|rest| rest.split("```").next());
    let found = blocks.find(|block| block.contains("\"execute p99\""));
    let found = found.expect("the document has the query");
    found
        .replace("$i", &instance.to_string())
        .replace("[1m]", "[5s]")
}

fn start_prometheus(target: SocketAddr) -> (Process, SocketAddr) {
    let program = peer::require("prometheus").expect("the test has looked for it");
    let scratch = Scratch::new("prometheus-aligned");
    let config = scratch.write(
        "prometheus.yml",
        &format!(
            "global: {{scrape_interval: 250ms, scrape_timeout: 250ms}}\n\
             scrape_configs:\n- job_name: gpu\n  static_configs: [{{targets: ['{target}']}}]\n"
        ),
    );
    let addr = peer::free_addr();
    let data = scratch.path().join("data");
    let arguments = [
        format!("--config.file={}", config.display()),
        format!("--storage.tsdb.path={}", data.display()),
        format!("--web.listen-address={addr}"),
    ];
    let mut server = Process::start(&program, arguments, scratch);
    server.wait_for_http(addr, "/-/ready", Duration::from_secs(60));
    (server, addr)
}

/// The times, in seconds, at which each series has a value, by its label `shows`.
fn times(prometheus: SocketAddr, promql: &str, from: u64) -> BTreeMap<String, BTreeSet<u64>> {
    let mut path = "/api/v1/query_range?query=".to_owned();
    for byte in promql.bytes() {
        write!(path, "%{byte:02X}").expect("writing to a string works");
    }
    write!(path, "&start={from}&end={}&step=1", now()).expect("writing to a string works");
    let answer = peer::get(prometheus, &path).expect("Prometheus answers");
    let json: Value = serde_json::from_str(&answer.body).expect("in JSON");
    let series = json["data"]["result"].as_array();
    let series = series.unwrap_or_else(|| panic!("{promql}: {json}"));
    let one = |one: &Value| {
        let shows = one["metric"]["shows"].as_str().expect("a label");
        let points = one["values"].as_array().expect("points").iter();
        let known = points.filter(|point| point[1] != "NaN");
        // asked for by whole seconds, answered in them
        let at = known.filter_map(|point| point[0].to_string().parse().ok());
        (shows.to_owned(), at.collect())
    };
    series.iter().map(one).collect()
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.expect("this is after 1970").as_secs()
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
    let (_server, prometheus) = start_prometheus(replica);
    let (promql, from) = (query(replica), now());
    until("all of them have times in common", || {
        let times = times(prometheus, &promql, from);
        let sets = SHOWS.map(|shows| times.get(shows).cloned().unwrap_or_default());
        let first = sets[0].iter();
        let common = first.filter(|at| sets.iter().all(|set| set.contains(at)));
        common.count() >= 3
    });
    done.store(true, Ordering::Release);
    load.join().expect("requests end");
    telemetry
        .shutdown_blocking(crate::story::PATIENCE)
        .expect("it stops");
}
