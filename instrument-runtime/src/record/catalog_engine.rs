//! The rows of the catalogue about what an engine says of its devices.

use crate::record::metric::{Metric, MetricKind, ROW};

pub(crate) const DEVICE_EVENTS: Metric = Metric {
    name: "inference_device_events_total",
    otel: "inference.device.events",
    unit: "{event}",
    labels: &["model", "version", "device", "event"],
    help: "What the engine met on a device and told of: allocations tried again, memory that ran out, faults.",
    action: "alloc_retry grows: memory is tight, latency follows; make batches smaller or give caches less. fault: replace the replica.",
    ..ROW
};

pub(crate) const DEVICE_ALLOCATOR: Metric = Metric {
    name: "inference_device_allocator_bytes",
    otel: "inference.device.allocator",
    kind: MetricKind::Gauge,
    unit: "By",
    labels: &["device", "state"],
    help: "The engine's own memory on a device: allocated, reserved and inactive; absent without DeviceStats.",
    action: "allocated grows without load: a leak. inactive grows: fragmentation, empty the cache at a quiet time.",
    ..ROW
};
