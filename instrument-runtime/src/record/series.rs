//! Series: the numbers that ring events carry, and what an event does to the instruments behind one.

use crate::record::attributes::{Attributes, sorted};
use crate::record::budget::Budget;
use crate::record::clock::Clock;
use crate::record::observed::{Activity, Progress};
use crate::record::ring::Event;
use crate::record::series_generation::{GenAiSeries, GenerationSeries, Said};
use crate::slot::devices::Devices;
use crate::slot::executions::StageExecutions;
use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::Outcome;
use opentelemetry::metrics::{BoundCounter, BoundHistogram, Counter, Histogram};
use opentelemetry::{KeyValue, Value};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::Duration;

/// The number of a series as sites keep it, with two facts that a guard needs before it can look anything up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SeriesId(u32);

/// Its runtime has a clock of its own.
const MANUAL: u32 = 1 << 31;
/// It is an execution.
const EXECUTION: u32 = 1 << 30;
/// Only in a guard: the execution is not inside another one.
const OUTERMOST: u32 = 1 << 29;
/// Only in a guard: the stage has a span, which is parked when the guard ends.
const SEEN: u32 = 1 << 28;

/// Where an event has a number beside its value: above the series, whose number is below [`OUTERMOST`].
const MANY_SHIFT: u32 = 8 + OUTERMOST.trailing_zeros();
/// The largest such number.
const MOST_MANY: u64 = u64::MAX >> MANY_SHIFT;

impl SeriesId {
    /// Nobody records.
    pub(crate) const NONE: SeriesId = SeriesId(0);

    #[inline]
    pub(crate) const fn from_bits(bits: u32) -> SeriesId {
        SeriesId(bits)
    }

    pub(crate) const fn bits(self) -> u32 {
        self.0
    }

    #[inline]
    pub(crate) const fn is_none(self) -> bool {
        self.0 == 0
    }

    #[inline]
    pub(crate) const fn is_manual(self) -> bool {
        self.0 & MANUAL != 0
    }

    #[inline]
    pub(crate) const fn is_execution(self) -> bool {
        self.0 & EXECUTION != 0
    }

    pub(crate) const fn outermost(self) -> SeriesId {
        SeriesId(self.0 | OUTERMOST)
    }

    /// One of many that an execution serves: the execution is counted for all of them.
    pub(crate) const fn in_a_batch(self) -> SeriesId {
        SeriesId(self.0 & !OUTERMOST)
    }

    #[inline]
    pub(crate) const fn is_outermost(self) -> bool {
        self.0 & OUTERMOST != 0
    }

    /// A stage that leaves it to others to be the outermost execution, and is one itself if there are none.
    pub(crate) const fn yielding(self) -> SeriesId {
        SeriesId(self.0 & !(EXECUTION | OUTERMOST))
    }

    pub(crate) const fn seen(self) -> SeriesId {
        SeriesId(self.0 | SEEN)
    }

    pub(crate) const fn unseen(self) -> SeriesId {
        SeriesId(self.0 & !SEEN)
    }

    #[inline]
    pub(crate) const fn is_seen(self) -> bool {
        self.0 & SEEN != 0
    }

    const fn number(self) -> u32 {
        self.0 & !(MANUAL | EXECUTION | OUTERMOST | SEEN)
    }

    /// The event that says `kind` of this series.
    #[inline]
    pub(crate) const fn event(self, kind: Kind, value: u64) -> Event {
        Event {
            word: (self.number() as u64) << 8 | kind.0 as u64,
            value,
        }
    }

    /// The event that says this of a generation; `many` is cut at [`MOST_MANY`].
    #[inline]
    pub(crate) fn said(self, said: Said, many: u64, value: u64) -> Event {
        let mut event = self.event(Kind(said as u8), value);
        event.word |= many.min(MOST_MANY) << MANY_SHIFT;
        event
    }
}

/// What an event says. The low bits are an outcome's index or one of the constants; the high bits add to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Kind(u8);

