//! THE table: every metric there is. Instruments, documentation, dashboards and tests are derived from it.

use crate::record::catalog_device::{
    ENERGY, ERRORS as DEVICE_ERRORS, GPU_COLLECTOR_ERRORS, GPU_COLLECTOR_LAST_SUCCESS,
    GPU_COLLECTOR_STATE, GPU_INFO, GPU_MEMORY_LIMIT, GPU_MEMORY_USAGE, GPU_PROCESS_MEMORY,
    GPU_THROTTLED, GPU_UTILIZATION, POWER, STATUS, TEMPERATURE,
};
use crate::record::catalog_engine::{DEVICE_ALLOCATOR, DEVICE_EVENTS};
use crate::record::catalog_generation::{
    CACHE_LOOKUPS, FINISHES, INTER_TOKEN_LATENCY, KV_CACHE_INFO, KV_CACHE_USAGE, PREEMPTIONS,
    REQUEST_TOKENS, SERVER_REQUEST_DURATION, STREAM_BACKPRESSURE, TIME_PER_OUTPUT_TOKEN,
    TIME_TO_FIRST_TOKEN, TOKENS,
};
use crate::record::catalog_health::{
    HEALTH_CHECK_AGE, HEALTH_CHECK_DURATION, HEALTH_CHECK_LATE, HEALTH_CHECK_RUNS,
    HEALTH_CHECK_STATE, HEALTH_CHECK_ZOMBIES, HEALTH_REASON, HEALTH_SCHEDULER_RESTARTS,
    HEALTH_STATE, HEALTH_TRANSITIONS, HEALTH_WATCH_STREAMS,
};
use crate::record::catalog_process::{
    CGROUP_CPU_LIMIT, CGROUP_CPU_THROTTLED, CGROUP_MEMORY_LIMIT, CGROUP_MEMORY_USAGE, PROCESS_CPU,
    PROCESS_DISK_IO, PROCESS_MAX_FDS, PROCESS_MEMORY, PROCESS_NETWORK_IO, PROCESS_OPEN_FDS,
    PROCESS_START_TIME, PROCESS_THREADS, PROCESS_VIRTUAL_MEMORY, RUNTIME_LAG,
};
use crate::record::metric::{Metric, MetricKind, ROW};
use crate::vocab::level::Level;

const GENERAL: &[f64] = crate::vocab::buckets::Buckets::General.edges();

pub(crate) const REQUESTS: Metric = Metric {
    name: "inference_requests_total",
    otel: "inference.requests",
    unit: "{request}",
    labels: &["model", "version", "ingress", "tier", "outcome"],
    help: "Requests that have ended, by outcome.",
    action: "Rate and error ratio: (error + panicked) / (all - cancelled - rejected). Compare versions; roll back the one that differs.",
    ..ROW
};

pub(crate) const REQUEST_DURATION: Metric = Metric {
    name: "inference_request_duration_seconds",
    otel: "inference.request.duration",
    kind: MetricKind::Histogram,
    unit: "s",
    labels: &["model", "version", "tier", "outcome"],
    buckets: GENERAL,
    help: "End-to-end duration of a request, queue included.",
    action: "When a quantile rises, find the stage that rose with it in inference_stage_duration_seconds.",
    ..ROW
};

pub(crate) const REQUEST_DURATION_MAX: Metric = Metric {
    name: "inference_request_duration_max_seconds",
    otel: "inference.request.duration.max",
    kind: MetricKind::Gauge,
    unit: "s",
    labels: &["model", "version"],
    help: "Longest request of the last 60 s; absent when none ended.",
    action: "Far above the 99th percentile: look for single inputs or clients that differ from the rest.",
    summable: false,
    ..ROW
};

pub(crate) const STAGE_DURATION: Metric = Metric {
    name: "inference_stage_duration_seconds",
    otel: "inference.stage.duration",
    kind: MetricKind::Histogram,
    unit: "s",
    labels: &["model", "version", "stage", "outcome"],
    buckets: GENERAL,
    help: "Duration of a stage of a request.",
    action: "Where the time went: scale out for queue, look at the model or the device for execute.",
    ..ROW
};

