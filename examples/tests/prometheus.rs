//! What a Prometheus server says about the quickstart, against what its clients have measured.
#![cfg(unix)]

#[path = "../../tests/peers/peer.rs"]
mod peer;
#[path = "../../tests/peers/prometheus.rs"]
mod prometheus;
mod service;

use axum::http::StatusCode;
use instrument_examples::client::Client;
use instrument_examples::digits::heldout;
use prometheus::query;
use serde_json::Value;
use service::{FREE, Ready, Service, wait_until};
use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Runtime;
use tokio::task::JoinSet;

const CLIENTS: usize = 4;
const REQUESTS_EACH: usize = 600;

/// By how much the way to a trivial answer may differ from the way to one that the machine works for.
const WAY: f64 = 3.0;

/// What the clients measured, in seconds, sorted.
#[derive(Default)]
struct Measured {
    predict: Vec<f64>,
    /// Of requests that no handler takes: the way there and back, in the same load.
    way: Vec<f64>,
}

/// The value that the share `q` of all values does not exceed, as the rank is counted in a histogram.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "some thousand values"
)]
fn quantile(sorted: &[f64], q: f64) -> f64 {
    let rank = (q * sorted.len() as f64).ceil() as usize;
    sorted[rank.clamp(1, sorted.len()) - 1]
}

/// Each client sends pictures of several sizes, so that latencies spread over buckets, and trivial requests between.
async fn load(http: SocketAddr) -> Measured {
    let uploads: Vec<_> = heldout()
        .iter()
        .take(100)
        .zip(
            [28, 28, 280, 28, 600, 28, 28, 280, 28, 1200]
                .into_iter()
                .cycle(),
        )
        .map(|((image, _), side)| image.to_png_scaled(side))
        .collect();
    let uploads = Arc::new(uploads);
    let mut clients = JoinSet::new();
    for first in 0..CLIENTS {
        let uploads = Arc::clone(&uploads);
        clients.spawn(async move {
            let mut client = Client::new(http);
            let mut measured = Measured::default();
            for number in 0..REQUESTS_EACH {
                let upload = uploads[(first + number) % uploads.len()].clone();
                let began = Instant::now();
                let reply = client.post("/predict", upload).await.expect("an answer");
                measured.predict.push(began.elapsed().as_secs_f64());
                assert_eq!(reply.status, StatusCode::OK, "{:?}", reply.body);
                let began = Instant::now();
                let reply = client.post("/nowhere", "").await.expect("an answer");
                measured.way.push(began.elapsed().as_secs_f64());
                assert_eq!(reply.status, StatusCode::NOT_FOUND);
            }
            measured
        });
    }
    let mut all = Measured::default();
    for measured in clients.join_all().await {
        all.predict.extend(measured.predict);
        all.way.extend(measured.way);
    }
    all.predict.sort_by(f64::total_cmp);
    all.way.sort_by(f64::total_cmp);
    all
}

/// The value of a query that gives one series; `None` while there is none.
fn value(prometheus: SocketAddr, promql: &str) -> Option<f64> {
    let series = query(prometheus, promql);
    assert!(series.len() < 2, "{promql}: {series:?}");
    series.first().map(|(_, value)| *value)
}

/// The edges around the share `q`, from the cumulative counts by upper edge.
fn bucket(buckets: &[(f64, f64)], q: f64) -> (f64, f64) {
    let rank = q * buckets.last().expect("an open bucket").1;
    let at = buckets.iter().position(|(_, count)| *count >= rank);
    let at = at.expect("the last bucket holds all");
    let lower = if at == 0 { 0.0 } else { buckets[at - 1].0 };
    (lower, buckets[at].0)
}

