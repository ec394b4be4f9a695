//! The handle of an installed telemetry.

use crate::record::combo;
use crate::record::fence::fenced;
use crate::record::local;
use crate::record::recorder::Recorder;
use crate::record::tick::Ticker;
use crate::request::slot::ModelSlot;
use crate::runtime::bounded;
use crate::runtime::error::FlushError;
use crate::runtime::pushing::Push;
use crate::runtime::wiring::{self, Scrape, Server};
use opentelemetry::metrics::{Meter, MeterProvider};
use opentelemetry_sdk::error::OTelSdkError;
use std::fmt;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
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
pub struct Telemetry(Option<Arc<Installed>>);

/// What runs.
struct Installed {
    recorder: Arc<Recorder>,
    #[cfg_attr(
        not(feature = "prometheus"),
        expect(dead_code, reason = "nothing to scrape")
    )]
    scrape: Scrape,
    metrics_addr: Option<SocketAddr>,
    push: Push,
    parts: Mutex<Option<Parts>>,
}

/// What has to be stopped, in this order.
struct Parts {
    ticker: Ticker,
    server: Option<Server>,
}

impl Telemetry {
    pub(crate) const fn disabled() -> Telemetry {
        Telemetry(None)
    }

    pub(crate) fn started(
        recorder: Arc<Recorder>,
        scrape: Scrape,
        ticker: Ticker,
        server: Option<Server>,
        push: Push,
    ) -> Telemetry {
        let metrics_addr = server.as_ref().map(wiring::address);
        let parts = Mutex::new(Some(Parts { ticker, server }));
        Telemetry(Some(Arc::new(Installed {
            recorder,
            scrape,
            metrics_addr,
            push,
            parts,
        })))
    }

    /// Declares a model that this service serves; its series exist from now on. The same name and version again
    /// are the same model.
    pub fn model(&self, name: impl AsRef<str>, version: impl AsRef<str>) -> ModelSlot {
        let Some(installed) = &self.0 else {
            return ModelSlot::disabled();
        };
        let recorder = &installed.recorder;
        let (model, state) = recorder.declare(name.as_ref(), version.as_ref());
        combo::refresh_outside(recorder, true);
        if recorder.only_model() == model {
            recorder.show_linked(model);
        }
        ModelSlot::new(recorder, model, state)
    }

    /// For metrics of your own: they go out together with ours. Does nothing where nothing is recorded.
    ///
    /// A callback that panics is said once and leaves out its own metric. Make instruments outside of callbacks: one
    /// that is made inside records nothing.
    pub fn meter(&self) -> Meter {
        match &self.0 {
            Some(installed) => fenced(installed.recorder.provider().meter("user")),
            None => opentelemetry::metrics::noop::NoopMeterProvider::new().meter("user"),
        }
    }

    /// Where `/metrics` is served.
    pub fn metrics_addr(&self) -> Option<SocketAddr> {
        self.0.as_ref()?.metrics_addr
    }

    /// Whether anything is recorded: not where telemetry is disabled.
    pub fn is_enabled(&self) -> bool {
        self.0.is_some()
    }

    #[cfg(feature = "tower")]
    pub(crate) fn recorder(&self) -> Option<&Arc<Recorder>> {
        self.0.as_ref().map(|installed| &installed.recorder)
    }

    #[cfg(feature = "prometheus")]
    pub(crate) fn recording(&self) -> Option<(&Recorder, &Scrape)> {
        self.0
            .as_ref()
            .map(|installed| (&*installed.recorder, &installed.scrape))
    }

    /// Sends what was recorded to whoever is pushed to, within 5 s. A scrape needs no flush.
    ///
    /// # Errors
    /// When it takes longer, or an exporter fails.
    pub async fn flush(&self) -> Result<(), FlushError> {
        let Some(installed) = &self.0 else {
            return Ok(());
        };
        let push = installed.push.clone();
        bounded::awaited(PATIENCE, Box::new(move || push.flush(PATIENCE))).await
    }

    /// Records what is still on its way, flushes, and stops everything that [`install`] started, within 5 s. What
    /// is still running then is not recorded any more. Once is enough; again does nothing.
    ///
    /// [`install`]: crate::TelemetryBuilder::install
    ///
    /// # Errors
    /// When it takes longer, or an exporter fails. It is stopped all the same.
    pub async fn shutdown(&self) -> Result<(), FlushError> {
        match self.stopping(PATIENCE) {
            Some(stop) => bounded::awaited(PATIENCE, stop).await,
            None => Ok(()),
        }
    }

    /// [`shutdown`](Telemetry::shutdown) for code that is not async: blocks the thread for `limit` at most.
    ///
    /// # Errors
    /// When it takes longer, or an exporter fails. It is stopped all the same.
    pub fn shutdown_blocking(&self, limit: Duration) -> Result<(), FlushError> {
        self.stopping(limit)
            .map_or(Ok(()), |stop| bounded::blocking(limit, stop))
    }

    /// What is left to do, for the first who asks.
    fn stopping(&self, limit: Duration) -> Option<Box<dyn FnOnce() -> Result<(), String> + Send>> {
        let installed = self.0.as_ref()?;
        let parts = installed
            .parts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()?;
        // here, not on the thread that follows: when this call returns early, guards record nothing any more
        local::set_installed(0);
        local::runtime_stopped();
        let (recorder, push) = (Arc::clone(&installed.recorder), installed.push.clone());
        Some(Box::new(move || {
            // the server goes last, at the end of this block: a scrape during the flush still gets an answer
            let Parts {
                ticker,
                server: _server,
            } = parts;
            drop(ticker);
            let flushed = push.stop(limit);
            let stopped = finished(recorder.provider().shutdown());
            recorder.stop();
            flushed.and(stopped)
        }))
    }
}

/// The SDK's word for "there was nothing to do" is an error; ours is not.
fn finished(result: Result<(), OTelSdkError>) -> Result<(), String> {
    match result {
        Ok(()) | Err(OTelSdkError::AlreadyShutdown) => Ok(()),
        Err(error) => Err(error.to_string()),
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
