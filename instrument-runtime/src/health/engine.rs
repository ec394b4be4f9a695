//! When checks are run and what their runs mean. Deterministic: time, runs and results come from outside.

use crate::health::board::{Board, GAP};
use crate::health::enrolled::Enrolled;
use crate::health::heartbeat::Heartbeat;
use crate::health::job::{Job, job, state_type, wanted};
use crate::health::machine::{FailKind, Machine, Next, RunResult};
use crate::health::news::News;
use crate::health::plan::{LONGEST_QUEUEING, Plan};
use crate::health::report::Verdict;
use crate::health::runner::{Run, RunId, Runner, Told, drop_elsewhere};
use crate::health::spec::{CheckRun, Provided};
use crate::health::spread::{Random, part, phase};
use crate::health::stats::CheckStats;
use crate::health::verdict::{Report, Said};
use crate::vocab::foreign::Panicked;
use crate::vocab::reason::Reason;
use std::any::TypeId;
use std::sync::Arc;
use std::time::Duration;

/// How often the scheduler looks up even when nothing is due.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// A state that has not come after this long was forgotten, most likely, or is of another type.
const PATIENCE_FOR_STATES: Duration = Duration::from_secs(5);

const SHORTEST_WAIT: Duration = Duration::from_millis(5);

/// Whoever is waiting for a run that he has asked for.
pub(crate) type Waiting = futures_channel::oneshot::Sender<()>;

/// What the scheduler is told.
pub(crate) enum Message {
    Run(RunId, Told),
    /// A state for the checks that want its type.
    Provide(TypeId, Provided),
    /// States wait to be fetched, and each comes as `Provide`.
    Deliver,
    /// Run the check of this name now; the run that is under way will do.
    Refresh(String, Waiting),
    Stop,
}

/// All checks, and what becomes of their runs.
pub(crate) struct Engine {
    board: Board,
    heartbeat: Heartbeat,
    runner: Box<dyn Runner>,
    checks: Vec<Scheduled>,
    /// Runs at one time; those that are judged and go on do not count.
    most: usize,
    random: Random,
    /// When the engine was last run.
    looked: Duration,
}

struct Scheduled {
    plan: Plan,
    run: CheckRun,
    job: Option<Job>,
    machine: Machine,
    stats: Arc<CheckStats>,
    /// Not before this by itself.
    first: Duration,
    due: Duration,
    generation: u64,
    live: Option<Live>,
    /// The second run spreads the checks of a fleet over time.
    spread: bool,
    waiting: Vec<Waiting>,
}

struct Live {
    run: Box<dyn Run>,
    queued: Duration,
    begun: Option<Duration>,
    /// Its result is known; it goes on all the same.
    judged: bool,
    /// The process stood still meanwhile: how long it took says nothing.
    frozen: bool,
}

impl Engine {
    pub(crate) fn new(
        board: Board,
        heartbeat: Heartbeat,
        runner: Box<dyn Runner>,
        checks: &[Enrolled],
        stats: &[Arc<CheckStats>],
        most: usize,
    ) -> Engine {
        let now = board.now();
        let checks = checks.iter().zip(stats).map(|(check, stats)| {
            let plan = check.plan;
            let first = if plan.remote {
                part(plan.refresh.min(Duration::from_secs(1)), phase(plan.name))
            } else {
                Duration::ZERO
            };
            Scheduled {
                plan,
                run: check.run,
                job: job(check.run, None),
                machine: Machine::new(now),
                stats: Arc::clone(stats),
                first: now + plan.initial_delay + first,
                due: now + plan.initial_delay + first,
                generation: 0,
                live: None,
                spread: true,
                waiting: Vec::new(),
            }
        });
        Engine {
            checks: checks.collect(),
            board,
            heartbeat,
            runner,
            most,
            random: Random::new(),
            looked: now,
        }
    }

    /// Takes in a message. Gives `false` when it is to end.
    pub(crate) fn tell(&mut self, message: Message) -> bool {
        self.look(self.board.now());
        match message {
            Message::Run(id, told) => self.told(id, told),
            Message::Provide(id, state) => self.provide(id, state),
            Message::Refresh(name, waiting) => self.refresh(&name, waiting),
            Message::Deliver => {}
            Message::Stop => return false,
        }
        true
    }

    /// Does what is due, and says when to come again.
    pub(crate) fn step(&mut self) -> Duration {
        let now = self.board.now();
        self.look(now);
        self.heartbeat.ask(now);
        for check in 0..self.checks.len() {
            self.judge(check, now);
        }
        let mut due: Vec<usize> = (0..self.checks.len())
            .filter(|check| self.checks[*check].due <= now)
            .collect();
        // who has the earliest deadline goes first
        due.sort_by_key(|check| self.checks[*check].due + self.checks[*check].plan.timeout);
        for check in due {
            self.begin(check, now);
        }
        self.board.tick();
        let tick = now + TICK;
        let next = self.checks.iter().map(Scheduled::next_event);
        // what is due and cannot begin waits for a message: nobody is to turn in circles meanwhile
        next.fold(tick, Duration::min).max(now + SHORTEST_WAIT)
    }

