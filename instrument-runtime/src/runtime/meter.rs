//! The meter for metrics of the service's own.

use crate::runtime::telemetry::Telemetry;
use opentelemetry::metrics::{Meter, MeterProvider};

impl Telemetry {
    /// For metrics of your own: they go out together with ours. Does nothing where nothing is recorded.
    pub fn meter(&self) -> Meter {
        match self.recording() {
            Some(recording) => recording.recorder.provider().meter("user"),
            None => opentelemetry::metrics::noop::NoopMeterProvider::new().meter("user"),
        }
    }
}
