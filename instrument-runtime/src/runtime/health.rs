//! The part of an installed telemetry that knows how the service is.

use crate::config::Config;
use crate::health::board::{Board, Surroundings};
use crate::health::clock::HealthClock;
use crate::health::engine::{Engine, Message};
use crate::health::enrolled::Enrolled;
use crate::health::facts::{Facts, Life};
use crate::health::heartbeat::Heartbeat;
use crate::health::herald::{HeraldThread, TERMINATION_LOG};
use crate::health::news::Herald;
use crate::health::options::HealthOptions;
use crate::health::runner::Threads;
use crate::health::scheduler::Scheduler;
use crate::health::spec::{CheckRun, Provided};
use crate::health::stats::CheckStats;
use crate::notice::{self, LAST_WORDS};
use crate::runtime::check_runtime::CheckRuntime;
use crate::runtime::control::Control;
use crate::runtime::error::InstallError;
use crate::runtime::health_serving::{Addresses, Bound, Served};
use crate::runtime::health_setup::HealthSetup;
use crate::runtime::recording::Recording;
use crate::runtime::signals::Signals;
use crate::slot::devices::Devices;
use crate::slot::slots::Slots;
use std::any::TypeId;
use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::Handle;

/// The most checks that run at one time.
const MOST_RUNS: usize = 8;

/// The part of an installed telemetry that knows how the service is. Cheap to clone.
#[derive(Clone)]
pub(crate) struct HealthService(Arc<Running>);

struct Running {
    board: Board,
    herald: HeraldThread,
    stats: Vec<Arc<CheckStats>>,
    restarts: Arc<AtomicU64>,
    watch_streams: Arc<AtomicU64>,
    options: HealthOptions,
    control: Control,
    heartbeat: Heartbeat,
    /// The heart is the application's, not of a runtime of our own.
    on_application: bool,
    drain_delay: Duration,
    addresses: Addresses,
    parts: Mutex<Option<Parts>>,
}

/// What has to be stopped, in this order.
struct Parts {
    scheduler: Scheduler,
    check_runtime: Option<CheckRuntime>,
    served: Served,
}

impl HealthService {
    pub(crate) fn start(
        config: &Config,
        setup: HealthSetup,
        known: (&Slots, &Devices),
        recording: Option<&Recording>,
    ) -> Result<HealthService, InstallError> {
        let checks = setup.enrolment.checks().map_err(InstallError::Checks)?;
        if cfg!(panic = "abort") && !checks.is_empty() {
            notice::report("with `panic = \"abort\"` a health check that panics ends the process");
        }
        let clock = HealthClock::real();
        // where nobody can ask, nobody waits for an answer either
        let log = setup.termination_log.clone();
        let log = log.unwrap_or_else(|| PathBuf::from(TERMINATION_LOG));
        let herald = HeraldThread::new(log, clock.clone());
        if config.asks_for_health() {
            herald.listen();
        }
        let board = board(&clock, &setup, &checks, known, recording, herald.herald());
        let watch_streams = Arc::default();
        let control = Control::new(config, &setup, &board, &watch_streams)?;
        let bound = Bound::bind(config, setup.options, &board, &control)?;
        let (runtime, check_runtime) = runtime(setup.runtime.clone(), &checks)?;
        let heartbeat = Heartbeat::default();
        let (asked, its_board) = (runtime.clone(), board.clone());
        let (tell, told) = channel();
        let runner = Threads::new(clock, runtime, tell.clone(), Message::Run);
        let stats: Vec<_> = checks
            .iter()
            .map(|check| Arc::new(CheckStats::new(check.plan.name)))
            .collect();
        let engine = Engine::new(
            board.clone(),
            heartbeat.clone(),
            Box::new(runner),
            &checks,
            &stats,
            most_runs(),
        );
        let restarts = Arc::default();
        let scheduler =
            Scheduler::start(board.clone(), engine, (tell, told), Arc::clone(&restarts))
                .map_err(InstallError::System)?;
        for (id, state) in setup.provided {
            drop(scheduler.provide(id, state));
        }
        let (served, addresses) = bound.start()?;
        // last: these cannot be undone
        if let Some(runtime) = asked {
            heartbeat.listen(&runtime, move || its_board.now());
        }
        if config.handle_signals {
            Signals::catch(board.clone(), config.drain_delay).map_err(InstallError::System)?;
        }
        let on_application = check_runtime.is_none();
        let parts = Mutex::new(Some(Parts {
            scheduler,
            check_runtime,
            served,
        }));
        Ok(HealthService(Arc::new(Running {
            board,
            herald,
            stats,
            restarts,
            watch_streams,
            options: setup.options,
            control,
            heartbeat,
            on_application,
            drain_delay: config.drain_delay,
            addresses,
            parts,
        })))
    }

