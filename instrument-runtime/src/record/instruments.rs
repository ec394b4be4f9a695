//! The instruments of one runtime, made from the catalogue when it starts; histograms, one for each bucket layout.

use crate::notice;
use crate::record::catalog::{self, CATALOG, Metric, MetricKind};
use crate::record::clock::Clock;
use crate::record::layout::Edges;
use crate::record::observed::Observed;
use opentelemetry::metrics::{AsyncInstrument, Counter, Histogram, Meter, MeterProvider};
use opentelemetry_sdk::metrics::{
    Aggregation, Instrument, InstrumentKind, MeterProviderBuilder, SdkMeterProvider, Stream,
};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The scope of every instrument that is no histogram, and the beginning of those that are.
const SCOPE: &str = "instrument_inference";

/// Points that one metric may have in the SDK. Its own default; what lies beyond would be merged there.
const MOST_POINTS: usize = 2_000;

/// Which edges the histograms of a scope have. The SDK's view asks when an instrument is made.
type Scopes = Arc<RwLock<HashMap<String, Edges>>>;

/// Made once: creating an instrument waits for a collection that is under way.
#[derive(Debug)]
pub(crate) struct Instruments {
    provider: SdkMeterProvider,
    scopes: Scopes,
    histograms: Mutex<HashMap<(&'static str, String), Histogram<f64>>>,
    pub(crate) requests: Counter<u64>,
    pub(crate) errors: Counter<u64>,
    pub(crate) rejections: Counter<u64>,
    pub(crate) cancellations: Counter<u64>,
    pub(crate) orphan_stages: Counter<u64>,
    pub(crate) unattributed: Counter<f64>,
    pub(crate) wasted_compute: Counter<f64>,
}

/// What a collection runs before it reads.
pub(crate) type BeforeCollect = fn();

impl Instruments {
    /// `builder` has its readers and resource; `before` runs before each of their collections.
    pub(crate) fn new(
        builder: MeterProviderBuilder,
        clock: &Clock,
        observed: &Arc<Observed>,
        before: BeforeCollect,
    ) -> Instruments {
        let scopes = Scopes::default();
        let provider = builder.with_view(view(Arc::clone(&scopes))).build();
        let meter = provider.meter(SCOPE);
        // first: callbacks run in this order, and the others observe what it has drained
        drain_before_collection(&meter, before);
        observe(&meter, clock, observed);
        Instruments {
            scopes,
            histograms: Mutex::default(),
            requests: count(&meter, &catalog::REQUESTS),
            errors: count(&meter, &catalog::ERRORS),
            rejections: count(&meter, &catalog::REJECTIONS),
            cancellations: count(&meter, &catalog::CANCELLATIONS),
            orphan_stages: count(&meter, &catalog::ORPHAN_STAGES),
            unattributed: count_seconds(&meter, &catalog::UNATTRIBUTED),
            wasted_compute: count_seconds(&meter, &catalog::WASTED_COMPUTE),
            provider,
        }
    }

    pub(crate) fn provider(&self) -> &SdkMeterProvider {
        &self.provider
    }

    /// The histogram of this metric with these edges. One instrument for each layout, in a scope of its own:
    /// within one scope the SDK ignores the edges of the second.
    pub(crate) fn histogram(&self, metric: &Metric, edges: &Edges) -> Histogram<f64> {
        let scope = format!(
            "{SCOPE}.{}",
            edges
                .iter()
                .map(f64::to_string)
                .collect::<Vec<_>>()
                .join("_")
        );
        let mut made = self
            .histograms
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let histogram = made
            .entry((metric.otel, scope))
            .or_insert_with_key(|(_, scope)| {
                let mut scopes = self.scopes.write().unwrap_or_else(PoisonError::into_inner);
                scopes.insert(scope.clone(), Arc::clone(edges));
                drop(scopes);
                let meter = self.provider.meter_with_scope(
                    opentelemetry::InstrumentationScope::builder(scope.clone()).build(),
                );
                meter
                    .f64_histogram(metric.otel)
                    .with_unit(metric.unit)
                    .with_description(metric.help)
                    .build()
            });
        histogram.clone()
    }
}

/// Boundaries for our histograms, a limit for all that is ours, and nothing for the user's own instruments.
fn view(scopes: Scopes) -> impl Fn(&Instrument) -> Option<Stream> + Send + Sync + 'static {
    move |instrument| {
        if !CATALOG
            .iter()
            .any(|metric| metric.otel == instrument.name())
        {
            return None;
        }
        let mut stream = Stream::builder().with_cardinality_limit(MOST_POINTS);
        if instrument.kind() == InstrumentKind::Histogram {
            let scopes = scopes.read().unwrap_or_else(PoisonError::into_inner);
            let boundaries = scopes.get(instrument.scope().name())?.to_vec();
            // a bound histogram that was never recorded would go out with the smallest `f64` as its maximum
            stream = stream.with_aggregation(Aggregation::ExplicitBucketHistogram {
                boundaries,
                record_min_max: false,
            });
        }
        stream.build().ok()
    }
}