pub(crate) const STAGE_DURATION_MAX: Metric = Metric {
    name: "inference_stage_duration_max_seconds",
    otel: "inference.stage.duration.max",
    kind: MetricKind::Gauge,
    unit: "s",
    labels: &["model", "version", "stage"],
    help: "Longest stage of the last 60 s; absent when none ended.",
    action: "Far above the 99th percentile: look for single inputs or clients that differ from the rest.",
    summable: false,
    ..ROW
};

pub(crate) const UNATTRIBUTED: Metric = Metric {
    name: "inference_unattributed_seconds_total",
    otel: "inference.unattributed",
    unit: "s",
    labels: &["model", "version"],
    help: "Time of requests that no stage covers.",
    action: "Grows: annotate another step, or look for waiting between the steps.",
    ..ROW
};

pub(crate) const WASTED_COMPUTE: Metric = Metric {
    name: "inference_wasted_compute_seconds_total",
    otel: "inference.wasted_compute",
    unit: "s",
    labels: &["model", "version"],
    help: "Time of stages that went on after their request had ended.",
    action: "Grows: ask RequestContext::is_cancelled before expensive steps, or shorten the client's patience.",
    ..ROW
};

pub(crate) const ORPHAN_STAGES: Metric = Metric {
    name: "inference_orphan_stages_total",
    otel: "inference.orphan_stages",
    unit: "{stage}",
    labels: &["stage"],
    help: "Stages that ran outside of any request.",
    action: "Grows: carry the RequestContext into the task or thread that runs the stage.",
    ..ROW
};

pub(crate) const REQUESTS_IN_FLIGHT: Metric = Metric {
    name: "inference_requests_in_flight",
    otel: "inference.requests.in_flight",
    kind: MetricKind::Gauge,
    labels: &["model", "version"],
    help: "Requests that have begun and not ended.",
    action: "Grows while the rate stays: work is stuck. See the stage in inference_stage_in_flight.",
    ..ROW
};

pub(crate) const STAGE_IN_FLIGHT: Metric = Metric {
    name: "inference_stage_in_flight",
    otel: "inference.stage.in_flight",
    kind: MetricKind::Gauge,
    labels: &["model", "version", "stage"],
    help: "Stages that have begun and not ended.",
    action: "The stage that holds most of the requests in flight is the one to look at.",
    ..ROW
};

pub(crate) const ERRORS: Metric = Metric {
    name: "inference_errors_total",
    otel: "inference.errors",
    unit: "{request}",
    labels: &["model", "version", "stage", "error_type"],
    help: "Failed requests, each once, at the stage where the error was born.",
    action: "cuda_oom: smaller batches or fewer models. dependency_timeout: the dependency. internal: the log.",
    ..ROW
};

pub(crate) const REJECTIONS: Metric = Metric {
    name: "inference_rejections_total",
    otel: "inference.rejections",
    unit: "{request}",
    labels: &["model", "version", "reason"],
    help: "Requests that were refused before the model ran.",
    action: "queue_full: scale out. invalid_input: look at who sends it. unauthorized: look at the clients' keys.",
    ..ROW
};

pub(crate) const CANCELLATIONS: Metric = Metric {
    name: "inference_cancellations_total",
    otel: "inference.cancellations",
    unit: "{request}",
    labels: &["model", "version", "stage", "cause"],
    help: "Requests that were dropped before they were done, at the stage where they were.",
    action: "Grows: clients give up. Compare their time-outs with the duration of that stage.",
    ..ROW
};

pub(crate) const LAST_PROGRESS: Metric = Metric {
    name: "inference_last_progress_timestamp_seconds",
    otel: "inference.last_progress.timestamp",
    kind: MetricKind::Gauge,
    unit: "s",
    labels: &["model", "version"],
    help: "When an execution last came to its end, gave a token or a heartbeat, in Unix time; absent before the first.",
    action: "Old while executions are in flight: the model hangs, see the check `stalled`. Restart the replica.",
    summable: false,
    ..ROW
};

pub(crate) const TENANT_REQUESTS: Metric = Metric {
    name: "inference_tenant_requests_total",
    otel: "inference.tenant.requests",
    unit: "{request}",
    labels: &["model", "version", "tenant", "outcome"],
    help: "Requests of a tenant that have ended, by outcome.",
    level: Level::Dimensions,
    action: "One tenant's error ratio differs from the others': look at what it sends.",
    ..ROW
};

