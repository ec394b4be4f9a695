//! Points of a push and lines of a scrape, under the same names.

use instrument_inference::CATALOG;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value::Value};
use opentelemetry_proto::tonic::metrics::v1::{Metric, metric::Data, number_data_point};
use std::collections::BTreeMap;

pub fn metrics(request: &ExportMetricsServiceRequest) -> impl Iterator<Item = &Metric> {
    let scopes = request
        .resource_metrics
        .iter()
        .flat_map(|of| &of.scope_metrics);
    scopes.flat_map(|scope| &scope.metrics)
}

fn labels(attributes: &[KeyValue]) -> String {
    let pairs = attributes.iter().map(|pair| {
        let value = pair.value.as_ref().and_then(|value| value.value.as_ref());
        let text = match value {
            Some(Value::StringValue(text)) => text.clone(),
            other => format!("{other:?}"),
        };
        format!("{}=\"{text}\"", pair.key)
    });
    let mut pairs: Vec<_> = pairs.collect();
    pairs.sort();
    pairs.join(",")
}

/// `otel.name{a="1",b="2"}` and its value; of a histogram, the count.
pub fn points(request: &ExportMetricsServiceRequest) -> BTreeMap<String, f64> {
    let mut all = BTreeMap::new();
    for metric in metrics(request) {
        let mut put = |attributes: &[KeyValue], value: f64| {
            let name = format!("{}{{{}}}", metric.name, labels(attributes));
            assert!(all.insert(name.clone(), value).is_none(), "{name} twice");
        };
        let number = |value: &Option<number_data_point::Value>| match value {
            Some(number_data_point::Value::AsDouble(value)) => *value,
            #[expect(clippy::cast_precision_loss, reason = "small numbers")]
            Some(number_data_point::Value::AsInt(value)) => *value as f64,
            None => f64::NAN,
        };
        match metric.data.as_ref().expect("a metric has data") {
            Data::Sum(sum) => {
                for point in &sum.data_points {
                    put(&point.attributes, number(&point.value));
                }
            }
            Data::Gauge(gauge) => {
                for point in &gauge.data_points {
                    put(&point.attributes, number(&point.value));
                }
            }
            Data::Histogram(histogram) => {
                for point in &histogram.data_points {
                    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
                    put(&point.attributes, point.count as f64);
                }
            }
            other => panic!("unexpected {other:?}"),
        }
    }
    all
}

/// The lines of a scrape that are of the catalogue, named as the points of a push are. Counts only, of histograms.
pub fn lines(scrape: &str) -> BTreeMap<String, f64> {
    let mut all = BTreeMap::new();
    for line in scrape.lines().filter(|line| !line.starts_with('#')) {
        let (series, value) = line.rsplit_once(' ').expect("a line has a value");
        let (name, labels) = match series.split_once('{') {
            Some((name, rest)) => (name, rest.trim_end_matches('}')),
            None => (series, ""),
        };
        let family = name.strip_suffix("_count").unwrap_or(name);
        if let Some(metric) = CATALOG
            .iter()
            .find(|metric| metric.name == family && !metric.otel.is_empty())
        {
            let value = value.parse().expect("a number");
            all.insert(format!("{}{{{labels}}}", metric.otel), value);
        }
    }
    all
}

/// Those that change by themselves between two looks.
pub fn moves(point: &str) -> bool {
    let moving = [
        "hw.",
        "inference.scrape.",
        "inference.export.",
        "inference.gpu.",
        "inference.health.",
        "inference.last_progress",
        "inference.cgroup.",
        "inference.runtime.",
        "process.",
    ];
    moving.iter().any(|start| point.starts_with(start))
}
