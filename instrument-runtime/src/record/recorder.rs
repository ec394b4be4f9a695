//! One runtime's recording: its clock, instruments, models, and every series that it has made.

use crate::notice;
use crate::record::catalog;
use crate::record::clock::Clock;
use crate::record::drain;
use crate::record::instruments::Instruments;
use crate::record::layout::{Edges, Layouts};
use crate::record::model::{Model, NO_MODEL};
use crate::record::observed::{Attributes, Observed};
use crate::record::series::{self, Counting, RequestSeries, Series, SeriesId, StageSeries, sorted};
use crate::site::site::{Foreknown, SITES, Site, SiteKind};
use opentelemetry::{KeyValue, Value};
use opentelemetry_sdk::metrics::{MeterProviderBuilder, SdkMeterProvider};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Versions that one model may have in the life of a process; what comes after is `other`.
const MOST_VERSIONS: usize = 64;

/// Models, all versions together, that a process may declare; what comes after is `other`.
const MOST_MODELS: usize = 512;

const OTHER: &str = "other";

static NUMBERS: AtomicU32 = AtomicU32::new(1);

/// The labels of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct RequestLabels {
    /// A place in the recorder's list.
    pub(crate) model: usize,
    pub(crate) ingress: Option<Arc<str>>,
    pub(crate) tier: Option<Arc<str>>,
    /// `labels(…)` of the attribute.
    pub(crate) own: Vec<(&'static str, Box<str>)>,
}

/// Which counter of requests that did not go well.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Count {
    Errors,
    Rejections,
    Cancellations,
}

/// A label of [`Count`] and its value.
type CountLabels = [(&'static str, &'static str)];

/// Counter, model and labels.
type CountKey = (Count, usize, Vec<(&'static str, &'static str)>);

#[derive(Debug, PartialEq, Eq, Hash)]
struct StageKey {
    model: usize,
    stage: &'static str,
    execution: bool,
    own: Vec<(&'static str, Box<str>)>,
}

#[derive(Debug, Default)]
struct State {
    stopped: bool,
    models: Vec<Model>,
    layouts: Layouts,
    /// Fixed by the first series of a stage and model: all its outcomes and labels share one layout.
    edges: HashMap<(usize, SiteKind, &'static str), (Edges, &'static Site)>,
    stages: HashMap<StageKey, SeriesId>,
    requests: HashMap<RequestLabels, SeriesId>,
    counts: HashMap<CountKey, SeriesId>,
    unattributed: HashMap<usize, SeriesId>,
    made: Vec<SeriesId>,
}

/// One runtime's recording.
#[derive(Debug)]
pub(crate) struct Recorder {
    /// Tells runtimes of one process apart.
    pub(crate) number: u32,
    pub(crate) clock: Clock,
    instruments: Instruments,
    observed: Arc<Observed>,
    state: Mutex<State>,
    /// The label combination outside of requests; kept by `combo.rs`.
    pub(crate) outside: AtomicU32,
}

fn label(key: &'static str, value: &str) -> KeyValue {
    KeyValue::new(key, Value::from(value.to_owned()))
}

impl Recorder {
    /// `builder` has its readers and resource.
    pub(crate) fn new(clock: Clock, builder: MeterProviderBuilder, layouts: Layouts) -> Recorder {
        let observed = Arc::default();
        let instruments = Instruments::new(builder, &clock, &observed, drain::drain);
        let state = State {
            models: vec![Model::none()],
            layouts,
            ..State::default()
        };
        Recorder {
            number: NUMBERS.fetch_add(1, Ordering::Relaxed),
            clock,
            instruments,
            observed,
            state: Mutex::new(state),
            outside: AtomicU32::new(0),
        }
    }

    pub(crate) fn provider(&self) -> &SdkMeterProvider {
        self.instruments.provider()
    }

