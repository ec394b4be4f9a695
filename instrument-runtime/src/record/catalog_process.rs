//! The rows of the catalogue about the process, the container that it is in, and the runtime that it runs on.
//!
//! What Prometheus and OpenTelemetry both have a name for has one row with both: the scrape shows the classic name, a push
//! the other.

use crate::record::metric::{Metric, MetricKind, ROW};

const GAUGE: Metric = Metric {
    kind: MetricKind::Gauge,
    ..ROW
};

pub(crate) const PROCESS_CPU: Metric = Metric {
    name: "process_cpu_seconds_total",
    otel: "process.cpu.time",
    unit: "s",
    help: "CPU time of the process. The scrape has it in whole seconds, a push by `cpu.mode` (user, system).",
    action: "Its rate is the cores in use. At inference_cgroup_cpu_limit_cores: raise the limit or scale out.",
    ..ROW
};

pub(crate) const PROCESS_MEMORY: Metric = Metric {
    name: "process_resident_memory_bytes",
    otel: "process.memory.usage",
    unit: "By",
    help: "Memory of the process that is in RAM.",
    action: "Grows steadily under the same load: a leak. Near inference_cgroup_memory_limit_bytes: the kernel will kill it; restart it in a quiet minute.",
    ..GAUGE
};

pub(crate) const PROCESS_VIRTUAL_MEMORY: Metric = Metric {
    name: "process_virtual_memory_bytes",
    otel: "process.memory.virtual",
    unit: "By",
    help: "Addresses that the process has reserved, whether there is RAM behind them or not.",
    action: "Large alone means nothing: CUDA reserves far more than it uses. Look at process_resident_memory_bytes.",
    ..GAUGE
};

pub(crate) const PROCESS_OPEN_FDS: Metric = Metric {
    name: "process_open_fds",
    otel: "process.unix.file_descriptor.count",
    unit: "{file_descriptor}",
    help: "Open files and sockets of the process.",
    action: "Nears process_max_fds: connections will be refused. Look for connections that are not closed, or raise `ulimit -n`.",
    ..GAUGE
};

pub(crate) const PROCESS_MAX_FDS: Metric = Metric {
    name: "process_max_fds",
    unit: "{file_descriptor}",
    help: "Files and sockets that the process may have open; absent where there is no limit. Not pushed: OpenTelemetry has no name for it.",
    action: "The limit that process_open_fds is held against; `ulimit -n`, or LimitNOFILE of the unit, changes it.",
    summable: false,
    ..GAUGE
};

pub(crate) const PROCESS_THREADS: Metric = Metric {
    name: "process_threads",
    otel: "process.thread.count",
    unit: "{thread}",
    help: "Threads of the process.",
    action: "Grows without end: something starts threads that never end; a blocking pool that only grows waits for a dependency.",
    ..GAUGE
};

pub(crate) const PROCESS_START_TIME: Metric = Metric {
    name: "process_start_time_seconds",
    otel: "process.uptime",
    unit: "s",
    help: "When the process began, in Unix time. A push says how long ago that is.",
    action: "Changes: the process was restarted. Look at its last words, and whether the kernel killed it.",
    summable: false,
    ..GAUGE
};

pub(crate) const PROCESS_DISK_IO: Metric = Metric {
    name: "process_disk_io_bytes_total",
    otel: "process.disk.io",
    unit: "By",
    labels: &["disk_io_direction"],
    help: "Bytes that storage has read and written for the process; what the page cache answers is not among them. Absent where the kernel does not say.",
    action: "Reads while it serves: the model's file does not stay in memory; lock it or give the container more. Writes: the log.",
    ..ROW
};

pub(crate) const PROCESS_NETWORK_IO: Metric = Metric {
    name: "process_network_io_bytes_total",
    otel: "process.network.io",
    unit: "By",
    labels: &["network_io_direction"],
    help: "Bytes over all interfaces, loopback included, of the network namespace that the process is in: those of a pod are counted together, and on the host's network those of the host.",
    action: "At what the machine's network can do: answers are as slow as it. Compare with the rate of requests.",
    ..ROW
};

pub(crate) const CGROUP_MEMORY_LIMIT: Metric = Metric {
    name: "inference_cgroup_memory_limit_bytes",
    otel: "inference.cgroup.memory.limit",
    unit: "By",
    help: "Memory that the container may use: the smallest limit from its cgroup upwards; absent where there is none, and with cgroup v1.",
    action: "What the kernel kills at. inference_cgroup_memory_usage_bytes nears it: raise it, or load fewer models.",
    ..GAUGE
};

pub(crate) const CGROUP_MEMORY_USAGE: Metric = Metric {
    name: "inference_cgroup_memory_usage_bytes",
    otel: "inference.cgroup.memory.usage",
    unit: "By",
    help: "Memory that counts against the limit, the page cache included: of the cgroup that has the smallest limit, or of the process' own.",
    action: "Near the limit with process_resident_memory_bytes far below: page cache, which the kernel gives back. Near it with both: raise the limit.",
    ..GAUGE
};

pub(crate) const CGROUP_CPU_LIMIT: Metric = Metric {
    name: "inference_cgroup_cpu_limit_cores",
    otel: "inference.cgroup.cpu.limit_cores",
    unit: "{cpu}",
    help: "Cores that the container may use, such as 1.5: the smallest limit from its cgroup upwards; absent where there is none, and with cgroup v1.",
    action: "More threads that compute than this makes the kernel stop them in turns: see inference_cgroup_cpu_throttled_seconds_total.",
    summable: false,
    ..GAUGE
};

pub(crate) const CGROUP_CPU_THROTTLED: Metric = Metric {
    name: "inference_cgroup_cpu_throttled_seconds_total",
    otel: "inference.cgroup.cpu.throttled",
    unit: "s",
    help: "How long the container was stopped because its CPU limit was used up, each CPU counted; absent without such a control, and with cgroup v1.",
    action: "Grows while latency is high: raise the CPU limit, or have fewer threads compute.",
    ..ROW
};

pub(crate) const RUNTIME_LAG: Metric = Metric {
    name: "inference_runtime_lag_seconds",
    otel: "inference.runtime.lag",
    unit: "s",
    help: "How late the application's async runtime runs a task that is due: the most of the last 60 s, or how long one is overdue now; absent where `install()` knew of no runtime.",
    action: "Above 0.1: something blocks its threads, often the model; move it to a thread of its own or into spawn_blocking. Grows by a second each second: nothing runs, restart the replica.",
    summable: false,
    ..GAUGE
};

/// What the SDK's exporter would call a row in the scrape that has a classic name there, and that name.
pub(crate) const TWICE: &[(&str, &str)] = &[
    ("process_cpu_time_seconds_total", PROCESS_CPU.name),
    ("process_memory_usage_bytes", PROCESS_MEMORY.name),
    ("process_memory_virtual_bytes", PROCESS_VIRTUAL_MEMORY.name),
    ("process_unix_file_descriptor_count", PROCESS_OPEN_FDS.name),
    ("process_thread_count", PROCESS_THREADS.name),
    ("process_uptime_seconds", PROCESS_START_TIME.name),
];