    /// Sees whether the process, and with it every run, stood still.
    fn look(&mut self, now: Duration) {
        if now.saturating_sub(self.looked) > GAP {
            for live in self.checks.iter_mut().filter_map(|one| one.live.as_mut()) {
                live.frozen = true;
            }
        }
        self.looked = now;
    }

    fn provide(&mut self, id: TypeId, state: Provided) {
        let now = self.board.now();
        let mut old = Vec::new();
        for check in &mut self.checks {
            if wanted(check.run) == Some(id) {
                let before = std::mem::replace(&mut check.job, job(check.run, Some(&state)));
                old.extend(before.and_then(Job::into_state));
                check.due = check.due.min(check.first.max(now));
            }
        }
        old.push(state);
        // of those that somebody else still has, only the count goes down
        let last = |state: &Provided| Arc::strong_count(state) == 1;
        old.retain(last);
        drop_elsewhere(old);
    }

    fn refresh(&mut self, name: &str, waiting: Waiting) {
        let now = self.board.now();
        if let Some(check) = self.checks.iter_mut().find(|check| check.plan.name == name) {
            if check.job.is_none() {
                // its state may never come
                return;
            }
            // whoever has gone has gone
            check.waiting.retain(|one| !one.is_canceled());
            check.waiting.push(waiting);
            if check.live.is_none() {
                check.due = now;
            }
        }
    }

    /// Starts a run, unless there is one.
    fn begin(&mut self, check: usize, now: Duration) {
        let live = self
            .checks
            .iter()
            .filter(|check| check.live.as_ref().is_some_and(|live| !live.judged))
            .count();
        let jitter = self.jitter(check);
        let one = &mut self.checks[check];
        let plan = one.plan;
        if let Some(live) = &mut one.live {
            // its predecessor has not ended: nothing new begins
            let result = match &*live {
                // it is under way, or stood still with the process and may go on for its time once more
                Live { judged: false, .. } | Live { frozen: true, .. } => None,
                // it was dropped, and the runtime does not come to it
                live if live.run.is_on_runtime() && !live.run.is_inside() => {
                    Some(RunResult::NotScheduled)
                }
                _ => Some(RunResult::Fail(FailKind::Hung, Reason::HUNG)),
            };
            let Some(result) = result else {
                // it is judged then at the latest, and the next one follows when it ends
                live.frozen &= !live.judged;
                one.due = now + plan.timeout;
                return;
            };
            one.due = now + jitter;
            return self.settle(check, result, now, now);
        }
        let Some(job) = &one.job else {
            // until its state is provided
            let patience = one.first + PATIENCE_FOR_STATES;
            let late = now >= patience;
            one.due = if late { Duration::MAX } else { patience };
            if let Some(state) = state_type(one.run).filter(|_| late) {
                let (name, wanted) = (plan.name, (state.name)());
                self.board.tell(News::Waits { name, wanted });
            }
            return;
        };
        let busy = live >= self.most;
        let id = RunId {
            check,
            generation: one.generation + 1,
        };
        let started = if busy {
            None
        } else {
            self.runner.start(id, job)
        };
        let Some(run) = started else {
            if now.saturating_sub(one.due) > LONGEST_QUEUEING || !busy {
                // it is still wanted: a check of once an hour is not to wait for the next one
                one.due = now + jitter.min(LONGEST_QUEUEING);
                self.settle(check, RunResult::NotScheduled, now, now);
            }
            return;
        };
        one.generation += 1;
        one.due = now + jitter;
        one.live = Some(Live {
            run,
            queued: now,
            begun: None,
            judged: false,
            frozen: false,
        });
    }

    /// The run has had its time.
    fn judge(&mut self, check: usize, now: Duration) {
        let one = &mut self.checks[check];
        let plan = one.plan;
        let Some(live) = one.live.as_mut().filter(|live| !live.judged) else {
            return;
        };
        let Some(begun) = live.begun else {
            if now.saturating_sub(live.queued) > LONGEST_QUEUEING {
                // it may still be run one day, and counts then
                live.queued = now + plan.refresh;
                self.settle(check, RunResult::NotScheduled, now, now);
            }
            return;
        };
        if now.saturating_sub(begun) < plan.timeout {
            return;
        }
        live.judged = true;
        live.run.cancel();
        one.stats.set_zombie(true);
        one.stats.lasted(now.saturating_sub(begun));
        let stuck = live.run.is_on_runtime() && live.run.is_inside() && !live.frozen;
        let starved = live.run.is_on_runtime() && self.heartbeat.lag(now) >= plan.timeout;
        let result = if stuck {
            RunResult::Fail(FailKind::Hung, Reason::HUNG)
        } else if starved || live.frozen {
            RunResult::NotScheduled
        } else {
            RunResult::Fail(FailKind::Timeout, Reason::TIMEOUT)
        };
        self.settle(check, result, begun, now);
    }

