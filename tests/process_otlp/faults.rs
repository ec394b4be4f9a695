//! Collectors that are away, slow, silent, busy, forbidding, or gone in the middle: they cost nothing but a counter.

use crate::collector::{Collector, Mood, PROTOCOLS, Speaks};
use crate::peer::{free_addr, get};
use crate::story::{self, PATIENCE, until};
use crate::{block_on, builder, execute, failures, predict, threads};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener};
use std::time::{Duration, Instant};

const OK: &str =
    "inference.requests{ingress=\"http\",model=\"none\",outcome=\"ok\",version=\"none\"}";

/// What the collector does, by its name.
const FAULTS: [&str; 8] = [
    "away",
    "no name",
    "black hole",
    "silent",
    "busy",
    "forbidding",
    "closes at once",
    "closes in the middle",
];

#[test]
fn a_faulty_collector_costs_nothing_but_a_counter() {
    for fault in FAULTS {
        for (_, protocol) in PROTOCOLS {
            let text = story::tell(
                "one_fault",
                &[
                    ("FAULT", fault),
                    ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
                    ("OTEL_METRIC_EXPORT_INTERVAL", "20"),
                    ("OTEL_EXPORTER_OTLP_TIMEOUT", "300"),
                ],
            );
            let said = story::said(&text);
            assert_eq!(said.len(), 1, "one line for one change: {text}");
            assert!(said[0].contains("do not arrive at http://"), "{text}");
            let others = text.lines().filter(|line| !line.is_empty());
            let others: Vec<_> = others
                .filter(|line| !line.starts_with("instrument_inference: "))
                .collect();
            assert!(others.is_empty(), "nobody else says anything: {text}");
        }
    }
}

#[test]
fn a_collector_that_is_away_is_not_in_the_log() {
    for (_, protocol) in PROTOCOLS {
        let variables = [
            ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
            ("OTEL_METRIC_EXPORT_INTERVAL", "20"),
        ];
        story::tell("logged", &variables);
    }
}

pub fn tell(story: &str) -> bool {
    match story {
        "one_fault" => told::one_fault(),
        "logged" => told::logged(),
        _ => return false,
    }
    true
}

/// Who listens, as long as it is kept.
enum Listening {
    Nobody,
    Socket(#[expect(dead_code, reason = "it listens until it is dropped")] TcpListener),
    Collector(Collector),
    Thread,
}

fn faulty(fault: &str, speaks: Speaks) -> (Listening, String) {
    let mood = |mood| {
        let collector = Collector::start(speaks);
        collector.becomes(mood);
        let endpoint = collector.endpoint();
        (Listening::Collector(collector), endpoint)
    };
    let at = |address: SocketAddr| format!("http://{address}");
    match fault {
        "away" => (Listening::Nobody, at(free_addr())),
        // nobody is asked for a name of this kind, whatever the resolver
        "no name" => (
            Listening::Nobody,
            "http://collector.invalid:4319".to_owned(),
        ),
        "black hole" => {
            // the system takes connections in, and nobody ever looks at them
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let address = listener.local_addr().unwrap();
            (Listening::Socket(listener), at(address))
        }
        "silent" => mood(Mood::Silent),
        "busy" => mood(Mood::Busy),
        "forbidding" => mood(Mood::Forbid),
        "closes at once" => closing(0),
        "closes in the middle" => closing(100),
        other => panic!("no fault {other}"),
    }
}

/// Closes each connection after so many bytes, in the middle of an answer where there were any.
fn closing(after: usize) -> (Listening, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut begin = vec![0; after];
            if after > 0 && stream.read_exact(&mut begin).is_ok() {
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nhalf");
            }
            let _ = stream.shutdown(Shutdown::Both);
        }
    });
    (Listening::Thread, format!("http://{address}"))
}

pub mod told {
    use super::*;

