//! The gauges: read when somebody collects, after the drain.

use crate::notice;
use crate::record::catalog;
use crate::record::catalog_generation::{KV_CACHE_INFO, KV_CACHE_USAGE};
use crate::record::clock::Clock;
use crate::record::exports::Pushes;
use crate::record::metric::{Metric, MetricKind};
use crate::record::observed::Observed;
use opentelemetry::metrics::{AsyncInstrument, Meter};
use opentelemetry::{KeyValue, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What a collection runs before it reads.
pub(crate) type BeforeCollect = fn();

/// An observable that observes nothing, and so exports nothing: all it does is to come before the reading.
pub(crate) fn drain_before_collection(meter: &Meter, before: BeforeCollect) {
    let fenced = move |_: &dyn AsyncInstrument<u64>| fence(before);
    let _ = meter
        .u64_observable_gauge("inference.before_collection")
        .with_callback(fenced)
        .build();
}

/// A panic in a callback would poison the pipeline: every later scrape would be empty, for ever.
fn fence(work: impl FnOnce()) {
    if catch_unwind(AssertUnwindSafe(work)).is_err() {
        notice::report("a panic while collecting metrics was contained; please report it");
    }
}

pub(crate) fn observe(
    meter: &Meter,
    clock: &Clock,
    observed: &Arc<Observed>,
    service_version: Option<&str>,
) {
    let gauges = Gauges {
        meter,
        clock,
        observed,
    };
    let service =
        service_version.map(|version| KeyValue::new("service_version", version.to_owned()));
    let library = KeyValue::new("library_version", env!("CARGO_PKG_VERSION"));
    let versions: Vec<_> = service.into_iter().chain([library]).collect();
    gauges.sum(&catalog::BUILD_INFO, move |_, _, point| {
        point.observe(1, &versions);
    });
    requests_and_stages(&gauges);
    queues(&gauges);
    models(&gauges);
    kv_caches(&gauges);
    exports(&gauges);
}

fn requests_and_stages(gauges: &Gauges<'_>) {
    gauges.sum(&catalog::REQUESTS_IN_FLIGHT, |_, observed, point| {
        observed.each_requests(|one| point.observe(one.in_flight(), &one.attributes));
    });
    gauges.sum(&catalog::STAGE_IN_FLIGHT, |_, observed, point| {
        observed.each_stage(|one| point.observe(one.in_flight(), &one.attributes));
    });
    gauges.number(&catalog::REQUEST_DURATION_MAX, |clock, observed, point| {
        let now = clock.monotonic();
        observed.each_requests(|one| {
            if let Some(seconds) = one.longest(now) {
                point.observe(seconds, &one.attributes);
            }
        });
    });
    gauges.number(&catalog::STAGE_DURATION_MAX, |clock, observed, point| {
        let now = clock.monotonic();
        observed.each_stage(|one| {
            if let Some(seconds) = one.longest(now) {
                point.observe(seconds, &one.attributes);
            }
        });
    });
    gauges.number(&catalog::LAST_PROGRESS, |_, observed, point| {
        observed.each_progress(|one| {
            if let Some(at) = one.last() {
                point.observe(at, &one.attributes);
            }
        });
    });
}

fn queues(gauges: &Gauges<'_>) {
    let whole = |size: usize| i64::try_from(size).unwrap_or(i64::MAX);
    gauges.sum(&catalog::QUEUE_SIZE, move |_, observed, point| {
        observed.each_queue(|one| point.observe(whole(one.size()), &one.attributes));
    });
    gauges.sum(&catalog::QUEUE_CAPACITY, move |_, observed, point| {
        observed.each_queue(|one| point.observe(whole(one.capacity), &one.attributes));
    });
    gauges.number(&catalog::QUEUE_PEAK, |clock, observed, point| {
        let now = clock.monotonic();
        observed.each_queue(|one| point.observe(one.peak(now), &one.attributes));
    });
    gauges.number(&catalog::QUEUE_OLDEST, |clock, observed, point| {
        let now = clock.ticks();
        observed.each_queue(|one| {
            if let Some(begun) = one.oldest() {
                point.observe(clock.seconds(now.saturating_sub(begun)), &one.attributes);
            }
        });
    });
}

fn models(gauges: &Gauges<'_>) {
    gauges.sum(&catalog::MODEL_READY, |_, observed, point| {
        observed.each_model(|one| point.observe(i64::from(one.is_ready()), &one.attributes));
    });
    gauges.sum(&catalog::MODEL_INFO, |_, observed, point| {
        observed.each_model(|one| {
            let mut attributes = one.attributes.to_vec();
            let platform = one
                .platform()
                .map(|platform| Value::from(String::from(platform)));
            attributes.extend(platform.map(|platform| KeyValue::new("platform", platform)));
            point.observe(1, &attributes);
        });
    });
    gauges.number(&catalog::MODEL_LOAD_DURATION, |_, observed, point| {
        observed.each_model(|one| {
            if let Some(seconds) = one.load_seconds() {
                point.observe(seconds, &one.attributes);
            }
        });
    });
}

fn kv_caches(gauges: &Gauges<'_>) {
    gauges.number(&KV_CACHE_USAGE, |_, observed, point| {
        observed.each_model(|one| {
            if let Some(ratio) = one.kv_usage() {
                point.observe(ratio, &one.attributes);
            }
        });
    });
    gauges.sum(&KV_CACHE_INFO, |_, observed, point| {
        observed.each_model(|one| {
            if let Some((block_size, blocks)) = one.kv_cache() {
                let mut attributes = one.attributes.to_vec();
                let labels = [("block_size", block_size), ("num_gpu_blocks", blocks)];
                let labels = labels.map(|(key, value)| KeyValue::new(key, value.to_string()));
                attributes.extend(labels);
                point.observe(1, &attributes);
            }
        });
    });
}

fn exports(gauges: &Gauges<'_>) {
    let of = |pushes: &Pushes| [KeyValue::new("exporter", pushes.exporter)];
    gauges.total(&catalog::EXPORT_FAILURES, move |_, observed, point| {
        let exports = &observed.exports;
        exports.each_pushes(|pushes| point.observe(pushes.failures(), &of(pushes)));
    });
    gauges.number(&catalog::EXPORT_LAST_SUCCESS, move |_, observed, point| {
        observed.exports.each_pushes(|pushes| {
            if let Some(at) = pushes.last_success() {
                point.observe(at, &of(pushes));
            }
        });
    });
    gauges.number(&catalog::SCRAPE_DURATION, |_, observed, point| {
        if let Some(seconds) = observed.exports.scrape_seconds() {
            point.observe(seconds, &[]);
        }
    });
}

struct Gauges<'a> {
    meter: &'a Meter,
    clock: &'a Clock,
    observed: &'a Arc<Observed>,
}

