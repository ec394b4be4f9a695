//! The part of an installed telemetry that reads devices.

use crate::config::Config;
use crate::gpu::collector::Collector;
use crate::gpu::nvml::NvmlBackend;
use crate::gpu::visible::Visible;
use crate::notice;
use crate::runtime::device_metrics;
use crate::runtime::recording::Recording;
use std::sync::{Arc, Mutex, PoisonError};

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct Devices(Arc<Mutex<Option<Collector>>>);

impl Devices {
    /// Reads them from now on, where anybody asks. Waits for no device and no library.
    pub(crate) fn start(config: &Config, recording: Option<&Recording>) -> Devices {
        let shown = config.gpu_metrics && recording.is_some();
        let collector = shown.then(|| {
            let variable = |name: &str| {
                let value = std::env::var_os(name)?;
                Some(value.to_string_lossy().into_owned())
            };
            Collector::start(NvmlBackend, Visible::read(variable))
        });
        let collector = collector.and_then(|started| {
            let failed = |error| notice::report(&format!("the GPUs are not read: {error}"));
            started.map_err(failed).ok()
        });
        device_metrics::show(recording, collector.as_ref());
        Devices(Arc::new(Mutex::new(collector)))
    }

    /// Does not wait for a call that hangs.
    pub(crate) fn stop(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
