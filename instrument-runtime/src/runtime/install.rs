//! From settings to a running telemetry.

use crate::config::{Config, ConfigError};
use crate::notice;
use crate::runtime::error::InstallError;
use crate::runtime::gpus::Gpus;
use crate::runtime::health::HealthService;
use crate::runtime::health_metrics;
use crate::runtime::health_setup::HealthSetup;
use crate::runtime::recording::Recording;
use crate::runtime::telemetry::Telemetry;
use crate::slot::slots::Slots;

/// Starts everything that is asked for. What is wrong with the settings is named at once, and nothing is left running
/// where something cannot be started.
pub(crate) fn start(config: &Config, health: HealthSetup) -> Result<Telemetry, InstallError> {
    let mut errors = config.errors.clone();
    if config.service.trim().is_empty() {
        errors.push(ConfigError {
            setting: "service",
            value: config.service.clone(),
            reason: "a service needs a name".to_owned(),
        });
    }
    let addresses = [
        &config.metrics_addr,
        &config.health_addr,
        &config.control_addr,
    ];
    let wrong = addresses
        .into_iter()
        .flatten()
        .filter_map(|setting| setting.addresses().err());
    errors.extend(wrong);
    errors.extend(Recording::wrong(config));
    if !errors.is_empty() {
        return Err(InstallError::Config(errors));
    }
    config.unread.iter().for_each(|text| notice::report(text));
    let recording = Recording::prepare(config)?;
    let devices = recording.as_ref().map(Recording::devices);
    let (slots, devices) = (Slots::default(), devices.unwrap_or_default());
    let health = HealthService::start(config, health, (&slots, &devices), recording.as_ref())?;
    let recording = match recording.map(Recording::start).transpose() {
        Ok(recording) => recording,
        Err(error) => {
            health.stop();
            return Err(error);
        }
    };
    health_metrics::show(recording.as_ref(), &health);
    let gpus = Gpus::start(config, recording.as_ref(), &devices);
    Ok(Telemetry::started(
        (slots, devices, gpus),
        recording,
        health,
    ))
}
