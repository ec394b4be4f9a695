//! Without the feature `grpc` there is no control plane.

use crate::config::Config;
use crate::health::board::Board;
use crate::runtime::error::InstallError;
use crate::runtime::health_setup::HealthSetup;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

/// There is none.
#[derive(Debug, Clone)]
pub(crate) struct Control;

impl Control {
    pub(crate) fn new(
        _: &Config,
        _: &HealthSetup,
        _: &Board,
        _: &Arc<AtomicU64>,
    ) -> Result<Control, InstallError> {
        Ok(Control)
    }

    #[cfg(feature = "http")]
    pub(crate) fn listener(
        &self,
        config: &Config,
    ) -> Result<Option<crate::serve::http::Listener>, InstallError> {
        let Some(setting) = &config.control_addr else {
            return Ok(None);
        };
        Err(InstallError::Config(vec![crate::config::ConfigError {
            setting: setting.name,
            value: setting.value.clone(),
            reason: "the control plane needs the feature `grpc`".to_owned(),
        }]))
    }
}
