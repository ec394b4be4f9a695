//! The board: where what is known is published, by pointer swap, and read without a lock.

use crate::health::clock::{HealthClock, nanos};
use crate::health::facts::{DeviceFacts, ExecutionFacts, Facts, Life, ModelFacts};
use crate::health::news::{Herald, News};
use crate::health::report::{HealthReport, Lifecycle, Roll, Verdict};
use crate::health::rollup::{self, Reading, STALLED};
use crate::slot::devices::{Condition, Devices};
use crate::slot::executions::{Seen, Stall};
use crate::slot::slots::Slots;
use crate::vocab::group::Group;
use crate::vocab::reason::Reason;
use arc_swap::ArcSwap;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// How many inputs wait in a queue. Takes no lock.
pub(crate) type QueueDepth = Arc<dyn Fn() -> usize + Send + Sync>;

/// What the rest of the process is asked.
pub(crate) struct Surroundings {
    /// How long ago the process last got on with its work; `None` where nobody knows.
    pub(crate) progress: Box<dyn Fn() -> Option<Duration> + Send + Sync>,
    /// The queues that there are.
    pub(crate) queues: Box<dyn Fn() -> Vec<QueueDepth> + Send + Sync>,
    pub(crate) devices: Devices,
    /// What is wrong with a device makes the service unready.
    pub(crate) devices_count: bool,
    /// How executions get on; `None` where there are none to be seen, or the service does without. May wait for locks of
    /// whoever records.
    pub(crate) executions: Box<dyn Fn() -> Option<Seen> + Send + Sync>,
}

/// A process whose work ends at least this often gets on with it.
const BUSY: Duration = Duration::from_secs(5);

/// The scheduler ticks four times a second: it was not run for this long, or is no more.
pub(crate) const GAP: Duration = Duration::from_secs(1);

const NO_GAP: u64 = u64::MAX;

/// What was published last, and how often what changed to what.
struct Announced {
    rolls: [Roll; Group::ALL.len()],
    models: Vec<bool>,
    transitions: Transitions,
}

