//! The life of the service, as its code steers and sees it.

use crate::health::engine::Message;
use crate::health::report::{HealthReport, Lifecycle};
use crate::runtime::telemetry::Telemetry;
use futures_channel::oneshot;
use std::any::{Any, TypeId};
use std::net::SocketAddr;
use std::sync::Arc;

impl Telemetry {
    /// The health of the service now: what probes are told, and who says so.
    pub fn health(&self) -> HealthReport {
        self.health_service().board().report()
    }

    /// Where `/health`, `/livez`, `/readyz` and `/startupz` are served.
    pub fn health_addr(&self) -> Option<SocketAddr> {
        self.health_service().addresses().health
    }

    /// Where the gRPC control plane is served.
    pub fn control_addr(&self) -> Option<SocketAddr> {
        self.health_service().addresses().control
    }

    /// Begins the end, as SIGTERM does under [`handle_signals`](crate::TelemetryBuilder::handle_signals): readiness says
    /// `draining` from now on, requests are still served, and [`draining`](Telemetry::draining) resolves after the
    /// drain delay. Terminal; again does nothing.
    pub fn drain(&self) {
        self.health_service().drain();
    }

    /// Resolves when clients have had time to go elsewhere: the drain delay after [`drain`](Telemetry::drain), SIGTERM, or
    /// at once after SIGINT. Until then traffic still comes. This is what `with_graceful_shutdown` of axum and
    /// `serve_with_shutdown` of tonic take; [`shutdown`](Telemetry::shutdown) comes after them.
    ///
    /// ```
    /// # use instrument_runtime::Telemetry;
    /// # use std::time::Duration;
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let telemetry = Telemetry::builder("sentiment-api").drain_delay(Duration::ZERO).install()?;
    /// # tokio::runtime::Runtime::new()?.block_on(async {
    /// let app = axum::Router::<()>::new();
    /// let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    /// # telemetry.drain();
    /// axum::serve(listener, app).with_graceful_shutdown(telemetry.draining()).await?;
    /// telemetry.shutdown().await?;
    /// # Ok(())
    /// # })
    /// # }
    /// ```
    pub fn draining(&self) -> impl Future<Output = ()> + Send + 'static {
        let board = self.health_service().board().clone();
        async move {
            let mut versions = board.subscribe();
            while !board.report().is_closing() {
                if versions.changed().await.is_err() {
                    return;
                }
            }
        }
    }

    /// Whether the end has begun.
    pub fn is_draining(&self) -> bool {
        self.health().lifecycle >= Lifecycle::Draining
    }

    /// Takes the service out of rotation, and back: readiness says `maintenance` while it is on, and checks go on being
    /// run.
    pub fn maintenance(&self, on: bool) {
        self.health_service()
            .board()
            .live(|life| life.maintenance = on);
    }

    /// The service is not ready, whatever its checks say, until [`ready`](Telemetry::ready).
    pub fn hold(&self) {
        self.health_service().board().live(|life| life.held = true);
    }

    /// Ends a [`hold`](Telemetry::hold).
    pub fn ready(&self) {
        self.health_service().board().live(|life| life.held = false);
    }

    /// Gives a state to the checks that want one of its type, those whose function takes a `&S`; until then they are
    /// pending, and hard ones keep the service unready. Given again, the next runs get the new one.
    pub fn provide<S: Any + Send + Sync>(&self, state: S) {
        let (id, state) = (TypeId::of::<S>(), Arc::new(state));
        self.health_service().provide(id, state);
    }

    /// Runs the check of this name now, or joins the run that is under way, and waits for its result. `false` where there
    /// is nothing to run: no check of this name, one whose state was not [provided](Telemetry::provide) yet, or the
    /// built-in `models`. Dropped, it cancels nothing.
    pub async fn refresh(&self, check: &str) -> bool {
        if self.health().check(check).is_none() {
            return false;
        }
        let (tell, told) = oneshot::channel();
        self.health_service()
            .tell(Message::Refresh(check.to_owned(), tell));
        told.await.is_ok()
    }
}