pub(crate) const TENANT_ERRORS: Metric = Metric {
    name: "inference_tenant_errors_total",
    otel: "inference.tenant.errors",
    unit: "{request}",
    labels: &["model", "tenant", "error_type"],
    help: "Failed requests of a tenant, by error type.",
    level: Level::Dimensions,
    action: "resource_exhausted or cuda_oom for one tenant: its inputs are larger than the others'.",
    ..ROW
};

pub(crate) const TENANT_SECONDS: Metric = Metric {
    name: "inference_tenant_request_seconds_total",
    otel: "inference.tenant.request",
    unit: "s",
    labels: &["model", "version", "tenant"],
    help: "Time of a tenant's requests; over their number it is their mean latency.",
    level: Level::Dimensions,
    action: "A tenant's mean rises and the others' do not: its inputs have grown.",
    ..ROW
};

pub(crate) const TENANT_OBJECTIVE: Metric = Metric {
    name: "inference_tenant_objective_total",
    otel: "inference.tenant.objective",
    unit: "{request}",
    labels: &["model", "version", "tenant", "met"],
    help: "Requests of a tenant that ended well, by whether they met the handler's objective.",
    level: Level::Dimensions,
    action: "The share that met it is what was promised to that tenant.",
    ..ROW
};

pub(crate) const COMPUTE: Metric = Metric {
    name: "inference_compute_seconds_total",
    otel: "inference.compute",
    unit: "s",
    labels: &["model", "version", "tenant"],
    help: "Time of executions, shared over the members of a batch.",
    level: Level::Dimensions,
    action: "Who the device works for: the base of a bill.",
    ..ROW
};

pub(crate) const QUEUE_SIZE: Metric = Metric {
    name: "inference_queue_size",
    otel: "inference.queue.size",
    kind: MetricKind::Gauge,
    labels: &["model", "version", "queue"],
    help: "Requests that wait in a queue now.",
    action: "Grows: scale out, or look at what holds the stage behind it.",
    ..ROW
};

pub(crate) const QUEUE_CAPACITY: Metric = Metric {
    name: "inference_queue_capacity",
    otel: "inference.queue.capacity",
    kind: MetricKind::Gauge,
    labels: &["model", "version", "queue"],
    help: "Requests that a queue takes before it refuses.",
    action: "The size over the capacity is how close refusals are.",
    ..ROW
};

pub(crate) const QUEUE_PEAK: Metric = Metric {
    name: "inference_queue_peak",
    otel: "inference.queue.peak",
    kind: MetricKind::Gauge,
    labels: &["model", "version", "queue"],
    help: "Most requests that waited in a queue at one time in the last 60 s.",
    action: "Far above the size that scrapes see: the load comes in bursts.",
    summable: false,
    ..ROW
};

pub(crate) const QUEUE_OLDEST: Metric = Metric {
    name: "inference_queue_oldest_age_seconds",
    otel: "inference.queue.oldest_age",
    kind: MetricKind::Gauge,
    unit: "s",
    labels: &["model", "version", "queue"],
    help: "How long the request has waited that waits longest; absent when none waits.",
    action: "Grows by a second each second: nobody takes from the queue.",
    summable: false,
    ..ROW
};

pub(crate) const BATCH_SIZE: Metric = Metric {
    name: "inference_batch_size",
    otel: "inference.batch.size",
    kind: MetricKind::Histogram,
    unit: "{request}",
    labels: &["model", "version"],
    buckets: &[
        1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0,
    ],
    help: "Requests that one execution served.",
    action: "Small while the queue grows: too little concurrency, or too short a wait for a batch to fill.",
    ..ROW
};

pub(crate) const BATCH_DURATION: Metric = Metric {
    name: "inference_batch_duration_seconds",
    otel: "inference.batch.duration",
    kind: MetricKind::Histogram,
    unit: "s",
    labels: &["model", "version", "device", "outcome"],
    buckets: GENERAL,
    help: "Duration of one execution, whatever the size of its batch; on which device, where the stage names it.",
    action: "Rises with the batch size as expected: batching pays. Rises alone: the model or the device. Rises on one device only: that device, see docs/devices.md.",
    ..ROW
};

pub(crate) const BATCHES: Metric = Metric {
    name: "inference_batches_total",
    otel: "inference.batches",
    unit: "{batch}",
    labels: &["model", "version", "trigger"],
    help: "Batches that were formed, by what closed them: full, timeout or flush.",
    action: "Mostly timeout: the load does not fill a batch. Mostly full: a larger batch might pay.",
    ..ROW
};

