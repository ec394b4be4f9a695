//! The series of a recorder: made on first use, each once.

use crate::notice;
use crate::record::attributes::{Attributes, label, sorted};
use crate::record::catalog;
use crate::record::catalog_engine::DEVICE_EVENTS;
use crate::record::catalog_generation;
use crate::record::layout::Edges;
use crate::record::local;
use crate::record::metric::Metric;
use crate::record::observed::Progress;
use crate::record::queue::Waiting;
use crate::record::recorder::{OwnLabels, Recorder, RequestLabels, State, Subject};
use crate::record::series::{
    self, BatchSeries, Counting, Durations, Execution, Kind, Objective, RequestSeries, Series,
    SeriesId, StageSeries, TenantSeries,
};
use crate::site::own_labels::OTHER;
use crate::site::site::{Foreknown, SITES, Site, SiteKind};
use crate::vocab::outcome::Outcome;
use opentelemetry::KeyValue;
use opentelemetry::metrics::Counter;
use std::sync::Arc;
use std::time::Duration;

/// Lines of a histogram beside those of its edges: the open bucket, the sum, the count.
const LINES_BESIDE_EDGES: usize = 3;

pub(crate) fn lines(edges: &[f64]) -> usize {
    edges.len() + LINES_BESIDE_EDGES
}

/// What `labels(…)` of a site say in this combination.
pub(crate) fn own_labels(site: &'static Site, own: u32) -> OwnLabels {
    let values = site.own.values(own);
    let given = site.keys.iter().copied().zip(values);
    given
        .filter_map(|(key, value)| Some((key, value?)))
        .collect()
}

fn with_own(own: &OwnLabels) -> impl Iterator<Item = KeyValue> {
    own.iter().map(|(key, value)| label(key, value))
}

impl Recorder {
    fn durations(
        &self,
        metric: &'static Metric,
        edges: &Edges,
        attributes: Attributes,
    ) -> Durations {
        let histogram = self.instruments.histogram(metric, edges);
        Durations::new(histogram, attributes, &self.budget, lines(edges))
    }

    /// The labels as they are, or, where they are new and the budget has no room for them, with `other` for each value.
    fn affordable(&self, own: OwnLabels, subject: impl Fn(&OwnLabels) -> Subject) -> OwnLabels {
        let known = own.is_empty() || self.state().is_known(&subject(&own));
        if known || self.budget.fits(lines(catalog::STAGE_DURATION.buckets)) {
            return own;
        }
        self.overflow("labels");
        own.into_iter()
            .map(|(key, _)| (key, OTHER.into()))
            .collect()
    }

    /// A new value of a label is folded into `other`.
    pub(crate) fn overflow(&self, label: &'static str) {
        if self.budget.warn_once(label) {
            notice::report(&format!(
                "the budget of lines is used up: new values of `{label}` are counted as `{OTHER}`; raise `line_budget`"
            ));
        }
        self.count_overflow(label);
    }

    pub(crate) fn count_overflow(&self, label: &'static str) {
        let overflow = self.count(&catalog::LABEL_OVERFLOW, None, &[("label", label)]);
        local::with(|local| local.push(overflow.event(Kind::COUNT, 1)));
    }

    /// The series of a stage under a model, with the site's own labels; as an execution, on the device that it names.
    pub(crate) fn stage(&self, site: &'static Site, model: usize, own: u32) -> SeriesId {
        let labels = self.affordable(own_labels(site, own), |own| {
            Subject::stage(site, model, own.clone(), None)
        });
        let anywhere = self.stage_anywhere(site, model, &labels);
        if let (Some(nanos), Some(series)) = (site.stall, series::get(anywhere)) {
            // another site may have made the series, to which nobody had said that
            series.stalls_after(Duration::from_nanos(nanos));
        }
        let Some(device) = self.device(site, model, own) else {
            return anywhere;
        };
        let known = series::get(anywhere);
        let Some(Series::Stage(known)) = known.as_deref() else {
            // the recorder has stopped
            return anywhere;
        };
        let subject = Subject::stage(site, model, labels, Some(Arc::clone(&device)));
        self.number_of(&mut self.state(), subject, |state| {
            let execution = Some(self.execution(state, site, model, Some(&device)));
            // the same points, but for those of the execution
            let series = StageSeries {
                execution,
                ..known.clone()
            };
            (Series::Stage(series), 0)
        })
    }