impl Kind {
    pub(crate) const BEGAN: Kind = Kind(8);
    /// It goes on, but is counted elsewhere from now on.
    pub(crate) const MOVED: Kind = Kind(9);
    /// The value is added to a counter.
    pub(crate) const COUNT: Kind = Kind(10);
    /// The value was spent on a request that had ended.
    pub(crate) const WASTED: Kind = Kind(11);
    /// It has given an item, and waits for its reader; the value is [`held`].
    pub(crate) const HELD: Kind = Kind(12);
    /// The reader asks for more; the value is as it was.
    pub(crate) const ASKED: Kind = Kind(13);
    const BILLED: u8 = 0x10;
    const ALONE: u8 = 0x20;
    const ORPHAN: u8 = 0x40;
    const OUTLIVED: u8 = 0x80;
    const ADDED: u8 = Kind::BILLED | Kind::ALONE | Kind::ORPHAN | Kind::OUTLIVED;

    #[inline]
    pub(crate) const fn ended(outcome: Outcome) -> Kind {
        #[allow(clippy::cast_possible_truncation, reason = "there are five")]
        Kind(outcome.index() as u8)
    }

    /// An execution that is not inside another one, and serves one request.
    #[inline]
    pub(crate) const fn alone(self) -> Kind {
        Kind(self.0 | Kind::ALONE)
    }

    /// Its compute is counted with the request, which has a tenant.
    #[inline]
    pub(crate) const fn billed(self) -> Kind {
        Kind(self.0 | Kind::BILLED)
    }

    /// Outside of any request.
    #[inline]
    pub(crate) const fn orphan(self) -> Kind {
        Kind(self.0 | Kind::ORPHAN)
    }

    /// After the request had ended.
    pub(crate) const fn outlived(self) -> Kind {
        Kind(self.0 | Kind::OUTLIVED)
    }

    pub(crate) const fn is_outlived(self) -> bool {
        self.0 & Kind::OUTLIVED != 0
    }
}

/// What [`held`] says of others.
fn beside(value: u64) -> i64 {
    i64::try_from(value >> 1).unwrap_or(i64::MAX)
}

/// One outcome of a stage or of the requests of a label combination: bound on first use.
type PerOutcome<T> = [OnceLock<T>; Outcome::COUNT];

/// The durations of one stage under one label combination.
#[derive(Debug, Clone)]
pub(crate) struct StageSeries {
    pub(crate) clock: Clock,
    pub(crate) durations: Arc<Durations>,
    pub(crate) activity: Arc<Activity>,
    /// Only for executions.
    pub(crate) execution: Option<Execution>,
    pub(crate) orphans: Counting<u64>,
    pub(crate) wasted: Counting<f64>,
    pub(crate) name: &'static str,
}

/// A histogram of which each outcome is a point, that the budget is told of when it is bound.
#[derive(Debug)]
pub(crate) struct Durations {
    pub(crate) histogram: Histogram<f64>,
    /// Without `outcome`.
    pub(crate) attributes: Attributes,
    pub(crate) budget: Arc<Budget>,
    /// Of one point.
    pub(crate) lines: usize,
    points: PerOutcome<BoundHistogram<f64>>,
}

impl Durations {
    pub(crate) fn new(
        histogram: Histogram<f64>,
        attributes: Attributes,
        budget: &Arc<Budget>,
        lines: usize,
    ) -> Durations {
        let (budget, points) = (Arc::clone(budget), Default::default());
        Durations {
            histogram,
            attributes,
            budget,
            lines,
            points,
        }
    }

    fn of(&self, outcome: usize) -> &BoundHistogram<f64> {
        bound(&self.points, &self.attributes, outcome, |all| {
            self.budget.spend(self.lines);
            self.histogram.bind(all)
        })
    }
}

/// What an execution counts beside its stage.
#[derive(Debug, Clone)]
pub(crate) struct Execution {
    pub(crate) batch: Arc<BatchSeries>,
    /// For requests without a tenant.
    pub(crate) compute: Counting<f64>,
    /// As health sees them.
    pub(crate) stage: StageExecutions,
}

/// The value of [`Kind::HELD`]: how many other executions of the same request wait for its reader with it, and whether
/// the item is a sign of life.
pub(crate) const fn held(beside: u32, alive: bool) -> u64 {
    (beside as u64) << 1 | alive as u64
}

/// The executions of one model, on one device where that is named, whatever the size of their batch.
#[derive(Debug)]
pub(crate) struct BatchSeries {
    pub(crate) clock: Clock,
    pub(crate) sizes: BoundHistogram<f64>,
    pub(crate) durations: Durations,
    pub(crate) progress: Arc<Progress>,
    pub(crate) devices: Devices,
    /// Which executions these are, to health.
    pub(crate) name: Box<str>,
}

