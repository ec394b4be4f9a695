//! What the catalogue says about a metric.

use crate::vocab::level::Level;

/// What a metric is, in the words of Prometheus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MetricKind {
    /// Only grows; read with `rate()`.
    Counter,
    /// Goes up and down; read as it is.
    Gauge,
    /// Counts by bucket; read with `histogram_quantile()`.
    Histogram,
}

/// One row of the catalogue.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Metric {
    /// The family's name in the scrape.
    pub name: &'static str,
    /// The instrument's name in OpenTelemetry. Together with kind and unit it makes `name`.
    pub otel: &'static str,
    /// What it is.
    pub kind: MetricKind,
    /// The unit, as UCUM writes it: `s`, `By`, `1`, or an annotation such as `{request}`.
    pub unit: &'static str,
    /// The labels that it always or sometimes has, beside those of the user's own.
    pub labels: &'static [&'static str],
    /// What the buckets are where nothing else is said; empty for what is no histogram.
    pub buckets: &'static [f64],
    /// What it counts, in one line.
    pub help: &'static str,
    /// From which level on it exists.
    pub level: Level,
    /// The version in which it appeared.
    pub since: &'static str,
    /// The metric that takes its place, while both exist.
    pub deprecated_by: Option<&'static str>,
    /// What to do when it looks wrong.
    pub action: &'static str,
    /// Whether a sum over replicas means anything.
    pub summable: bool,
}

/// The rows that have nothing special about them are written once, here.
pub(crate) const ROW: Metric = Metric {
    name: "",
    otel: "",
    kind: MetricKind::Counter,
    unit: "",
    labels: &[],
    buckets: &[],
    help: "",
    level: Level::Core,
    since: "0.1.0",
    deprecated_by: None,
    action: "",
    summable: true,
};
