//! What the SDK would send of its own accord, or wrongly, and what it depends on.

use crate::collector::{Collector, Speaks};
use crate::points::metrics;
use crate::story::PATIENCE;
use crate::{block_on, builder, predict};
use instrument_inference::CATALOG;
use opentelemetry::KeyValue;
use opentelemetry_proto::tonic::metrics::v1::metric::Data;

#[test]
fn the_sdk_is_pinned() {
    let manifest = include_str!("../../instrument-runtime/Cargo.toml");
    for name in [
        "opentelemetry",
        "opentelemetry_sdk",
        "opentelemetry-http",
        "opentelemetry-otlp",
        "opentelemetry-prometheus",
    ] {
        let line = format!("\n{name} = {{ version = \"=0.");
        assert!(manifest.contains(&line), "{name} is not pinned");
    }
}

#[test]
fn there_is_one_tonic() {
    let lock = include_str!("../../Cargo.lock");
    for name in [
        "tonic",
        "prost",
        "http",
        "hyper",
        "opentelemetry",
        "opentelemetry_sdk",
    ] {
        let found = lock.matches(&format!("name = \"{name}\"\n")).count();
        assert_eq!(found, 1, "{name}");
    }
}

pub mod told {
    use super::*;

    pub fn histograms_go_out_without_extremes() {
        let collector = Collector::start(Speaks::Http);
        let telemetry = builder()
            .otlp_endpoint(collector.endpoint())
            .install()
            .unwrap();
        // its series exist from now on
        let _slot = telemetry.model("m", "1");
        block_on(telemetry.flush()).unwrap();
        let push = &collector.received()[0];
        let mut empty = 0;
        for metric in metrics(&push.request) {
            let Some(Data::Histogram(histogram)) = &metric.data else {
                continue;
            };
            for point in &histogram.data_points {
                empty += u32::from(point.count == 0);
                assert_eq!((point.min, point.max), (None, None), "{}", metric.name);
            }
        }
        assert!(empty > 0, "there are some that were never recorded");
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }

    pub fn no_point_is_the_overflow_of_the_sdk() {
        let collector = Collector::start(Speaks::Http);
        let telemetry = builder()
            .line_budget(200)
            .otlp_endpoint(collector.endpoint())
            .install()
            .unwrap();
        for number in 0..100 {
            let slot = telemetry.model(format!("m{}", number / 10), number.to_string());
            drop(slot);
        }
        block_on(predict());
        block_on(telemetry.flush()).unwrap();
        let overflowing = |name: &&String| name.contains("otel.metric.overflow");
        let points = collector.last();
        assert_eq!(points.keys().find(overflowing), None);
        assert!(!telemetry.scrape().contains("otel_metric_overflow"));
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }

    pub fn nothing_goes_out_that_nobody_asked_for() {
        let collector = Collector::start(Speaks::Http);
        let telemetry = builder()
            .otlp_endpoint(collector.endpoint())
            .install()
            .unwrap();
        telemetry.meter().u64_counter("own").build().add(1, &[]);
        block_on(predict());
        block_on(telemetry.flush()).unwrap();
        let push = &collector.received()[0];
        for metric in metrics(&push.request) {
            let known = CATALOG.iter().any(|row| row.otel == metric.name);
            assert!(known || metric.name == "own", "{}", metric.name);
        }
        let resource = format!("{:?}", push.request.resource_metrics[0].resource);
        assert!(
            resource.contains("service.name") && !resource.contains("process.command"),
            "{resource}"
        );
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }

    pub fn le_as_a_label_of_the_services_own_does_not_spoil_the_scrape() {
        let telemetry = builder().install().unwrap();
        let own = telemetry.meter().f64_histogram("own").build();
        own.record(1.0, &[KeyValue::new("le", "mine")]);
        let scrape = telemetry.scrape();
        let line = scrape.lines().find(|line| line.starts_with("own_bucket{"));
        let line = line.expect("it is there");
        assert_eq!(line.matches("le=").count(), 2, "{line}");
        assert!(line.contains("_le=\"mine\""), "{line}");
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }
}
