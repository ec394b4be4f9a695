//! Without the feature `health` there are no checks and no probes.

use crate::config::{Config, ConfigError};
use crate::runtime::error::InstallError;
use crate::runtime::health_setup::HealthSetup;
use crate::runtime::recording::Recording;
use crate::slot::devices::Devices;
use crate::slot::slots::Slots;

/// Nothing is looked at.
#[derive(Clone)]
pub(crate) struct HealthService;

impl HealthService {
    pub(crate) fn start(
        config: &Config,
        _: HealthSetup,
        _: (&Slots, &Devices),
        _: Option<&Recording>,
    ) -> Result<HealthService, InstallError> {
        let set = [&config.health_addr, &config.control_addr];
        let errors: Vec<_> = set
            .into_iter()
            .flatten()
            .map(|setting| ConfigError {
                setting: setting.name,
                value: setting.value.clone(),
                reason: "serving health needs the feature `health`".to_owned(),
            })
            .collect();
        if errors.is_empty() {
            Ok(HealthService)
        } else {
            Err(InstallError::Config(errors))
        }
    }

    pub(crate) fn close(&self) {}

    pub(crate) fn stop(&self) {}
}
