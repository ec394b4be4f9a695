//! The devices, among the metrics.

use crate::collect::device;
use crate::gpu::collector::Collector;
use crate::runtime::recording::Recording;

/// From now on they are there.
pub(crate) fn show(recording: Option<&Recording>, collector: Option<&Collector>) {
    let Some(recording) = recording else { return };
    let meter = recording.recorder.instruments.meter();
    match collector {
        Some(collector) => device::observe(&meter, collector.published()),
        None => device::observe_disabled(&meter),
    }
}
