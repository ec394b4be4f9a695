//! The addresses of health and of the control plane, on the health thread.

use crate::config::Config;
use crate::health::board::Board;
use crate::runtime::error::InstallError;
use crate::runtime::health_setup::HealthSetup;
use std::net::SocketAddr;

/// Where it is served.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Addresses {
    pub(crate) health: Option<SocketAddr>,
    pub(crate) control: Option<SocketAddr>,
}

/// Bound, and not yet answered at.
pub(crate) struct Bound;

/// What answers.
pub(crate) struct Served;

impl Served {
    pub(crate) fn bind(_: &Config, _: &HealthSetup, _: &Board) -> Result<Bound, InstallError> {
        Ok(Bound)
    }

    pub(crate) fn stop(self) {}
}

impl Bound {
    pub(crate) fn start(self) -> Result<(Served, Addresses), InstallError> {
        Ok((Served, Addresses::default()))
    }
}