impl Gauges<'_> {
    fn sum(
        &self,
        metric: &Metric,
        look: impl Fn(&Clock, &Observed, &dyn AsyncInstrument<i64>) + Send + Sync + 'static,
    ) {
        let (clock, observed) = (self.clock.clone(), Arc::clone(self.observed));
        whole(self.meter, metric, move |point| {
            look(&clock, &observed, point);
        });
    }

    /// A count that is kept elsewhere.
    fn total(
        &self,
        metric: &Metric,
        look: impl Fn(&Clock, &Observed, &dyn AsyncInstrument<u64>) + Send + Sync + 'static,
    ) {
        let (clock, observed) = (self.clock.clone(), Arc::clone(self.observed));
        count(self.meter, metric, move |point| {
            look(&clock, &observed, point);
        });
    }

    fn number(
        &self,
        metric: &Metric,
        look: impl Fn(&Clock, &Observed, &dyn AsyncInstrument<f64>) + Send + Sync + 'static,
    ) {
        let (clock, observed) = (self.clock.clone(), Arc::clone(self.observed));
        number(self.meter, metric, move |point| {
            look(&clock, &observed, point);
        });
    }
}

/// A whole number of which a sum over replicas means something: an up-down counter, a gauge to Prometheus.
pub(crate) fn whole(
    meter: &Meter,
    metric: &Metric,
    look: impl Fn(&dyn AsyncInstrument<i64>) + Send + Sync + 'static,
) {
    debug_assert!(metric.kind == MetricKind::Gauge && metric.summable);
    let _ = meter
        .i64_observable_up_down_counter(metric.otel)
        .with_unit(metric.unit)
        .with_description(metric.help)
        .with_callback(move |point| fence(|| look(point)))
        .build();
}

/// A number of one replica.
pub(crate) fn number(
    meter: &Meter,
    metric: &Metric,
    look: impl Fn(&dyn AsyncInstrument<f64>) + Send + Sync + 'static,
) {
    debug_assert!(metric.kind == MetricKind::Gauge && !metric.summable);
    let _ = meter
        .f64_observable_gauge(metric.otel)
        .with_unit(metric.unit)
        .with_description(metric.help)
        .with_callback(move |point| fence(|| look(point)))
        .build();
}

/// What somebody else has counted.
pub(crate) fn count(
    meter: &Meter,
    metric: &Metric,
    look: impl Fn(&dyn AsyncInstrument<u64>) + Send + Sync + 'static,
) {
    debug_assert!(metric.kind == MetricKind::Counter);
    let _ = meter
        .u64_observable_counter(metric.otel)
        .with_unit(metric.unit)
        .with_description(metric.help)
        .with_callback(move |point| fence(|| look(point)))
        .build();
}

/// What somebody else has counted, with fractions.
pub(crate) fn amount(
    meter: &Meter,
    metric: &Metric,
    look: impl Fn(&dyn AsyncInstrument<f64>) + Send + Sync + 'static,
) {
    debug_assert!(metric.kind == MetricKind::Counter);
    let _ = meter
        .f64_observable_counter(metric.otel)
        .with_unit(metric.unit)
        .with_description(metric.help)
        .with_callback(move |point| fence(|| look(point)))
        .build();
}
