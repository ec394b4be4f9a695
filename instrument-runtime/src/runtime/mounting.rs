//! What is served on addresses of its own, to be mounted in servers of the service's own.

use crate::runtime::telemetry::Telemetry;
use crate::serve::health_http;
use axum::Router;

impl Telemetry {
    /// What the health address answers (`/health`, `/livez`, `/readyz`, `/startupz`, `/v2/health/…`, `/v2/models/…`), to
    /// be merged into a router of yours. Put it outside of layers that limit, shed, authenticate or log requests:
    /// probes must not wait for them, or be refused by them. A service whose threads are all busy answers probes
    /// late there; on [`health_addr`](crate::TelemetryBuilder::health_addr) it does not.
    ///
    /// ```
    /// # use instrument_runtime::Telemetry;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let telemetry = Telemetry::builder("sentiment-api").without_models().install()?;
    /// let app: axum::Router = axum::Router::new()
    ///     // … routes and their layers …
    ///     .merge(telemetry.health_router());
    /// # Ok(())
    /// # }
    /// ```
    pub fn health_router(&self) -> Router {
        let health = self.health_service();
        health.mounted();
        health_http::router(health.board().clone(), health.options())
    }
}
