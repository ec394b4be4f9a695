//! Pushing, flushing and stopping, with every flavour of runtime and with none.

use crate::collector::{Collector, PROTOCOLS};
use crate::points::{lines, moves};
use crate::story::{self, PATIENCE};
use crate::{block_on, builder, predict};
use std::collections::BTreeMap;
use std::time::Duration;

const OK: &str =
    "inference.requests{ingress=\"http\",model=\"none\",outcome=\"ok\",version=\"none\"}";

#[test]
fn every_runtime_flavour_can_push_flush_and_stop() {
    // one process has one installation, so each flavour has its own
    for flavour in [
        "none",
        "current thread",
        "one worker, in a task",
        "two workers",
        "two workers, in a task",
        "local set",
        "spawn_blocking",
    ] {
        for (_, protocol) in PROTOCOLS {
            let text = story::tell(
                "one_flavour",
                &[("FLAVOUR", flavour), ("PROTOCOL", protocol)],
            );
            assert!(story::said(&text).is_empty(), "{text}");
        }
    }
}

#[test]
fn delta_counts_from_push_to_push() {
    let collector = Collector::start(PROTOCOLS[1].0);
    let text = story::tell(
        "pushed_in_deltas",
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &collector.endpoint()),
            ("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "delta"),
        ],
    );
    assert!(story::said(&text).is_empty(), "{text}");
    let counts = collector.received();
    let counts = counts
        .iter()
        .map(|push| crate::points::points(&push.request).get(OK).copied());
    assert_eq!(counts.collect::<Vec<_>>(), [Some(2.0), None, Some(1.0)]);
}

#[test]
fn flushes_do_not_put_off_the_next_push() {
    story::tell("flushing_often", &[("OTEL_METRIC_EXPORT_INTERVAL", "2000")]);
}

pub fn tell(story: &str) -> bool {
    match story {
        "one_flavour" => told::one_flavour(),
        "flushing_often" => told::flushing_often(),
        _ => return false,
    }
    true
}

pub mod told {
    use super::*;
    use tokio::runtime::Builder;

    pub fn one_flavour() {
        let (flavour, protocol) = (
            std::env::var("FLAVOUR").unwrap(),
            std::env::var("PROTOCOL").unwrap(),
        );
        let speaks = PROTOCOLS.iter().find(|(_, name)| *name == protocol);
        let collector = Collector::start(speaks.unwrap().0);
        let pushing = || {
            builder()
                .otlp_endpoint(collector.endpoint())
                .otlp_protocol(protocol.as_str())
        };
        let all = |pushing: instrument_inference::TelemetryBuilder| async move {
            let telemetry = pushing.install().unwrap();
            assert_eq!(predict().await, 1);
            telemetry.flush().await.unwrap();
            assert_eq!(predict().await, 1);
            telemetry.shutdown().await.unwrap();
            telemetry.shutdown().await.unwrap();
            telemetry.flush().await.unwrap();
        };
        let workers = |count| {
            Builder::new_multi_thread()
                .worker_threads(count)
                .build()
                .unwrap()
        };
        let current = || Builder::new_current_thread().build().unwrap();
        match flavour.as_str() {
            "none" => futures::executor::block_on(all(pushing())),
            "current thread" => current().block_on(all(pushing())),
            "one worker, in a task" => {
                let runtime = workers(1);
                runtime.block_on(runtime.spawn(all(pushing()))).unwrap();
            }
            "two workers" => workers(2).block_on(all(pushing())),
            "two workers, in a task" => {
                let runtime = workers(2);
                runtime.block_on(runtime.spawn(all(pushing()))).unwrap();
            }
            "local set" => {
                let runtime = current();
                tokio::task::LocalSet::new().block_on(&runtime, all(pushing()));
            }
            "spawn_blocking" => {
                let (runtime, pushing) = (workers(1), pushing());
                let blocking = runtime.spawn_blocking(move || {
                    let telemetry = pushing.install().unwrap();
                    block_on(predict());
                    block_on(telemetry.flush()).unwrap();
                    block_on(predict());
                    telemetry.shutdown_blocking(PATIENCE).unwrap();
                });
                runtime.block_on(blocking).unwrap();
            }
            other => panic!("no flavour {other}"),
        }
        let counts = collector.received();
        let counts = counts
            .iter()
            .map(|push| crate::points::points(&push.request)[OK]);
        assert_eq!(counts.collect::<Vec<_>>(), [1.0, 2.0]);
    }

    pub fn flushing_often() {
        let collector = Collector::start(PROTOCOLS[1].0);
        let pushing = builder().from_env().otlp_endpoint(collector.endpoint());
        let telemetry = pushing.install().unwrap();
        for _ in 0..100 {
            block_on(telemetry.flush()).unwrap();
        }
        let flushed = collector.asked();
        // were each of them to put it off, it would not come before the test gives up
        story::until("a push of its own accord", || collector.asked() > flushed);
        telemetry.shutdown_blocking(Duration::MAX).unwrap();
    }

    pub fn the_last_push_needs_no_runtime_of_the_service() {
        let collector = Collector::start(PROTOCOLS[0].0);
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .build()
            .unwrap();
        let telemetry = runtime.block_on(async {
            let pushing = builder().otlp_endpoint(collector.endpoint());
            let telemetry = pushing.otlp_protocol("grpc").install().unwrap();
            predict().await;
            telemetry
        });
        drop(runtime);
        telemetry.shutdown_blocking(PATIENCE).unwrap();
        assert!((collector.last()[OK] - 1.0).abs() < f64::EPSILON);
    }

    pub fn a_push_shows_what_a_scrape_shows() {
        let collector = Collector::start(PROTOCOLS[1].0);
        let telemetry = builder()
            .otlp_endpoint(collector.endpoint())
            .install()
            .unwrap();
        let _slot = telemetry.model("m", "1");
        for _ in 0..3 {
            block_on(predict());
        }
        block_on(telemetry.flush()).unwrap();
        let (pushed, scraped) = (collector.last(), lines(&telemetry.scrape()));
        let still = |points: BTreeMap<String, f64>| {
            let still = points.into_iter().filter(|(name, _)| !moves(name));
            still.collect::<BTreeMap<_, _>>()
        };
        let (pushed, scraped) = (still(pushed), still(scraped));
        assert!(scraped.len() > 15, "{scraped:#?}");
        assert_eq!(pushed, scraped);
        let last = crate::value(
            &telemetry.scrape(),
            "inference_export_last_success_timestamp_seconds{exporter=\"otlp\"}",
        );
        assert!(last.is_some_and(|at| at > 1.7e9), "{last:?}");
        assert!(crate::failures(&telemetry).abs() < f64::EPSILON);
        let took = crate::value(&telemetry.scrape(), "inference_scrape_duration_seconds");
        assert!(took.is_some_and(|seconds| seconds > 0.0), "{took:?}");
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }
}
