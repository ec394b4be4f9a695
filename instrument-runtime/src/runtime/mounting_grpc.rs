//! The control plane, to be mounted in a gRPC server of the service's own.

use crate::runtime::telemetry::Telemetry;
use tonic::service::Routes;

impl Telemetry {
    /// The control plane (the gRPC health protocol, and Triton's health and metadata calls), to be served together with
    /// services of yours; a health service beside it would answer on the same path, and tonic refuses that. Its streams
    /// end when [`draining`](Telemetry::draining) resolves, so a graceful shutdown does not wait for them.
    ///
    /// ```
    /// # use instrument_runtime::Telemetry;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let telemetry = Telemetry::builder("sentiment-api").without_models().install()?;
    /// let routes = telemetry.control_routes(); // .add_service(YourServer::new(…))
    /// # let _ = routes;
    /// // Server::builder().add_routes(routes).serve_with_shutdown(addr, telemetry.draining()).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn control_routes(&self) -> Routes {
        let health = self.health_service();
        health.mounted();
        health.control().0.routes()
    }
}
