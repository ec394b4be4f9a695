//! The engine with a clock that a test moves and runs that a test ends.

use crate::health::board::{Board, Surroundings};
use crate::health::clock::HealthClock;
use crate::health::engine::{Engine, Message};
use crate::health::enrolled::Enrolled;
use crate::health::facts::{Facts, Life};
use crate::health::heartbeat::Heartbeat;
use crate::health::job::Job;
use crate::health::news::News;
use crate::health::plan::Plan;
use crate::health::report::{HealthReport, Verdict};
use crate::health::runner::{Run, RunId, Runner, Told};
use crate::health::spec::{CheckRun, CheckSpec, report};
use crate::health::stats::CheckStats;
use crate::health::verdict::{Health, ToHealth};
use crate::slot::devices::Devices;
use crate::slot::executions::Executions;
use crate::slot::slots::Slots;
use crate::vocab::foreign::Panicked;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A check that the test ends by hand.
pub(crate) const fn spec(name: &'static str) -> CheckSpec {
    CheckSpec::new(name, "test", CheckRun::Sync(|| report(())))
}

/// A run as the test sees it.
#[derive(Debug, Clone)]
pub(crate) struct Started {
    pub(crate) id: RunId,
    pub(crate) at: Duration,
    pub(crate) cancelled: Arc<AtomicBool>,
}

/// What a run pretends to be.
#[derive(Debug, Default)]
pub(crate) struct Pretence {
    pub(crate) on_runtime: AtomicBool,
    pub(crate) inside: AtomicBool,
    pub(crate) no_threads: AtomicBool,
}

struct Scripted {
    clock: HealthClock,
    started: Arc<Mutex<Vec<Started>>>,
    pretence: Arc<Pretence>,
}

struct ScriptedRun {
    cancelled: Arc<AtomicBool>,
    pretence: Arc<Pretence>,
}

impl Run for ScriptedRun {
    fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    fn is_inside(&self) -> bool {
        self.pretence.inside.load(Ordering::Acquire)
    }

    fn is_on_runtime(&self) -> bool {
        self.pretence.on_runtime.load(Ordering::Acquire)
    }
}

impl Runner for Scripted {
    fn start(&mut self, id: RunId, _: &Job) -> Option<Box<dyn Run>> {
        if self.pretence.no_threads.load(Ordering::Acquire) {
            return None;
        }
        let cancelled = Arc::<AtomicBool>::default();
        self.started.lock().unwrap().push(Started {
            id,
            at: self.clock.now(),
            cancelled: Arc::clone(&cancelled),
        });
        Some(Box::new(ScriptedRun {
            cancelled,
            pretence: Arc::clone(&self.pretence),
        }))
    }
}

pub(crate) struct HealthRig {
    nanos: Arc<AtomicU64>,
    pub(crate) board: Board,
    pub(crate) engine: Engine,
    pub(crate) slots: Slots,
    pub(crate) devices: Devices,
    pub(crate) executions: Executions,
    pub(crate) stats: Vec<Arc<CheckStats>>,
    pub(crate) pretence: Arc<Pretence>,
    pub(crate) progress: Arc<Mutex<Option<Duration>>>,
    pub(crate) news: Arc<Mutex<Vec<News>>>,
    checks: Vec<Enrolled>,
    started: Arc<Mutex<Vec<Started>>>,
    seen: usize,
}

impl HealthRig {
    /// Without models.
    pub(crate) fn new(specs: &[CheckSpec]) -> HealthRig {
        HealthRig::with(specs, true, 8)
    }

