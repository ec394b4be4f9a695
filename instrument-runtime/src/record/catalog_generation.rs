//! The rows of the catalogue about requests that generate tokens. Their edges contain those that the `GenAI` conventions of
//! OpenTelemetry advise.

use crate::record::metric::{Metric, MetricKind, ROW};
use crate::vocab::buckets::Buckets;
use crate::vocab::level::Level;

/// From one token to the next.
const BETWEEN: &[f64] = &[
    0.001, 0.0025, 0.005, 0.01, 0.015, 0.025, 0.035, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5,
    0.75, 1.0, 2.5, 5.0, 10.0,
];

const GEN_AI: &[&str] = &[
    "gen_ai_operation_name",
    "gen_ai_provider_name",
    "gen_ai_request_model",
    "model",
    "version",
];

pub(crate) const SERVER_REQUEST_DURATION: Metric = Metric {
    name: "gen_ai_server_request_duration_seconds",
    otel: "gen_ai.server.request.duration",
    kind: MetricKind::Histogram,
    unit: "s",
    labels: &[
        "gen_ai_operation_name",
        "gen_ai_provider_name",
        "gen_ai_request_model",
        "model",
        "version",
        "error_type",
    ],
    buckets: Buckets::General.edges(),
    help: "End-to-end duration of a request, as the GenAI conventions name it; only for models that declare `gen_ai`.",
    action: "As inference_request_duration_seconds; here for dashboards that know the conventions.",
    ..ROW
};

pub(crate) const TIME_TO_FIRST_TOKEN: Metric = Metric {
    name: "gen_ai_server_time_to_first_token_seconds",
    otel: "gen_ai.server.time_to_first_token",
    kind: MetricKind::Histogram,
    unit: "s",
    labels: GEN_AI,
    buckets: &[
        0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.16, 0.25, 0.35, 0.5, 0.75, 1.0, 1.5,
        2.5, 3.5, 5.0, 7.5, 10.0, 20.0, 40.0,
    ],
    help: "From the beginning of a request to its first token, once a request, of those that ended well; only for models that declare `gen_ai`.",
    action: "Rises with the queue: scale out. Rises with the stage prefill: longer prompts, or a colder prefix cache.",
    ..ROW
};

pub(crate) const TIME_PER_OUTPUT_TOKEN: Metric = Metric {
    name: "gen_ai_server_time_per_output_token_seconds",
    otel: "gen_ai.server.time_per_output_token",
    kind: MetricKind::Histogram,
    unit: "s",
    labels: GEN_AI,
    buckets: BETWEEN,
    help: "Mean time from token to token of a request, without the time that its reader took, of those that ended well; absent for answers that came at once; only for models that declare `gen_ai`.",
    action: "Rises: batches have grown, or requests are preempted.",
    ..ROW
};

pub(crate) const INTER_TOKEN_LATENCY: Metric = Metric {
    name: "inference_inter_token_latency_seconds",
    otel: "inference.inter_token.latency",
    kind: MetricKind::Histogram,
    unit: "s",
    labels: &["model", "version"],
    buckets: BETWEEN,
    help: "From one token to the next, without the time that the reader took; a chunk of n tokens counts n times.",
    action: "A high quantile far above the median: streams stall. Look at preemptions and at long prompts beside them.",
    ..ROW
};

pub(crate) const STREAM_BACKPRESSURE: Metric = Metric {
    name: "inference_stream_backpressure_seconds_total",
    otel: "inference.stream.backpressure",
    unit: "s",
    labels: &["model", "version"],
    help: "Time in which streams waited for their readers to ask for more.",
    action: "Grows: clients or the network are slow, not the model. A buffer between model and client frees the model.",
    ..ROW
};

pub(crate) const REQUEST_TOKENS: Metric = Metric {
    name: "inference_request_tokens",
    otel: "inference.request.tokens",
    kind: MetricKind::Histogram,
    unit: "{token}",
    labels: &["model", "version", "token_type"],
    buckets: &[
        1.0,
        4.0,
        16.0,
        64.0,
        128.0,
        256.0,
        512.0,
        1024.0,
        2048.0,
        4096.0,
        8192.0,
        16384.0,
        32768.0,
        65536.0,
        262_144.0,
        1_048_576.0,
    ],
    help: "Tokens of a request, by type: input, output or cached_input.",
    action: "Inputs or outputs have grown: latency and cost follow. Compare before blaming the model.",
    ..ROW
};

pub(crate) const TOKENS: Metric = Metric {
    name: "inference_tokens_total",
    otel: "inference.tokens",
    unit: "{token}",
    labels: &["model", "version", "tenant", "token_type"],
    help: "Tokens of requests that have ended, by tenant and type.",
    level: Level::Dimensions,
    action: "Who uses how much: the base of a bill, and of limits.",
    ..ROW
};

pub(crate) const PREEMPTIONS: Metric = Metric {
    name: "inference_preemptions_total",
    otel: "inference.preemptions",
    unit: "{preemption}",
    labels: &["model", "version"],
    help: "Sequences that an engine put aside, to go on with later, as it says it; absent before the first.",
    action: "Grows: the KV cache is too small for what runs at one time. Fewer sequences at once, shorter inputs, or more memory for the cache.",
    ..ROW
};

pub(crate) const KV_CACHE_USAGE: Metric = Metric {
    name: "inference_kv_cache_usage_ratio",
    otel: "inference.kv_cache.usage",
    kind: MetricKind::Gauge,
    unit: "1",
    labels: &["model", "version"],
    help: "Share of an engine's KV cache that is in use, from 0 to 1, as it last said it; absent while it has not.",
    action: "Near 1: what comes next waits or is preempted. Scale out, or route by it.",
    summable: false,
    ..ROW
};

pub(crate) const KV_CACHE_INFO: Metric = Metric {
    name: "inference_kv_cache_info",
    otel: "inference.kv_cache.info",
    kind: MetricKind::Gauge,
    labels: &["model", "version", "block_size", "num_gpu_blocks"],
    help: "1: how many tokens a block of an engine's KV cache holds, and how many blocks there are; absent while it has not said so.",
    action: "block_size times num_gpu_blocks is how many tokens fit. Differs between replicas: so does their memory.",
    ..ROW
};

pub(crate) const CACHE_LOOKUPS: Metric = Metric {
    name: "inference_cache_lookups_total",
    otel: "inference.cache.lookups",
    unit: "{lookup}",
    labels: &["model", "version", "cache", "result"],
    help: "Lookups in an engine's caches, hit or miss, as it says it; both are there once one was told.",
    action: "The share of hits falls: inputs share less, the cache is too small, or traffic is spread over too many replicas.",
    ..ROW
};

pub(crate) const FINISHES: Metric = Metric {
    name: "inference_finishes_total",
    otel: "inference.finishes",
    unit: "{request}",
    labels: &["model", "version", "finish_reason"],
    help: "Requests that have ended, by why the model stopped, as the service says it.",
    action: "length grows: answers are cut off. filter grows: look at what is asked.",
    ..ROW
};
