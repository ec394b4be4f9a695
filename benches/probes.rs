//! How soon a probe is answered, with nothing else to do and with every worker of the application blocked, and how long
//! it takes from the installation to the first ready answer.
//!
//! `cargo bench --bench probes`; the latest figures are in `docs/performance.md`.
#![allow(missing_docs, reason = "nobody uses a benchmark from outside")]

use instrument_inference::{Telemetry, health_check};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

const PROBES: usize = 20_000;
const ROUNDS: usize = 5;

#[health_check(cache = "5s", timeout = "50ms")]
fn in_memory() -> bool {
    true
}

#[health_check(cache = "5s", timeout = "50ms", soft)]
#[allow(clippy::unused_async, reason = "it runs on the application's runtime")]
async fn on_the_runtime() {}

struct Client(TcpStream);

impl Client {
    fn new(addr: SocketAddr) -> Client {
        let stream = TcpStream::connect(addr).expect("somebody listens");
        stream.set_nodelay(true).expect("a socket has options");
        Client(stream)
    }

    /// The status, once the whole answer has come: short answers come in one piece.
    fn probe(&mut self, path: &str) -> [u8; 3] {
        write!(self.0, "GET {path} HTTP/1.1\r\nHost: x\r\n\r\n").expect("it is written");
        let mut answer = [0; 4096];
        let length = self.0.read(&mut answer).expect("it is answered");
        assert!(length > 12, "an answer has a status");
        [answer[9], answer[10], answer[11]]
    }
}

/// Sorted.
fn probes(client: &mut Client) -> Vec<Duration> {
    let mut took: Vec<_> = (0..PROBES)
        .map(|turn| {
            let begun = Instant::now();
            client.probe(["/livez", "/readyz", "/health"][turn % 3]);
            begun.elapsed()
        })
        .collect();
    took.sort();
    took
}

fn main() {
    if std::env::args().any(|argument| argument == "--test") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .expect("a runtime");
    let begun = Instant::now();
    let telemetry = Telemetry::builder("bench")
        .health_addr("127.0.0.1:0")
        .runtime(runtime.handle().clone())
        .without_models()
        .install()
        .expect("nothing is in its way");
    let installed = begun.elapsed();
    let mut client = Client::new(telemetry.health_addr().expect("it was asked for"));
    while client.probe("/readyz") != *b"200" {}
    println!(
        "installed after {installed:.1?}, ready after {:.1?}",
        begun.elapsed()
    );

    let show = |what: &str, took: &[Duration]| {
        let at = |percent: usize| took[took.len() * percent / 100];
        println!(
            "{what:<28} p50 {:>8.1?}  p99 {:>8.1?}  max {:>8.1?}",
            at(50),
            at(99),
            took[took.len() - 1]
        );
        at(99)
    };
    for _ in 0..ROUNDS {
        let idle = show("workers idle", &probes(&mut client));
        let (release, blocked) = std::sync::mpsc::channel::<()>();
        let blocked = std::sync::Arc::new(std::sync::Mutex::new(blocked));
        for _ in 0..8 {
            let blocked = std::sync::Arc::clone(&blocked);
            runtime.spawn(async move {
                let _ = blocked.lock().map(|blocked| blocked.recv());
            });
        }
        let busy = show("every worker blocked", &probes(&mut client));
        drop(release);
        println!(
            "{:<28} p99 {:.2} times",
            "",
            busy.as_secs_f64() / idle.as_secs_f64()
        );
    }
    let begun = Instant::now();
    for _ in 0..100_000 {
        std::hint::black_box(telemetry.health());
    }
    println!("a report: {:.0?}", begun.elapsed() / 100_000);
    let begun = Instant::now();
    for _ in 0..100_000 {
        std::hint::black_box(telemetry.health().json());
    }
    println!("a report with its body: {:.0?}", begun.elapsed() / 100_000);
    telemetry
        .shutdown_blocking(Duration::from_secs(5))
        .expect("it stops");
}