/// The requests of one tenant of a model.
#[derive(Debug)]
pub(crate) struct TenantSeries {
    pub(crate) clock: Clock,
    pub(crate) counter: Counter<u64>,
    /// Without `outcome`.
    pub(crate) attributes: Attributes,
    pub(crate) requests: PerOutcome<BoundCounter<u64>>,
    pub(crate) seconds: Counting<f64>,
    pub(crate) objective: Option<Objective>,
}

/// What was promised to a tenant.
#[derive(Debug)]
pub(crate) struct Objective {
    pub(crate) seconds: f64,
    pub(crate) met: Counting<u64>,
    pub(crate) missed: Counting<u64>,
}

/// The requests of one label combination.
#[derive(Debug)]
pub(crate) struct RequestSeries {
    pub(crate) clock: Clock,
    pub(crate) durations: Durations,
    pub(crate) counter: Counter<u64>,
    /// Those of the counter, without `outcome`.
    pub(crate) counter_attributes: Attributes,
    pub(crate) activity: Arc<Activity>,
    pub(crate) requests: PerOutcome<BoundCounter<u64>>,
}

/// One point of a counter, bound on first use.
#[derive(Debug, Clone)]
pub(crate) struct Counting<T> {
    pub(crate) counter: Counter<T>,
    pub(crate) attributes: Attributes,
    bound: OnceLock<BoundCounter<T>>,
}

impl<T> Counting<T> {
    pub(crate) fn new(counter: Counter<T>, attributes: Attributes) -> Counting<T> {
        Counting {
            counter,
            attributes,
            bound: OnceLock::new(),
        }
    }

    fn bound(&self) -> &BoundCounter<T> {
        self.bound
            .get_or_init(|| self.counter.bind(&self.attributes))
    }
}

/// What the events of a number belong to.
#[derive(Debug)]
pub(crate) enum Series {
    Stage(StageSeries),
    Request(RequestSeries),
    Tenant(TenantSeries),
    Batch(Arc<BatchSeries>),
    Count(Counting<u64>),
    /// Ticks in, seconds out.
    Seconds(Clock, Counting<f64>),
    Generation(GenerationSeries),
    GenAi(GenAiSeries),
    /// Its runtime has stopped.
    Stopped,
}

fn with_outcome(attributes: &[KeyValue], outcome: usize) -> Vec<KeyValue> {
    let mut all = attributes.to_vec();
    all.push(KeyValue::new(
        "outcome",
        Value::from(Outcome::LABELS[outcome]),
    ));
    sorted(all)
}

/// The point of this outcome, bound on first use.
fn bound<'a, T>(
    points: &'a PerOutcome<T>,
    attributes: &[KeyValue],
    outcome: usize,
    bind: impl FnOnce(&[KeyValue]) -> T,
) -> &'a T {
    points[outcome].get_or_init(|| bind(&with_outcome(attributes, outcome)))
}

impl StageSeries {
    fn apply(&self, kind: u8, ticks: u64) {
        match kind & !Kind::ADDED {
            began if began == Kind::BEGAN.0 => {
                self.activity.add(1);
                self.executing(StageExecutions::began);
            }
            moved if moved == Kind::MOVED.0 => {
                self.activity.add(-1);
                self.executing(StageExecutions::left);
            }
            held if held == Kind::HELD.0 => self.held(ticks),
            asked if asked == Kind::ASKED.0 => {
                self.executing(|stage, now| stage.asked(now, beside(ticks)));
            }
            wasted if wasted == Kind::WASTED.0 => {
                self.wasted.bound().add(self.clock.seconds(ticks));
            }
            outcome => {
                let Some(outcome) = known_outcome(outcome) else {
                    return;
                };
                let (seconds, now) = (self.clock.seconds(ticks), self.clock.monotonic());
                self.activity.add(-1);
                self.activity.ended(outcome, now, seconds);
                self.durations.of(outcome).record(seconds);
                self.add(kind, outcome, seconds);
                if let Some(execution) = &self.execution {
                    // what is dropped did not get to its end, unless only nobody waits for it any more
                    let outlived = kind & Kind::OUTLIVED != 0;
                    if outcome == Outcome::Cancelled.index() && !outlived {
                        execution.stage.left(now);
                    } else {
                        execution.stage.ended(now);
                        execution.batch.progress.show(&self.clock);
                    }
                }
            }
        }
    }

