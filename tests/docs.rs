//! Documents that are derived from the code, and facts that documents state about it.
#![cfg(feature = "metrics")]
#![allow(missing_docs, reason = "nobody uses a test from outside")]

use instrument_inference::{CATALOG, Level, Metric, MetricKind};
use std::fmt::Write;
use std::path::Path;

fn kind(metric: &Metric) -> &'static str {
    match metric.kind {
        MetricKind::Counter => "counter",
        MetricKind::Histogram => "histogram",
        _ => "gauge",
    }
}

fn level(metric: &Metric) -> &'static str {
    match metric.level {
        Level::Core => "core",
        Level::Dimensions => "dimensions",
        _ => "quality",
    }
}

/// A code span for each, or a dash.
fn list(words: &[&str]) -> String {
    let spans: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
    if spans.is_empty() {
        "–".to_owned()
    } else {
        spans.join(", ")
    }
}

fn document() -> String {
    let mut text = String::from(
        "# Metrics\n\n\
         Generated from the catalogue in `instrument-runtime/src/record/catalog.rs`; \
         `UPDATE_GOLDEN=1 cargo test --test docs` refreshes it.\n\n\
         Durations are in seconds. A label that was not given is left out, never empty; a gauge of which nothing is \
         known is absent, never 0. `model` and `version` are those that the service declares, `none` where there is \
         none to name, and `other` where there are too many. The replica is no label: a scrape adds `instance` or \
         `pod`, and `target_info` says who the process is.\n\n\
         | name in the scrape | kind | labels | what it says | when it looks wrong |\n\
         |---|---|---|---|---|\n",
    );
    for metric in CATALOG {
        let (name, labels) = (metric.name, list(metric.labels));
        let (help, action) = (metric.help, metric.action);
        writeln!(
            text,
            "| `{name}` | {} | {labels} | {help} | {action} |",
            kind(metric)
        )
        .unwrap();
    }
    text.push_str(
        "\n## In OpenTelemetry\n\n\
         The same numbers with the same label names, but for those of its conventions, which have dots there \
         (`disk.io.direction`). Names and units follow its conventions. What Prometheus and \
         OpenTelemetry have each had a name for is shown under that of the reader.\n\n\
         | name in the scrape | OpenTelemetry name | unit | sum over replicas | level | since |\n\
         |---|---|---|---|---|---|\n",
    );
    for metric in CATALOG {
        let unit = if metric.unit.is_empty() {
            "–".to_owned()
        } else {
            format!("`{}`", metric.unit)
        };
        let otel = if metric.otel.is_empty() {
            "–".to_owned()
        } else {
            format!("`{}`", metric.otel)
        };
        let sum = if metric.summable { "yes" } else { "no" };
        let (name, since) = (metric.name, metric.since);
        writeln!(
            text,
            "| `{name}` | {otel} | {unit} | {sum} | {} | {since} |",
            level(metric)
        )
        .unwrap();
    }
    text.push_str("\n## Default buckets\n\n");
    let edges: Vec<_> = CATALOG[1].buckets.iter().map(f64::to_string).collect();
    writeln!(
        text,
        "`general`, for every duration where nothing else is said: {} s.",
        edges.join(", ")
    )
    .unwrap();
    text
}

#[test]
fn the_page_of_metrics_is_the_catalogue() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/metrics.md");
    let text = document();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        text == found,
        "{} differs; UPDATE_GOLDEN=1 refreshes it",
        path.display()
    );
}
