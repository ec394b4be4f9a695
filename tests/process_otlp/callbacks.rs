//! Metrics of the service's own: what their callbacks do wrong is theirs alone.

use crate::collector::{Collector, PROTOCOLS, Speaks};
use crate::story::{self, PATIENCE};
use crate::{block_on, builder};
use instrument_inference::Telemetry;
use opentelemetry::KeyValue;
use opentelemetry::metrics::Meter;

fn pushing(collector: &Collector) -> Telemetry {
    let pushing = builder().otlp_endpoint(collector.endpoint());
    pushing.install().unwrap()
}

#[test]
fn a_callback_that_panics_leaves_out_itself_alone() {
    let text = story::tell("panicking", &[]);
    let said = story::said(&text);
    assert_eq!(said.len(), 1, "{text}");
    assert!(said[0].contains("`own.bad` panicked"), "{text}");
}

#[test]
fn an_instrument_made_in_a_callback_records_nothing_and_hangs_nobody() {
    let text = story::tell("making", &[]);
    let said = story::said(&text);
    assert_eq!(said.len(), 1, "{text}");
    assert!(
        said[0].contains("`own.inner.counter` was to be made inside"),
        "{text}"
    );
}

pub fn tell(story: &str) -> bool {
    match story {
        "panicking" => told::panicking(),
        "making" => told::making(),
        _ => return false,
    }
    true
}

pub mod told {
    use super::*;

    /// Observes a number with `look`, together with one that is good.
    fn gauges(meter: &Meter, look: impl Fn() -> u64 + Send + Sync + 'static) {
        let bad = meter.u64_observable_gauge("own.bad");
        let _ = bad
            .with_callback(move |point| point.observe(look(), &[]))
            .build();
        let good = meter.u64_observable_gauge("own.good");
        let _ = good.with_callback(|point| point.observe(7, &[])).build();
    }

    /// The worst that a callback can throw.
    struct Again;

    impl Drop for Again {
        fn drop(&mut self) {
            panic!("in the service's own callback, once more");
        }
    }

    pub fn panicking() {
        let collector = Collector::start(Speaks::Http);
        let telemetry = pushing(&collector);
        gauges(&telemetry.meter(), || std::panic::panic_any(Again));
        for _ in 0..3 {
            let scrape = telemetry.scrape();
            assert!(
                scrape.contains("own_good 7\n") && !scrape.contains("own_bad"),
                "{scrape}"
            );
            assert!(scrape.contains("inference_build_info"), "{scrape}");
            block_on(telemetry.flush()).unwrap();
            let points = collector.last();
            assert!((points["own.good{}"] - 7.0).abs() < f64::EPSILON);
            assert!(!points.contains_key("own.bad{}"));
        }
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }

    pub fn making() {
        let collector = Collector::start(Speaks::Http);
        let telemetry = pushing(&collector);
        let meter = telemetry.meter();
        gauges(&telemetry.meter(), move || {
            meter.u64_counter("own.inner.counter").build().add(1, &[]);
            meter
                .f64_histogram("own.inner.histogram")
                .build()
                .record(1.0, &[]);
            let inner = meter.i64_observable_gauge("own.inner.gauge");
            let _ = inner.with_callback(|point| point.observe(1, &[])).build();
            1
        });
        for _ in 0..3 {
            let scrape = telemetry.scrape();
            assert!(
                scrape.contains("own_bad 1\n") && !scrape.contains("own_inner"),
                "{scrape}"
            );
            block_on(telemetry.flush()).unwrap();
        }
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }

    pub fn a_callback_may_bind_and_record() {
        let collector = Collector::start(Speaks::Http);
        let telemetry = pushing(&collector);
        let counter = telemetry.meter().u64_counter("own.counter").build();
        gauges(&telemetry.meter(), move || {
            counter.bind(&[KeyValue::new("key", "value")]).add(1);
            1
        });
        block_on(telemetry.flush()).unwrap();
        assert!(
            telemetry
                .scrape()
                .contains("own_counter_total{key=\"value\"} 2\n")
        );
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }

    pub fn a_callback_may_run_a_runtime_of_its_own() {
        let collector = Collector::start(PROTOCOLS[0].0);
        let pushing = builder().otlp_endpoint(collector.endpoint());
        let telemetry = pushing.otlp_protocol("grpc").install().unwrap();
        gauges(&telemetry.meter(), || {
            block_on(async {
                tokio::task::yield_now().await;
                5
            })
        });
        block_on(telemetry.flush()).unwrap();
        assert!((collector.last()["own.bad{}"] - 5.0).abs() < f64::EPSILON);
        assert!(telemetry.scrape().contains("own_bad 5\n"));
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }

    pub fn instruments_of_the_services_own_can_be_bound() {
        let collector = Collector::start(Speaks::Http);
        let telemetry = pushing(&collector);
        let counter = telemetry.meter().u64_counter("own.counter").build();
        let bound = counter.bind(&[KeyValue::new("key", "value")]);
        bound.add(2);
        bound.add(3);
        block_on(telemetry.flush()).unwrap();
        assert!((collector.last()["own.counter{key=\"value\"}"] - 5.0).abs() < f64::EPSILON);
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }

    pub fn every_kind_of_instrument_goes_out() {
        let collector = Collector::start(Speaks::Http);
        let telemetry = pushing(&collector);
        let meter = telemetry.meter();
        meter.u64_counter("own.1").build().add(1, &[]);
        meter.f64_counter("own.2").build().add(1.0, &[]);
        meter.i64_up_down_counter("own.3").build().add(1, &[]);
        meter.f64_up_down_counter("own.4").build().add(1.0, &[]);
        meter.u64_gauge("own.5").build().record(1, &[]);
        meter.i64_gauge("own.6").build().record(1, &[]);
        meter.f64_gauge("own.7").build().record(1.0, &[]);
        let edges = meter.f64_histogram("own.8").with_boundaries(vec![0.5, 2.5]);
        edges.build().record(1.0, &[]);
        meter
            .u64_histogram("own.9")
            .with_unit("By")
            .build()
            .record(1, &[]);
        let _ = meter
            .u64_observable_counter("own.10")
            .with_callback(|point| point.observe(1, &[]))
            .build();
        let _ = meter
            .f64_observable_counter("own.11")
            .with_callback(|point| point.observe(1.0, &[]))
            .build();
        let _ = meter
            .i64_observable_up_down_counter("own.12")
            .with_callback(|point| point.observe(1, &[]))
            .build();
        let _ = meter
            .f64_observable_up_down_counter("own.13")
            .with_callback(|point| point.observe(1.0, &[]))
            .build();
        let _ = meter
            .u64_observable_gauge("own.14")
            .with_callback(|point| point.observe(1, &[]))
            .build();
        let _ = meter
            .i64_observable_gauge("own.15")
            .with_callback(|point| point.observe(1, &[]))
            .build();
        let _ = meter
            .f64_observable_gauge("own.16")
            .with_description("What it is.")
            .with_callback(|point| point.observe(1.0, &[]))
            .build();
        block_on(telemetry.flush()).unwrap();
        let points = collector.last();
        for number in 1..=16 {
            let one = points.get(&format!("own.{number}{{}}"));
            assert_eq!(one, Some(&1.0), "own.{number}");
        }
        let scrape = telemetry.scrape();
        for part in [
            "own_8_bucket{le=\"2.5\"} 1\n",
            "own_9_bytes_count 1\n",
            "# HELP own_16 What it is.",
        ] {
            assert!(scrape.contains(part), "no {part} in\n{scrape}");
        }
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }
}
