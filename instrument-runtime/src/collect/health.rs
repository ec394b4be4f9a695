//! How the service is, as metrics: read when somebody collects.

use crate::health::board::Board;
use crate::health::heartbeat::Heartbeat;
use crate::health::machine::RunResult;
use crate::health::report::Verdict;
use crate::health::stats::CheckStats;
use crate::record::catalog_health as catalog;
use crate::record::catalog_process::RUNTIME_LAG;
use crate::record::observe::{count, number, whole};
use crate::vocab::group::{Group, HealthStatus};
use opentelemetry::KeyValue;
use opentelemetry::metrics::Meter;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Where the numbers are.
#[derive(Debug, Clone)]
pub(crate) struct HealthFacts {
    pub(crate) board: Board,
    pub(crate) stats: Vec<Arc<CheckStats>>,
    pub(crate) restarts: Arc<AtomicU64>,
    pub(crate) watch_streams: Arc<AtomicU64>,
    pub(crate) heartbeat: Option<Heartbeat>,
}

/// Shows them from now on.
pub(crate) fn observe(meter: &Meter, facts: &HealthFacts) {
    groups(meter, &facts.board);
    checks(meter, &facts.board);
    runs(meter, &facts.stats);
    let streams = Arc::clone(&facts.watch_streams);
    whole(meter, &catalog::HEALTH_WATCH_STREAMS, move |point| {
        point.observe(to_whole(streams.load(Ordering::Relaxed)), &[]);
    });
    let restarts = Arc::clone(&facts.restarts);
    count(meter, &catalog::HEALTH_SCHEDULER_RESTARTS, move |point| {
        point.observe(restarts.load(Ordering::Relaxed), &[]);
    });
    if let Some(heartbeat) = facts.heartbeat.clone() {
        let clock = facts.board.clone();
        number(meter, &RUNTIME_LAG, move |point| {
            if let Some(seconds) = heartbeat.longest(clock.now()) {
                point.observe(seconds, &[]);
            }
        });
    }
}

fn groups(meter: &Meter, board: &Board) {
    let read = board.clone();
    whole(meter, &catalog::HEALTH_STATE, move |point| {
        let report = read.report();
        for group in Group::ALL {
            for status in HealthStatus::ALL {
                let labels = [
                    label("scope", group.as_str()),
                    label("state", status.as_str()),
                ];
                point.observe(i64::from(report.status(group) == status), &labels);
            }
        }
    });
    let read = board.clone();
    whole(meter, &catalog::HEALTH_REASON, move |point| {
        let report = read.report();
        for group in Group::ALL {
            if let Some(reason) = report.reason(group) {
                let labels = [
                    label("scope", group.as_str()),
                    label("reason", reason.as_str()),
                ];
                point.observe(1, &labels);
            }
        }
    });
    let read = board.clone();
    count(meter, &catalog::HEALTH_TRANSITIONS, move |point| {
        for ((group, to, reason), times) in read.transitions() {
            let mut labels = vec![label("scope", group), label("to", to)];
            labels.extend((!reason.is_empty()).then(|| label("reason", reason)));
            point.observe(times, &labels);
        }
    });
}

fn checks(meter: &Meter, board: &Board) {
    let read = board.clone();
    whole(meter, &catalog::HEALTH_CHECK_STATE, move |point| {
        for check in read.report().checks {
            for verdict in Verdict::ALL {
                let labels = [label("check", check.name), label("state", verdict.as_str())];
                point.observe(i64::from(check.verdict == verdict), &labels);
            }
        }
    });
    let read = board.clone();
    number(meter, &catalog::HEALTH_CHECK_AGE, move |point| {
        for check in read.report().checks {
            if let Some(age) = check.age {
                point.observe(age.as_secs_f64(), &[label("check", check.name)]);
            }
        }
    });
}

fn runs(meter: &Meter, stats: &[Arc<CheckStats>]) {
    let read = stats.to_vec();
    number(meter, &catalog::HEALTH_CHECK_DURATION, move |point| {
        for check in &read {
            if let Some(duration) = check.last_duration() {
                point.observe(duration.as_secs_f64(), &[label("check", check.name)]);
            }
        }
    });
    let read = stats.to_vec();
    count(meter, &catalog::HEALTH_CHECK_RUNS, move |point| {
        for check in &read {
            for (result, times) in RunResult::LABELS.into_iter().zip(check.runs()) {
                point.observe(
                    times,
                    &[label("check", check.name), label("result", result)],
                );
            }
        }
    });
    let read = stats.to_vec();
    whole(meter, &catalog::HEALTH_CHECK_ZOMBIES, move |point| {
        for check in &read {
            point.observe(i64::from(check.is_zombie()), &[label("check", check.name)]);
        }
    });
    let read = stats.to_vec();
    count(meter, &catalog::HEALTH_CHECK_LATE, move |point| {
        for check in &read {
            point.observe(check.late_results(), &[label("check", check.name)]);
        }
    });
}

fn label(key: &'static str, value: &'static str) -> KeyValue {
    KeyValue::new(key, value)
}

fn to_whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
