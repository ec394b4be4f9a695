//! What real clients are told about the health of the quickstart: curl, grpcurl, gRPC's health client, and Triton's.
#![cfg(unix)]

#[path = "../../tests/peers/control.rs"]
mod control;
mod service;

use control::peer;
use service::{DRAIN_DELAY, FREE, Ready, Service, wait_until};
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;

/// Everything that a probe may ask of the health address, and what is not there.
const PROBES: [(&str, &str); 14] = [
    ("/health", "200"),
    ("/health?verbose", "200"),
    ("/livez", "200"),
    ("/readyz", "200"),
    ("/readyz/", "200"),
    ("/startupz", "200"),
    ("/readyz/reads_seven", "200"),
    ("/readyz/workers_free", "200"),
    ("/v2/health/live", "200"),
    ("/v2/health/ready", "200"),
    ("/v2/models/digits/ready", "200"),
    ("/v2/models/digits/versions/1/ready", "200"),
    ("/v2/models/nobody/ready", "404"),
    ("/readyz/nobody", "404"),
];

/// The same once it drains: alive, and out of rotation.
const DRAINING: [(&str, &str); 8] = [
    ("/health", "503"),
    ("/livez", "200"),
    ("/readyz", "503"),
    ("/startupz", "200"),
    ("/v2/health/live", "200"),
    ("/v2/health/ready", "503"),
    ("/v2/models/digits/ready", "503"),
    ("/v2/models/digits/versions/1/ready", "503"),
];

/// One that drains until it is told a second time.
fn start() -> (Service, Ready) {
    let mut service = Service::start(&FREE, &[(DRAIN_DELAY, "1h")]);
    let ready = service.ready();
    (service, ready)
}

fn stop(service: Service) {
    service.signal("INT");
    assert!(service.ended().status.success());
}

fn drain(service: &Service, ready: Ready) {
    service.signal("TERM");
    wait_until("it drains", || {
        peer::get(ready.health, "/readyz").is_ok_and(|answer| answer.status == 503)
    });
}

/// The status code of an answer, and how many bytes its body has.
fn curl(program: &Path, options: &[&str], health: SocketAddr, path: &str) -> (String, String) {
    let output = Command::new(program)
        .args(["-sS", "--max-time", "60", "-o", "/dev/null"])
        .args(["-w", "%{http_code} %{size_download}"])
        .args(options)
        .arg(format!("http://{health}{path}"))
        .output()
        .expect("curl starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let words = text.split_once(' ').filter(|_| output.status.success());
    let (status, size) = words.unwrap_or_else(|| panic!("{path}: {output:?}"));
    (status.to_owned(), size.to_owned())
}

fn probe(program: &Path, health: SocketAddr, probes: &[(&str, &str)]) {
    for (path, expected) in probes {
        let (status, size) = curl(program, &[], health, path);
        assert_eq!(status, *expected, "GET {path}");
        assert_ne!(size, "0", "GET {path}");
        let headless = (expected.to_string(), "0".to_owned());
        let head = curl(program, &["--head"], health, path);
        assert_eq!(head, headless, "HEAD {path}");
    }
}

#[test]
fn curl_gets_the_same_code_by_get_and_by_head() {
    let Some(program) = peer::require("curl") else {
        return;
    };
    let (service, ready) = start();
    probe(&program, ready.health, &PROBES);
    let (status, _) = curl(&program, &["--data", ""], ready.health, "/readyz");
    assert_eq!(status, "405");
    drain(&service, ready);
    probe(&program, ready.health, &DRAINING);
    stop(service);
}

#[test]
fn grpcurl_finds_its_way_and_sees_the_drain() {
    let (service, ready) = start();
    control::grpcurl_finds_its_way(ready.control);
    drain(&service, ready);
    for (name, status) in [
        ("", "NOT_SERVING"),
        ("readiness", "NOT_SERVING"),
        ("models/digits", "NOT_SERVING"),
        ("liveness", "SERVING"),
        ("startup", "SERVING"),
    ] {
        control::grpcurl_is_told(ready.control, name, status);
    }
    stop(service);
}

#[test]
fn a_health_client_knows_every_name() {
    let (service, ready) = start();
    control::a_health_client_knows_every_name(ready.control);
    stop(service);
}

#[test]
fn a_watching_client_is_told_of_the_end() {
    let (service, ready) = start();
    control::a_watching_client_is_told_of_the_end(
        ready.control,
        // two signals at once are one
        || drain(&service, ready),
        || service.signal("TERM"),
    );
    assert!(service.ended().status.success());
}

#[test]
fn triton_clients_understand_all_they_ask() {
    let (service, ready) = start();
    let version = env!("CARGO_PKG_VERSION");
    control::a_triton_client_understands_all_it_asks(ready.control, "digits", version);
    control::a_triton_http_client_understands_all_it_asks(ready.health);
    stop(service);
}
