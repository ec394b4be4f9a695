//! The gRPC control plane of an installed telemetry.

use crate::config::{Config, ConfigError};
use crate::health::board::Board;
use crate::runtime::binding::bind;
use crate::runtime::error::InstallError;
use crate::runtime::health_setup::HealthSetup;
use crate::serve::connection::Limits;
use crate::serve::control::{ControlOptions, ControlPlane};
use crate::serve::http::{Listener, Protocol};
use crate::serve::watch_seats::WatchLimits;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// The control plane, wherever it is served.
#[derive(Debug, Clone)]
pub(crate) struct Control(pub(crate) ControlPlane);

impl Control {
    /// # Errors
    /// Where the name of a service means something else already.
    pub(crate) fn new(
        config: &Config,
        setup: &HealthSetup,
        board: &Board,
        open_watches: &Arc<AtomicU64>,
    ) -> Result<Control, InstallError> {
        let limit = |streams: usize| u64::try_from(streams).unwrap_or(u64::MAX);
        let options = ControlOptions {
            services: setup.grpc_services.clone(),
            lists: !setup.without_list,
            reflection: setup.reflection,
            open_watches: Arc::clone(open_watches),
            watches: WatchLimits {
                per_connection: limit(config.limits.watch_streams_per_connection),
                total: limit(config.limits.watch_streams),
            },
            ..ControlOptions::default()
        };
        let version = config.service_version.as_deref();
        let version = version.unwrap_or(env!("CARGO_PKG_VERSION"));
        ControlPlane::new(board, &config.service, version, options)
            .map(Control)
            .map_err(|taken| {
                InstallError::Config(vec![ConfigError {
                    setting: "grpc_services",
                    value: setup.grpc_services.join(", "),
                    reason: taken.to_string(),
                }])
            })
    }

    /// Where it is served, if it is to be.
    ///
    /// # Errors
    /// When the address cannot be listened on.
    pub(crate) fn listener(&self, config: &Config) -> Result<Option<Listener>, InstallError> {
        let Some(setting) = &config.control_addr else {
            return Ok(None);
        };
        Ok(Some(Listener {
            name: "control",
            socket: bind(setting, "control")?,
            router: self.0.routes().into_axum_router(),
            limits: Limits {
                connections: config.limits.control_connections,
                ..Limits::OTHERS
            },
            protocol: Protocol::Http2,
        }))
    }
}
