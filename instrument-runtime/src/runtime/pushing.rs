//! Pushing, by feature: from settings to the reader of the provider, and to what is flushed and stopped in the end.

use crate::config::{Config, ConfigError};
use crate::record::recorder::Recorder;
use crate::runtime::error::InstallError;
use opentelemetry_sdk::metrics::MeterProviderBuilder;
use std::time::Duration;

/// What was set about pushing.
#[cfg(feature = "otlp")]
pub(crate) type Pushing = crate::export::otlp_env::Pushing;
/// Nobody pushes.
#[cfg(not(feature = "otlp"))]
pub(crate) type Pushing = std::convert::Infallible;

/// What pushes, where anything does.
#[cfg(feature = "otlp")]
#[derive(Debug, Clone, Default)]
pub(crate) struct Push(Option<std::sync::Arc<crate::export::push::Push>>);
/// Nobody pushes.
#[cfg(not(feature = "otlp"))]
#[derive(Debug, Clone, Default)]
pub(crate) struct Push;

/// # Errors
/// Everything that is wrong.
#[cfg(feature = "otlp")]
pub(crate) fn pushing(config: &Config) -> Result<Option<Pushing>, Vec<ConfigError>> {
    crate::export::otlp_env::pushing(config)
}

#[cfg(not(feature = "otlp"))]
#[expect(clippy::unnecessary_wraps, reason = "as with the feature")]
pub(crate) fn pushing(_: &Config) -> Result<Option<Pushing>, Vec<ConfigError>> {
    Ok(None)
}

/// Adds the reader of what is pushed.
#[cfg(feature = "otlp")]
pub(crate) fn push(
    pushing: Option<Pushing>,
    builder: MeterProviderBuilder,
) -> Result<(Push, MeterProviderBuilder), InstallError> {
    let Some(pushing) = pushing else {
        return Ok((Push::default(), builder));
    };
    if let Some(hint) = crate::export::otlp_env::hint(&pushing) {
        crate::notice::report(&hint);
    }
    let (push, reader) =
        crate::export::push::Push::start(pushing).map_err(InstallError::Exporter)?;
    Ok((Push(Some(push.into())), builder.with_reader(reader)))
}

#[cfg(not(feature = "otlp"))]
#[expect(clippy::unnecessary_wraps, reason = "as with the feature")]
pub(crate) fn push(
    _: Option<Pushing>,
    builder: MeterProviderBuilder,
) -> Result<(Push, MeterProviderBuilder), InstallError> {
    Ok((Push, builder))
}

#[cfg(feature = "otlp")]
impl Push {
    pub(crate) fn is_there(&self) -> bool {
        self.0.is_some()
    }

    /// Its failures are shown from now on.
    pub(crate) fn show(&self, recorder: &Recorder) {
        if let Some(push) = &self.0 {
            recorder.observed.exports.show(push.pushes());
        }
    }

    pub(crate) fn flush(&self, limit: Duration) -> Result<(), String> {
        self.0.as_ref().map_or(Ok(()), |push| push.flush(limit))
    }

    pub(crate) fn stop(&self, limit: Duration) -> Result<(), String> {
        self.0.as_ref().map_or(Ok(()), |push| push.stop(limit))
    }
}

#[cfg(not(feature = "otlp"))]
#[expect(
    clippy::unused_self,
    clippy::unnecessary_wraps,
    reason = "as with the feature"
)]
impl Push {
    pub(crate) fn is_there(&self) -> bool {
        false
    }

    pub(crate) fn show(&self, _: &Recorder) {}

    pub(crate) fn flush(&self, _: Duration) -> Result<(), String> {
        Ok(())
    }

    pub(crate) fn stop(&self, _: Duration) -> Result<(), String> {
        Ok(())
    }
}
