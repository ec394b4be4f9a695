//! One runtime's recording: its clock, instruments and models, and the numbers of the series that it has made.

use crate::notice;
use crate::record::attributes::{Attributes, label, sorted};
use crate::record::budget::{self, Budget};
use crate::record::clock::Clock;
use crate::record::drain;
use crate::record::instruments::Instruments;
use crate::record::layout::{Edges, Layouts};
#[cfg(feature = "tracing")]
use crate::record::limit::Limit;
use crate::record::model::{Model, ModelState, NO_MODEL};
use crate::record::observed::Observed;
use crate::record::series::{self, Series, SeriesId};
use crate::site::site::{Site, SiteKind};
use crate::vocab::level::Level;
use opentelemetry::KeyValue;
use opentelemetry_sdk::metrics::{MeterProviderBuilder, SdkMeterProvider};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

/// Versions that one model may have in the life of a process; what comes after is `other`.
const MOST_VERSIONS: usize = 64;

/// Models, all versions together, that a process may declare; what comes after is `other`.
const MOST_MODELS: usize = 512;

const OTHER: &str = "other";

static NUMBERS: AtomicU32 = AtomicU32::new(1);

/// A label and its value, as the user gave it.
pub(crate) type OwnLabels = Vec<(&'static str, Box<str>)>;

/// The labels of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub(crate) struct RequestLabels {
    /// A place in the recorder's list.
    pub(crate) model: usize,
    pub(crate) ingress: Option<Arc<str>>,
    pub(crate) tier: Option<Arc<str>>,
    pub(crate) tenant: Option<Arc<str>>,
    /// `labels(…)` of the attribute.
    pub(crate) own: OwnLabels,
}

