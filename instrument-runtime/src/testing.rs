//! A runtime for one test: with a clock that the test moves, and no global state.

use crate::record::clock::{Clock, ManualClock};
use crate::record::combo;
use crate::record::drain;
use crate::record::fence::fenced;
use crate::record::layout::Layouts;
use crate::record::local;
use crate::record::recorder::{Extent, Recorder};
use crate::record::slot_recording;
use crate::runtime::wiring::{self, Scrape};
use crate::slot::model_slot::ModelSlot;
use crate::slot::slots::Slots;
use crate::vocab::level::Level;
use opentelemetry::metrics::{Meter, MeterProvider};
use opentelemetry_sdk::metrics::{
    InMemoryMetricExporter, InMemoryMetricExporterBuilder, PeriodicReader, SdkMeterProvider,
    Temporality,
};
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

/// A runtime of its own: many live side by side in one test binary.
///
/// ```
/// # use instrument_runtime as instrument_inference;
/// use instrument_inference::testing::Rig;
/// use std::time::Duration;
///
/// let rig = Rig::new();
/// let _inside = rig.enter(); // annotated functions on this thread record to it
/// rig.advance(Duration::from_millis(20));
/// println!("{}", rig.scrape());
/// ```
#[derive(Debug)]
pub struct Rig {
    recorder: Arc<Recorder>,
    slots: Slots,
    clock: Option<Arc<ManualClock>>,
    scrape: Scrape,
    pushed: InMemoryMetricExporter,
}

/// Settings of a [`Rig`].
#[derive(Debug, Clone)]
#[must_use = "call `start`"]
pub struct RigBuilder {
    linked: bool,
    real_clock: bool,
    temporality: Temporality,
    extent: Extent,
}

impl RigBuilder {
    /// How much is recorded.
    pub fn level(mut self, level: Level) -> RigBuilder {
        self.extent.level = level;
        self
    }

    /// How many lines a scrape may have.
    pub fn line_budget(mut self, lines: usize) -> RigBuilder {
        self.extent.lines = lines;
        self
    }

    /// Takes in what all linked attributes say about buckets, as an installed telemetry does.
    pub fn linked(mut self, linked: bool) -> RigBuilder {
        self.linked = linked;
        self
    }

    /// Time passes by itself.
    pub fn real_clock(mut self) -> RigBuilder {
        self.real_clock = true;
        self
    }

    /// What is pushed counts from the last push, not from the start.
    pub fn delta(mut self) -> RigBuilder {
        self.temporality = Temporality::Delta;
        self
    }

    /// Starts it.
    ///
    /// # Panics
    /// When linked attributes disagree, or the exporter cannot be set up: a test cannot go on then.
    #[must_use]
    pub fn start(self) -> Rig {
        let layouts = if self.linked {
            Layouts::linked().expect("linked attributes agree")
        } else {
            Layouts::default()
        };
        let clock = (!self.real_clock).then(Arc::<ManualClock>::default);
        let pushed = InMemoryMetricExporterBuilder::new()
            .with_temporality(self.temporality)
            .build();
        // pushed only when a test asks: one of its own accord would come at any time
        let reader = PeriodicReader::builder(pushed.clone())
            .with_interval(Duration::from_secs(86_400))
            .build();
        let builder = SdkMeterProvider::builder()
            .with_resource(opentelemetry_sdk::Resource::builder_empty().build());
        let (scrape, builder) =
            wiring::scrape(builder.with_reader(reader)).expect("the exporter can be set up");
        let real_or_not = clock.clone().map_or(Clock::Real, Clock::Manual);
        let recorder = Arc::new(Recorder::new(
            real_or_not,
            builder,
            layouts,
            self.extent,
            None,
        ));
        wiring::retire(&scrape, &recorder);
        combo::refresh_outside(&recorder, false);
        local::runtime_started();
        Rig {
            recorder,
            slots: Slots::default(),
            clock,
            scrape,
            pushed,
        }
    }
}

impl Default for Rig {
    fn default() -> Rig {
        Rig::new()
    }
}