    /// What is in flight and what took longest.
    #[cfg(feature = "prometheus")]
    pub(crate) fn observed(&self) -> &Observed {
        &self.observed
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Declares a model; the same one again is the same one.
    pub(crate) fn declare(&self, name: &str, version: &str) -> usize {
        let mut state = self.state();
        let mut model = Model::new(name, version);
        if let Some(known) = state.models.iter().position(|known| *known == model) {
            return known;
        }
        let versions = state
            .models
            .iter()
            .filter(|known| known.name == model.name)
            .count();
        if versions >= MOST_VERSIONS || state.models.len() >= MOST_MODELS {
            let name = if versions >= MOST_VERSIONS {
                &model.name
            } else {
                OTHER
            };
            let folded = Model::new(name, OTHER);
            if let Some(known) = state.models.iter().position(|known| *known == folded) {
                return known;
            }
            notice::report(&format!(
                "from model `{}` {} on, more versions than a process can tell apart are counted as `{OTHER}`",
                model.name, model.version
            ));
            model = folded;
        }
        state.models.push(model);
        state.models.len() - 1
    }

    /// The only model that was declared, or the one that stands for "none".
    pub(crate) fn only_model(&self) -> usize {
        if self.state().models.len() == NO_MODEL + 2 {
            NO_MODEL + 1
        } else {
            NO_MODEL
        }
    }

    /// The series of a stage under a model, with the site's own labels.
    pub(crate) fn stage(&self, site: &'static Site, model: usize, own: u32) -> SeriesId {
        let mut state = self.state();
        let own = own_labels(site, own);
        let key = StageKey {
            model,
            stage: site.name,
            execution: site.execution,
            own,
        };
        if let Some(known) = state.stages.get(&key) {
            return *known;
        }
        let edges = state.edges(site, model);
        let model_labels = state.model_labels(model);
        let mut attributes = model_labels.clone();
        attributes.push(KeyValue::new("stage", site.name));
        let activity = self.observed.stage(&sorted(attributes.clone()).into());
        attributes.extend(key.own.iter().map(|(key, value)| label(key, value)));
        let series = StageSeries {
            clock: self.clock.clone(),
            histogram: self.instruments.histogram(&catalog::STAGE_DURATION, &edges),
            attributes: attributes.into(),
            activity,
            progress: site
                .execution
                .then(|| self.observed.progress(&sorted(model_labels.clone()).into())),
            orphans: Counting::new(
                self.instruments.orphan_stages.clone(),
                [KeyValue::new("stage", site.name)].into(),
            ),
            wasted: Arc::new(Counting::new(
                self.instruments.wasted_compute.clone(),
                sorted(model_labels).into(),
            )),
            durations: Default::default(),
            name: site.name,
        };
        let id = self.register(&mut state, Series::Stage(series), site.execution);
        state.stages.insert(key, id);
        id
    }

    /// The series of the requests with these labels, opened at this site.
    pub(crate) fn request(&self, site: &'static Site, labels: &RequestLabels) -> SeriesId {
        let mut state = self.state();
        if let Some(known) = state.requests.get(labels) {
            return *known;
        }
        let edges = state.edges(site, labels.model);
        let model_labels = state.model_labels(labels.model);
        let activity = self.observed.requests(&sorted(model_labels.clone()).into());
        let mut attributes = model_labels;
        attributes.extend(labels.tier.as_ref().map(|tier| label("tier", tier)));
        attributes.extend(labels.own.iter().map(|(key, value)| label(key, value)));
        let mut counter_attributes = attributes.clone();
        counter_attributes.extend(
            labels
                .ingress
                .as_ref()
                .map(|ingress| label("ingress", ingress)),
        );
        let series = Series::Request(RequestSeries {
            clock: self.clock.clone(),
            histogram: self
                .instruments
                .histogram(&catalog::REQUEST_DURATION, &edges),
            attributes: attributes.into(),
            counter: self.instruments.requests.clone(),
            counter_attributes: counter_attributes.into(),
            activity,
            durations: Default::default(),
            requests: Default::default(),
        });
        series.show();
        let id = self.register(&mut state, series, false);
        state.requests.insert(labels.clone(), id);
        id
    }

    /// The time of a model's requests that no stage covers.
    pub(crate) fn unattributed(&self, model: usize) -> SeriesId {
        let mut state = self.state();
        if let Some(known) = state.unattributed.get(&model) {
            return *known;
        }
        let attributes: Attributes = sorted(state.model_labels(model)).into();
        // its twin among the times that nobody asked for
        self.instruments.wasted_compute.add(0.0, &attributes);
        let counting = Arc::new(Counting::new(
            self.instruments.unattributed.clone(),
            attributes,
        ));
        let series = Series::Seconds(self.clock.clone(), counting);
        series.show();
        let id = self.register(&mut state, series, false);
        state.unattributed.insert(model, id);
        id
    }

    /// The point of a counter.
    pub(crate) fn count(&self, count: Count, model: usize, labels: &CountLabels) -> SeriesId {
        let mut state = self.state();
        let key = (count, model, labels.to_vec());
        if let Some(known) = state.counts.get(&key) {
            return *known;
        }
        let mut attributes = state.model_labels(model);
        attributes.extend(
            labels
                .iter()
                .map(|(key, value)| KeyValue::new(*key, *value)),
        );
        let counter = match count {
            Count::Errors => &self.instruments.errors,
            Count::Rejections => &self.instruments.rejections,
            Count::Cancellations => &self.instruments.cancellations,
        };
        let series = Series::Count(Counting::new(counter.clone(), sorted(attributes).into()));
        let id = self.register(&mut state, series, false);
        state.counts.insert(key, id);
        id
    }

    fn register(&self, state: &mut State, series: Series, execution: bool) -> SeriesId {
        if state.stopped {
            return SeriesId::NONE;
        }
        let id = series::register(series, self.clock.is_manual(), execution);
        state.made.push(id);
        id
    }

    /// Makes the series of every linked site exist at 0 under a model: "never called" is not "not deployed".
    pub(crate) fn show_linked(&self, model: usize) {
        let plain = |site: &&Site| !site.names_model && site.keys.is_empty();
        for site in SITES.iter().filter(plain) {
            let id = match (site.kind, site.foreknown) {
                (SiteKind::Stage, _) => self.stage(site, model, 0),
                (SiteKind::Request, Foreknown::Ingress(ingress)) => {
                    self.unattributed(model);
                    let ingress = ingress.map(Arc::from);
                    self.request(
                        site,
                        &RequestLabels {
                            model,
                            ingress,
                            ..RequestLabels::default()
                        },
                    )
                }
                (SiteKind::Request, Foreknown::Nothing) => continue,
            };
            if let Some(series) = series::get(id) {
                series.show();
            }
        }
    }

    /// Records what is in the rings, then forgets every series: guards that are still open end nowhere.
    pub(crate) fn stop(&self) {
        drain::drain();
        let mut state = self.state();
        state.stopped = true;
        series::stop(&std::mem::take(&mut state.made));
    }
}

impl State {
    fn model_labels(&self, model: usize) -> Vec<KeyValue> {
        // places are handed out by this list and never taken back
        let model = self.models.get(model).unwrap_or(&self.models[NO_MODEL]);
        vec![
            label("model", &model.name),
            label("version", &model.version),
        ]
    }

