//! The meter for metrics of the service's own.

use crate::record::fence::fenced;
use crate::runtime::telemetry::Telemetry;
use opentelemetry::metrics::{Meter, MeterProvider};

impl Telemetry {
    /// For metrics of your own: they go out together with ours. Does nothing where nothing is recorded.
    ///
    /// A callback that panics is said once and leaves out its own metric. Make instruments outside of callbacks: one
    /// that is made inside records nothing.
    pub fn meter(&self) -> Meter {
        match self.recording() {
            Some(recording) => fenced(recording.recorder.provider().meter("user")),
            None => opentelemetry::metrics::noop::NoopMeterProvider::new().meter("user"),
        }
    }
}