impl Rig {
    /// A rig with a manual clock that knows nothing of linked attributes.
    #[must_use]
    pub fn new() -> Rig {
        Rig::builder().start()
    }

    /// Settings for a rig.
    pub fn builder() -> RigBuilder {
        RigBuilder {
            linked: false,
            real_clock: false,
            temporality: Temporality::Cumulative,
            extent: Extent::default(),
        }
    }

    /// Until the guard is dropped, what runs on this thread outside of requests records to this rig. Declare
    /// models before other threads enter.
    #[must_use = "the rig is entered until this is dropped"]
    pub fn enter(&self) -> EnteredRig {
        let outside = self
            .recorder
            .outside
            .load(std::sync::atomic::Ordering::Acquire);
        EnteredRig {
            was: local::with(|local| local.enter_runtime(outside)),
            not_send: PhantomData,
        }
    }

    /// Declares a model, as `Telemetry::model` does.
    pub fn model(&self, name: &str, version: &str) -> ModelSlot {
        let state = self.slots.declare(name, version);
        let (model, recorded) = slot_recording::declare(&self.recorder, &state, false);
        if self.recorder.only_model() == model {
            self.recorder.show_foreseen(model);
        }
        ModelSlot::new(state, Some(recorded))
    }

    /// A layer that owns requests and records them to this rig, whatever thread serves them, as
    /// `Telemetry::request_layer` does.
    #[cfg(feature = "tower")]
    pub fn request_layer(&self, ingress: &'static str) -> crate::request::layer::RequestLayer {
        crate::request::layer::RequestLayer::new(Some(&self.recorder), ingress)
    }

    /// Moves the clock.
    ///
    /// # Panics
    /// With a real clock.
    pub fn advance(&self, by: Duration) {
        // what has happened so far has happened before
        self.drain();
        self.clock
            .as_ref()
            .expect("the clock is manual")
            .advance(by);
    }

    /// Takes what all threads have written so far out of their rings, as every collection does.
    pub fn drain(&self) {
        drain::drain();
    }

    /// For metrics of the test's own.
    #[must_use]
    pub fn meter(&self) -> Meter {
        fenced(self.recorder.provider().meter("user"))
    }

    /// Pushes, and gives everything that was pushed since the last call.
    ///
    /// # Panics
    /// When the push fails.
    #[must_use]
    pub fn push(&self) -> Vec<opentelemetry_sdk::metrics::data::ResourceMetrics> {
        self.recorder
            .provider()
            .force_flush()
            .expect("the exporter is in memory");
        let pushed = self
            .pushed
            .get_finished_metrics()
            .expect("the exporter is in memory");
        self.pushed.reset();
        pushed
    }

    /// The text of a scrape.
    ///
    /// # Panics
    /// When it cannot be written.
    #[must_use]
    pub fn scrape(&self) -> String {
        self.scrape.text(&[]).expect("a scrape can be written")
    }

    /// The value of one line of a scrape, given as the line has it: `name{label="value",…}` with the labels in
    /// alphabetical order. `None` when there is no such line.
    #[must_use]
    pub fn value(&self, series: &str) -> Option<f64> {
        let scrape = self.scrape();
        let line = scrape
            .lines()
            .find_map(|line| line.strip_prefix(series)?.strip_prefix(' '))?;
        line.parse().ok()
    }

    /// The stage table.
    #[must_use]
    pub fn summary(&self) -> crate::export::summary::Summary {
        crate::export::summary::Summary::new(&self.scrape.gather(), &self.recorder.observed)
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        local::runtime_stopped();
        let _ = self.recorder.provider().shutdown();
        self.recorder.stop();
    }
}

/// Keeps a [`Rig`] entered.
#[derive(Debug)]
#[must_use = "the rig is entered until this is dropped"]
pub struct EnteredRig {
    was: u32,
    /// It is about this thread.
    not_send: PhantomData<*const ()>,
}

impl Drop for EnteredRig {
    fn drop(&mut self) {
        local::with(|local| local.enter_runtime(self.was));
    }
}
