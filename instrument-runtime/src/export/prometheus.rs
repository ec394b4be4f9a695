//! The scrape: what was recorded, in the Prometheus text format, or as plain points.

use opentelemetry_prometheus::PrometheusExporter;
use prometheus::proto::{MetricFamily, MetricType};
use prometheus::{Registry, TextEncoder};
use std::collections::BTreeMap;

/// The registry that a scrape reads.
#[derive(Debug, Clone)]
pub(crate) struct Scrape(Registry);

/// A histogram's point, as a scrape shows it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HistogramPoint {
    pub(crate) labels: BTreeMap<String, String>,
    /// Upper edges and cumulative counts, without the open bucket.
    pub(crate) buckets: Vec<(f64, u64)>,
    pub(crate) count: u64,
    pub(crate) sum: f64,
}

impl Scrape {
    /// A registry of our own, and the reader that fills it.
    ///
    /// # Errors
    /// When the exporter cannot be registered.
    pub(crate) fn new() -> Result<(Scrape, PrometheusExporter), String> {
        let registry = Registry::new();
        let reader = opentelemetry_prometheus::exporter()
            .with_registry(registry.clone())
            // our histograms lie in several scopes, one for each bucket layout: nobody wants to see that
            .scope_info_enabled(false)
            .build()
            .map_err(|error| error.to_string())?;
        Ok((Scrape(registry), reader))
    }

    /// The text of a scrape. `names` picks families, as `?name[]=` does; empty means all.
    ///
    /// # Errors
    /// When a family cannot be written.
    pub(crate) fn text(&self, names: &[String]) -> Result<String, String> {
        let mut families = self.0.gather();
        if !names.is_empty() {
            families.retain(|family| names.iter().any(|name| name == family.name()));
        }
        let mut text = String::new();
        TextEncoder::new()
            .encode_utf8(&families, &mut text)
            .map_err(|error| error.to_string())?;
        Ok(text)
    }

    /// Everything, for those that look at several families.
    pub(crate) fn gather(&self) -> Gathered {
        Gathered(self.0.gather())
    }
}

/// What one scrape would show.
#[derive(Debug)]
pub(crate) struct Gathered(Vec<MetricFamily>);

impl Gathered {
    fn family(&self, name: &str) -> Option<&MetricFamily> {
        self.0.iter().find(|family| family.name() == name)
    }

    pub(crate) fn histograms(&self, name: &str) -> Vec<HistogramPoint> {
        let family = self
            .family(name)
            .filter(|family| family.get_field_type() == MetricType::HISTOGRAM);
        let points = family.map(MetricFamily::get_metric).unwrap_or_default();
        let point = |metric: &prometheus::proto::Metric| {
            let histogram = metric.get_histogram();
            let buckets = histogram.get_bucket().iter();
            HistogramPoint {
                labels: labels(metric),
                buckets: buckets
                    .map(|b| (b.upper_bound(), b.cumulative_count()))
                    .filter(|(edge, _)| edge.is_finite())
                    .collect(),
                count: histogram.get_sample_count(),
                sum: histogram.get_sample_sum(),
            }
        };
        points.iter().map(point).collect()
    }

    /// The sum of a counter over all of its points.
    pub(crate) fn total(&self, name: &str) -> f64 {
        let points = self
            .family(name)
            .map(MetricFamily::get_metric)
            .unwrap_or_default();
        points
            .iter()
            .map(|metric| metric.get_counter().get_value())
            .sum()
    }
}

fn labels(metric: &prometheus::proto::Metric) -> BTreeMap<String, String> {
    metric
        .get_label()
        .iter()
        .map(|pair| (pair.name().to_owned(), pair.value().to_owned()))
        .collect()
}
