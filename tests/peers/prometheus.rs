//! A real Prometheus: started for a test, and asked.

// Each test includes the whole file and uses its own part of it.
#![allow(dead_code, unreachable_pub)]
#![allow(
    clippy::duration_suboptimal_units,
    reason = "minutes are too new for some of those that include it"
)]

use crate::peer::{self, Process, Scratch};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Scrapes these targets four times a second.
pub fn start(program: &Path, targets: &[SocketAddr]) -> (Process, SocketAddr) {
    let scratch = Scratch::new("prometheus");
    let targets: Vec<_> = targets.iter().map(|target| format!("'{target}'")).collect();
    let targets = targets.join(", ");
    let config = scratch.write(
        "prometheus.yml",
        &format!(
            "global: {{scrape_interval: 250ms, scrape_timeout: 250ms}}\n\
             scrape_configs:\n- job_name: service\n  static_configs: [{{targets: [{targets}]}}]\n"
        ),
    );
    let addr = peer::free_addr();
    let data = scratch.path().join("data");
    let arguments = [
        format!("--config.file={}", config.display()),
        format!("--storage.tsdb.path={}", data.display()),
        format!("--web.listen-address={addr}"),
    ];
    let mut server = Process::start(program, arguments, scratch);
    server.wait_for_http(addr, "/-/ready", Duration::from_secs(60));
    (server, addr)
}

/// The series that a query gives, each with its labels.
pub fn query(prometheus: SocketAddr, promql: &str) -> Vec<(Value, f64)> {
    let value = |one: &Value| one["value"][1].as_str()?.parse().ok();
    result(prometheus, "query", promql, "")
        .iter()
        .map(|one| (one["metric"].clone(), value(one).expect("a number")))
        .collect()
}

/// The times, in seconds of Unix time from `from` on, at which each series has a value, by its label `shows`.
pub fn times(prometheus: SocketAddr, promql: &str, from: u64) -> BTreeMap<String, BTreeSet<u64>> {
    let range = format!("&start={from}&end={}&step=1", now());
    let one = |one: &Value| {
        let shows = one["metric"]["shows"].as_str().expect("a label");
        let points = one["values"].as_array().expect("points").iter();
        let known = points.filter(|point| point[1] != "NaN");
        // asked for by whole seconds, answered in them
        let at = known.filter_map(|point| point[0].to_string().parse().ok());
        (shows.to_owned(), at.collect())
    };
    let series = result(prometheus, "query_range", promql, &range);
    series.iter().map(one).collect()
}

fn result(prometheus: SocketAddr, kind: &str, promql: &str, range: &str) -> Vec<Value> {
    let mut path = format!("/api/v1/{kind}?query=");
    for byte in promql.bytes() {
        write!(path, "%{byte:02X}").expect("writing to a string works");
    }
    path.push_str(range);
    let answer = peer::get(prometheus, &path).expect("Prometheus answers");
    let json: Value = serde_json::from_str(&answer.body).expect("in JSON");
    let series = json["data"]["result"].as_array();
    series.unwrap_or_else(|| panic!("{promql}: {json}")).clone()
}

/// Seconds of Unix time.
pub fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.expect("this is after 1970").as_secs()
}

/// Memory, utilization and the latency of a stage of one replica: the query of `docs/devices.md`, over a time that a test
/// can wait for.
pub fn aligned(instance: SocketAddr) -> String {
    let blocks = include_str!("../../docs/devices.md").split("```promql\n");
    let mut blocks = blocks.skip(1).filter_map(|rest| rest.split("```").next());
    let found = blocks.find(|block| block.contains("\"execute p99\""));
    let found = found.expect("the document has the query");
    found
        .replace("$i", &instance.to_string())
        .replace("[1m]", "[5s]")
}
