//! What code says about devices.

use crate::runtime::builder::TelemetryBuilder;

impl TelemetryBuilder {
    /// Whether GPUs are among the metrics (`hw_…`, `inference_gpu_…`); they are when nothing is said. `false` where the
    /// exporter of DCGM shows them already: then they are read for health alone.
    ///
    /// ```
    /// # use instrument_runtime::Telemetry;
    /// let builder = Telemetry::builder("sentiment-api").gpu_metrics(false);
    /// ```
    pub fn gpu_metrics(mut self, shown: bool) -> TelemetryBuilder {
        self.config.gpu_metrics = shown;
        self
    }
}