fn count(meter: &Meter, metric: &Metric) -> Counter<u64> {
    meter
        .u64_counter(metric.otel)
        .with_unit(metric.unit)
        .with_description(metric.help)
        .build()
}

fn count_seconds(meter: &Meter, metric: &Metric) -> Counter<f64> {
    meter
        .f64_counter(metric.otel)
        .with_unit(metric.unit)
        .with_description(metric.help)
        .build()
}

/// An observable that observes nothing, and so exports nothing: all it does is to come before the reading.
fn drain_before_collection(meter: &Meter, before: BeforeCollect) {
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

fn observe(meter: &Meter, clock: &Clock, observed: &Arc<Observed>) {
    observe_level(
        meter,
        observed,
        &catalog::REQUESTS_IN_FLIGHT,
        |observed, point| {
            observed.each_requests(|one| point.observe(one.in_flight(), &one.attributes));
        },
    );
    observe_level(
        meter,
        observed,
        &catalog::STAGE_IN_FLIGHT,
        |observed, point| {
            observed.each_stage(|one| point.observe(one.in_flight(), &one.attributes));
        },
    );
    let now = clock.clone();
    observe_seconds(
        meter,
        observed,
        &catalog::REQUEST_DURATION_MAX,
        move |observed, point| {
            let now = now.monotonic();
            observed.each_requests(|one| {
                if let Some(seconds) = one.longest(now) {
                    point.observe(seconds, &one.attributes);
                }
            });
        },
    );
    let now = clock.clone();
    observe_seconds(
        meter,
        observed,
        &catalog::STAGE_DURATION_MAX,
        move |observed, point| {
            let now = now.monotonic();
            observed.each_stage(|one| {
                if let Some(seconds) = one.longest(now) {
                    point.observe(seconds, &one.attributes);
                }
            });
        },
    );
    observe_seconds(
        meter,
        observed,
        &catalog::LAST_PROGRESS,
        |observed, point| {
            observed.each_progress(|one| {
                if let Some(at) = one.last() {
                    point.observe(at, &one.attributes);
                }
            });
        },
    );
}

fn observe_level(
    meter: &Meter,
    observed: &Arc<Observed>,
    metric: &Metric,
    look: impl Fn(&Observed, &dyn AsyncInstrument<i64>) + Send + Sync + 'static,
) {
    debug_assert_eq!(metric.kind, MetricKind::Gauge);
    let observed = Arc::clone(observed);
    let callback = move |point: &dyn AsyncInstrument<i64>| fence(|| look(&observed, point));
    // a sum over replicas means something: an up-down counter, which Prometheus shows as a gauge
    let builder = meter
        .i64_observable_up_down_counter(metric.otel)
        .with_description(metric.help);
    let _ = builder.with_callback(callback).build();
}

fn observe_seconds(
    meter: &Meter,
    observed: &Arc<Observed>,
    metric: &Metric,
    look: impl Fn(&Observed, &dyn AsyncInstrument<f64>) + Send + Sync + 'static,
) {
    debug_assert_eq!(metric.kind, MetricKind::Gauge);
    let observed = Arc::clone(observed);
    let callback = move |point: &dyn AsyncInstrument<f64>| fence(|| look(&observed, point));
    let builder = meter
        .f64_observable_gauge(metric.otel)
        .with_unit(metric.unit)
        .with_description(metric.help);
    let _ = builder.with_callback(callback).build();
}
