//! The state machine of one check: from the result of a run to the verdict. A pure function of what it is told.

use crate::health::plan::Plan;
use crate::health::report::Verdict;
use crate::vocab::reason::Reason;
use std::time::Duration;

/// How one run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunResult {
    Pass,
    Warn(Reason),
    Fail(FailKind, Reason),
    /// There is no doubt: it counts as much as all the failures that are asked for.
    Fatal(Reason),
    /// The process was too busy to start it. Says nothing about the check.
    NotScheduled,
}

/// What kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailKind {
    Error,
    Timeout,
    Panic,
    Hung,
}

impl RunResult {
    /// How many values the label `result` has.
    pub(crate) const COUNT: usize = 8;

    /// The values of the label `result`, at their [`index`](RunResult::index).
    pub(crate) const LABELS: [&'static str; RunResult::COUNT] = [
        "pass",
        "warn",
        "error",
        "timeout",
        "panic",
        "hung",
        "fatal",
        "not_scheduled",
    ];

    pub(crate) const fn index(self) -> usize {
        match self {
            RunResult::Pass => 0,
            RunResult::Warn(_) => 1,
            RunResult::Fail(FailKind::Error, _) => 2,
            RunResult::Fail(FailKind::Timeout, _) => 3,
            RunResult::Fail(FailKind::Panic, _) => 4,
            RunResult::Fail(FailKind::Hung, _) => 5,
            RunResult::Fatal(_) => 6,
            RunResult::NotScheduled => 7,
        }
    }
}

/// Where a check stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Machine {
    verdict: Settled,
    /// While up: failures in a row. While down: successes in a row.
    against: u32,
    /// When the run began that gave the last result.
    begun: Option<Duration>,
    /// When the verdict or its reason last changed.
    since: Duration,
    /// The last thing that happened is that it could not be run.
    unscheduled: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Settled {
    Pending,
    Up,
    Degraded(Reason),
    Down(Reason),
}

/// What follows from a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// At its usual time.
    Refresh,
    /// The result contradicts the verdict: soon.
    Confirm,
}

impl Machine {
    /// A check that has not run yet.
    pub(crate) const fn new(now: Duration) -> Machine {
        Machine {
            verdict: Settled::Pending,
            against: 0,
            begun: None,
            since: now,
            unscheduled: false,
        }
    }

    /// Takes in the result of a run that began at `begun`.
    pub(crate) fn take(
        &mut self,
        plan: &Plan,
        result: RunResult,
        begun: Duration,
        now: Duration,
    ) -> Next {
        let (good, bad, fatal) = match result {
            RunResult::Pass => (Some(Settled::Up), None, false),
            RunResult::Warn(reason) => (Some(Settled::Degraded(reason)), None, false),
            RunResult::Fail(_, reason) => (None, Some(reason), false),
            RunResult::Fatal(reason) => (None, Some(reason), true),
            RunResult::NotScheduled => {
                self.unscheduled = true;
                return Next::Refresh;
            }
        };
        let expired = self.is_expired(plan, now);
        self.unscheduled = false;
        self.begun = Some(begun);
        match (good, bad) {
            (Some(good), _) => {
                if !expired && matches!(self.verdict, Settled::Down(_)) {
                    self.against += 1;
                    if self.against < plan.successes {
                        return Next::Confirm;
                    }
                }
                self.settle(good, now);
                Next::Refresh
            }
            (None, Some(reason)) => {
                let up = matches!(self.verdict, Settled::Up | Settled::Degraded(_));
                if up && !expired && !fatal {
                    self.against += 1;
                    if self.against < plan.failures {
                        return Next::Confirm;
                    }
                }
                self.settle(Settled::Down(reason), now);
                Next::Refresh
            }
            (None, None) => Next::Refresh,
        }
    }

    fn settle(&mut self, verdict: Settled, now: Duration) {
        self.against = 0;
        if self.verdict != verdict {
            self.verdict = verdict;
            self.since = now;
        }
    }

    /// Since the start of the run that gave the last result. Never negative: `now` may have been read earlier.
    pub(crate) fn age(&self, now: Duration) -> Option<Duration> {
        self.begun.map(|begun| now.saturating_sub(begun))
    }

    /// What is known is too old, and it was good.
    fn is_expired(&self, plan: &Plan, now: Duration) -> bool {
        matches!(self.verdict, Settled::Up | Settled::Degraded(_))
            && self.age(now).is_some_and(|age| age > plan.max_stale)
    }

    /// The verdict at `now`, and why. `longest` is how old a result may be; `busy` says that the process gets on with
    /// its work although the check is not run.
    pub(crate) fn verdict(
        &self,
        now: Duration,
        longest: Duration,
        busy: bool,
    ) -> (Verdict, Option<Reason>) {
        let too_old = self.age(now).is_some_and(|age| age > longest);
        match self.verdict {
            Settled::Pending => (Verdict::Pending, Some(Reason::NOT_YET_CHECKED)),
            Settled::Down(reason) => (Verdict::Down, Some(reason)),
            _ if too_old && self.unscheduled && busy => (Verdict::Degraded, Some(Reason::STALE)),
            _ if too_old => (Verdict::Expired, Some(Reason::STALE)),
            Settled::Up => (Verdict::Up, None),
            Settled::Degraded(reason) => (Verdict::Degraded, Some(reason)),
        }
    }

    /// When the verdict last changed; an expired one changed when its time ran out.
    pub(crate) fn since(&self, longest: Duration, now: Duration) -> Duration {
        let ran_out = self.begun.map(|begun| begun + longest);
        match (self.verdict, ran_out) {
            (Settled::Up | Settled::Degraded(_), Some(ran_out)) if ran_out < now => ran_out,
            _ => self.since,
        }
    }

    /// It was run, and said something.
    pub(crate) fn has_result(&self) -> bool {
        self.verdict != Settled::Pending
    }
}