#[test]
fn one_query_shows_memory_utilisation_and_latency_of_one_replica_at_the_same_times() {
    let Some(program) = peer::require("prometheus") else {
        return;
    };
    let mut replicas = [Service::start(&FREE, &[]), Service::start(&FREE, &[])];
    let ready = replicas.each_mut().map(Service::ready);
    let metrics = ready.map(|ready| ready.metrics.expect("metrics are on"));
    let (_server, address) = prometheus::start(&program, &metrics);
    let from = prometheus::now();
    let runtime = Runtime::new().expect("a runtime");
    let promql = prometheus::aligned(metrics[0]);
    wait_until("three of them have times in common", || {
        runtime.block_on(load(ready[0].http));
        let times = prometheus::times(address, &promql, from);
        let of = |shows: &str| times.get(shows).cloned().unwrap_or_default();
        let (memory, cpu, latency) = (of("memory"), of("cpu"), of("execute p99"));
        let common = memory
            .iter()
            .filter(|at| cpu.contains(at) && latency.contains(at));
        common.count() >= 3
    });
    // the other replica has had no load: what it shows is its own
    let idle = prometheus::times(address, &prometheus::aligned(metrics[1]), from);
    assert!(idle.contains_key("memory"), "{idle:?}");
    assert_eq!(
        idle.get("execute p99").map_or(0, BTreeSet::len),
        0,
        "{idle:?}"
    );
    for replica in replicas {
        replica.signal("INT");
        assert!(replica.ended().status.success());
    }
}

#[test]
fn prometheus_sees_what_the_clients_measured() {
    let Some(program) = peer::require("prometheus") else {
        return;
    };
    let mut service = Service::start(&FREE, &[]);
    let Ready { http, metrics, .. } = service.ready();
    let metrics = metrics.expect("metrics are on");
    let (_server, prometheus) = prometheus::start(&program, &[metrics]);
    let measured = Runtime::new().expect("a runtime").block_on(load(http));

    let ok = "sum(inference_requests_total{outcome=\"ok\"})";
    #[expect(clippy::cast_precision_loss, reason = "some thousand values")]
    let sent = measured.predict.len() as f64;
    wait_until("Prometheus has scraped after the last request", || {
        value(prometheus, ok).is_some_and(|count| count >= sent)
    });
    let exactly = |promql: &str, expected: f64| {
        let found = value(prometheus, promql).unwrap_or(f64::NAN);
        assert!(
            (found - expected).abs() < 1e-9,
            "{promql} is {found} instead of {expected}"
        );
    };
    exactly(ok, sent);
    // What no handler takes is counted by the layer.
    #[expect(clippy::cast_precision_loss, reason = "some thousand values")]
    let nowhere = measured.way.len() as f64;
    exactly(
        "sum(inference_rejections_total{reason=\"invalid_input\"})",
        nowhere,
    );
    exactly("sum(inference_requests_total)", sent + nowhere);
    exactly(
        "sum(inference_request_duration_seconds_count{outcome=\"ok\"})",
        sent,
    );
    // Each image is in one batch, and each batch is executed once, by somebody's order.
    exactly("sum(inference_batch_size_sum)", sent);
    exactly(
        "sum(inference_batch_size_count) - sum(inference_batches_total)",
        0.0,
    );
    exactly("sum(inference_queue_size)", 0.0);
    exactly(
        "sum(inference_tenant_requests_total{tenant=\"anonymous\"})",
        sent,
    );
    let compute =
        "sum(inference_compute_seconds_total) / sum(inference_batch_duration_seconds_sum)";
    let compute = value(prometheus, compute).expect("there were batches");
    assert!((compute - 1.0).abs() < 1e-3, "tenants pay {compute} of it");
    exactly(
        "sum(inference_stage_duration_seconds_count{stage=\"execute\"})",
        sent,
    );
    exactly("sum(inference_requests_in_flight)", 0.0);
    exactly("sum(inference_stage_in_flight)", 0.0);
    exactly("min(up)", 1.0);
    exactly("count(inference_orphan_stages_total > 0) or vector(0)", 0.0);

    let family = "inference_request_duration_seconds_bucket{outcome=\"ok\"}";
    let by_edge = query(prometheus, &format!("sum by (le) ({family})"));
    let edge = |labels: &Value| labels["le"].as_str().and_then(|edge| edge.parse().ok());
    let mut buckets: Vec<(f64, f64)> = by_edge
        .iter()
        .map(|(labels, count)| (edge(labels).expect("an edge"), *count))
        .collect();
    buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
    for q in [0.5, 0.9, 0.99] {
        let promql = format!("histogram_quantile({q}, sum by (le) ({family}))");
        let server = value(prometheus, &promql).expect("there were requests");
        let client = quantile(&measured.predict, q);
        let (lower, upper) = bucket(&buckets, q);
        println!("{q}: server {server:.6} in {lower}..{upper}, client {client:.6}");
        assert!(
            lower <= server && server <= upper,
            "{q}: {server} is not in {lower}..{upper}"
        );
        // A client waits longer than its request takes, so the same holds for every rank.
        assert!(
            client >= lower,
            "{q}: a client measured {client}, the server more than {lower}"
        );
        // Of all requests, those above the sum of two quantiles are above one of them. Half of what is above `q` for
        // each leaves no more than what is above `q`.
        let half = f64::midpoint(1.0, q);
        let (_, slowest) = bucket(&buckets, half);
        let way = quantile(&measured.way, half);
        assert!(
            client <= slowest + WAY * way,
            "{q}: a client measured {client}, the server at most {slowest} and the way took {way}"
        );
    }

    let parts =
        "sum(inference_stage_duration_seconds_sum) + sum(inference_unattributed_seconds_total)";
    let share = format!("({parts}) / sum(inference_request_duration_seconds_sum)");
    let share = value(prometheus, &share).expect("there were requests");
    assert!(
        (share - 1.0).abs() < 0.01,
        "the parts are {share} of the whole"
    );
    let whole = value(prometheus, "sum(inference_request_duration_seconds_sum)");
    let clients = measured.predict.iter().chain(&measured.way).sum();
    assert!(whole.is_some_and(|seconds| seconds > 0.0 && seconds <= clients));

    service.signal("TERM");
    assert!(service.ended().status.success());
}

