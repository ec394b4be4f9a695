//! The handle of an installed telemetry.

use crate::notice::{self, LAST_WORDS};
use crate::runtime::bounded::{self, Work};
use crate::runtime::ending::Ending;
use crate::runtime::error::FlushError;
use crate::runtime::gpus::Gpus;
use crate::runtime::health::HealthService;
use crate::runtime::recording::Recording;
use crate::slot::devices::Devices;
use crate::slot::model_slot::ModelSlot;
use crate::slot::slots::Slots;
use crate::vocab::device::{DeviceEvent, DeviceStats};
use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// How long a flush or a shutdown may take when nothing else is said.
const PATIENCE: Duration = Duration::from_secs(5);

/// The handle of an installed telemetry. Cheap to clone. Dropping it does nothing:
/// [`shutdown`](Telemetry::shutdown) stops.
///
/// ```
/// # use instrument_runtime::Telemetry;
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let telemetry = Telemetry::builder("sentiment-api").metrics_addr("127.0.0.1:0").install()?;
/// println!("metrics on {:?}", telemetry.metrics_addr());
/// // … serve …
/// telemetry.shutdown_blocking(std::time::Duration::from_secs(5))?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[must_use = "keep it to stop the telemetry in the end"]
pub struct Telemetry(Arc<Installed>);

/// What runs.
struct Installed {
    slots: Slots,
    devices: Devices,
    /// `None` where telemetry is disabled: health and life cycle are not.
    recording: Option<Recording>,
    health: HealthService,
    gpus: Gpus,
    ending: Arc<Ending>,
}

impl Telemetry {
    pub(crate) fn started(
        (slots, devices, gpus): (Slots, Devices, Gpus),
        recording: Option<Recording>,
        health: HealthService,
    ) -> Telemetry {
        Telemetry(Arc::new(Installed {
            slots,
            devices,
            recording,
            health,
            gpus,
            ending: Arc::default(),
        }))
    }

    /// Declares a model that this service serves; its series exist from now on. The same name and version again
    /// are the same model.
    pub fn model(&self, name: impl AsRef<str>, version: impl AsRef<str>) -> ModelSlot {
        let state = self.0.slots.declare(name.as_ref(), version.as_ref());
        let recorded = self.recording().map(|recording| recording.declare(&state));
        ModelSlot::new(state, recorded)
    }

    /// Something has happened on a device that the engine handled itself, or could not: it is counted in
    /// `inference_device_events_total`, under the model of the request that runs here. `device` is what the engine calls
    /// it, such as `"0"`, or its UUID: the same as in `device = …` of a stage, where a number is written as a text. From the
    /// 65th name on it is `other`, and so is one without a name.
    ///
    /// [`DeviceEvent::Fault`] makes the built-in check `device` fail at once, and
    /// [`DeviceEvent::FaultRecovered`] makes it pass again, when no other
    /// device is broken. So many at once are told apart, by whatever names: 64.
    ///
    /// ```
    /// # use instrument_runtime as instrument_inference;
    /// use instrument_inference::{DeviceEvent, Telemetry};
    /// # struct Engine; struct OutOfMemory;
    /// # impl Engine {
    /// #     fn run(&self, _batch: &[u8]) -> Result<(), OutOfMemory> { Ok(()) }
    /// #     fn empty_cache(&self) {}
    /// # }
    ///
    /// fn execute(engine: &Engine, batch: &[u8], telemetry: &Telemetry) -> Result<(), OutOfMemory> {
    ///     if engine.run(batch).is_ok() {
    ///         return Ok(());
    ///     }
    ///     telemetry.device_event("0", DeviceEvent::AllocRetry);
    ///     engine.empty_cache();
    ///     let again = engine.run(batch);
    ///     telemetry.device_event("0", match again {
    ///         Ok(()) => DeviceEvent::OomRecovered,
    ///         Err(_) => DeviceEvent::Oom,
    ///     });
    ///     again
    /// }
    /// ```
    pub fn device_event(&self, device: impl AsRef<str>, event: DeviceEvent) {
        let (device, devices) = (device.as_ref(), &self.0.devices);
        match event {
            DeviceEvent::Fault => devices.breaks(device),
            DeviceEvent::FaultRecovered => devices.recovers(device),
            DeviceEvent::AllocRetry | DeviceEvent::Oom | DeviceEvent::OomRecovered => {}
        }
        if let Some(recording) = self.recording() {
            recording.device_event(&devices.name(device), event);
        }
    }

