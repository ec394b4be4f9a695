//! The part of an installed telemetry that records.

use crate::collect::process;
use crate::config::{Config, ConfigError};
use crate::export::exporters;
use crate::record::clock::Clock;
use crate::record::combo;
use crate::record::drain;
use crate::record::engine::{self, Engines};
use crate::record::layout::Layouts;
use crate::record::local;
use crate::record::queue::Waiting;
use crate::record::recorder::{Extent, Recorder};
use crate::record::slot_recording;
use crate::record::tick::Ticker;
use crate::runtime::bounded::Work;
use crate::runtime::error::InstallError;
use crate::runtime::pushing::{self, Push};
use crate::runtime::resource;
use crate::runtime::wiring::{self, Scrape, Server};
use crate::site::site::SITES;
use crate::slot::devices::Devices;
use crate::slot::executions::Seen;
use crate::slot::model_slot::Recorded;
use crate::slot::state::SlotState;
use crate::vocab::device::{DeviceEvent, DeviceStats};
use opentelemetry_sdk::error::OTelSdkError;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// The part of an installed telemetry that records. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Recording {
    pub(crate) recorder: Arc<Recorder>,
    pub(crate) scrape: Scrape,
    metrics_addr: Option<SocketAddr>,
    push: Push,
    engines: Engines,
    parts: Arc<Mutex<Option<Parts>>>,
}

/// What has to be stopped, in this order.
struct Parts {
    ticker: Ticker,
    server: Option<Server>,
}

impl Recording {
    /// What the environment says about exporters, over what was said before.
    pub(crate) fn decide(config: &mut Config) {
        exporters::decide(config);
    }

    /// What is wrong with the settings about exporters.
    pub(crate) fn wrong(config: &Config) -> Vec<ConfigError> {
        if config.disabled {
            // whoever switches it off in a hurry is not to be kept from it
            return Vec::new();
        }
        pushing::pushing(config).err().unwrap_or_default()
    }

    /// Everything that may fail; nothing is recorded yet. `None` where telemetry is disabled.
    pub(crate) fn prepare(config: &Config) -> Result<Option<Recording>, InstallError> {
        // even where nothing is recorded: what is wrong in the code should be seen in every environment
        let layouts = Layouts::linked().map_err(|wrong| InstallError::Disagreement {
            what: wrong.what,
            name: wrong.one.name,
            one: wrong.one.to_string(),
            other: wrong.other.to_string(),
        })?;
        if config.disabled {
            return Ok(None);
        }
        let builder = SdkMeterProvider::builder().with_resource(resource::resource(config));
        let (scrape, builder) = wiring::scrape(builder)?;
        wiring::show_process(&scrape)?;
        let pushing = pushing::pushing(config).map_err(InstallError::Config)?;
        let (push, builder) = pushing::push(pushing, builder)?;
        let server = wiring::serve_metrics(config, &scrape)?;
        let ticker = Ticker::start().map_err(InstallError::System)?;
        let recorder = Arc::new(Recorder::new(
            Clock::Real,
            builder,
            layouts,
            extent(config),
            config.service_version.as_deref(),
        ));
        let executions = || SITES.iter().filter(|site| site.execution);
        if executions().next().is_some() {
            let decisive = executions().any(|site| site.stall.is_some());
            recorder.observed.executions.foresee(decisive);
        }
        wiring::retire(&scrape, &recorder);
        let meter = recorder.instruments.meter();
        process::observe(&meter, Path::new("/"), push.is_there());
        push.show(&recorder);
        let engines = Engines::default();
        engines.observe(&recorder.instruments.meter());
        Ok(Some(Recording {
            recorder,
            scrape,
            metrics_addr: server.as_ref().and_then(wiring::address),
            push,
            engines,
            parts: Arc::new(Mutex::new(Some(Parts { ticker, server }))),
        }))
    }

    /// From here on guards record.
    #[expect(
        clippy::unnecessary_wraps,
        reason = "more will be started here that can fail"
    )]
    pub(crate) fn start(self) -> Result<Recording, InstallError> {
        combo::refresh_outside(&self.recorder, true);
        local::runtime_started();
        Ok(self)
    }

    /// A model that the service has declared is recorded from now on.
    pub(crate) fn declare(&self, slot: &SlotState) -> Recorded {
        let recorder = &self.recorder;
        let (place, known) = slot_recording::declare(recorder, slot, true);
        if recorder.only_model() == place {
            recorder.show_linked(place);
        }
        known
    }

    /// How long ago the process last got on with its work; `None` before the first time.
    #[expect(
        clippy::unused_self,
        reason = "rings belong to the process: there is one recording"
    )]
    pub(crate) fn progress(&self) -> Option<Duration> {
        drain::last_progress()
    }

    /// What is wrong with the devices: executions say it, too.
    pub(crate) fn devices(&self) -> Devices {
        self.recorder.observed.devices.clone()
    }

    /// How the executions get on; `None` where there are none.
    pub(crate) fn executions(&self) -> Option<Seen> {
        let recorder = &self.recorder;
        let look = || {
            recorder
                .observed
                .executions
                .look(recorder.clock.monotonic())
        };
        let seen = look()?;
        if seen.stalls.is_empty() {
            return Some(seen);
        }
        // a sign of life may still lie in a ring
        drain::drain();
        look()
    }

    /// How many inputs wait, by queue.
    pub(crate) fn queues(&self) -> Vec<Arc<dyn Fn() -> usize + Send + Sync>> {
        let queues = self.recorder.observed.queues();
        let depth = |queue: Arc<Waiting>| -> Arc<dyn Fn() -> usize + Send + Sync> {
            Arc::new(move || queue.size())
        };
        queues.into_iter().map(depth).collect()
    }

    /// Something has happened on a device.
    pub(crate) fn device_event(&self, device: &str, event: DeviceEvent) {
        engine::count(&self.recorder, device, event, 1);
    }

    /// Asks an engine about a device from now on.
    pub(crate) fn ask_engine(&self, device: Arc<str>, stats: impl DeviceStats) {
        self.engines.ask(&self.recorder, device, stats);
    }

    pub(crate) fn metrics_addr(&self) -> Option<SocketAddr> {
        self.metrics_addr
    }

    pub(crate) fn flushing(&self, limit: Duration) -> Work {
        let push = self.push.clone();
        Box::new(move || push.flush(limit))
    }

    /// Records nothing from here on, and gives what is left to do. To be called once.
    pub(crate) fn stopping(&self, limit: Duration) -> Work {
        // here, not on the thread that follows: when this call returns early, guards record nothing any more
        local::set_installed(0);
        local::runtime_stopped();
        self.engines.stop();
        let parts = self
            .parts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let (recorder, push) = (Arc::clone(&self.recorder), self.push.clone());
        Box::new(move || {
            // the server goes last, at the end of this block: a scrape during the flush still gets an answer
            let (ticker, _server) = parts.map(|parts| (parts.ticker, parts.server)).unzip();
            drop(ticker);
            let flushed = push.stop(limit);
            let stopped = finished(recorder.provider().shutdown());
            recorder.stop();
            flushed.and(stopped)
        })
    }
}

fn extent(config: &Config) -> Extent {
    let default = Extent::default();
    Extent {
        level: config.level.unwrap_or(default.level),
        lines: config.line_budget.unwrap_or(default.lines),
    }
}

/// The SDK's word for "there was nothing to do" is an error; ours is not.
fn finished(result: Result<(), OTelSdkError>) -> Result<(), String> {
    match result {
        Ok(()) | Err(OTelSdkError::AlreadyShutdown) => Ok(()),
        Err(error) => Err(error.to_string()),
    }
}
