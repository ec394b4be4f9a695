//! A check with every number filled in, and the rules between the numbers. The macro checks the same rules on literals.

use crate::health::spec::{CheckSpec, Timing};
use crate::vocab::group::{Group, Groups};
use crate::vocab::reason::Reason;
use std::time::Duration;

/// What the scheduler and an application's runtime may cost at worst before a result is called late.
const HEADROOM: Duration = Duration::from_millis(150);
/// What a refresh keeps free before the result of the run before it is stale.
const SLACK: Duration = Duration::from_millis(50);
/// The longest that a check may wait to be run before the process is called too busy for it (L).
pub(crate) const LONGEST_QUEUEING: Duration = Duration::from_secs(1);
/// A check that runs more often than this measures itself.
const SHORTEST_REFRESH: Duration = Duration::from_millis(100);
/// Nobody is restarted because a check was late for less.
const SHORTEST_LIVE: Duration = Duration::from_secs(5 * 60);
/// Whole fleets share what is remote: one more failure is asked for before all of them leave at once.
const REMOTE_FAILURES: u32 = 3;

/// A check with every number filled in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) name: &'static str,
    pub(crate) groups: Groups,
    pub(crate) hard: bool,
    pub(crate) remote: bool,
    pub(crate) model: Option<&'static str>,
    /// When it fails without naming one.
    pub(crate) reason: Reason,
    /// How long a result is fresh (C).
    pub(crate) cache: Duration,
    /// When the verdict falls at the latest (T).
    pub(crate) timeout: Duration,
    /// From start to start (R).
    pub(crate) refresh: Duration,
    /// After an outcome that contradicts the verdict (K).
    pub(crate) confirm: Duration,
    /// F
    pub(crate) failures: u32,
    /// G
    pub(crate) successes: u32,
    /// How old a result may be before it is trusted no more (S).
    pub(crate) max_stale: Duration,
    /// The same where the answer is a restart.
    pub(crate) max_stale_live: Duration,
    pub(crate) initial_delay: Duration,
}

impl Plan {
    /// Fills in what is not given.
    ///
    /// # Errors
    /// Every rule that is broken, in words.
    pub(crate) fn new(spec: &CheckSpec) -> Result<Plan, Vec<String>> {
        let given = |nanos: Option<u64>| nanos.map(Duration::from_nanos);
        let Timing {
            cache,
            timeout,
            refresh,
            confirm,
            failures,
            successes,
            max_stale,
            initial_delay,
        } = spec.timing;
        let hard = spec.hard.unwrap_or(true);
        let cache = given(cache).unwrap_or(Duration::from_secs(5));
        let timeout = given(timeout).unwrap_or(Duration::from_secs(1).min(cache / 5));
        let latest = cache.saturating_sub(timeout).saturating_sub(SLACK);
        let refresh = given(refresh).unwrap_or((cache * 3 / 5).min(latest));
        let patient = if hard && spec.remote {
            REMOTE_FAILURES
        } else {
            2
        };
        let plan = Plan {
            name: spec.name,
            groups: spec.groups,
            hard,
            remote: spec.remote,
            model: spec.model,
            reason: Reason::checked(spec.reason.unwrap_or(spec.name)),
            cache,
            timeout,
            refresh,
            confirm: given(confirm).unwrap_or(refresh.min(Duration::from_secs(1))),
            failures: failures.unwrap_or(patient),
            successes: successes.unwrap_or(1),
            max_stale: given(max_stale).unwrap_or(cache * 3),
            max_stale_live: (cache * 3).max(SHORTEST_LIVE),
            initial_delay: given(initial_delay).unwrap_or_default(),
        };
        let broken = plan.broken(spec.hard.is_some());
        if broken.is_empty() {
            Ok(plan)
        } else {
            Err(broken)
        }
    }

    /// How long it takes at most until something new is known.
    pub(crate) fn cycle(&self) -> Duration {
        self.refresh + self.timeout + LONGEST_QUEUEING
    }