    fn executing(&self, change: impl FnOnce(&StageExecutions, Duration)) {
        if let Some(execution) = &self.execution {
            change(&execution.stage, self.clock.monotonic());
        }
    }

    fn held(&self, value: u64) {
        self.executing(|stage, now| stage.held(now, beside(value)));
        if let Some(execution) = self.execution.as_ref().filter(|_| value & 1 != 0) {
            execution.batch.progress.now(&self.clock);
        }
    }

    fn add(&self, kind: u8, outcome: usize, seconds: f64) {
        let has = |added| kind & added != 0;
        if let Some(execution) = &self.execution
            && has(Kind::ALONE)
        {
            execution.batch.served(1);
            execution.batch.ended(outcome, seconds);
            if !has(Kind::BILLED) {
                execution.compute.bound().add(seconds);
            }
        }
        if has(Kind::ORPHAN) {
            self.orphans.bound().add(1);
        }
        if has(Kind::OUTLIVED) {
            self.wasted.bound().add(seconds);
        }
    }
}

impl BatchSeries {
    /// One has ended, and its device may have to do with it.
    pub(crate) fn tell_health(&self, outcome: Outcome, by_text: bool) {
        match outcome {
            Outcome::Ok => self.devices.worked(&self.name),
            Outcome::Error(ErrorType::DeviceFault) if !by_text => self.devices.failed(&self.name),
            _ => {}
        }
    }

    /// So many requests by one execution.
    fn served(&self, requests: u64) {
        #[allow(clippy::cast_precision_loss, reason = "batches are smaller than 2^52")]
        self.sizes.record(requests as f64);
    }

    fn ended(&self, outcome: usize, seconds: f64) {
        self.durations.of(outcome).record(seconds);
    }

    fn apply(&self, kind: u8, value: u64) {
        if kind == Kind::COUNT.0 {
            self.served(value);
        } else if let Some(outcome) = known_outcome(kind) {
            self.ended(outcome, self.clock.seconds(value));
            if outcome != Outcome::Cancelled.index() {
                self.progress.now(&self.clock);
            }
        }
    }
}

impl TenantSeries {
    fn count(&self, outcome: usize) -> &BoundCounter<u64> {
        bound(&self.requests, &self.attributes, outcome, |all| {
            self.counter.bind(all)
        })
    }

    fn apply(&self, kind: u8, ticks: u64) {
        let Some(outcome) = known_outcome(kind) else {
            return;
        };
        let seconds = self.clock.seconds(ticks);
        self.count(outcome).add(1);
        self.seconds.bound().add(seconds);
        if let Some(objective) = self
            .objective
            .as_ref()
            .filter(|_| outcome == Outcome::Ok.index())
        {
            let met = seconds <= objective.seconds;
            let counting = if met {
                &objective.met
            } else {
                &objective.missed
            };
            counting.bound().add(1);
        }
    }
}

impl RequestSeries {
    fn count(&self, outcome: usize) -> &BoundCounter<u64> {
        bound(&self.requests, &self.counter_attributes, outcome, |all| {
            self.counter.bind(all)
        })
    }

    fn apply(&self, kind: u8, ticks: u64) {
        match kind {
            began if began == Kind::BEGAN.0 => self.activity.add(1),
            moved if moved == Kind::MOVED.0 => self.activity.add(-1),
            outcome => {
                let Some(outcome) = known_outcome(outcome) else {
                    return;
                };
                let seconds = self.clock.seconds(ticks);
                self.activity.add(-1);
                self.activity
                    .ended(outcome, self.clock.monotonic(), seconds);
                self.durations.of(outcome).record(seconds);
                self.count(outcome).add(1);
            }
        }
    }
}

fn known_outcome(index: u8) -> Option<usize> {
    Some(usize::from(index)).filter(|index| *index < Outcome::COUNT)
}

