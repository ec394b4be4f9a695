//! The rows of the catalogue that say how the service is.

use crate::record::metric::{Metric, MetricKind, ROW};

/// Of gauges that are about one replica.
const GAUGE: Metric = Metric {
    kind: MetricKind::Gauge,
    summable: false,
    ..ROW
};

pub(crate) const HEALTH_STATE: Metric = Metric {
    name: "inference_health_state",
    otel: "inference.health.state",
    kind: MetricKind::Gauge,
    labels: &["scope", "state"],
    help: "1 for the state that liveness, readiness and startup are in, 0 for the others.",
    action: "Count the replicas that are not healthy, and see inference_health_reason_info for why.",
    ..ROW
};

pub(crate) const HEALTH_REASON: Metric = Metric {
    name: "inference_health_reason_info",
    otel: "inference.health.reason.info",
    kind: MetricKind::Gauge,
    labels: &["scope", "reason"],
    help: "1 while liveness, readiness or startup is not healthy, with the reason; absent while it is.",
    action: "It is what the probe's answer says: look the reason up in docs/health.md.",
    ..ROW
};

pub(crate) const HEALTH_CHECK_STATE: Metric = Metric {
    name: "inference_health_check_state",
    otel: "inference.health.check.state",
    kind: MetricKind::Gauge,
    labels: &["check", "state"],
    help: "1 for the verdict of each health check, 0 for the others.",
    action: "Down: see the log for its error. Expired: it is not run any more, see inference_runtime_lag_seconds.",
    ..ROW
};

pub(crate) const HEALTH_CHECK_AGE: Metric = Metric {
    name: "inference_health_check_age_seconds",
    otel: "inference.health.check.age",
    unit: "s",
    labels: &["check"],
    help: "How long ago the run began that gave the last result of a health check; absent before the first.",
    action: "Above the check's `cache`: it is not run in time, or does not return.",
    ..GAUGE
};

pub(crate) const HEALTH_CHECK_DURATION: Metric = Metric {
    name: "inference_health_check_last_duration_seconds",
    otel: "inference.health.check.last_duration",
    unit: "s",
    labels: &["check"],
    help: "How long the last run of a health check took; absent before the first.",
    action: "Near the check's `timeout`: give it more, or make it cheaper.",
    ..GAUGE
};

pub(crate) const HEALTH_CHECK_RUNS: Metric = Metric {
    name: "inference_health_check_runs_total",
    otel: "inference.health.check.runs",
    unit: "{run}",
    labels: &["check", "result"],
    help: "Runs of a health check, by result; `not_scheduled` where the process was too busy to run it.",
    action: "Failures that do not add up to a verdict are flapping; `hung` is a run that does not return.",
    ..ROW
};

pub(crate) const HEALTH_CHECK_ZOMBIES: Metric = Metric {
    name: "inference_health_check_zombies",
    otel: "inference.health.check.zombies",
    kind: MetricKind::Gauge,
    unit: "{run}",
    labels: &["check"],
    help: "Runs of a health check that go on after their timeout: 0 or 1.",
    action: "1 for long: the check hangs, and only a restart frees its thread.",
    ..ROW
};

pub(crate) const HEALTH_CHECK_LATE: Metric = Metric {
    name: "inference_health_check_late_results_total",
    otel: "inference.health.check.late_results",
    unit: "{run}",
    labels: &["check"],
    help: "Runs of a health check that returned after their timeout; what they said does not count.",
    action: "Growing: the check's `timeout` is too short for it.",
    ..ROW
};

pub(crate) const HEALTH_TRANSITIONS: Metric = Metric {
    name: "inference_health_transitions_total",
    otel: "inference.health.transitions",
    unit: "{transition}",
    labels: &["scope", "to", "reason"],
    help: "Changes of liveness, readiness and startup, by what they became and why.",
    action: "Growing steadily: it flaps; raise `failures` of the check that the reason names, or mend it.",
    ..ROW
};

pub(crate) const HEALTH_WATCH_STREAMS: Metric = Metric {
    name: "inference_health_watch_streams",
    otel: "inference.health.watch_streams",
    kind: MetricKind::Gauge,
    unit: "{stream}",
    help: "Open streams of the Watch call of the gRPC health protocol.",
    action: "Growing without end: a client opens streams and forgets them; there are at most 1,024.",
    ..ROW
};

pub(crate) const HEALTH_SCHEDULER_RESTARTS: Metric = Metric {
    name: "inference_health_scheduler_restarts_total",
    otel: "inference.health.scheduler.restarts",
    unit: "{restart}",
    help: "How often the scheduler of health checks was restarted after a panic.",
    action: "More than 0 is a fault of this library: please report it.",
    ..ROW
};
