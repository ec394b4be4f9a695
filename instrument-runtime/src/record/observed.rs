//! What is kept by the drain and read when somebody collects: levels, largest values, last progress.

use crate::peak::Peak;
use crate::record::attributes::Attributes;
use crate::record::clock::Clock;
use crate::record::exports::Exports;
use crate::record::model::ModelState;
use crate::record::queue::Waiting;
use crate::slot::devices::Devices;
use crate::slot::executions::{Executions, ModelExecutions};
use crate::vocab::outcome::Outcome;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How much is in flight, and the longest of the last minute: of a model's requests, or of one of its stages.
#[derive(Debug)]
pub(crate) struct Activity {
    pub(crate) attributes: Attributes,
    in_flight: AtomicI64,
    /// By outcome.
    longest: Mutex<[Longest; Outcome::COUNT]>,
}

#[derive(Debug, Default)]
struct Longest {
    lately: Peak,
    ever: Option<f64>,
}

impl Activity {
    fn new(attributes: Attributes) -> Activity {
        Activity {
            attributes,
            in_flight: AtomicI64::new(0),
            longest: Mutex::default(),
        }
    }

    pub(crate) fn add(&self, change: i64) {
        self.in_flight.fetch_add(change, Ordering::AcqRel);
    }

    /// `outcome` is its index.
    pub(crate) fn ended(&self, outcome: usize, now: Duration, seconds: f64) {
        let mut longest = self.longest.lock().unwrap_or_else(PoisonError::into_inner);
        let longest = &mut longest[outcome];
        longest.lately.record(now, seconds);
        longest.ever = Some(longest.ever.map_or(seconds, |known| known.max(seconds)));
    }

    /// Never below 0: an end may be drained before its beginning when they lie in the rings of two threads.
    pub(crate) fn in_flight(&self) -> i64 {
        self.in_flight.load(Ordering::Acquire).max(0)
    }

    /// Of the last minute, whatever the outcome.
    pub(crate) fn longest(&self, now: Duration) -> Option<f64> {
        let mut longest = self.longest.lock().unwrap_or_else(PoisonError::into_inner);
        let lately = longest.iter_mut().filter_map(|one| one.lately.largest(now));
        lately.reduce(f64::max)
    }

    /// Since the start, in the order of [`Outcome::LABELS`].
    #[cfg(feature = "prometheus")]
    pub(crate) fn longest_ever(&self) -> [Option<f64>; Outcome::COUNT] {
        let longest = self.longest.lock().unwrap_or_else(PoisonError::into_inner);
        longest.each_ref().map(|one| one.ever)
    }
}

/// When a model last gave a sign of life: an execution has ended, a token came, or it says so.
#[derive(Debug)]
pub(crate) struct Progress {
    pub(crate) attributes: Attributes,
    /// As health sees them.
    pub(crate) executions: Arc<ModelExecutions>,
    /// The bits of an `f64`, in Unix seconds; 0 before the first.
    at: AtomicU64,
}

impl Progress {
    /// It gives one now.
    pub(crate) fn now(&self, clock: &Clock) {
        self.show(clock);
        self.executions.get_on(clock.monotonic());
    }

    /// The same, where health knows.
    pub(crate) fn show(&self, clock: &Clock) {
        let now = clock.unix_seconds();
        self.at.store(now.to_bits(), Ordering::Release);
    }

    pub(crate) fn last(&self) -> Option<f64> {
        match self.at.load(Ordering::Acquire) {
            0 => None,
            bits => Some(f64::from_bits(bits)),
        }
    }
}

/// Everything of one runtime that is read at collection.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    requests: Mutex<Vec<Arc<Activity>>>,
    stages: Mutex<Vec<Arc<Activity>>>,
    progress: Mutex<Vec<Arc<Progress>>>,
    queues: Mutex<Vec<Arc<Waiting>>>,
    models: Mutex<Vec<Arc<ModelState>>>,
    pub(crate) executions: Executions,
    pub(crate) devices: Devices,
    pub(crate) exports: Exports,
}

/// The one with these labels; a new one where there is none.
fn one_of<T>(all: &Mutex<Vec<Arc<T>>>, is: impl Fn(&T) -> bool, new: impl FnOnce() -> T) -> Arc<T> {
    let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = all.iter().find(|one| is(one)) {
        return Arc::clone(found);
    }
    let made = Arc::new(new());
    all.push(Arc::clone(&made));
    made
}

fn each<T>(all: &Mutex<Vec<Arc<T>>>, mut look: impl FnMut(&T)) {
    // copied out: what looks at them takes locks of the SDK
    let all = all.lock().unwrap_or_else(PoisonError::into_inner).clone();
    for one in all {
        look(&one);
    }
}

impl Observed {
    pub(crate) fn requests(&self, attributes: &Attributes) -> Arc<Activity> {
        one_of(
            &self.requests,
            |one| one.attributes == *attributes,
            || Activity::new(attributes.clone()),
        )
    }

    pub(crate) fn stage(&self, attributes: &Attributes) -> Arc<Activity> {
        one_of(
            &self.stages,
            |one| one.attributes == *attributes,
            || Activity::new(attributes.clone()),
        )
    }

    /// Of a model, by its two labels.
    pub(crate) fn progress(&self, attributes: &Attributes) -> Arc<Progress> {
        let text = |at: usize| attributes.get(at).map(|label| label.value.as_str());
        let new = || Progress {
            attributes: attributes.clone(),
            executions: self
                .executions
                .of(&text(0).unwrap_or_default(), &text(1).unwrap_or_default()),
            at: AtomicU64::new(0),
        };
        one_of(&self.progress, |one| one.attributes == *attributes, new)
    }

    /// A queue of the same name and model is the same one.
    pub(crate) fn queue(&self, attributes: &Attributes, capacity: usize) -> Arc<Waiting> {
        let new = || Waiting::new(attributes.clone(), capacity);
        one_of(&self.queues, |one| one.attributes == *attributes, new)
    }

    pub(crate) fn model(&self, attributes: &Attributes) -> Arc<ModelState> {
        let new = || ModelState::new(attributes.clone());
        one_of(&self.models, |one| one.attributes == *attributes, new)
    }

    pub(crate) fn queues(&self) -> Vec<Arc<Waiting>> {
        self.queues
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub(crate) fn each_queue(&self, look: impl FnMut(&Waiting)) {
        each(&self.queues, look);
    }

    pub(crate) fn each_model(&self, look: impl FnMut(&ModelState)) {
        each(&self.models, look);
    }

    pub(crate) fn each_requests(&self, look: impl FnMut(&Activity)) {
        each(&self.requests, look);
    }

    pub(crate) fn each_stage(&self, look: impl FnMut(&Activity)) {
        each(&self.stages, look);
    }

    pub(crate) fn each_progress(&self, look: impl FnMut(&Progress)) {
        each(&self.progress, look);
    }
}