    /// The device that this combination of a site names; `other` where it is new and the budget has no room for it.
    fn device(&self, site: &'static Site, model: usize, own: u32) -> Option<Arc<str>> {
        let values = site.own.values(own);
        let device: Arc<str> = values.get(site.keys.len())?.as_deref()?.into();
        let subject = Subject::Batch {
            model,
            device: Some(Arc::clone(&device)),
        };
        let known = self.state().is_known(&subject);
        if known || self.budget.fits(lines(catalog::BATCH_DURATION.buckets)) {
            return Some(device);
        }
        self.overflow("device");
        Some(OTHER.into())
    }

    fn stage_anywhere(&self, site: &'static Site, model: usize, own: &OwnLabels) -> SeriesId {
        let subject = Subject::stage(site, model, own.clone(), None);
        self.number_of(&mut self.state(), subject, |state| {
            let edges = state.edges(site, model);
            let stage = || [KeyValue::new("stage", site.name)];
            let attributes = state.labels(model, stage().into_iter().chain(with_own(own)));
            let series = StageSeries {
                clock: self.clock.clone(),
                durations: Arc::new(self.durations(&catalog::STAGE_DURATION, &edges, attributes)),
                activity: self.observed.stage(&state.labels(model, stage())),
                execution: site
                    .execution
                    .then(|| self.execution(state, site, model, None)),
                orphans: Counting::new(self.instruments.orphan_stages.clone(), stage().into()),
                wasted: Counting::new(
                    self.instruments.wasted_compute.clone(),
                    state.model_labels(model),
                ),
                name: site.name,
            };
            // in flight and the longest
            (Series::Stage(series), 2)
        })
    }

    fn execution(
        &self,
        state: &mut State,
        site: &'static Site,
        model: usize,
        device: Option<&Arc<str>>,
    ) -> Execution {
        let compute = Counting::new(self.instruments.compute.clone(), state.model_labels(model));
        let batch = self.batch_series(state, model, device).1;
        let executions = &batch.progress.executions;
        Execution {
            stage: executions.stage(site.name, state.stall(site)),
            compute,
            batch,
        }
    }

    /// When a model last gave a sign of life.
    pub(crate) fn progress(&self, model: usize) -> Arc<Progress> {
        let labels = self.state().model_labels(model);
        self.observed.progress(&labels)
    }

    /// The executions of a model, on a device where that is named: one series, whoever asks for it.
    fn batch_series(
        &self,
        state: &mut State,
        model: usize,
        device: Option<&Arc<str>>,
    ) -> (SeriesId, Arc<BatchSeries>) {
        let make = |state: &State| {
            let attributes = state.model_labels(model);
            let on = device.map(|device| label("device", device));
            let names = attributes.iter().map(|label| label.value.as_str());
            let names: Vec<_> = names
                .chain(device.map(|device| (&**device).into()))
                .collect();
            let name = names.join(" ");
            let edges: Edges = catalog::BATCH_DURATION.buckets.into();
            let size_edges: Edges = catalog::BATCH_SIZE.buckets.into();
            Arc::new(BatchSeries {
                clock: self.clock.clone(),
                sizes: self
                    .instruments
                    .histogram(&catalog::BATCH_SIZE, &size_edges)
                    .bind(&attributes),
                progress: self.observed.progress(&attributes),
                devices: self.observed.devices.clone(),
                name: name.into(),
                durations: self.durations(
                    &catalog::BATCH_DURATION,
                    &edges,
                    state.labels(model, on),
                ),
            })
        };
        let subject = Subject::Batch {
            model,
            device: device.cloned(),
        };
        let id = self.number_of(state, subject, |state| {
            // the sizes are the model's, whatever the device
            let sizes = device.is_none().then(|| lines(catalog::BATCH_SIZE.buckets));
            (Series::Batch(make(state)), sizes.unwrap_or_default())
        });
        match series::get(id).as_deref() {
            Some(Series::Batch(known)) => (id, Arc::clone(known)),
            // the recorder has stopped
            _ => (id, make(state)),
        }
    }

    /// The executions of a model by a site that serves many requests each.
    pub(crate) fn batch(&self, site: &'static Site, model: usize, own: u32) -> SeriesId {
        let device = self.device(site, model, own);
        self.batch_series(&mut self.state(), model, device.as_ref())
            .0
    }

