//! Without the feature `http` nothing is served.

use crate::config::{Config, ConfigError};
use crate::health::board::Board;
use crate::health::options::HealthOptions;
use crate::runtime::control::Control;
use crate::runtime::error::InstallError;
use std::net::SocketAddr;

/// Nowhere.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Addresses {
    pub(crate) health: Option<SocketAddr>,
    pub(crate) control: Option<SocketAddr>,
}

pub(crate) struct Bound;

pub(crate) struct Served;

impl Bound {
    pub(crate) fn bind(
        config: &Config,
        _: HealthOptions,
        _: &Board,
        _: &Control,
    ) -> Result<Bound, InstallError> {
        let set = [&config.health_addr, &config.control_addr];
        let errors: Vec<_> = set
            .into_iter()
            .flatten()
            .map(|setting| ConfigError {
                setting: setting.name,
                value: setting.value.clone(),
                reason: "serving health needs the feature `http`, and the control plane `grpc`"
                    .to_owned(),
            })
            .collect();
        if errors.is_empty() {
            Ok(Bound)
        } else {
            Err(InstallError::Config(errors))
        }
    }

    pub(crate) fn start(self) -> Result<(Served, Addresses), InstallError> {
        Ok((Served, Addresses::default()))
    }
}

impl Served {
    pub(crate) fn stop(self) {}
}