pub(crate) const MODEL_READY: Metric = Metric {
    name: "inference_model_ready",
    otel: "inference.model.ready",
    kind: MetricKind::Gauge,
    labels: &["model", "version"],
    help: "1 while a model can be asked, 0 until `load` or `ready` was called, and after it has failed or was unloaded.",
    action: "0: see inference_model_loads_total for why; without that, nobody said that it was ready.",
    ..ROW
};

pub(crate) const MODEL_INFO: Metric = Metric {
    name: "inference_model_info",
    otel: "inference.model.info",
    kind: MetricKind::Gauge,
    labels: &["model", "version", "platform"],
    help: "1 for each model that the service has declared.",
    action: "Which versions run where, to join with.",
    ..ROW
};

pub(crate) const MODEL_LOAD_DURATION: Metric = Metric {
    name: "inference_model_load_duration_seconds",
    otel: "inference.model.load.duration",
    kind: MetricKind::Gauge,
    unit: "s",
    labels: &["model", "version"],
    help: "How long the last load took that succeeded; absent before the first.",
    action: "Give a start-up probe three times as long.",
    summable: false,
    ..ROW
};

pub(crate) const MODEL_LOADS: Metric = Metric {
    name: "inference_model_loads_total",
    otel: "inference.model.loads",
    unit: "{load}",
    labels: &["model", "version", "result", "error_type"],
    help: "Loads of a model, by result.",
    action: "result=\"error\": the log says why. Many loads: something reloads in a loop.",
    ..ROW
};

pub(crate) const LABEL_OVERFLOW: Metric = Metric {
    name: "inference_label_overflow_total",
    otel: "inference.label_overflow",
    unit: "{combination}",
    labels: &["label"],
    help: "New label values that were folded into `other`: the budget of lines is used up, or there are too many models or versions. What a full LabelSet folds is not among them.",
    action: "Raise the line budget, or drop a label.",
    ..ROW
};

pub(crate) const EXPORT_FAILURES: Metric = Metric {
    name: "inference_export_failures_total",
    otel: "inference.export.failures",
    unit: "{export}",
    labels: &["exporter"],
    help: "Pushes that did not arrive, each after its retries. What is cumulative arrives with the next one.",
    action: "Grows: the log says why when it begins. Nothing is lost while the collector comes back before the replica ends.",
    ..ROW
};

pub(crate) const EXPORT_LAST_SUCCESS: Metric = Metric {
    name: "inference_export_last_success_timestamp_seconds",
    otel: "inference.export.last_success.timestamp",
    kind: MetricKind::Gauge,
    unit: "s",
    labels: &["exporter"],
    help: "When a push last arrived, in Unix time; absent before the first.",
    action: "Older than some intervals: what the collector shows of this replica is of that time.",
    summable: false,
    ..ROW
};

pub(crate) const SCRAPE_DURATION: Metric = Metric {
    name: "inference_scrape_duration_seconds",
    otel: "inference.scrape.duration",
    kind: MetricKind::Gauge,
    unit: "s",
    help: "How long the last scrape took to make; absent before the first.",
    action: "Nears the scraper's time-out: fewer labels, a smaller line budget, or `?name[]=`.",
    summable: false,
    ..ROW
};

pub(crate) const BUILD_INFO: Metric = Metric {
    name: "inference_build_info",
    otel: "inference.build.info",
    kind: MetricKind::Gauge,
    labels: &["service_version", "library_version"],
    help: "1: which version of the service runs, and of this library.",
    action: "Absent: the metrics cannot be read, whatever the scrape says.",
    ..ROW
};

