//! What code says about pushing.

use crate::config::Setting;
use crate::runtime::builder::TelemetryBuilder;

impl TelemetryBuilder {
    /// Pushes to the OpenTelemetry collector there, every 60 s and at the end: an address such as
    /// `http://localhost:4318`. By HTTP unless [`otlp_protocol`](TelemetryBuilder::otlp_protocol) says else. `https`
    /// needs the feature `otlp-tls`.
    ///
    /// A collector that is away, slow or silent costs nothing but `inference_export_failures_total`: neither requests
    /// nor scrapes wait for it, and what is cumulative arrives with the next push that does.
    ///
    /// With [`from_env`](TelemetryBuilder::from_env) the standard variables say it too, and more: `OTEL_EXPORTER_OTLP_`
    /// `ENDPOINT`, `PROTOCOL`, `HEADERS`, `COMPRESSION`, `TIMEOUT`, `CERTIFICATE`, `CLIENT_CERTIFICATE` and
    /// `CLIENT_KEY`, each of them also as `OTEL_EXPORTER_OTLP_METRICS_…`, which wins;
    /// `OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE`, `OTEL_METRIC_EXPORT_INTERVAL` and
    /// `OTEL_METRIC_EXPORT_TIMEOUT`, in milliseconds; and `OTEL_METRICS_EXPORTER`, which decides over what the code
    /// says: `otlp`, `prometheus`, both with a comma, or `none`. With the temporality `delta`, what does not arrive is
    /// lost.
    ///
    /// ```
    /// # use instrument_runtime::Telemetry;
    /// let builder = Telemetry::builder("sentiment-api").otlp_endpoint("http://localhost:4318");
    /// ```
    pub fn otlp_endpoint(self, endpoint: impl Into<String>) -> TelemetryBuilder {
        // said last, so it counts, whatever the environment has said before
        self.instead_of(
            &["OTEL_METRICS_EXPORTER"],
            "_ENDPOINT",
            "otlp_endpoint",
            endpoint.into(),
        )
    }

    /// How to push: `http/protobuf`, which is the default and usually on port 4318, or `grpc`, usually on port 4317.
    pub fn otlp_protocol(self, protocol: impl Into<String>) -> TelemetryBuilder {
        self.instead_of(&[], "_PROTOCOL", "otlp_protocol", protocol.into())
    }

    fn instead_of(
        mut self,
        variables: &[&str],
        end: &str,
        name: &'static str,
        value: String,
    ) -> TelemetryBuilder {
        let exporters = &mut self.config.exporters;
        exporters.retain(|given| {
            given.name != name && !given.name.ends_with(end) && !variables.contains(&given.name)
        });
        exporters.push(Setting { name, value });
        self
    }
}
