//! The scrape: what was recorded, in the Prometheus text format, or as plain points.

use crate::record::catalog::{BUILD_INFO, CATALOG};
use crate::record::catalog_process::TWICE;
use crate::record::retirement::Retirement;
use crate::record::scrape_timer::ScrapeTimer;
use opentelemetry_prometheus::PrometheusExporter;
use prometheus::proto::{MetricFamily, MetricType};
use prometheus::{Registry, TextEncoder};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};

/// The registry that a scrape reads.
#[derive(Debug, Clone)]
pub(crate) struct Scrape {
    registry: Registry,
    /// Versions that are not served any more, as `model` and `version`: the SDK never forgets a series.
    retired: Arc<OnceLock<Retirement>>,
    timer: Arc<OnceLock<ScrapeTimer>>,
}

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
        let scrape = Scrape {
            registry,
            retired: Arc::default(),
            timer: Arc::default(),
        };
        Ok((scrape, reader))
    }

    /// The text of a scrape. `names` picks families, as `?name[]=` does; empty means all.
    ///
    /// # Errors
    /// When a family cannot be written.
    pub(crate) fn text(&self, names: &[String]) -> Result<String, String> {
        let timer = self.timer.get();
        let begun = timer.map(ScrapeTimer::begin);
        let mut families = self.families()?;
        if !names.is_empty() {
            families.retain(|family| names.iter().any(|name| name == family.name()));
        }
        let mut text = String::new();
        TextEncoder::new()
            .encode_utf8(&families, &mut text)
            .map_err(|error| error.to_string())?;
        if let (Some(timer), Some(begun)) = (timer, begun) {
            timer.end(begun);
        }
        Ok(text)
    }

    /// Leaves out versions that were unloaded long ago.
    pub(crate) fn leave_out_retired(&self, retired: Retirement) {
        let _ = self.retired.set(retired);
    }

    /// Says how long its scrapes take.
    pub(crate) fn measured_by(&self, timer: ScrapeTimer) {
        let _ = self.timer.set(timer);
    }

    /// Everything, for those that look at several families.
    pub(crate) fn gather(&self) -> Gathered {
        Gathered(self.families().unwrap_or_default())
    }

    /// Shows the process under the names that all clients of Prometheus give it.
    ///
    /// # Errors
    /// When it cannot be registered.
    #[cfg(target_os = "linux")]
    pub(crate) fn show_process(&self) -> Result<(), String> {
        let registered = self.registry.register(Box::new(process::Classic::new()));
        registered.map_err(|error| error.to_string())
    }

    fn families(&self) -> Result<Vec<MetricFamily>, String> {
        // inside of a collection it would wait for itself
        let Some(_collecting) = Collecting::begin() else {
            return Err("a scrape was asked for inside of a scrape".to_owned());
        };
        // those of the service are fenced; a view or the SDK itself may still panic
        let gathered = catch_unwind(AssertUnwindSafe(|| self.registry.gather()));
        let mut families = gathered.map_err(|_| "a panic while collecting".to_owned())?;
        if !families
            .iter()
            .any(|family| family.name() == BUILD_INFO.name)
        {
            // there was one in an earlier scrape: the SDK is silent from then on
            return Err("the metrics cannot be read any more".to_owned());
        }
        if let Some(retired) = self.retired.get().filter(|retired| retired.any()) {
            for family in &mut families {
                leave_out(family, retired);
            }
            // of which nothing is left: the encoder refuses the whole scrape for one
            families.retain(|family| !family.get_metric().is_empty());
        }
        // what is pushed under another name is not to be here twice
        let names: Vec<_> = families
            .iter()
            .map(|family| family.name().to_owned())
            .collect();
        let twice = |family: &MetricFamily| {
            let classic = TWICE.iter().find(|(pushed, _)| *pushed == family.name());
            classic.is_some_and(|(_, classic)| names.iter().any(|name| name == classic))
        };
        families.retain(|family| !twice(family));
        for family in &mut families {
            if !CATALOG.iter().any(|metric| metric.name == family.name()) {
                readable_labels(family);
            }
        }
        Ok(families)
    }
}

/// The process, by the prometheus crate's own collector.
#[cfg(target_os = "linux")]
mod process {
    use crate::record::catalog::CATALOG;
    use prometheus::core::{Collector, Desc};
    use prometheus::process_collector::ProcessCollector;
    use prometheus::proto::MetricFamily;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::{Mutex, PoisonError};

