//! The addresses of health and of the control plane, on the health thread.

use crate::config::Config;
use crate::health::board::Board;
use crate::health::options::HealthOptions;
use crate::runtime::binding::bind;
use crate::runtime::control::Control;
use crate::runtime::error::InstallError;
use crate::serve::connection::Limits;
use crate::serve::health_http;
use crate::serve::http::{Listener, Protocol, Server};
use std::net::SocketAddr;

/// Where it is served.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Addresses {
    pub(crate) health: Option<SocketAddr>,
    pub(crate) control: Option<SocketAddr>,
}

/// Listened at, and not yet answered.
pub(crate) struct Bound(Vec<Listener>);

/// What answers.
pub(crate) struct Served(Option<Server>);

impl Bound {
    /// # Errors
    /// When an address cannot be listened on.
    pub(crate) fn bind(
        config: &Config,
        options: HealthOptions,
        board: &Board,
        control: &Control,
    ) -> Result<Bound, InstallError> {
        let mut listeners = Vec::new();
        if let Some(setting) = &config.health_addr {
            listeners.push(Listener {
                name: "health",
                socket: bind(setting, "health")?,
                router: health_http::router(board.clone(), options),
                limits: Limits {
                    connections: config.limits.health_connections,
                    ..Limits::HEALTH
                },
                protocol: Protocol::Http1,
            });
        }
        listeners.extend(control.listener(config)?);
        Ok(Bound(listeners))
    }

    /// # Errors
    /// When the system has no thread or file handle left.
    pub(crate) fn start(self) -> Result<(Served, Addresses), InstallError> {
        if self.0.is_empty() {
            return Ok((Served(None), Addresses::default()));
        }
        let server = Server::start("instrument-health", self.0).map_err(InstallError::System)?;
        let addresses = Addresses {
            health: server.address("health"),
            control: server.address("control"),
        };
        Ok((Served(Some(server)), addresses))
    }
}

impl Served {
    /// The health address last of all: whoever asks until the end is told what there is to tell.
    pub(crate) fn stop(self) {
        if let Some(mut server) = self.0 {
            server.close("control");
        }
    }
}