/// Transitions by group, what it became, and the reason.
pub(crate) type Transitions = BTreeMap<(&'static str, &'static str, &'static str), u64>;

/// The board. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Board(Arc<Inner>);

struct Inner {
    clock: HealthClock,
    slots: Slots,
    surroundings: Surroundings,
    facts: ArcSwap<Facts>,
    /// Whoever publishes, and what was published last; readers never come here.
    announced: Mutex<Announced>,
    herald: Herald,
    version: watch::Sender<u64>,
    /// When the scheduler last ticked, in nanoseconds.
    ticked: AtomicU64,
    /// Which gap was seen: the tick before it, in nanoseconds, and when it was seen.
    gap: AtomicU64,
    gap_seen: AtomicU64,
    /// As of the last tick: finding them takes a lock, reading them does not.
    queues: ArcSwap<Vec<QueueDepth>>,
    /// One full cycle of the slowest check.
    cycle: Duration,
}

impl Board {
    pub(crate) fn new(
        clock: HealthClock,
        slots: Slots,
        surroundings: Surroundings,
        facts: Facts,
        cycle: Duration,
        herald: Herald,
    ) -> Board {
        let (version, _) = watch::channel(facts.version);
        let now = clock.now();
        let ticked = AtomicU64::new(nanos(now));
        let reading = Reading {
            now,
            busy: false,
            thawing: false,
            queue_depth: None,
        };
        let announced = Mutex::new(Announced {
            rolls: rollup::report(&facts, reading).rolls,
            models: Vec::new(),
            transitions: Transitions::new(),
        });
        let board = Board(Arc::new(Inner {
            clock,
            slots,
            surroundings,
            facts: ArcSwap::from_pointee(facts),
            announced,
            herald,
            version,
            ticked,
            gap: AtomicU64::new(NO_GAP),
            gap_seen: AtomicU64::new(0),
            queues: ArcSwap::default(),
            cycle,
        }));
        board.look_at_queues();
        board.look_at_models();
        board.look_at_devices();
        board.look_at_executions();
        board.announced().transitions.clear();
        let told = Arc::downgrade(&board.0);
        board.0.surroundings.devices.on_change(Arc::new(move || {
            if let Some(inner) = told.upgrade() {
                Board(inner).look_at_devices();
            }
        }));
        let told = Arc::downgrade(&board.0);
        board.0.slots.on_change(Arc::new(move || {
            if let Some(inner) = told.upgrade() {
                Board(inner).look_at_models();
            }
        }));
        board
    }

    pub(crate) fn now(&self) -> Duration {
        self.0.clock.now()
    }

    /// The health now.
    pub(crate) fn report(&self) -> HealthReport {
        rollup::report(&self.0.facts.load(), self.reading())
    }

    /// The health now, had the service none of these checks.
    pub(crate) fn report_without(&self, excluded: &[&str]) -> HealthReport {
        rollup::report_without(&self.0.facts.load(), self.reading(), excluded)
    }

    /// Told of each new version.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.0.version.subscribe()
    }

    fn reading(&self) -> Reading {
        let now = self.now();
        let progress = (self.0.surroundings.progress)();
        Reading {
            now,
            busy: progress.is_some_and(|ago| ago <= BUSY),
            thawing: self.is_thawing(now),
            queue_depth: self.queue_depth(),
        }
    }

    fn look_at_queues(&self) {
        let queues = (self.0.surroundings.queues)();
        self.0.queues.store(Arc::new(queues));
    }

    fn queue_depth(&self) -> Option<usize> {
        let queues = self.0.queues.load();
        (!queues.is_empty()).then(|| queues.iter().map(|depth| depth()).sum())
    }

    /// The scheduler was not run for a while, and whether it is dead or the whole process stood still shows within one
    /// cycle after the gap was first seen.
    fn is_thawing(&self, now: Duration) -> bool {
        let ticked = self.0.ticked.load(Ordering::Acquire);
        let standing = now.saturating_sub(Duration::from_nanos(ticked)) > GAP;
        if standing && self.0.gap.swap(ticked, Ordering::AcqRel) != ticked {
            self.0.gap_seen.store(nanos(now), Ordering::Release);
        }
        let seen = Duration::from_nanos(self.0.gap_seen.load(Ordering::Acquire));
        self.0.gap.load(Ordering::Acquire) != NO_GAP && now.saturating_sub(seen) <= self.0.cycle
    }

    /// The scheduler is alive. What has changed by the passing of time alone is published.
    pub(crate) fn tick(&self) {
        let now = self.now();
        // a gap that ends with this tick is seen before it is forgotten
        self.is_thawing(now);
        self.0.ticked.store(nanos(now), Ordering::Release);
        self.look_at_queues();
        self.look_at_executions();
        self.look_at_failures();
        let life = self.0.facts.load().life;
        if life.closing_at.is_some_and(|at| at <= now) && !life.closing {
            self.publish(|facts, _| facts.life.closing = true);
        }
        let report = self.report();
        let changed = {
            let announced = self.announced();
            report.rolls.iter().zip(&announced.rolls).any(differ)
                || report
                    .models
                    .iter()
                    .map(|model| model.ready)
                    .ne(announced.models.iter().copied())
        };
        if changed {
            self.publish(|_, _| {});
        }
    }

    fn announced(&self) -> MutexGuard<'_, Announced> {
        self.0
            .announced
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells people.
    pub(crate) fn tell(&self, news: News) {
        (self.0.herald)(news);
    }

    /// How often what changed to what.
    pub(crate) fn transitions(&self) -> Transitions {
        self.announced().transitions.clone()
    }

    /// Publishes a change. Nothing in `change` may call back into the board.
    pub(crate) fn publish(&self, change: impl FnOnce(&mut Facts, Duration)) {
        // one at a time: versions come in order
        let mut announced = self.announced();
        let mut facts = Facts::clone(&self.0.facts.load());
        change(&mut facts, self.now());
        facts.version += 1;
        let report = rollup::report(&facts, self.reading());
        facts.life.started |= report.status(Group::Startup).serves();
        facts.life.been_ready |= report.status(Group::Readiness).serves();
        let version = facts.version;
        self.0.facts.store(Arc::new(facts));
        let before = std::mem::replace(&mut announced.rolls, report.rolls);
        for (group, (new, old)) in Group::ALL.into_iter().zip(report.rolls.iter().zip(&before)) {
            if !differ((new, old)) {
                continue;
            }
            let reason = new.reason.map_or("", Reason::as_str);
            let key = (group.as_str(), new.status.as_str(), reason);
            *announced.transitions.entry(key).or_default() += 1;
            // that a service starts, and looks around, is no news
            let starts = report.lifecycle == Lifecycle::Starting
                || new.reason == Some(Reason::NOT_YET_CHECKED);
            if !starts {
                (self.0.herald)(News::Group(group, *new));
            }
        }
        announced.models = report.models.iter().map(|model| model.ready).collect();
        self.0.version.send_replace(version);
    }

    /// Changes what is known of the life of the service.
    pub(crate) fn live(&self, change: impl FnOnce(&mut Life)) {
        self.publish(|facts, now| {
            let before = facts.life;
            change(&mut facts.life);
            if facts.life != before {
                facts.life.since = now;
            }
        });
    }

    /// From now on the service is on its way out; after `delay` clients have gone elsewhere. Asked again, the shorter
    /// of the two counts.
    pub(crate) fn drain(&self, delay: Duration) {
        let starting =
            self.report().lifecycle == Lifecycle::Starting && !self.0.facts.load().life.been_ready;
        // nobody knows of it yet, so nobody has to be given time
        let delay = if starting { Duration::ZERO } else { delay };
        self.publish(|facts, now| {
            let life = &mut facts.life;
            let at = now.saturating_add(delay);
            life.closing_at = Some(life.closing_at.map_or(at, |before| before.min(at)));
            life.closing |= delay.is_zero();
            if !life.draining {
                life.draining = true;
                life.since = now;
            }
        });
    }

    fn look_at_models(&self) {
        self.publish(|facts, now| {
            let before = rollup::models_trouble(facts);
            facts.models = self
                .0
                .slots
                .all()
                .iter()
                .map(|slot| ModelFacts {
                    name: Arc::clone(&slot.name),
                    version: Arc::clone(&slot.version),
                    platform: slot.platform(),
                    phase: slot.phase(),
                    optional: slot.is_optional(),
                })
                .collect();
            if rollup::models_trouble(facts) != before {
                facts.models_since = now;
            }
        });
    }

    /// Asked, not told: that nothing happens is no event.
    fn look_at_executions(&self) {
        // before any lock of ours
        let seen = (self.0.surroundings.executions)();
        let is_news = {
            let facts = self.0.facts.load();
            match (&facts.executions, &seen) {
                (None, None) => false,
                (Some(before), Some(seen)) => {
                    *before.stalls != *seen.stalls || before.decisive != seen.decisive
                }
                _ => true,
            }
        };
        if !is_news {
            return;
        }
        let stalls: Arc<[Stall]> = seen.iter().flat_map(|seen| seen.stalls.clone()).collect();
        let (mut before, mut after) = (Verdict::Up, Verdict::Up);
        self.publish(|facts, now| {
            before = rollup::stalled(facts);
            let since = facts.executions.as_ref().map_or(now, |known| known.since);
            facts.executions = seen.map(|seen| ExecutionFacts {
                stalls: Arc::clone(&stalls),
                decisive: seen.decisive,
                since,
            });
            after = rollup::stalled(facts);
            if let Some(known) = facts.executions.as_mut().filter(|_| before != after) {
                known.since = now;
            }
        });
        // reasons name no model: this does
        if before != after || !stalls.is_empty() {
            let places: Vec<_> = stalls.iter().map(ToString::to_string).collect();
            self.tell(News::Check {
                name: STALLED,
                verdict: after,
                reason: (after != Verdict::Up).then_some(Reason::STALLED),
                error: (!places.is_empty()).then(|| places.join("; ")),
            });
        }
    }

    /// Asked too: whoever executes has no time to tell.
    fn look_at_failures(&self) {
        let known = match self.0.surroundings.devices.condition() {
            Condition::Absent => None,
            Condition::Well => Some(None),
            Condition::Broken(fault) => Some(Some(fault)),
        };
        if self.0.facts.load().devices.map(|facts| facts.fault) != known {
            self.look_at_devices();
        }
    }

    fn look_at_devices(&self) {
        let (devices, ignored) = {
            let around = &self.0.surroundings;
            (&around.devices, !around.devices_count)
        };
        self.publish(|facts, now| {
            let fault = match devices.condition() {
                Condition::Absent => {
                    facts.devices = None;
                    return;
                }
                Condition::Well => None,
                Condition::Broken(fault) => Some(fault),
            };
            let before = facts.devices.filter(|before| before.fault == fault);
            facts.devices = Some(DeviceFacts {
                fault,
                since: before.map_or(now, |before| before.since),
                ignored,
            });
        });
    }
}

/// Since when is no difference: it says how long, not what.
fn differ((one, other): (&Roll, &Roll)) -> bool {
    (one.status, one.reason) != (other.status, other.reason)
}

impl std::fmt::Debug for Board {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Board")
            .field("facts", &*self.0.facts.load())
            .finish_non_exhaustive()
    }
}