    fn told(&mut self, id: RunId, told: Told) {
        let now = self.board.now();
        let jitter = self.jitter(id.check);
        let Some(one) = self.checks.get_mut(id.check) else {
            return;
        };
        if one.generation != id.generation {
            return;
        }
        let plan = one.plan;
        let Some(live) = &mut one.live else { return };
        match told {
            Told::Begun(at) => {
                live.begun = Some(at);
                let wait = if std::mem::take(&mut one.spread) {
                    part(plan.refresh, phase(plan.name)).max(plan.refresh / 10)
                } else {
                    jitter
                };
                one.due = at + wait;
            }
            Told::Ended(result, at) => {
                let (judged, begun) = (live.judged, live.begun.unwrap_or(at));
                let frozen = live.frozen;
                one.live = None;
                one.stats.set_zombie(false);
                if judged {
                    one.stats.late();
                    one.due = now + plan.confirm;
                    return;
                }
                one.due = one.due.min((begun + plan.refresh).max(now));
                one.stats.lasted(at.saturating_sub(begun));
                // one that was not judged in time is judged by what it took
                let late = at.saturating_sub(begun) > plan.timeout;
                let (result, error) = if late && !frozen {
                    (RunResult::Fail(FailKind::Timeout, Reason::TIMEOUT), None)
                } else {
                    said(&plan, result)
                };
                self.settle_with(id.check, result, error, begun, now);
            }
            Told::Gone => {
                let judged = live.judged;
                one.live = None;
                one.stats.set_zombie(false);
                if judged {
                    one.due = now + plan.confirm;
                } else {
                    one.due = now + jitter;
                    self.settle(id.check, RunResult::NotScheduled, now, now);
                }
            }
        }
    }

    /// A result, to the state machine and to everybody.
    fn settle(&mut self, check: usize, result: RunResult, begun: Duration, now: Duration) {
        self.settle_with(check, result, None, begun, now);
    }

    fn settle_with(
        &mut self,
        check: usize,
        result: RunResult,
        error: Option<String>,
        begun: Duration,
        now: Duration,
    ) {
        let one = &mut self.checks[check];
        one.stats.count(result);
        let plan = one.plan;
        let before = one.machine.verdict(now, plan.max_stale, false);
        if one.machine.take(&one.plan, result, begun, now) == Next::Confirm {
            one.due = now + one.plan.confirm;
        }
        for waiting in one.waiting.drain(..) {
            // whoever has gone has gone
            let _ = waiting.send(());
        }
        let machine = one.machine;
        let (verdict, reason) = machine.verdict(now, plan.max_stale, false);
        let first_and_good = before.0 == Verdict::Pending && verdict == Verdict::Up;
        if before != (verdict, reason) && !first_and_good {
            let name = plan.name;
            self.board.tell(News::Check {
                name,
                verdict,
                reason,
                error,
            });
        }
        self.board.publish(|facts, _| {
            if let Some(facts) = facts.checks.get_mut(check) {
                facts.machine = machine;
            }
        });
    }

    /// Never longer than the refresh: what the user asked for is an upper bound.
    fn jitter(&mut self, check: usize) -> Duration {
        let refresh = self.checks.get(check).map_or(TICK, |one| one.plan.refresh);
        let shorter = part(refresh / 10, self.random.next());
        refresh.saturating_sub(shorter)
    }
}

impl Drop for Engine {
    /// Nobody waits for what is still under way.
    fn drop(&mut self) {
        for live in self.checks.iter().filter_map(|check| check.live.as_ref()) {
            live.run.cancel();
        }
        let jobs = self.checks.iter_mut().filter_map(|check| check.job.take());
        drop_elsewhere(jobs.filter_map(Job::into_state).collect());
    }
}

impl Scheduled {
    /// When something has to be done about it even if nobody says anything.
    fn next_event(&self) -> Duration {
        let deadline = self.live.as_ref().filter(|live| !live.judged).map(|live| {
            live.begun.map_or(live.queued + LONGEST_QUEUEING, |begun| {
                begun + self.plan.timeout
            })
        });
        // a live run's next tick is due as well: it may have to be called hung
        deadline.map_or(self.due, |deadline| deadline.min(self.due))
    }
}

fn said(plan: &Plan, result: Result<Report, Panicked>) -> (RunResult, Option<String>) {
    let Ok(report) = result else {
        return (RunResult::Fail(FailKind::Panic, Reason::PANIC), None);
    };
    let result = match report.health.said() {
        Said::Up => RunResult::Pass,
        Said::Degraded(reason) => RunResult::Warn(reason),
        Said::Down(reason) => RunResult::Fail(FailKind::Error, reason.unwrap_or(plan.reason)),
        Said::Fatal(reason) => RunResult::Fatal(reason),
    };
    (result, report.error)
}