    pub fn one_fault() {
        let (fault, protocol) = (
            std::env::var("FAULT").unwrap(),
            std::env::var("OTEL_EXPORTER_OTLP_PROTOCOL").unwrap(),
        );
        let speaks = PROTOCOLS.iter().find(|(_, name)| *name == protocol);
        let (listening, endpoint) = faulty(&fault, speaks.unwrap().0);
        let telemetry = builder()
            .from_env()
            .otlp_endpoint(endpoint)
            .install()
            .unwrap();
        let address = telemetry.metrics_addr().unwrap();
        // it is there from the start
        let _ = failures(&telemetry);
        until("the first failure", || failures(&telemetry) >= 1.0);
        let before = threads().len();
        let mut requests = 0;
        until("more failures", || {
            assert_eq!(block_on(predict()), 1);
            requests += 1;
            failures(&telemetry) >= 4.0
        });
        assert!(threads().len() <= before + 1, "{:?}", threads());
        let scrape = get(address, "/metrics").unwrap().body;
        let line = format!(
            "inference_requests_total{{ingress=\"http\",model=\"none\",outcome=\"ok\",version=\"none\"}} {requests}\n"
        );
        assert!(scrape.contains(&line), "no {line} in\n{scrape}");
        assert!(
            !scrape.contains("inference_export_last_success"),
            "nothing has arrived"
        );
        let begun = Instant::now();
        let stopped = telemetry.shutdown_blocking(Duration::from_secs(2));
        assert!(stopped.is_err(), "the last push has not arrived");
        assert!(begun.elapsed() < PATIENCE / 3, "{:?}", begun.elapsed());
        if let Listening::Collector(collector) = listening {
            assert!(collector.received().is_empty());
        }
    }

    /// Counts what goes to the log, other than by us.
    struct Log(std::sync::Arc<std::sync::Mutex<Vec<String>>>);

    impl tracing::Subscriber for Log {
        fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
            *metadata.level() <= tracing::Level::INFO
        }

        fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
            tracing::span::Id::from_u64(1)
        }

        fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}

        fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}

        fn event(&self, event: &tracing::Event<'_>) {
            let shown = format!("{:?}", event.metadata());
            self.0.lock().unwrap().push(shown);
        }

        fn enter(&self, _: &tracing::span::Id) {}

        fn exit(&self, _: &tracing::span::Id) {}
    }

    pub fn logged() {
        let log = std::sync::Arc::default();
        tracing::subscriber::set_global_default(Log(std::sync::Arc::clone(&log))).unwrap();
        let endpoint = format!("http://{}", free_addr());
        let telemetry = builder()
            .from_env()
            .otlp_endpoint(endpoint)
            .install()
            .unwrap();
        until("some failures", || failures(&telemetry) >= 2.0);
        let _ = telemetry.shutdown_blocking(PATIENCE);
        let log = log.lock().unwrap();
        assert!(log.is_empty(), "{log:#?}");
    }

    pub fn a_collector_that_comes_back_gets_everything() {
        let address = free_addr();
        let telemetry = builder()
            .otlp_endpoint(format!("http://{address}"))
            .install()
            .unwrap();
        block_on(predict());
        let missing = block_on(telemetry.flush()).unwrap_err().to_string();
        assert!(missing.contains("refused"), "it says why: {missing}");
        for count in 2..4 {
            let collector = Collector::listen(Speaks::Http, address);
            block_on(predict());
            block_on(telemetry.flush()).unwrap();
            assert!((collector.last()[OK] - f64::from(count)).abs() < f64::EPSILON);
            drop(collector);
            assert!(block_on(telemetry.flush()).is_err(), "it is away again");
        }
        assert!((failures(&telemetry) - 3.0).abs() < f64::EPSILON);
        let collector = Collector::listen(Speaks::Http, address);
        telemetry.shutdown_blocking(PATIENCE).unwrap();
        assert!((collector.last()[OK] - 3.0).abs() < f64::EPSILON);
    }

    pub fn a_busy_collector_is_asked_again_within_one_push() {
        let collector = Collector::start(Speaks::Grpc);
        collector.becomes_for(Mood::Busy, 2);
        let pushing = builder()
            .otlp_endpoint(collector.endpoint())
            .otlp_protocol("grpc");
        let telemetry = pushing.install().unwrap();
        block_on(telemetry.flush()).unwrap();
        assert_eq!((collector.asked(), collector.received().len()), (3, 1));
        assert!(failures(&telemetry).abs() < f64::EPSILON);
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }

    pub fn a_push_under_way_makes_room_for_the_last_one() {
        let collector = Collector::start(Speaks::Grpc);
        collector.becomes(Mood::Silent);
        let pushing = builder()
            .otlp_endpoint(collector.endpoint())
            .otlp_protocol("grpc");
        let telemetry = pushing.install().unwrap();
        let flushing = telemetry.clone();
        let flushing = std::thread::spawn(move || block_on(flushing.flush()));
        until("a push is under way", || collector.asked() == 1);
        collector.becomes(Mood::Take);
        execute();
        telemetry.shutdown_blocking(Duration::from_secs(4)).unwrap();
        let stage = "inference.stage.duration{model=\"none\",outcome=\"ok\",stage=\"execute\",version=\"none\"}";
        assert!((collector.last()[stage] - 1.0).abs() < f64::EPSILON);
        assert!(flushing.join().unwrap().is_err(), "that one was given up");
    }

    pub fn a_stop_is_as_short_as_it_was_asked_to_be() {
        let collector = Collector::start(Speaks::Http);
        collector.becomes(Mood::Silent);
        let telemetry = builder()
            .otlp_endpoint(collector.endpoint())
            .install()
            .unwrap();
        let address = telemetry.metrics_addr().unwrap();
        let begun = Instant::now();
        let error = telemetry
            .shutdown_blocking(Duration::from_millis(300))
            .unwrap_err();
        // far below the limit that the SDK has of its own
        assert!(
            begun.elapsed() < Duration::from_secs(3),
            "{:?}: {error}",
            begun.elapsed()
        );
        until("everything has stopped", || {
            get(address, "/metrics").is_err()
        });
        until("the thread has ended", || crate::pushers() == 0);
        telemetry
            .shutdown_blocking(PATIENCE)
            .expect("the second one does nothing");
    }

    pub fn many_flushes_of_a_silent_collector_are_one_push() {
        let collector = Collector::start(Speaks::Http);
        collector.becomes(Mood::Silent);
        let telemetry = builder()
            .otlp_endpoint(collector.endpoint())
            .install()
            .unwrap();
        let flush = |telemetry: &instrument_inference::Telemetry| {
            let telemetry = telemetry.clone();
            std::thread::spawn(move || block_on(telemetry.flush()))
        };
        let flushes: Vec<_> = (0..50).map(|_| flush(&telemetry)).collect();
        for flushing in flushes {
            assert!(flushing.join().unwrap().is_err());
        }
        assert!(collector.asked() <= 2, "{}", collector.asked());
        collector.becomes(Mood::Take);
        telemetry.shutdown_blocking(PATIENCE).unwrap();
        assert_eq!(
            collector.received().len(),
            1,
            "nobody waits for the others any more"
        );
    }
    pub fn flushes_that_nobody_waits_for_do_not_pile_up() {
        let collector = Collector::start(Speaks::Http);
        collector.becomes(Mood::Silent);
        let telemetry = builder()
            .otlp_endpoint(collector.endpoint())
            .install()
            .unwrap();
        block_on(async {
            for _ in 0..1_000 {
                tokio::select! {
                    biased;
                    _ = telemetry.flush() => {}
                    () = std::future::ready(()) => {}
                }
            }
        });
        let threads = crate::threads();
        let flushing = threads
            .iter()
            .filter(|name| name.starts_with("instrument-"));
        let flushing = flushing.count();
        assert!(flushing < 300, "{flushing} threads");
        collector.becomes(Mood::Take);
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }
}