    fn broken(&self, hardness_is_said: bool) -> Vec<String> {
        let live = self.groups.has(Group::Liveness);
        let rules = [
            (
                self.timeout.is_zero(),
                "`timeout` is zero: a check needs some time".to_owned(),
            ),
            (
                self.cache < self.timeout + HEADROOM,
                format!(
                    "`cache` ({:?}) has to be at least `timeout` ({:?}) and 150 ms",
                    self.cache, self.timeout
                ),
            ),
            (
                self.refresh < SHORTEST_REFRESH,
                format!("`refresh` ({:?}) has to be at least 100 ms", self.refresh),
            ),
            (
                self.refresh + self.timeout > self.cache,
                format!(
                    "`refresh` ({:?}) and `timeout` ({:?}) have to fit into `cache` ({:?}), or no result stays fresh",
                    self.refresh, self.timeout, self.cache
                ),
            ),
            (
                self.max_stale < self.cache + self.timeout,
                format!(
                    "`max_stale` ({:?}) has to be at least `cache` and `timeout` together ({:?})",
                    self.max_stale,
                    self.cache + self.timeout
                ),
            ),
            (
                self.failures == 0 || self.successes == 0,
                "`failures` and `successes` count from 1".to_owned(),
            ),
            (
                live && !self.hard,
                "a check of liveness cannot be `soft`: it would have no effect".to_owned(),
            ),
            (
                live && self.remote,
                "a `remote` check cannot be in liveness: when what it asks is down, every replica would be restarted"
                    .to_owned(),
            ),
            (
                self.remote && !hardness_is_said,
                "a `remote` check says `soft` or `hard`: may every replica leave at once when what it asks is down?"
                    .to_owned(),
            ),
        ];
        rules
            .into_iter()
            .filter(|(broken, _)| *broken)
            .map(|(_, rule)| rule)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::spec::{CheckRun, report};

    const SPEC: CheckSpec = CheckSpec::new("tokenizer", "service", CheckRun::Sync(|| report(())));

    const SECOND: u64 = 1_000_000_000;
    const MILLISECOND: u64 = 1_000_000;

    #[test]
    fn what_is_not_given_follows_from_what_is() {
        let rows = [
            (Some(5 * SECOND), Some(50 * MILLISECOND), 3000, 1000, 15),
            (Some(SECOND), Some(200 * MILLISECOND), 600, 600, 3),
            (Some(30 * SECOND), Some(2 * SECOND), 18_000, 1000, 90),
            (None, None, 3000, 1000, 15),
        ];
        for (cache, timeout, refresh, confirm, stale) in rows {
            let plan = Plan::new(&SPEC.timing(Timing {
                cache,
                timeout,
                ..Timing::NONE
            }))
            .unwrap();
            assert_eq!(plan.refresh, Duration::from_millis(refresh));
            assert_eq!(plan.confirm, Duration::from_millis(confirm));
            assert_eq!(plan.max_stale, Duration::from_secs(stale));
            assert_eq!(plan.max_stale_live, Duration::from_secs(300));
            assert_eq!((plan.failures, plan.successes), (2, 1));
        }
        assert_eq!(Plan::new(&SPEC.remote().hard()).unwrap().failures, 3);
        assert_eq!(Plan::new(&SPEC).unwrap().reason.as_str(), "tokenizer");
    }

    #[test]
    fn every_broken_rule_is_named() {
        let wrong = |spec: CheckSpec| Plan::new(&spec).unwrap_err().join("\n");
        let timing = Timing {
            cache: Some(100 * MILLISECOND),
            timeout: Some(100 * MILLISECOND),
            max_stale: Some(150 * MILLISECOND),
            failures: Some(0),
            ..Timing::NONE
        };
        let text = wrong(SPEC.timing(timing));
        for part in ["150 ms", "`refresh`", "`max_stale`", "count from 1"] {
            assert!(text.contains(part), "{text}");
        }
        let text = wrong(SPEC.groups(&[Group::Liveness]).remote());
        assert!(text.contains("restarted") && text.contains("`soft` or `hard`"));
        assert!(wrong(SPEC.groups(&[Group::Liveness]).soft()).contains("no effect"));
        assert!(
            wrong(SPEC.timing(Timing {
                timeout: Some(0),
                ..Timing::NONE
            }))
            .contains("zero")
        );
    }
}
