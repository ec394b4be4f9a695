//! How the quickstart is, and how it leaves, as probes and clients see it.
#![cfg(unix)]

#[path = "../../tests/peers/peer.rs"]
mod peer;
mod service;

use instrument_examples::client::Client;
use instrument_examples::digits::heldout;
use serde_json::Value;
use service::{DRAIN_DELAY, FREE, Ready, Service, wait_until};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use tokio::runtime::Runtime;

/// Longer than any test waits.
const NEVER: [(&str, &str); 1] = [(DRAIN_DELAY, "1h")];

fn start(variables: &[(&str, &str)]) -> (Service, Ready) {
    let mut service = Service::start(&FREE, variables);
    let ready = service.ready();
    (service, ready)
}

/// Status code and body.
fn ask(addr: SocketAddr, path: &str) -> (u16, Value) {
    let answer = peer::get(addr, path).expect("a probe is answered");
    let body = serde_json::from_str(&answer.body);
    let body = body.unwrap_or_else(|error| panic!("{path}: {error}: {}", answer.body));
    (answer.status, body)
}

/// The status code of a picture that is to be read.
fn predict(http: SocketAddr) -> u16 {
    let picture = heldout()[0].0.to_png();
    let runtime = Runtime::new().expect("a runtime");
    let reply = runtime.block_on(Client::new(http).post("/predict", picture));
    reply.expect("an answer").status.as_u16()
}

fn is_draining(ready: Ready) -> bool {
    let (status, body) = ask(ready.health, "/readyz");
    let draining = body["reason"] == "draining";
    assert_eq!(status, if draining { 503 } else { 200 }, "{body}");
    draining
}

#[test]
fn whoever_asks_once_it_serves_is_told_that_it_is_well() {
    let (service, ready) = start(&[]);
    for path in ["/livez", "/readyz", "/startupz", "/readyz/reads_seven"] {
        let (status, body) = ask(ready.health, path);
        assert_eq!(status, 200, "{path}: {body}");
    }
    let (status, body) = ask(ready.health, "/health?verbose");
    assert_eq!(status, 200, "{body}");
    for (key, value) in [
        ("model", Value::from("digits")),
        ("model_version", Value::from("1")),
        ("queue_depth", Value::from(0)),
    ] {
        assert_eq!(body[key], value, "{body}");
    }
    assert!(body["uptime"].is_u64() && body["status"].is_string());
    let checks = body["checks"].as_array().expect("a list");
    for (name, hard) in [
        ("models", true),
        ("reads_seven", true),
        ("workers_free", false),
    ] {
        let check = checks.iter().find(|check| check["name"] == name);
        assert!(check.is_some_and(|check| check["hard"] == hard), "{body}");
    }
    service.signal("TERM");
    assert!(service.ended().status.success());
}

#[test]
fn while_it_drains_it_is_not_ready_and_serves_all_the_same() {
    let (mut service, ready) = start(&NEVER);
    assert!(!is_draining(ready));
    service.signal("TERM");
    wait_until("it drains", || is_draining(ready));
    let (status, body) = ask(ready.health, "/health");
    assert_eq!((status, &body["reason"]), (503, &Value::from("draining")));
    for path in ["/livez", "/startupz"] {
        let (status, body) = ask(ready.health, path);
        assert_eq!(status, 200, "{path}: {body}");
    }
    assert_eq!(predict(ready.http), 200);
    let metrics = ready.metrics.expect("metrics are on");
    assert!(service::scraped(metrics, "inference_requests_total", &["outcome=\"ok\""]) > 0.5);
    assert!(is_draining(ready) && service.runs());
    // A second one: whoever sends it does not want to wait.
    service.signal("TERM");
    let ended = service.ended();
    assert!(ended.status.success(), "{ended:?}");
    assert_eq!(ended.complaints(), [""; 0]);
    let told = "readiness is unhealthy: reason=draining";
    assert_eq!(ended.stderr.matches(told).count(), 1, "{}", ended.stderr);
}

#[test]
fn a_drain_ends_by_itself_and_not_before() {
    let (mut service, ready) = start(&[(DRAIN_DELAY, "1s")]);
    let asked = Instant::now();
    service.signal("TERM");
    wait_until("it ends", || !service.runs());
    assert!(asked.elapsed() >= Duration::from_secs(1));
    assert!(service.ended().status.success());
    assert!(TcpStream::connect(ready.health).is_err());
}

#[test]
fn an_interrupt_does_not_wait() {
    let (service, _) = start(&NEVER);
    service.signal("INT");
    assert!(service.ended().status.success());
}

#[test]
fn the_health_address_is_the_last_to_close() {
    let (service, ready) = start(&[]);
    service.signal("TERM");
    let gone = |addr: SocketAddr| TcpStream::connect(addr).is_err();
    wait_until("the health address closes", || gone(ready.health));
    let metrics = ready.metrics.expect("metrics are on");
    assert!([ready.http, metrics, ready.control].into_iter().all(gone));
    assert!(service.ended().status.success());
}
