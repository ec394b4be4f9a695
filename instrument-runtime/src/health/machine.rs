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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::rig::spec;
    use crate::health::spec::Timing;

    /// The table of the documentation, read literally: the whole story is told again for each question.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Naive {
        Pending,
        Up,
        Degraded,
        Down,
    }

    type Story = Vec<(RunResult, Duration)>;

    fn naive(plan: &Plan, story: &Story, now: Duration) -> Verdict {
        let mut state = Naive::Pending;
        let (mut failures, mut successes) = (0, 0);
        let mut last: Option<Duration> = None;
        for (result, at) in story {
            let expired = matches!(state, Naive::Up | Naive::Degraded)
                && last.is_some_and(|last| at.saturating_sub(last) > plan.max_stale);
            let good = match result {
                RunResult::NotScheduled => continue,
                RunResult::Pass => Some(Naive::Up),
                RunResult::Warn(_) => Some(Naive::Degraded),
                RunResult::Fail(..) | RunResult::Fatal(_) => None,
            };
            last = Some(*at);
            let fatal = matches!(result, RunResult::Fatal(_));
            match (state, good) {
                (Naive::Pending, Some(good)) => state = good,
                (Naive::Pending, None) => state = Naive::Down,
                (Naive::Up | Naive::Degraded, Some(good)) => (state, failures) = (good, 0),
                (Naive::Up | Naive::Degraded, None) => {
                    failures += 1;
                    if expired || fatal || failures >= plan.failures {
                        (state, failures, successes) = (Naive::Down, 0, 0);
                    }
                }
                (Naive::Down, Some(good)) => {
                    successes += 1;
                    if successes >= plan.successes {
                        (state, failures, successes) = (good, 0, 0);
                    }
                }
                (Naive::Down, None) => successes = 0,
            }
        }
        match state {
            Naive::Pending => Verdict::Pending,
            Naive::Down => Verdict::Down,
            _ if last.is_some_and(|last| now.saturating_sub(last) > plan.max_stale) => {
                Verdict::Expired
            }
            Naive::Up => Verdict::Up,
            Naive::Degraded => Verdict::Degraded,
        }
    }

    #[test]
    fn every_story_ends_as_the_table_says() {
        let mut seed = 1_u64;
        let mut random = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 33) % below
        };
        for _ in 0..2_000 {
            let timing = Timing {
                failures: Some(1 + u32::try_from(random(3)).unwrap()),
                successes: Some(1 + u32::try_from(random(3)).unwrap()),
                ..Timing::NONE
            };
            let plan = Plan::new(&spec("a").timing(timing)).unwrap();
            let mut machine = Machine::new(Duration::ZERO);
            let mut story = Story::new();
            let mut now = Duration::ZERO;
            for _ in 0..40 {
                let step = [10, 1_000, 3_000, 14_999, 15_001, 60_000];
                now += Duration::from_millis(step[usize::try_from(random(6)).unwrap()]);
                assert_eq!(
                    machine.verdict(now, plan.max_stale, false).0,
                    naive(&plan, &story, now),
                    "{story:?} at {now:?}"
                );
                let result = match random(6) {
                    0 | 1 => RunResult::Pass,
                    2 => RunResult::Warn(Reason::QUEUE_FULL),
                    3 => RunResult::Fail(FailKind::Error, Reason::TIMEOUT),
                    4 => RunResult::Fatal(Reason::CUDA_ERROR),
                    _ => RunResult::NotScheduled,
                };
                machine.take(&plan, result, now, now);
                story.push((result, now));
                assert_eq!(
                    machine.verdict(now, plan.max_stale, false).0,
                    naive(&plan, &story, now),
                    "{story:?} at {now:?}"
                );
            }
        }
    }

    #[test]
    fn a_clock_that_was_read_earlier_gives_no_negative_age() {
        let plan = Plan::new(&spec("a")).unwrap();
        let mut machine = Machine::new(Duration::ZERO);
        let at = Duration::from_secs(10);
        machine.take(&plan, RunResult::Pass, at, at);
        assert_eq!(machine.age(Duration::from_secs(9)), Some(Duration::ZERO));
    }
}