    /// Asks an engine about its memory on a device, once a second, until the shutdown: see [`DeviceStats`]. Asked again
    /// for the same device, the new one takes the place of the old, and its counts go on from there.
    pub fn device_stats(&self, device: impl AsRef<str>, stats: impl DeviceStats) {
        if let Some(recording) = self.recording() {
            recording.ask_engine(self.0.devices.name(device.as_ref()), stats);
        }
    }

    /// Where `/metrics` is served.
    pub fn metrics_addr(&self) -> Option<SocketAddr> {
        self.recording().and_then(Recording::metrics_addr)
    }

    /// Whether anything is recorded: not where telemetry is disabled.
    pub fn is_enabled(&self) -> bool {
        self.recording().is_some()
    }

    pub(crate) fn recording(&self) -> Option<&Recording> {
        self.0.recording.as_ref()
    }

    #[cfg(feature = "health")]
    pub(crate) fn health_service(&self) -> &HealthService {
        &self.0.health
    }

    /// Sends what was recorded to whoever is pushed to, within 5 s. A scrape needs no flush.
    ///
    /// # Errors
    /// When it takes longer, an exporter fails, or 128 flushes are under way.
    pub async fn flush(&self) -> Result<(), FlushError> {
        match self.recording() {
            Some(recording) => bounded::flushed(PATIENCE, recording.flushing(PATIENCE)).await,
            None => Ok(()),
        }
    }

    /// Records what is still on its way, flushes, and stops everything that [`install`] started, within 5 s. What
    /// is still running then is not recorded any more. Once is enough; again waits until the first one is over.
    ///
    /// [`install`]: crate::TelemetryBuilder::install
    ///
    /// # Errors
    /// When it takes longer, or an exporter fails, for example because its collector is away: that is said on standard
    /// error already, and no reason for a service to end with an error. It is stopped all the same.
    pub async fn shutdown(&self) -> Result<(), FlushError> {
        match self.stopping(PATIENCE) {
            Some(stop) => bounded::awaited(PATIENCE, stop).await,
            None => Ok(()),
        }
    }

    /// [`shutdown`](Telemetry::shutdown) for code that is not async: blocks the thread for `limit` at most.
    ///
    /// # Errors
    /// When it takes longer, or an exporter fails, for example because its collector is away: that is said on standard
    /// error already, and no reason for a service to end with an error. It is stopped all the same.
    pub fn shutdown_blocking(&self, limit: Duration) -> Result<(), FlushError> {
        self.stopping(limit)
            .map_or(Ok(()), |stop| bounded::blocking(limit, stop))
    }

    /// What is left to do, which is to wait for those who ask again.
    fn stopping(&self, limit: Duration) -> Option<Work> {
        let Some(under_way) = self.0.ending.begin() else {
            let ending = Arc::clone(&self.0.ending);
            let late = || "the first shutdown is under way".to_owned();
            let wait = move || ending.wait(limit).then_some(()).ok_or_else(late);
            return (!self.0.ending.wait(Duration::ZERO)).then(|| Box::new(wait) as Work);
        };
        self.0.health.close();
        let recording = self.recording().map(|recording| recording.stopping(limit));
        let (health, gpus) = (self.0.health.clone(), self.0.gpus.clone());
        Some(Box::new(move || {
            let _under_way = under_way;
            // a callback of the service's own metrics that never returns is not to keep the rest from its end
            let flushed = recording.map_or(Ok(()), |stop| {
                // whoever waits for all of this gives up first
                let longest = limit.saturating_add(LAST_WORDS);
                bounded::blocking(longest, stop).map_err(|error| match error {
                    FlushError::Failed(reason) => reason,
                    late @ FlushError::TimedOut(_) => late.to_string(),
                })
            });
            gpus.stop();
            // last: until the end somebody may ask
            health.stop();
            notice::settle(LAST_WORDS);
            flushed
        }))
    }
}

impl fmt::Debug for Telemetry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Telemetry");
        shown
            .field("enabled", &self.is_enabled())
            .field("metrics_addr", &self.metrics_addr())
            .finish_non_exhaustive()
    }
}
