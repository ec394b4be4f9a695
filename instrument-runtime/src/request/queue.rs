//! Requests that wait: each is in the stage `queue` from the moment it is wrapped until it is taken.
//!
//! The primitive is a value that knows its request, [`Queued`]: any channel, heap or deque can carry it.

use crate::record::combo;
use crate::record::guard::StageArgs;
use crate::record::local;
use crate::record::open::Open;
use crate::record::queue::{Place, Waiting};
use crate::record::recorder::Recorder;
use crate::record::span::Traced;
use crate::record::tally::Tally;
use crate::request::context::RequestContext;
use crate::request::spans;
use crate::site::site::Site;
use crate::slot::model_slot::ModelSlot;
use crate::vocab::outcome::{Outcome, Rejection};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The stage of waiting. Its series are those of every stage of this name.
pub(crate) static QUEUE: Site = Site::stage("queue", "instrument_inference::queue");

/// A meter for a queue of yours: size, capacity, peak and oldest age, under `queue="name"`.
///
/// `name` is a label: one for each queue that the code has. `capacity` is what the queue takes before it refuses, in
/// requests; the meter itself refuses nothing.
///
/// ```
/// # use instrument_runtime as instrument_inference;
/// use instrument_inference::queue;
///
/// let meter = queue::meter("batcher", 64);
/// let (sender, receiver) = std::sync::mpsc::sync_channel(64);
/// sender.send(meter.wrap("an input"))?; // in a handler: the request waits from here …
/// let input = receiver.recv()?.take(); // … to here
/// # assert_eq!(input, "an input");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn meter(name: &'static str, capacity: usize) -> Meter {
    Meter(Arc::new(Metered {
        name,
        capacity,
        model: OnceLock::new(),
        waiting: OnceLock::new(),
    }))
}

/// Measures a queue. Cheap to clone; see [`meter`].
#[derive(Clone)]
pub struct Meter(Arc<Metered>);

struct Metered {
    name: &'static str,
    capacity: usize,
    model: OnceLock<ModelSlot>,
    /// Found when something waits first: a meter may be made before the telemetry is installed.
    waiting: OnceLock<Shown>,
}

/// Where a queue is shown.
struct Shown {
    recorder: Arc<Recorder>,
    model: usize,
    waiting: Arc<Waiting>,
}

impl Meter {
    /// The queue is in front of this model; without it, of the only one that is declared.
    #[must_use]
    pub fn model(self, model: &ModelSlot) -> Meter {
        let _ = self.0.model.set(model.clone());
        self
    }

    /// Shows the queue, empty, from now on; without it, it is shown when something waits first.
    pub fn show(&self) {
        if local::enabled() {
            self.shown();
        }
    }

    /// The value begins to wait, for the request that runs here.
    pub fn wrap<T>(&self, value: T) -> Queued<T> {
        let waits = if local::enabled() { self.begin() } else { None };
        Queued {
            value: Some(value),
            context: RequestContext::current(),
            waits: Mutex::new(waits),
        }
    }

    fn begin(&self) -> Option<Waits> {
        let shown = self.shown()?;
        let args = StageArgs {
            own: 0,
            combo: self.0.model.get().map_or(0, ModelSlot::combo),
        };
        // first: a subscriber that panics leaves nothing begun
        let span = spans::stage(&QUEUE, args);
        let place = shown.waiting.enter(shown.recorder.clock.ticks());
        let open = Open::enter(&QUEUE, args);
        let (waiting, current) = (Arc::clone(&shown.waiting), local::current());
        let tally = open.within(current.as_ref()).map(Arc::clone);
        if let Some(tally) = &tally {
            tally.troubles().goes_away(QUEUE.name, open.start);
        }
        Some(Waits {
            waiting,
            place,
            open,
            tally,
            span,
        })
    }

    /// Who counts what has to do with this queue, and under which model.
    pub(crate) fn recorder(&self) -> Option<(&Arc<Recorder>, usize)> {
        let shown = self.0.waiting.get()?;
        Some((&shown.recorder, shown.model))
    }

    fn shown(&self) -> Option<&Shown> {
        if let Some(known) = self.0.waiting.get() {
            return Some(known);
        }
        let named = self.0.model.get().map_or(0, ModelSlot::combo);
        let here = if named == 0 {
            local::with(local::Local::combo)
        } else {
            named
        };
        let combo = combo::get(here)?;
        let recorder = combo.recorder()?;
        let model = if named == 0 {
            recorder.only_model()
        } else {
            combo.labels.model
        };
        let waiting = recorder.queue(self.0.name, self.0.capacity, model);
        Some(self.0.waiting.get_or_init(|| Shown {
            recorder,
            model,
            waiting,
        }))
    }
}

impl fmt::Debug for Meter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Meter")
            .field("name", &self.0.name)
            .finish_non_exhaustive()
    }
}

/// A place in a queue. Ends once.
struct Waits {
    waiting: Arc<Waiting>,
    place: Place,
    open: Open,
    tally: Option<Arc<Tally>>,
    span: Traced,
}

impl Waits {
    fn end(self, outcome: Outcome) {
        self.waiting.leave(self.place);
        if let Some(tally) = &self.tally {
            tally.troubles().comes_back(QUEUE.name, self.open.start);
        }
        self.open.exit(self.tally.as_ref(), outcome);
        self.span.ended(outcome);
    }
}

/// A value that waits, with the request that it belongs to. Dropped while it waits, its stage `queue` is cancelled.
pub struct Queued<T> {
    value: Option<T>,
    context: Option<RequestContext>,
    waits: Mutex<Option<Waits>>,
}

impl<T> Queued<T> {
    /// It waits no more: gives the value.
    ///
    /// # Panics
    /// Never: the value is there until it is taken, and taking it consumes the place.
    pub fn take(mut self) -> T {
        self.leave(Outcome::Ok);
        self.value.take().expect("it is taken once")
    }

    /// It waits no more: gives the value, and the request that it belongs to.
    ///
    /// # Panics
    /// Never, as [`take`](Queued::take).
    pub fn take_with_context(mut self) -> (T, Option<RequestContext>) {
        self.leave(Outcome::Ok);
        let context = self.context.take();
        (self.value.take().expect("it is taken once"), context)
    }

    /// It waits no more, but stays wrapped: for those that work on it where it lies.
    pub fn dequeued(&self) {
        self.leave(Outcome::Ok);
    }

    /// It was not let in.
    pub(crate) fn refused(self, reason: Rejection) {
        self.leave(Outcome::Rejected(reason));
    }

    /// The request that it belongs to.
    pub fn context(&self) -> Option<&RequestContext> {
        self.context.as_ref()
    }

    /// Whether the client has left: nobody will read an answer.
    pub fn is_cancelled(&self) -> bool {
        self.context
            .as_ref()
            .is_some_and(RequestContext::is_cancelled)
    }

    /// The value.
    ///
    /// # Panics
    /// Never: the value is there until it is taken, and taking it consumes the place.
    pub fn get(&self) -> &T {
        self.value
            .as_ref()
            .expect("it is taken only together with its place")
    }

    fn leave(&self, outcome: Outcome) {
        let waits = self
            .waits
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(waits) = waits {
            waits.end(outcome);
        }
    }
}

impl<T> Drop for Queued<T> {
    fn drop(&mut self) {
        self.leave(Outcome::Cancelled);
    }
}

impl<T> fmt::Debug for Queued<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Queued")
            .field("context", &self.context)
            .finish_non_exhaustive()
    }
}