/// Every metric of the product, in the order of the documentation.
pub const CATALOG: &[Metric] = &[
    REQUESTS,
    REQUEST_DURATION,
    REQUEST_DURATION_MAX,
    STAGE_DURATION,
    STAGE_DURATION_MAX,
    UNATTRIBUTED,
    WASTED_COMPUTE,
    ORPHAN_STAGES,
    REQUESTS_IN_FLIGHT,
    STAGE_IN_FLIGHT,
    ERRORS,
    REJECTIONS,
    CANCELLATIONS,
    LAST_PROGRESS,
    TENANT_REQUESTS,
    TENANT_ERRORS,
    TENANT_SECONDS,
    TENANT_OBJECTIVE,
    COMPUTE,
    TOKENS,
    QUEUE_SIZE,
    QUEUE_CAPACITY,
    QUEUE_PEAK,
    QUEUE_OLDEST,
    BATCH_SIZE,
    BATCH_DURATION,
    BATCHES,
    SERVER_REQUEST_DURATION,
    TIME_TO_FIRST_TOKEN,
    TIME_PER_OUTPUT_TOKEN,
    INTER_TOKEN_LATENCY,
    STREAM_BACKPRESSURE,
    REQUEST_TOKENS,
    FINISHES,
    KV_CACHE_USAGE,
    KV_CACHE_INFO,
    PREEMPTIONS,
    CACHE_LOOKUPS,
    MODEL_READY,
    MODEL_INFO,
    MODEL_LOAD_DURATION,
    MODEL_LOADS,
    HEALTH_STATE,
    HEALTH_REASON,
    HEALTH_CHECK_STATE,
    HEALTH_CHECK_AGE,
    HEALTH_CHECK_DURATION,
    HEALTH_CHECK_RUNS,
    HEALTH_CHECK_ZOMBIES,
    HEALTH_CHECK_LATE,
    HEALTH_TRANSITIONS,
    HEALTH_WATCH_STREAMS,
    HEALTH_SCHEDULER_RESTARTS,
    PROCESS_CPU,
    PROCESS_MEMORY,
    PROCESS_VIRTUAL_MEMORY,
    PROCESS_OPEN_FDS,
    PROCESS_MAX_FDS,
    PROCESS_THREADS,
    PROCESS_START_TIME,
    PROCESS_DISK_IO,
    PROCESS_NETWORK_IO,
    CGROUP_MEMORY_LIMIT,
    CGROUP_MEMORY_USAGE,
    CGROUP_CPU_LIMIT,
    CGROUP_CPU_THROTTLED,
    RUNTIME_LAG,
    GPU_UTILIZATION,
    GPU_MEMORY_USAGE,
    GPU_MEMORY_LIMIT,
    GPU_PROCESS_MEMORY,
    POWER,
    ENERGY,
    TEMPERATURE,
    GPU_THROTTLED,
    DEVICE_ERRORS,
    STATUS,
    GPU_INFO,
    GPU_COLLECTOR_STATE,
    GPU_COLLECTOR_ERRORS,
    GPU_COLLECTOR_LAST_SUCCESS,
    LABEL_OVERFLOW,
    EXPORT_FAILURES,
    EXPORT_LAST_SUCCESS,
    SCRAPE_DURATION,
    BUILD_INFO,
    DEVICE_EVENTS,
    DEVICE_ALLOCATOR,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::catalog_process::TWICE;
    use std::collections::BTreeSet;

    #[test]
    fn names_follow_from_the_opentelemetry_names() {
        let mut classic = Vec::new();
        for metric in CATALOG.iter().filter(|metric| !metric.otel.is_empty()) {
            let mut name = metric.otel.replace('.', "_");
            name.push_str(match metric.unit {
                "s" => "_seconds",
                "1" => "_ratio",
                "By" => "_bytes",
                "W" => "_watts",
                "J" => "_joules",
                "Cel" => "_celsius",
                _ => "",
            });
            if metric.kind == MetricKind::Counter {
                name.push_str("_total");
            }
            if name != metric.name {
                classic.push((name, metric.name));
            }
        }
        // but for what Prometheus has had a name for
        let twice = TWICE.iter().map(|(one, other)| ((*one).to_owned(), *other));
        assert_eq!(classic, twice.collect::<Vec<_>>());
    }

    #[test]
    fn every_row_is_complete_and_its_own() {
        let names: BTreeSet<_> = CATALOG.iter().map(|metric| metric.name).collect();
        assert_eq!(names.len(), CATALOG.len());
        for metric in CATALOG {
            assert!(
                metric.help.ends_with('.') && !metric.action.is_empty(),
                "{}",
                metric.name
            );
            assert_eq!(
                metric.kind == MetricKind::Histogram,
                !metric.buckets.is_empty(),
                "{}",
                metric.name
            );
            assert!(
                !metric.labels.contains(&"error_type")
                    || metric.kind == MetricKind::Counter
                    // the conventions have it there
                    || metric.name.starts_with("gen_ai_"),
                "{}",
                metric.name
            );
        }
    }
}