    /// The edges of this stage and model. Whoever comes first decides; a site that disagrees is told.
    fn edges(&mut self, site: &'static Site, model: usize) -> Edges {
        let stage = match site.kind {
            SiteKind::Stage => site.name,
            SiteKind::Request => "",
        };
        let disagreement = self
            .layouts
            .add(site)
            .err()
            .map(|wrong| (wrong.what, wrong.one));
        let wanted = self.layouts.edges(site);
        let (edges, first) = self
            .edges
            .entry((model, site.kind, stage))
            .or_insert_with(|| (Arc::clone(&wanted), site));
        let says_something = site.buckets.is_some() || site.objective.is_some();
        let differs = says_something && *edges != wanted;
        if let Some((what, other)) = disagreement.or(differs.then_some(("buckets", *first))) {
            notice::report(&format!(
                "`{}` at {site} asks for other {what} than the one at {other}, whose are used for both; give both the same",
                site.name
            ));
        }
        Arc::clone(edges)
    }
}

/// What `labels(…)` of a site say in this combination.
pub(crate) fn own_labels(site: &'static Site, own: u32) -> Vec<(&'static str, Box<str>)> {
    let values = site.own.values(own);
    let given = site
        .keys
        .iter()
        .copied()
        .zip(values)
        .filter_map(|(key, value)| Some((key, value?)));
    given.collect()
}