    pub(crate) fn with(specs: &[CheckSpec], without_models: bool, most: usize) -> HealthRig {
        let nanos = Arc::new(AtomicU64::new(0));
        let clock = HealthClock::Manual(Arc::clone(&nanos));
        let checks: Vec<_> = specs
            .iter()
            .map(|spec| Enrolled {
                plan: Plan::new(spec).unwrap(),
                run: spec.run,
            })
            .collect();
        let plans = checks.iter().map(|check| check.plan);
        let facts = Facts::new(
            Duration::ZERO,
            plans,
            Life::new(Duration::ZERO, without_models, false),
        );
        let slots = Slots::default();
        let devices = Devices::default();
        let executions = Executions::default();
        let (watched, its_clock) = (executions.clone(), clock.clone());
        let progress = Arc::new(Mutex::new(None));
        let asked = Arc::clone(&progress);
        let surroundings = Surroundings {
            progress: Box::new(move || *asked.lock().unwrap()),
            queues: Box::new(|| vec![Arc::new(|| 3)]),
            devices: devices.clone(),
            devices_count: true,
            executions: Box::new(move || watched.look(its_clock.now())),
        };
        let news = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&news);
        let cycle = checks.iter().map(|check| check.plan.cycle()).max();
        let board = Board::new(
            clock.clone(),
            slots.clone(),
            surroundings,
            facts,
            cycle.unwrap_or_default(),
            Box::new(move |one| told.lock().unwrap().push(one)),
        );
        let started = Arc::new(Mutex::new(Vec::new()));
        let pretence = Arc::<Pretence>::default();
        let runner = Scripted {
            clock,
            started: Arc::clone(&started),
            pretence: Arc::clone(&pretence),
        };
        let stats: Vec<_> = checks
            .iter()
            .map(|check| Arc::new(CheckStats::new(check.plan.name)))
            .collect();
        let engine = Engine::new(
            board.clone(),
            Heartbeat::default(),
            Box::new(runner),
            &checks,
            &stats,
            most,
        );
        HealthRig {
            nanos,
            board,
            engine,
            slots,
            devices,
            executions,
            stats,
            pretence,
            progress,
            news,
            checks,
            started,
            seen: 0,
        }
    }

    /// Another engine over the same board, with runs of the test's own.
    pub(crate) fn engine_with(&self, runner: Box<dyn Runner>) -> Engine {
        Engine::new(
            self.board.clone(),
            Heartbeat::default(),
            runner,
            &self.checks,
            &self.stats,
            8,
        )
    }

    pub(crate) fn now(&self) -> Duration {
        self.board.now()
    }

    /// The clock, without the scheduler: as if it were not run.
    pub(crate) fn freeze(&self, by: Duration) {
        let nanos = u64::try_from(by.as_nanos()).unwrap();
        self.nanos.fetch_add(nanos, Ordering::AcqRel);
    }

    /// Lets time pass; the scheduler comes as often as it asks for.
    pub(crate) fn pass(&mut self, by: Duration) {
        self.pass_with(by, &mut |_, _| {});
    }

    /// The same, with `each` new run given to the test at once.
    pub(crate) fn pass_with(
        &mut self,
        by: Duration,
        each: &mut dyn FnMut(&mut HealthRig, Started),
    ) {
        let end = self.now() + by;
        loop {
            let mut again = self.engine.step();
            while let Some(started) = self.next_started() {
                each(self, started);
                again = self.engine.step();
            }
            let next = again.min(end);
            self.freeze(next.saturating_sub(self.now()));
            if next == end {
                self.engine.step();
                return;
            }
        }
    }

    /// Every run begins at once and says what `say` gives for its check.
    pub(crate) fn run_with(&mut self, by: Duration, say: impl Fn(usize) -> Option<Health>) {
        self.pass_with(by, &mut |rig, started| {
            rig.begin(&started);
            if let Some(health) = say(started.id.check) {
                rig.end(&started, health);
            }
        });
    }

    pub(crate) fn next_started(&mut self) -> Option<Started> {
        let next = self.started.lock().unwrap().get(self.seen).cloned();
        self.seen += usize::from(next.is_some());
        next
    }

    pub(crate) fn started(&self) -> Vec<Started> {
        self.started.lock().unwrap().clone()
    }

    pub(crate) fn begin(&mut self, run: &Started) {
        let told = Told::Begun(self.now());
        self.engine.tell(Message::Run(run.id, told));
    }

    pub(crate) fn end(&mut self, run: &Started, health: impl ToHealth) {
        let told = Told::Ended(Ok(health.report()), self.now());
        self.engine.tell(Message::Run(run.id, told));
    }

    pub(crate) fn panic(&mut self, run: &Started) {
        let told = Told::Ended(Err(Panicked), self.now());
        self.engine.tell(Message::Run(run.id, told));
    }

    pub(crate) fn gone(&mut self, run: &Started) {
        self.engine.tell(Message::Run(run.id, Told::Gone));
    }

    pub(crate) fn report(&self) -> HealthReport {
        self.board.report()
    }

    pub(crate) fn verdict(&self, check: &str) -> Verdict {
        self.report().verdict(check).unwrap()
    }
}
