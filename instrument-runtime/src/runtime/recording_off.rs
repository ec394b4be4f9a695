//! Without the feature `metrics` nothing is recorded.

use crate::config::{Config, ConfigError};
use crate::runtime::bounded::Work;
use crate::runtime::error::InstallError;
use crate::slot::model_slot::Recorded;
use crate::slot::state::SlotState;
use crate::vocab::device::{DeviceEvent, DeviceStats};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// There is none.
#[derive(Clone)]
pub(crate) enum Recording {}

impl Recording {
    pub(crate) fn decide(_: &mut Config) {}

    pub(crate) fn wrong(_: &Config) -> Vec<ConfigError> {
        Vec::new()
    }

    pub(crate) fn prepare(config: &Config) -> Result<Option<Recording>, InstallError> {
        let Some(setting) = config.metrics_addr.as_ref().filter(|_| !config.disabled) else {
            return Ok(None);
        };
        Err(InstallError::Config(vec![ConfigError {
            setting: setting.name,
            value: setting.value.clone(),
            reason: "serving metrics needs the features `prometheus` and `http`".to_owned(),
        }]))
    }

    pub(crate) fn start(self) -> Result<Recording, InstallError> {
        match self {}
    }

    pub(crate) fn declare(&self, _: &SlotState) -> Recorded {
        match *self {}
    }

    #[cfg(feature = "health")]
    pub(crate) fn progress(&self) -> Option<Duration> {
        match *self {}
    }

    #[cfg(feature = "health")]
    pub(crate) fn devices(&self) -> crate::slot::devices::Devices {
        match *self {}
    }

    pub(crate) fn executions(&self) -> Option<crate::slot::executions::Seen> {
        match *self {}
    }

    #[cfg(feature = "health")]
    pub(crate) fn queues(&self) -> Vec<std::sync::Arc<dyn Fn() -> usize + Send + Sync>> {
        match *self {}
    }

    pub(crate) fn device_event(&self, _: &str, _: DeviceEvent) {
        match *self {}
    }

    pub(crate) fn ask_engine(&self, _: Arc<str>, _: impl DeviceStats) {
        match *self {}
    }

    pub(crate) fn metrics_addr(&self) -> Option<SocketAddr> {
        match *self {}
    }

    pub(crate) fn flushing(&self, _: Duration) -> Work {
        match *self {}
    }

    pub(crate) fn stopping(&self, _: Duration) -> Work {
        match *self {}
    }
}