    pub(crate) fn board(&self) -> &Board {
        &self.0.board
    }

    pub(crate) fn stats(&self) -> &[Arc<CheckStats>] {
        &self.0.stats
    }

    pub(crate) fn restarts(&self) -> &Arc<AtomicU64> {
        &self.0.restarts
    }

    pub(crate) fn watch_streams(&self) -> &Arc<AtomicU64> {
        &self.0.watch_streams
    }

    /// Of the application's runtime, where there is one.
    pub(crate) fn heartbeat(&self) -> Option<&Heartbeat> {
        self.0.on_application.then_some(&self.0.heartbeat)
    }

    #[cfg(feature = "http")]
    pub(crate) fn options(&self) -> HealthOptions {
        self.0.options
    }

    #[cfg(feature = "grpc")]
    pub(crate) fn control(&self) -> &Control {
        &self.0.control
    }

    pub(crate) fn addresses(&self) -> &Addresses {
        &self.0.addresses
    }

    pub(crate) fn drain(&self) {
        self.board().drain(self.0.drain_delay);
    }

    /// Somebody else serves what says how the service is.
    #[cfg(feature = "http")]
    pub(crate) fn mounted(&self) {
        self.0.herald.listen();
    }

    /// Tells the scheduler; after the stop nobody listens.
    pub(crate) fn tell(&self, message: Message) {
        let parts = self.0.parts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parts) = parts.as_ref() {
            parts.scheduler.tell(message);
        }
    }

    /// A state for the checks that want its type.
    pub(crate) fn provide(&self, id: TypeId, state: Provided) {
        let parts = self.0.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let not_needed = match parts.as_ref() {
            Some(parts) => parts.scheduler.provide(id, state),
            None => Some(state),
        };
        // what it does when it is dropped may come back here
        drop(parts);
        drop(not_needed);
    }

    /// Streams are told and closed.
    pub(crate) fn close(&self) {
        self.board().drain(Duration::ZERO);
    }

    /// The last one to go, and the health address last of all.
    pub(crate) fn stop(&self) {
        let parts = self
            .0
            .parts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(parts) = parts else { return };
        self.0.heartbeat.stop();
        drop(parts.scheduler);
        drop(parts.check_runtime);
        parts.served.stop();
        self.0.herald.settle(LAST_WORDS);
    }
}

fn most_runs() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    MOST_RUNS.min(2 * cores)
}

fn board(
    clock: &HealthClock,
    setup: &HealthSetup,
    checks: &[Enrolled],
    (slots, devices): (&Slots, &Devices),
    recording: Option<&Recording>,
    herald: Herald,
) -> Board {
    let now = clock.now();
    let plans = checks.iter().map(|check| check.plan);
    let facts = Facts::new(now, plans, Life::new(now, setup.without_models, setup.held));
    let (progress, queues) = (recording.cloned(), recording.cloned());
    let watched = recording
        .filter(|_| setup.enrolment.has_stalled_check())
        .cloned();
    let surroundings = Surroundings {
        progress: Box::new(move || progress.as_ref()?.progress()),
        queues: Box::new(move || queues.as_ref().map(Recording::queues).unwrap_or_default()),
        devices: devices.clone(),
        devices_count: setup.enrolment.has_device_check(),
        executions: Box::new(move || watched.as_ref()?.executions()),
    };
    Board::new(
        clock.clone(),
        slots.clone(),
        surroundings,
        facts,
        checks
            .iter()
            .map(|check| check.plan.cycle())
            .max()
            .unwrap_or_default(),
        herald,
    )
}

/// Where async checks run: on the runtime that was named, that of the caller, or one of their own.
fn runtime(
    named: Option<Handle>,
    checks: &[Enrolled],
) -> Result<(Option<Handle>, Option<CheckRuntime>), InstallError> {
    if let Some(handle) = named.or_else(|| Handle::try_current().ok()) {
        return Ok((Some(handle), None));
    }
    let is_async =
        |check: &Enrolled| matches!(check.run, CheckRun::Async(_) | CheckRun::AsyncWith(..));
    if !checks.iter().any(is_async) {
        return Ok((None, None));
    }
    let own = CheckRuntime::start().map_err(InstallError::System)?;
    Ok((Some(own.handle()), Some(own)))
}
