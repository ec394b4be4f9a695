//! The scrape, to be mounted in a server of the service's own.

use crate::runtime::telemetry::Telemetry;
use crate::serve::metrics;
use axum::Router;

impl Telemetry {
    /// What the metrics address answers (`/metrics`), to be merged into a router of yours; empty where nothing is recorded.
    /// It tells names and numbers of the service: put it behind whatever protects those.
    pub fn metrics_router(&self) -> Router {
        self.recording().map_or_else(Router::new, |recording| {
            metrics::router(recording.scrape.clone())
        })
    }
}
