//! The part of an installed telemetry that reads devices.

use crate::config::Config;
use crate::gpu::collector::Collector;
use crate::gpu::device::Device;
use crate::gpu::nvml::NvmlBackend;
use crate::gpu::snapshot::Snapshot;
use crate::gpu::visible::Visible;
use crate::notice;
use crate::runtime::device_metrics;
use crate::runtime::recording::Recording;
use crate::slot::devices::{Devices, Fault};
use std::sync::{Arc, Mutex, PoisonError};

/// Cheap to clone.
#[derive(Clone)]
pub(crate) struct Gpus(Arc<Mutex<Option<Collector>>>);

impl Gpus {
    /// Reads them from now on: for the metrics, unless somebody else shows them, and for health. Waits for no device and no
    /// library.
    pub(crate) fn start(config: &Config, recording: Option<&Recording>, devices: &Devices) -> Gpus {
        let read = is_read(config, cfg!(feature = "health"));
        let devices = devices.clone();
        let collector = read.then(|| {
            let variable = |name: &str| {
                let value = std::env::var_os(name)?;
                Some(value.to_string_lossy().into_owned())
            };
            let tell = move |snapshot: &Snapshot| devices.see(faults(snapshot));
            Collector::start(NvmlBackend, Visible::read(variable), tell)
        });
        let collector = collector.and_then(|started| {
            let failed = |error| notice::report(&format!("the GPUs are not read: {error}"));
            started.map_err(failed).ok()
        });
        let shown = collector.as_ref().filter(|_| config.gpu_metrics);
        device_metrics::show(recording, shown);
        Gpus(Arc::new(Mutex::new(collector)))
    }

    /// Does not wait for a call that hangs.
    pub(crate) fn stop(&self) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

/// Telemetry that is disabled shows nothing; health goes on.
fn is_read(config: &Config, for_health: bool) -> bool {
    let shown = cfg!(feature = "metrics") && config.gpu_metrics && !config.disabled;
    shown || for_health
}

/// What is wrong with the devices of this process; `None` where none was ever seen. One that is not seen any more, because
/// the library cannot be asked, keeps what was wrong with it.
fn faults(snapshot: &Snapshot) -> Option<Vec<Fault>> {
    if snapshot.devices.is_empty() {
        return None;
    }
    let of = |device: &Device| {
        let faults = &device.faults;
        [
            faults.lost.map(|_| Fault::Lost),
            faults.fatal_xid.map(|(xid, _)| Fault::Xid(xid)),
            faults.uncorrectable.map(|_| Fault::Uncorrectable),
        ]
    };
    Some(snapshot.devices.iter().flat_map(of).flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::rounds::Rounds;
    use crate::gpu::scripted::Scripted;
    use crate::gpu::trouble::Trouble;
    use std::time::Instant;

    #[test]
    fn health_reads_devices_though_nobody_records() {
        let mut config = Config::new("service");
        config.gpu_metrics = false;
        assert!(is_read(&config, true));
        assert!(!is_read(&config, false));
        config.gpu_metrics = true;
        config.disabled = true;
        assert!(is_read(&config, true));
        assert!(!is_read(&config, false));
    }

    #[test]
    fn only_what_a_device_does_not_recover_from_is_a_fault() {
        let mut script = Scripted::of(&["GPU-a", "GPU-b"]);
        let (mut rounds, now) = (Rounds::new(Visible::default()), Instant::now());
        assert_eq!(faults(&rounds.snapshot(None)), None);
        assert!(rounds.open(&mut script, now));
        let mut look = |script: &mut Scripted| {
            rounds.round(script, now);
            faults(&rounds.snapshot(None)).expect("there are devices")
        };
        assert_eq!(look(&mut script), []);
        for trouble in Trouble::ALL {
            let is_lost = matches!(trouble, Trouble::Lost | Trouble::ResetRequired);
            script.silent.insert(1, trouble);
            let expected: &[Fault] = if is_lost { &[Fault::Lost] } else { &[] };
            assert_eq!(look(&mut script), expected, "{trouble:?}");
            script.silent.clear();
            assert_eq!(look(&mut script), [], "it answers again");
        }
        // a program's own mistake
        script.xids = vec![31];
        assert_eq!(look(&mut script), []);
        script.xids = vec![79];
        assert_eq!(look(&mut script), [Fault::Xid(79)]);
        script.uncorrected = 1;
        // of the first: the other had no such field, and is not asked again
        assert_eq!(look(&mut script), [Fault::Xid(79), Fault::Uncorrectable]);
    }
}
