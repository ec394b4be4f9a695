//! Health over real connections: what is sent by `curl`, by a kubelet, and by those who mean no good.

use crate::notice;
use crate::serve::connection::Limits;
use crate::serve::health_rig::{Rig, check};
use crate::serve::http::{Listener, Protocol, Server};
use axum::Router;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::time::Duration;

#[allow(
    clippy::duplicate_mod,
    reason = "whoever talks to a peer includes it, with other features too"
)]
#[path = "../../../tests/peers/peer.rs"]
mod peer;

const PATIENCE: Duration = Duration::from_secs(60);

/// Set in the process that a test starts to see what it prints.
const PROBED: &str = "INSTRUMENT_TEST_PROBED";

fn served(router: Router) -> (Server, SocketAddr) {
    let listener = Listener {
        name: "health",
        socket: TcpListener::bind("127.0.0.1:0").unwrap(),
        router,
        limits: Limits::HEALTH,
        protocol: Protocol::Http1,
    };
    let server = Server::start("instrument-health", vec![listener]).unwrap();
    let address = server.address("health").unwrap();
    (server, address)
}

/// Sends it as it is, and reads until the other side closes.
fn raw(address: SocketAddr, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    // it may be refused before it is read to its end
    let _ = stream.write_all(request);
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn asked(address: SocketAddr, path: &str, more: &str) -> String {
    let request = format!("GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{more}\r\n");
    raw(address, request.as_bytes())
}

#[test]
fn curl_gets_the_same_for_get_and_head() {
    let Some(curl) = peer::require("curl") else {
        return;
    };
    let rig = Rig::well(&[check("redis")]);
    let (_server, address) = served(rig.router());
    let curl = |option: &str, path: &str| {
        let url = format!("http://{address}{path}");
        let arguments = ["--silent", "--show-error", "--noproxy", "*", option, &url];
        let output = Command::new(&curl).args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let undated = |head: &str| -> Vec<String> {
        let lines = head.lines().filter(|line| !line.starts_with("date:"));
        lines.map(ToOwned::to_owned).collect()
    };
    for draining in [false, true] {
        rig.board.live(|life| life.draining = draining);
        for path in [
            "/health",
            "/livez",
            "/readyz",
            "/startupz/",
            "/v2/health/ready",
            "/readyz/redis",
        ] {
            let got = curl("--include", path);
            let (head, body) = got.split_once("\r\n\r\n").unwrap();
            let code = if draining && !["/livez", "/startupz/", "/readyz/redis"].contains(&path) {
                "HTTP/1.1 503 "
            } else {
                "HTTP/1.1 200 "
            };
            assert!(head.starts_with(code), "{path}: {got}");
            assert!(
                body.starts_with('{') && body.ends_with('}'),
                "{path}: {got}"
            );
            let length = format!("content-length: {}", body.len());
            assert!(head.contains(&length), "{path}: {got}");
            let alone = curl("--head", path);
            assert_eq!(undated(alone.trim_end()), undated(head), "{path}");
        }
    }
}

#[test]
fn what_is_sent_to_do_harm_is_answered_and_forgotten() {
    let rig = Rig::well(&[]);
    let (_server, address) = served(rig.router());
    let long = "a".repeat(50_000);
    let names = "&exclude=%ff%00%22".repeat(3_000);
    for (path, codes) in [
        (format!("/readyz/{long}"), &["404"][..]),
        (format!("/v2/models/{long}/ready"), &["404"]),
        ("/readyz/%zz%".to_owned(), &["404"]),
        ("/v2/models/%ff%fe/ready".to_owned(), &["404"]),
        (
            "/v2/models/..%2f..%2fetc%2fpasswd/ready".to_owned(),
            &["404"],
        ),
        ("/../../etc/passwd".to_owned(), &["404"]),
        ("//readyz".to_owned(), &["404"]),
        ("/readyz?%".to_owned(), &["200"]),
        (format!("/readyz?verbose{names}"), &["200"]),
        (format!("/readyz?{}", "x".repeat(200_000)), &["414", "431"]),
        ("/readyz\u{1}".to_owned(), &["400"]),
    ] {
        let answer = asked(address, &path, "");
        let start: String = path.chars().take(40).collect();
        let code = answer.get(9..12).unwrap_or_default();
        assert!(codes.contains(&code), "{start}: {answer}");
        assert!(answer.len() < 11 * 1024, "{start}: {}", answer.len());
    }
    for junk in [
        &b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"[..],
        b"\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        raw(address, junk);
    }
    assert!(asked(address, "/readyz", "").starts_with("HTTP/1.1 200 "));
}

#[test]
fn a_body_that_nobody_asked_for_keeps_nobody_waiting() {
    let rig = Rig::well(&[]);
    let (_server, address) = served(rig.router());
    let answer = raw(
        address,
        b"GET /readyz HTTP/1.1\r\nhost: x\r\ncontent-length: 1000000000\r\n\r\nx",
    );
    assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
}

#[test]
fn a_kubelet_that_asks_the_summary_is_told_of_once() {
    let program = std::env::current_exe().unwrap();
    let output = Command::new(program)
        .args(["--exact", "serve::health_sockets::probed", "--nocapture"])
        .env(PROBED, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    let told: Vec<_> = text
        .lines()
        .filter(|line| line.contains("kubelet"))
        .collect();
    assert_eq!(told.len(), 1, "{text}");
    assert!(told[0].contains("`/livez` is for liveness"), "{text}");
    assert!(output.status.success(), "{text}");
}

/// Not a test of its own: what the process of the test above runs.
#[test]
fn probed() {
    if std::env::var_os(PROBED).is_none() {
        return;
    }
    let rig = Rig::well(&[]);
    let (_server, address) = served(rig.router());
    asked(address, "/health", "user-agent: curl/8\r\n");
    asked(address, "/livez", "user-agent: kube-probe/1.34\r\n");
    for _ in 0..3 {
        asked(address, "/health", "user-agent: kube-probe/1.34\r\n");
    }
    // a process that ends at once would cut it off
    notice::settle(PATIENCE);
}