    pub(super) struct Classic {
        descs: Vec<Desc>,
        /// Two at a time would both add what is new to its counter.
        collector: Mutex<ProcessCollector>,
    }

    impl Classic {
        pub(super) fn new() -> Classic {
            let collector = ProcessCollector::for_self();
            Classic {
                descs: collector.desc().into_iter().cloned().collect(),
                collector: Mutex::new(collector),
            }
        }
    }

    impl Collector for Classic {
        fn desc(&self) -> Vec<&Desc> {
            self.descs.iter().collect()
        }

        fn collect(&self) -> Vec<MetricFamily> {
            let collector = self
                .collector
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            // it reads what the kernel writes: odd texts are to cost these lines, not the scrape
            let read = catch_unwind(AssertUnwindSafe(|| collector.collect())).unwrap_or_default();
            read.into_iter().filter_map(named).filter(known).collect()
        }
    }

    /// In the words of the catalogue.
    fn named(mut family: MetricFamily) -> Option<MetricFamily> {
        let metric = CATALOG.iter().find(|metric| metric.name == family.name())?;
        family.set_help(metric.help.to_owned());
        Some(family)
    }

    /// None of its gauges can be 0, which stands for what could not be read.
    pub(super) fn known(family: &MetricFamily) -> bool {
        let zero = |metric: &prometheus::proto::Metric| {
            metric.get_gauge().get_value().abs() < f64::EPSILON
        };
        family.get_field_type() != prometheus::proto::MetricType::GAUGE
            || !family.get_metric().iter().any(zero)
    }
}

fn leave_out(family: &mut MetricFamily, retired: &Retirement) {
    let mut metrics = family.take_metric();
    metrics.retain(|metric| {
        let label = |name: &str| metric.get_label().iter().find(|pair| pair.name() == name);
        match (label("model"), label("version")) {
            (Some(model), Some(version)) => !retired.is_retired(model.value(), version.value()),
            _ => true,
        }
    });
    family.set_metric(metrics);
}

/// Label names that Prometheus refuses would make it refuse the whole scrape: they get a `_` in front, or in place of
/// what is not allowed. Ours are checked at compile time.
fn readable_labels(family: &mut MetricFamily) {
    for metric in family.mut_metric() {
        let mut labels = metric.take_label();
        for label in &mut labels {
            if let Some(name) = readable(label.name()) {
                label.set_name(name);
            }
        }
        metric.set_label(labels);
    }
}

/// The name as it may stand, where it may not stand as it is.
fn readable(name: &str) -> Option<String> {
    if name == "le" {
        // how histograms name their buckets; twice in one line, it is refused too
        return Some("_le".to_owned());
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let begins_well = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    if begins_well && name.chars().all(allowed) {
        return None;
    }
    let rest = name.chars().map(|c| if allowed(c) { c } else { '_' });
    Some(
        std::iter::repeat_n('_', usize::from(!begins_well))
            .chain(rest)
            .collect(),
    )
}

thread_local!(static COLLECTING: Cell<bool> = const { Cell::new(false) });

/// This thread collects.
struct Collecting;

impl Collecting {
    fn begin() -> Option<Collecting> {
        (!COLLECTING.replace(true)).then_some(Collecting)
    }
}

impl Drop for Collecting {
    fn drop(&mut self) {
        COLLECTING.set(false);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_gauge_of_the_process_that_is_0_was_not_read() {
        use prometheus::core::Collector;
        let family = |value| {
            let gauge = prometheus::Gauge::new("process_max_fds", "help").expect("a name");
            gauge.set(value);
            gauge.collect().remove(0)
        };
        assert!(process::known(&family(1024.0)) && !process::known(&family(0.0)));
        // a process may have used no whole second yet
        let counter = prometheus::Counter::new("process_cpu_seconds_total", "help");
        let counter = counter.expect("a name").collect().remove(0);
        assert!(process::known(&counter));
    }

    #[test]
    fn names_that_prometheus_refuses_are_mended() {
        assert_eq!(readable("service_name"), None);
        assert_eq!(readable("1a").as_deref(), Some("_1a"));
        assert_eq!(readable("c:d").as_deref(), Some("c_d"));
        assert_eq!(readable("le").as_deref(), Some("_le"));
        assert_eq!(readable("").as_deref(), Some("_"));
    }
}