impl Series {
    /// Makes the points exist at 0 that must exist before anything happens.
    pub(crate) fn show(&self) {
        let ok = Outcome::Ok.index();
        match self {
            Series::Stage(stage) => drop(stage.durations.of(ok)),
            Series::Request(request) => {
                request.durations.of(ok);
                (0..Outcome::COUNT).for_each(|outcome| request.count(outcome).add(0));
            }
            Series::Tenant(tenant) => {
                (0..Outcome::COUNT).for_each(|outcome| tenant.count(outcome).add(0));
            }
            Series::Count(counting) => counting.bound().add(0),
            Series::Seconds(_, counting) => counting.bound().add(0.0),
            Series::Batch(_) | Series::Generation(_) | Series::GenAi(_) | Series::Stopped => {}
        }
    }

    /// A site says how long is too long for its executions.
    pub(crate) fn stalls_after(&self, limit: Duration) {
        if let Series::Stage(StageSeries {
            execution: Some(execution),
            ..
        }) = self
        {
            execution.stage.stalls_after(limit);
        }
    }

    /// Does to the instruments what an event says.
    pub(crate) fn apply(&self, event: Event) {
        // the low byte
        let kind = (event.word & 0xff) as u8;
        // the 27 highest bits
        let many = (event.word >> MANY_SHIFT) as u32;
        match self {
            Series::Stage(stage) => stage.apply(kind, event.value),
            Series::Request(request) => request.apply(kind, event.value),
            Series::Tenant(tenant) => tenant.apply(kind, event.value),
            Series::Batch(batch) => batch.apply(kind, event.value),
            Series::Count(counting) => counting.bound().add(event.value),
            Series::Seconds(clock, counting) => counting.bound().add(clock.seconds(event.value)),
            Series::Generation(tokens) => tokens.apply(kind, many, event.value),
            Series::GenAi(requests) => requests.apply(kind, many, event.value),
            Series::Stopped => {}
        }
    }
}

/// Every series of every runtime of the process, by number; 0 is nobody's.
static ALL: RwLock<Vec<Arc<Series>>> = RwLock::new(Vec::new());

/// Grows whenever a number changes its meaning.
static GENERATION: AtomicU64 = AtomicU64::new(0);

pub(crate) fn generation() -> u64 {
    GENERATION.load(Ordering::Acquire)
}

/// A copy of the whole table.
pub(crate) fn all() -> Vec<Arc<Series>> {
    ALL.read().unwrap_or_else(PoisonError::into_inner).clone()
}

/// The number of the series that an event belongs to, as a place in [`all`].
pub(crate) fn place(event: Event) -> usize {
    usize::try_from(event.word >> 8 & u64::from(OUTERMOST - 1)).unwrap_or(usize::MAX)
}

/// The series that an event belongs to.
pub(crate) fn of(event: Event) -> Option<Arc<Series>> {
    ALL.read()
        .unwrap_or_else(PoisonError::into_inner)
        .get(place(event))
        .map(Arc::clone)
}

/// The series behind a number.
pub(crate) fn get(id: SeriesId) -> Option<Arc<Series>> {
    ALL.read()
        .unwrap_or_else(PoisonError::into_inner)
        .get(id.number() as usize)
        .map(Arc::clone)
}

/// Gives a series its number. It must be there before the first event of that number is written.
pub(crate) fn register(series: Series, manual: bool, execution: bool) -> SeriesId {
    let mut all = ALL.write().unwrap_or_else(PoisonError::into_inner);
    if all.is_empty() {
        all.push(Arc::new(Series::Stopped)); // number 0
    }
    let Some(number) = u32::try_from(all.len())
        .ok()
        .filter(|number| *number < OUTERMOST)
    else {
        return SeriesId::NONE;
    };
    all.push(Arc::new(series));
    SeriesId(number | if manual { MANUAL } else { 0 } | if execution { EXECUTION } else { 0 })
}

/// Forgets what these numbers meant: events that still carry them go nowhere.
pub(crate) fn stop(ids: &[SeriesId]) {
    let mut all = ALL.write().unwrap_or_else(PoisonError::into_inner);
    let stopped = Arc::new(Series::Stopped);
    for id in ids {
        if let Some(slot) = all.get_mut(id.number() as usize) {
            *slot = Arc::clone(&stopped);
        }
    }
    GENERATION.fetch_add(1, Ordering::AcqRel);
}