    /// The series of the requests with these labels, opened at this site.
    pub(crate) fn request(&self, site: &'static Site, labels: &RequestLabels) -> SeriesId {
        // tenants have families of their own
        let with = |own: &OwnLabels| RequestLabels {
            tenant: None,
            own: own.clone(),
            ..labels.clone()
        };
        let own = self.affordable(labels.own.clone(), |own| Subject::Request(with(own)));
        let labels = with(&own);
        self.number_of(
            &mut self.state(),
            Subject::Request(labels.clone()),
            |state| {
                let edges = state.edges(site, labels.model);
                let tier = labels.tier.as_ref().map(|tier| label("tier", tier));
                let ingress = labels
                    .ingress
                    .as_ref()
                    .map(|ingress| label("ingress", ingress));
                let attributes: Vec<_> = tier.into_iter().chain(with_own(&labels.own)).collect();
                let counter_attributes = attributes.iter().cloned().chain(ingress);
                let series = Series::Request(RequestSeries {
                    clock: self.clock.clone(),
                    counter: self.instruments.requests.clone(),
                    counter_attributes: state.labels(labels.model, counter_attributes),
                    durations: self.durations(
                        &catalog::REQUEST_DURATION,
                        &edges,
                        state.labels(labels.model, attributes),
                    ),
                    activity: self.observed.requests(&state.model_labels(labels.model)),
                    requests: Default::default(),
                });
                series.show();
                (series, Outcome::COUNT)
            },
        )
    }

    /// The requests of a tenant; `site` says what was promised.
    pub(crate) fn tenant(&self, site: &'static Site, model: usize, tenant: &Arc<str>) -> SeriesId {
        let subject = Subject::Tenant {
            model,
            tenant: Arc::clone(tenant),
        };
        self.number_of(&mut self.state(), subject, |state| {
            let attributes = |more: Option<KeyValue>| {
                state.labels(model, [label("tenant", tenant)].into_iter().chain(more))
            };
            let met = |met| {
                let counter = self.instruments.tenant_objective.clone();
                Counting::new(counter, attributes(Some(KeyValue::new("met", met))))
            };
            let series = Series::Tenant(TenantSeries {
                clock: self.clock.clone(),
                counter: self.instruments.tenant_requests.clone(),
                attributes: attributes(None),
                requests: Default::default(),
                seconds: Counting::new(self.instruments.tenant_seconds.clone(), attributes(None)),
                objective: state.objective(site).map(|seconds| Objective {
                    seconds,
                    met: met("true"),
                    missed: met("false"),
                }),
            });
            series.show();
            (series, TENANT_LINES)
        })
    }

    /// The compute of a model's requests with this tenant.
    pub(crate) fn compute(&self, model: usize, tenant: Option<&Arc<str>>) -> SeriesId {
        let subject = Subject::Compute {
            model,
            tenant: tenant.cloned(),
        };
        self.number_of(&mut self.state(), subject, |state| {
            let tenant = tenant.map(|tenant| label("tenant", tenant));
            let counting = Counting::new(
                self.instruments.compute.clone(),
                state.labels(model, tenant),
            );
            (Series::Seconds(self.clock.clone(), counting), 1)
        })
    }

    /// The time of a model's requests that no stage covers.
    pub(crate) fn unattributed(&self, model: usize) -> SeriesId {
        self.number_of(
            &mut self.state(),
            Subject::Unattributed { model },
            |state| {
                let attributes = state.model_labels(model);
                // its twin among the times that nobody asked for
                self.instruments.wasted_compute.add(0.0, &attributes);
                let counting = Counting::new(self.instruments.unattributed.clone(), attributes);
                let series = Series::Seconds(self.clock.clone(), counting);
                series.show();
                (series, 2)
            },
        )
    }

