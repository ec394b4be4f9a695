//! The rows of the catalogue that are about devices: `hw.*` as OpenTelemetry's conventions have them, and what they lack.

use crate::record::metric::{Metric, MetricKind, ROW};

/// Who a device is.
const DEVICE: &[&str] = &["hw_id", "hw_type", "hw_name", "hw_vendor", "hw_parent"];

/// What is about one device, and means nothing in a sum.
const GAUGE: Metric = Metric {
    kind: MetricKind::Gauge,
    labels: DEVICE,
    summable: false,
    ..ROW
};

/// What sums over devices and replicas mean something of.
const SUM: Metric = Metric {
    kind: MetricKind::Gauge,
    labels: DEVICE,
    ..ROW
};

pub(crate) const GPU_UTILIZATION: Metric = Metric {
    name: "hw_gpu_utilization_ratio",
    otel: "hw.gpu.utilization",
    unit: "1",
    labels: &["hw_id", "hw_type", "hw_name", "hw_vendor", "hw_gpu_task"],
    help: "Share of the last moment (1/6 s to 1 s, by the GPU) in which anything ran on a GPU, from 0 to 1; absent on one that is divided by MIG.",
    action: "Says that something ran, not how much of the GPU it used: compare power. Low while a queue grows: what comes before execute is slow.",
    ..GAUGE
};

pub(crate) const GPU_MEMORY_USAGE: Metric = Metric {
    name: "hw_gpu_memory_usage_bytes",
    otel: "hw.gpu.memory.usage",
    unit: "By",
    help: "Memory of a GPU, or of a MIG instance on it, that is used by anybody. Instances have the label hw_parent, and are in the sum of their GPU too.",
    action: "Near the limit: allocations fail soon. Compare inference_gpu_process_memory_bytes: what is not ours is somebody else's.",
    ..SUM
};

pub(crate) const GPU_MEMORY_LIMIT: Metric = Metric {
    name: "hw_gpu_memory_limit_bytes",
    otel: "hw.gpu.memory.limit",
    unit: "By",
    help: "Memory that a GPU, or a MIG instance on it, has.",
    action: "The usage over the limit is how full it is.",
    ..SUM
};

pub(crate) const GPU_PROCESS_MEMORY: Metric = Metric {
    name: "inference_gpu_process_memory_bytes",
    otel: "inference.gpu.process.memory",
    unit: "By",
    help: "Memory of a GPU that this process uses; absent where the driver does not name the process, as in many containers.",
    action: "Grows without end under a steady load: a leak, or an allocator that keeps what it was given.",
    ..SUM
};

pub(crate) const POWER: Metric = Metric {
    name: "hw_power_watts",
    otel: "hw.power",
    unit: "W",
    help: "What a GPU draws now.",
    action: "Far below its usual while utilization is high: the kernels wait. At its cap: see inference_gpu_throttled.",
    ..GAUGE
};

pub(crate) const ENERGY: Metric = Metric {
    name: "hw_energy_joules_total",
    otel: "hw.energy",
    unit: "J",
    labels: DEVICE,
    help: "What a GPU has used since its driver was loaded; absent before Volta.",
    action: "Its rate over that of requests is what a request costs.",
    ..ROW
};

pub(crate) const TEMPERATURE: Metric = Metric {
    name: "hw_temperature_celsius",
    otel: "hw.temperature",
    unit: "Cel",
    help: "Temperature of a GPU's die.",
    action: "Above 85: look whether inference_gpu_throttled says thermal; check fans and the load of its neighbours.",
    ..GAUGE
};

pub(crate) const ERRORS: Metric = Metric {
    name: "hw_errors_total",
    otel: "hw.errors",
    unit: "{error}",
    labels: &[
        "hw_id",
        "hw_type",
        "hw_name",
        "hw_vendor",
        "hw_parent",
        "error_type",
    ],
    help: "Errors of a GPU: `corrected` and `uncorrected` in its memory since the driver was loaded, and `xid_` with the number of each critical event while this process looks.",
    action: "`uncorrected` grows: drain the node and reset the GPU. `xid_…`: look the number up in NVIDIA's Xid catalogue; 79 is a GPU that fell off the bus. `corrected` alone is normal.",
    ..ROW
};

// the conventions give it the unit `1`, of which the scrape would make `hw_status_ratio`
pub(crate) const STATUS: Metric = Metric {
    name: "hw_status",
    otel: "hw.status",
    labels: &[
        "hw_id",
        "hw_type",
        "hw_name",
        "hw_vendor",
        "hw_parent",
        "hw_state",
    ],
    help: "1 for the state that a GPU is in, 0 for the others: `ok`, `degraded` with uncorrected memory errors, `failed` when it is lost or a fatal Xid event came; absent while it is not known.",
    action: "failed: take the replica away and drain the node; a lost GPU needs a reset or a reboot. degraded: reset it when it is idle.",
    ..SUM
};

pub(crate) const GPU_THROTTLED: Metric = Metric {
    name: "inference_gpu_throttled",
    otel: "inference.gpu.throttled",
    labels: &["hw_id", "hw_type", "hw_name", "hw_vendor", "reason"],
    help: "1 while a GPU is slowed down, for each reason as nvidia-smi calls it, 0 while it is not.",
    action: "…thermal…: cooling. sw_power_cap: the power limit, normal under full load. hw_power_brake_slowdown: the power supply. All of them make execute slower.",
    ..SUM
};

pub(crate) const GPU_INFO: Metric = Metric {
    name: "inference_gpu_info",
    otel: "inference.gpu.info",
    labels: &["hw_id", "name", "driver_version", "mig"],
    help: "1 for each GPU, and each MIG instance, that this process may use.",
    action: "Fewer than expected: CUDA_VISIBLE_DEVICES, or the device plugin. Join it by hw_id for the names.",
    ..SUM
};

pub(crate) const GPU_COLLECTOR_STATE: Metric = Metric {
    name: "inference_gpu_collector_state",
    otel: "inference.gpu.collector.state",
    labels: &["state"],
    help: "1 for the state that the reading of GPUs is in, 0 for the others; absent before the first look is over.",
    action: "no_library: libnvidia-ml.so.1 is not in the container (NVIDIA runtime, NVIDIA_DRIVER_CAPABILITIES=utility) or not in LD_LIBRARY_PATH. no_device: no driver, or CUDA_VISIBLE_DEVICES shows none. driver_mismatch: the driver was updated, reboot the node. permission: device files or cgroup. lost: see hw_status. error: see inference_gpu_collector_errors_total.",
    ..SUM
};

pub(crate) const GPU_COLLECTOR_ERRORS: Metric = Metric {
    name: "inference_gpu_collector_errors_total",
    otel: "inference.gpu.collector.errors",
    unit: "{error}",
    labels: &["code"],
    help: "Calls to the GPU's library that failed, by why; `not_supported` once for what a GPU does not have.",
    action: "unknown on all GPUs of a container that worked before: it has lost its device files, restart it. hung: a call does not return; the node's kernel log says why (NVRM: Xid). ambiguous_order: set CUDA_DEVICE_ORDER=PCI_BUS_ID, or name GPUs by UUID.",
    ..ROW
};

pub(crate) const GPU_COLLECTOR_LAST_SUCCESS: Metric = Metric {
    name: "inference_gpu_collector_last_success_timestamp_seconds",
    otel: "inference.gpu.collector.last_success.timestamp",
    unit: "s",
    labels: &[],
    help: "When a GPU last answered, in Unix time; absent before it did.",
    action: "Older than 10 s: its values are left out; a call hangs, or every GPU fails.",
    ..GAUGE
};