/// The caches of models, by model and name: the series of their misses and hits.
pub(crate) type Caches = HashMap<(usize, &'static str), [SeriesId; 2]>;

/// What a number of a series stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Subject {
    Stage {
        model: usize,
        stage: &'static str,
        execution: bool,
        own: OwnLabels,
        device: Option<Arc<str>>,
    },
    Request(RequestLabels),
    Tenant {
        model: usize,
        tenant: Arc<str>,
    },
    Compute {
        model: usize,
        tenant: Option<Arc<str>>,
    },
    Unattributed {
        model: usize,
    },
    Batch {
        model: usize,
        device: Option<Arc<str>>,
    },
    Generation {
        model: usize,
    },
    /// Without an error those that ended well.
    GenAi {
        model: usize,
        error: Option<&'static str>,
    },
    Count {
        metric: &'static str,
        model: Option<usize>,
        labels: Vec<(&'static str, Arc<str>)>,
    },
}

impl Subject {
    pub(crate) fn stage(
        site: &'static Site,
        model: usize,
        own: OwnLabels,
        device: Option<Arc<str>>,
    ) -> Subject {
        Subject::Stage {
            model,
            stage: site.name,
            execution: site.execution,
            own,
            device,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct State {
    stopped: bool,
    models: Vec<Model>,
    layouts: Layouts,
    /// Fixed by the first series of a stage and model: all its outcomes and labels share one layout.
    edges: HashMap<(usize, SiteKind, &'static str), (Edges, &'static Site)>,
    numbers: HashMap<Subject, SeriesId>,
    made: Vec<SeriesId>,
    /// Sites outside of the link-time list, and the label `ingress` of their requests.
    pub(crate) foreseen: Vec<(&'static Site, Option<&'static str>)>,
    /// What models do in the words of the `GenAI` conventions, operation and provider, where they say it.
    pub(crate) gen_ai: HashMap<usize, (Box<str>, Box<str>)>,
}

/// One runtime's recording.
#[derive(Debug)]
pub(crate) struct Recorder {
    /// Tells runtimes of one process apart.
    pub(crate) number: u32,
    pub(crate) clock: Clock,
    pub(crate) instruments: Instruments,
    pub(crate) observed: Arc<Observed>,
    pub(crate) budget: Arc<Budget>,
    state: Mutex<State>,
    pub(crate) caches: RwLock<Caches>,
    /// Some model says what it does in the words of the `GenAI` conventions.
    pub(crate) any_gen_ai: AtomicBool,
    pub(crate) level: Level,
    #[cfg(feature = "tracing")]
    pub(crate) service_version: Option<Box<str>>,
    #[cfg(feature = "tracing")]
    pub(crate) failures: Limit,
    /// The label combination outside of requests; kept by `combo.rs`.
    pub(crate) outside: AtomicU32,
}

/// How much a runtime records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) level: Level,
    /// Lines of a scrape.
    pub(crate) lines: usize,
}

impl Default for Extent {
    fn default() -> Extent {
        Extent {
            level: Level::Dimensions,
            lines: budget::DEFAULT,
        }
    }
}

impl Recorder {
    /// `builder` has its readers and resource.
    pub(crate) fn new(
        clock: Clock,
        builder: MeterProviderBuilder,
        layouts: Layouts,
        extent: Extent,
        service_version: Option<&str>,
    ) -> Recorder {
        let observed = Arc::default();
        let instruments = Instruments::new(
            builder,
            &clock,
            &observed,
            drain::drain,
            extent.lines,
            service_version,
        );
        // now, because making one later would wait for a collection that is under way, or for ever inside of one
        for (metric, edges) in layouts.linked_histograms() {
            instruments.histogram(metric, &edges);
        }
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
            budget: Arc::new(Budget::new(extent.lines)),
            level: extent.level,
            #[cfg(feature = "tracing")]
            service_version: service_version.map(Into::into),
            #[cfg(feature = "tracing")]
            failures: Limit::default(),
            state: Mutex::new(state),
            caches: RwLock::default(),
            any_gen_ai: AtomicBool::new(false),
            outside: AtomicU32::new(0),
        }
    }

    pub(crate) fn provider(&self) -> &SdkMeterProvider {
        self.instruments.provider()
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Declares a model; the same one again is the same one.
    pub(crate) fn declare(&self, name: &str, version: &str) -> (usize, Arc<ModelState>) {
        let model = Model::new(name, version);
        let place = self.state().place(model.clone());
        let folded = self.state().folded(place, &model);
        if let Some(label) = folded {
            self.count_overflow(label);
        }
        (
            place,
            self.observed.model(&self.state().model_labels(place)),
        )
    }

    /// The only model that was declared, or the one that stands for "none".
    pub(crate) fn only_model(&self) -> usize {
        if self.state().models.len() == NO_MODEL + 2 {
            NO_MODEL + 1
        } else {
            NO_MODEL
        }
    }

    /// The number of a subject; `make` makes its series on first use, and says how many lines it is.
    pub(crate) fn number_of(
        &self,
        state: &mut State,
        subject: Subject,
        make: impl FnOnce(&mut State) -> (Series, usize),
    ) -> SeriesId {
        if let Some(known) = state.numbers.get(&subject) {
            return *known;
        }
        if state.stopped {
            return SeriesId::NONE;
        }
        let execution = matches!(
            subject,
            Subject::Stage {
                execution: true,
                ..
            }
        );
        let (series, lines) = make(state);
        self.budget.spend(lines);
        let id = series::register(series, self.clock.is_manual(), execution);
        state.made.push(id);
        remember(&mut state.numbers, subject, id)
    }

    /// Records what is in the rings, then forgets every series: guards that are still open end nowhere.
    pub(crate) fn stop(&self) {
        drain::drain();
        let mut state = self.state();
        state.stopped = true;
        series::stop(&std::mem::take(&mut state.made));
    }
}

fn remember<K: Hash + Eq>(numbers: &mut HashMap<K, SeriesId>, key: K, id: SeriesId) -> SeriesId {
    match numbers.entry(key) {
        Entry::Occupied(known) => *known.get(),
        Entry::Vacant(free) => *free.insert(id),
    }
}

impl State {
    /// The place of a model, a new one where it is new.
    fn place(&mut self, mut model: Model) -> usize {
        let find = |models: &[Model], model: &Model| models.iter().position(|known| known == model);
        if let Some(known) = find(&self.models, &model) {
            return known;
        }
        let versions = self
            .models
            .iter()
            .filter(|known| known.name == model.name)
            .count();
        if versions >= MOST_VERSIONS || self.models.len() >= MOST_MODELS {
            let name = if versions >= MOST_VERSIONS {
                &model.name
            } else {
                OTHER
            };
            let folded = Model::new(name, OTHER);
            if let Some(known) = find(&self.models, &folded) {
                return known;
            }
            notice::report(&format!(
                "from model `{}` {} on, more models or versions than a process can tell apart are counted as `{OTHER}`",
                model.name, model.version
            ));
            model = folded;
        }
        self.models.push(model);
        self.models.len() - 1
    }

    /// The label of a declared model that was folded into `other`.
    fn folded(&self, place: usize, declared: &Model) -> Option<&'static str> {
        let known = &self.models[place];
        match (
            known.name == declared.name,
            known.version == declared.version,
        ) {
            (false, _) => Some("model"),
            (true, false) => Some("version"),
            (true, true) => None,
        }
    }

    /// Name and version.
    #[cfg(feature = "tracing")]
    pub(crate) fn model_names(&self, model: usize) -> (Box<str>, Box<str>) {
        let model = self.models.get(model).unwrap_or(&self.models[NO_MODEL]);
        (model.name.clone(), model.version.clone())
    }

    pub(crate) fn model_name(&self, model: usize) -> Box<str> {
        self.models
            .get(model)
            .unwrap_or(&self.models[NO_MODEL])
            .name
            .clone()
    }

    pub(crate) fn is_known(&self, subject: &Subject) -> bool {
        self.numbers.contains_key(subject)
    }

    /// `model` and `version`, in this order, which is that of their keys.
    pub(crate) fn model_labels(&self, model: usize) -> Attributes {
        // places are handed out by this list and never taken back
        let model = self.models.get(model).unwrap_or(&self.models[NO_MODEL]);
        [
            label("model", &model.name),
            label("version", &model.version),
        ]
        .into()
    }

    /// The labels of a model, and more.
    pub(crate) fn labels(
        &self,
        model: usize,
        more: impl IntoIterator<Item = KeyValue>,
    ) -> Attributes {
        let mut all = self.model_labels(model).into_vec();
        all.extend(more);
        sorted(all).into()
    }

    /// The edges of this stage and model, and the objective in seconds. Whoever comes first decides; a site that
    /// disagrees is told.
    pub(crate) fn edges(&mut self, site: &'static Site, model: usize) -> Edges {
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
        let key = (model, site.kind, stage);
        let (edges, first) = self
            .edges
            .entry(key)
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

    /// Takes in a site that no attribute has left. Its edges, where it is new.
    #[cfg(feature = "tower")]
    pub(crate) fn foresee(
        &mut self,
        site: &'static Site,
        ingress: Option<&'static str>,
    ) -> Option<Edges> {
        let known = |known: &(&'static Site, Option<&'static str>)| {
            std::ptr::eq(known.0, site) && known.1 == ingress
        };
        if self.foreseen.iter().any(known) {
            return None;
        }
        self.foreseen.push((site, ingress));
        Some(self.layouts.edges(site))
    }

    /// After how long without a sign of life the stage counts as stalled, where its sites say so.
    pub(crate) fn stall(&self, site: &'static Site) -> Option<Duration> {
        self.layouts.stall(site)
    }

    /// What the handlers promise, in seconds.
    pub(crate) fn objective(&self, site: &'static Site) -> Option<f64> {
        self.layouts.objective(site)
    }
}