    /// The point of a counter. `model` where the metric has one.
    pub(crate) fn count(
        &self,
        metric: &'static Metric,
        model: Option<usize>,
        labels: &[(&'static str, &str)],
    ) -> SeriesId {
        let subject = |labels: &[(&'static str, &str)]| {
            let pairs = labels.iter().map(|(key, value)| (*key, Arc::from(*value)));
            Subject::Count {
                metric: metric.name,
                model,
                labels: pairs.collect(),
            }
        };
        let mut state = self.state();
        let mut labels = labels.to_vec();
        let fits = state.is_known(&subject(&labels)) || self.budget.fits(1);
        if let Some(error) = labels
            .iter_mut()
            .find(|(key, _)| !fits && *key == "error_type")
        {
            error.1 = OTHER;
        }
        self.number_of(&mut state, subject(&labels), |state| {
            let given = labels.iter().map(|(key, value)| label(key, value));
            let attributes: Attributes = match model {
                Some(model) => state.labels(model, given),
                None => sorted(given.collect()).into(),
            };
            (
                Series::Count(Counting::new(self.counter(metric).clone(), attributes)),
                1,
            )
        })
    }

    /// Failed requests of a tenant; the metric has no version.
    pub(crate) fn tenant_errors(
        &self,
        model: usize,
        tenant: &str,
        error: (&'static str, &str),
    ) -> SeriesId {
        let model = self.state().model_name(model);
        let labels = [("model", &*model), ("tenant", tenant), error];
        self.count(&catalog::TENANT_ERRORS, None, &labels)
    }

    fn counter(&self, metric: &'static Metric) -> &Counter<u64> {
        let made = &self.instruments;
        let counters = [
            (catalog::ERRORS.name, &made.errors),
            (catalog::REJECTIONS.name, &made.rejections),
            (catalog::CANCELLATIONS.name, &made.cancellations),
            (catalog::TENANT_ERRORS.name, &made.tenant_errors),
            (catalog::BATCHES.name, &made.batches),
            (catalog::MODEL_LOADS.name, &made.model_loads),
            (catalog::LABEL_OVERFLOW.name, &made.label_overflow),
            (DEVICE_EVENTS.name, &made.device_events),
            (catalog_generation::TOKENS.name, &made.tokens),
            (catalog_generation::FINISHES.name, &made.finishes),
            (catalog_generation::CACHE_LOOKUPS.name, &made.cache_lookups),
        ];
        let found = counters.into_iter().find(|(name, _)| *name == metric.name);
        found
            .expect("every counter that is counted by name is in the list")
            .1
    }

    /// A queue of this name in front of a model.
    pub(crate) fn queue(&self, name: &str, capacity: usize, model: usize) -> Arc<Waiting> {
        let attributes = self.state().labels(model, [label("queue", name)]);
        self.observed.queue(&attributes, capacity)
    }

    /// Makes the series of every linked site exist at 0 under a model: "never called" is not "not deployed".
    pub(crate) fn show_linked(&self, model: usize) {
        let plain = |site: &&Site| !site.names_model && site.keys.is_empty();
        for site in SITES.iter().filter(plain) {
            self.show(site, model);
        }
        self.show_foreseen(model);
    }

    /// Makes the series exist under a model that come from no attribute.
    pub(crate) fn show_foreseen(&self, model: usize) {
        let foreseen = self.state().foreseen.clone();
        for (site, ingress) in foreseen {
            self.show_with(site, ingress, model);
        }
    }

    /// A site that no attribute has left, and the label `ingress` of its requests: its series exist at 0 under the
    /// only model, once there is one.
    #[cfg(feature = "tower")]
    pub(crate) fn foresee(&self, site: &'static Site, ingress: Option<&'static str>) {
        let Some(edges) = self.state().foresee(site, ingress) else {
            return;
        };
        let metric = match site.kind {
            SiteKind::Stage => &catalog::STAGE_DURATION,
            SiteKind::Request => &catalog::REQUEST_DURATION,
        };
        // now, as those of linked sites are made at the start: later it could be inside of a collection
        self.instruments.histogram(metric, &edges);
        let model = self.only_model();
        if model != crate::record::model::NO_MODEL {
            self.show_with(site, ingress, model);
        }
    }

    /// Makes the series of one site exist at 0, as far as they are known before it runs.
    pub(crate) fn show(&self, site: &'static Site, model: usize) {
        match (site.kind, site.foreknown) {
            (SiteKind::Stage, _) => self.show_with(site, None, model),
            (SiteKind::Request, Foreknown::Ingress(ingress)) => {
                self.show_with(site, ingress, model);
            }
            (SiteKind::Request, Foreknown::Nothing) => {}
        }
    }

    fn show_with(&self, site: &'static Site, ingress: Option<&'static str>, model: usize) {
        let id = match site.kind {
            SiteKind::Stage => self.stage(site, model, 0),
            SiteKind::Request => {
                self.unattributed(model);
                let labels = RequestLabels {
                    model,
                    ingress: ingress.map(Arc::from),
                    ..RequestLabels::default()
                };
                self.request(site, &labels)
            }
        };
        if let Some(series) = series::get(id) {
            series.show();
        }
    }
}

/// Lines of a tenant: requests by outcome, seconds, objective met and missed, compute, and some errors.
pub(crate) const TENANT_LINES: usize = 12;