#[test]
fn promtool_has_nothing_to_say_about_the_scrape() {
    let Some(promtool) = peer::require("promtool") else {
        return;
    };
    let mut service = Service::start(&FREE, &[]);
    let Ready { http, metrics, .. } = service.ready();
    let runtime = Runtime::new().expect("a runtime");
    let mut client = Client::new(http);
    for upload in [heldout()[0].0.to_png(), b"bad".to_vec()] {
        runtime
            .block_on(client.post("/predict", upload))
            .expect("an answer");
    }
    let scrape = peer::get(metrics.expect("metrics are on"), "/metrics")
        .expect("a scrape")
        .body;
    // It accepts an empty input too.
    for family in [
        "inference_requests_total{",
        "inference_rejections_total{",
        "inference_stage_duration_seconds_bucket{",
        "inference_batch_size_bucket{",
        "inference_queue_capacity{",
        "inference_tenant_requests_total{",
        "inference_model_ready{",
        "process_resident_memory_bytes ",
        "inference_runtime_lag_seconds ",
    ] {
        assert!(scrape.contains(family), "no {family} in\n{scrape}");
    }
    let mut lint = Command::new(promtool)
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("promtool starts");
    let mut stdin = lint.stdin.take().expect("it is piped");
    stdin.write_all(scrape.as_bytes()).expect("it reads");
    drop(stdin);
    let said = lint.wait_with_output().expect("it ends");
    let text = String::from_utf8_lossy(&[said.stdout, said.stderr].concat()).into_owned();
    assert!(
        said.status.success() && text.is_empty(),
        "{}: {text}\n{scrape}",
        said.status
    );
}
