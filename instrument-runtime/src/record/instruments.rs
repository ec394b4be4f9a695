//! The instruments of one runtime, made from the catalogue when it starts; histograms, one for each bucket layout.

use crate::record::catalog::{self, CATALOG};
use crate::record::catalog_engine::DEVICE_EVENTS;
use crate::record::catalog_generation;
use crate::record::clock::Clock;
use crate::record::layout::Edges;
use crate::record::metric::Metric;
use crate::record::observe::{self, BeforeCollect};
use crate::record::observed::Observed;
use opentelemetry::metrics::{Counter, Histogram, Meter, MeterProvider};
use opentelemetry_sdk::metrics::{
    Aggregation, Instrument, InstrumentKind, MeterProviderBuilder, SdkMeterProvider, Stream,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// The scope of every instrument that is no histogram, and the beginning of those that are.
const SCOPE: &str = "instrument_inference";

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
    pub(crate) tenant_requests: Counter<u64>,
    pub(crate) tenant_errors: Counter<u64>,
    pub(crate) tenant_objective: Counter<u64>,
    pub(crate) batches: Counter<u64>,
    pub(crate) model_loads: Counter<u64>,
    pub(crate) label_overflow: Counter<u64>,
    pub(crate) device_events: Counter<u64>,
    pub(crate) unattributed: Counter<f64>,
    pub(crate) wasted_compute: Counter<f64>,
    pub(crate) tenant_seconds: Counter<f64>,
    pub(crate) compute: Counter<f64>,
    pub(crate) tokens: Counter<u64>,
    pub(crate) finishes: Counter<u64>,
    pub(crate) backpressure: Counter<f64>,
    pub(crate) preemptions: Counter<u64>,
    pub(crate) cache_lookups: Counter<u64>,
}

impl Instruments {
    /// `builder` has its readers and resource; `before` runs before each of their collections. What one metric has beyond
    /// `most_points` the SDK would merge; our own budget folds before that.
    pub(crate) fn new(
        builder: MeterProviderBuilder,
        clock: &Clock,
        observed: &Arc<Observed>,
        before: BeforeCollect,
        most_points: usize,
        service_version: Option<&str>,
    ) -> Instruments {
        let scopes = Scopes::default();
        let provider = builder
            .with_view(view(Arc::clone(&scopes), most_points))
            .build();
        let meter = provider.meter(SCOPE);
        // first: callbacks run in this order, and the others observe what it has drained
        observe::drain_before_collection(&meter, before);
        observe::observe(&meter, clock, observed, service_version);
        Instruments {
            scopes,
            histograms: Mutex::default(),
            requests: count(&meter, &catalog::REQUESTS),
            errors: count(&meter, &catalog::ERRORS),
            rejections: count(&meter, &catalog::REJECTIONS),
            cancellations: count(&meter, &catalog::CANCELLATIONS),
            orphan_stages: count(&meter, &catalog::ORPHAN_STAGES),
            tenant_requests: count(&meter, &catalog::TENANT_REQUESTS),
            tenant_errors: count(&meter, &catalog::TENANT_ERRORS),
            tenant_objective: count(&meter, &catalog::TENANT_OBJECTIVE),
            batches: count(&meter, &catalog::BATCHES),
            model_loads: count(&meter, &catalog::MODEL_LOADS),
            label_overflow: count(&meter, &catalog::LABEL_OVERFLOW),
            device_events: count(&meter, &DEVICE_EVENTS),
            tenant_seconds: count_seconds(&meter, &catalog::TENANT_SECONDS),
            compute: count_seconds(&meter, &catalog::COMPUTE),
            unattributed: count_seconds(&meter, &catalog::UNATTRIBUTED),
            tokens: count(&meter, &catalog_generation::TOKENS),
            finishes: count(&meter, &catalog_generation::FINISHES),
            backpressure: count_seconds(&meter, &catalog_generation::STREAM_BACKPRESSURE),
            preemptions: count(&meter, &catalog_generation::PREEMPTIONS),
            cache_lookups: count(&meter, &catalog_generation::CACHE_LOOKUPS),
            wasted_compute: count_seconds(&meter, &catalog::WASTED_COMPUTE),
            provider,
        }
    }

    /// For what is shown of other parts of the runtime.
    pub(crate) fn meter(&self) -> Meter {
        self.provider.meter(SCOPE)
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
fn view(
    scopes: Scopes,
    most_points: usize,
) -> impl Fn(&Instrument) -> Option<Stream> + Send + Sync + 'static {
    move |instrument| {
        let ours = |metric: &&Metric| metric.otel == instrument.name();
        CATALOG.iter().find(ours)?;
        let mut stream = Stream::builder().with_cardinality_limit(most_points);
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
