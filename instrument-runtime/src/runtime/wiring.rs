//! Which parts there are, by feature: readers for the provider, and servers.

use crate::config::Config;
use crate::record::recorder::Recorder;
#[cfg(feature = "prometheus")]
use crate::record::retirement::Retirement;
#[cfg(feature = "prometheus")]
use crate::record::scrape_timer::ScrapeTimer;
use crate::runtime::error::InstallError;
use opentelemetry_sdk::metrics::MeterProviderBuilder;

#[cfg(feature = "prometheus")]
pub(crate) type Scrape = crate::export::prometheus::Scrape;
/// Nothing to scrape.
#[cfg(not(feature = "prometheus"))]
#[derive(Debug, Clone)]
pub(crate) struct Scrape;

#[cfg(all(feature = "prometheus", feature = "http"))]
pub(crate) type Server = crate::serve::http::Server;
/// Nobody serves.
#[cfg(not(all(feature = "prometheus", feature = "http")))]
#[derive(Debug)]
pub(crate) struct Server(std::convert::Infallible);

/// Adds the scrape's reader.
#[cfg(feature = "prometheus")]
pub(crate) fn scrape(
    builder: MeterProviderBuilder,
) -> Result<(Scrape, MeterProviderBuilder), InstallError> {
    let (scrape, reader) = Scrape::new().map_err(InstallError::Exporter)?;
    Ok((scrape, builder.with_reader(reader)))
}

#[cfg(not(feature = "prometheus"))]
#[expect(clippy::unnecessary_wraps, reason = "as with the feature")]
pub(crate) fn scrape(
    builder: MeterProviderBuilder,
) -> Result<(Scrape, MeterProviderBuilder), InstallError> {
    Ok((Scrape, builder))
}

/// Versions that were unloaded long ago are left out of the scrape, which is measured.
#[cfg(feature = "prometheus")]
pub(crate) fn retire(scrape: &Scrape, recorder: &Recorder) {
    scrape.leave_out_retired(Retirement::new(recorder));
    scrape.measured_by(ScrapeTimer::new(recorder));
}

#[cfg(not(feature = "prometheus"))]
pub(crate) fn retire(_: &Scrape, _: &Recorder) {}

/// The process under its classic names.
#[cfg(all(feature = "prometheus", target_os = "linux"))]
pub(crate) fn show_process(scrape: &Scrape) -> Result<(), InstallError> {
    scrape.show_process().map_err(InstallError::Exporter)
}

#[cfg(not(all(feature = "prometheus", target_os = "linux")))]
#[expect(clippy::unnecessary_wraps, reason = "as with the feature")]
pub(crate) fn show_process(_: &Scrape) -> Result<(), InstallError> {
    Ok(())
}

/// Serves `/metrics`, where an address for it is set.
#[cfg(all(feature = "prometheus", feature = "http"))]
pub(crate) fn serve_metrics(
    config: &Config,
    scrape: &Scrape,
) -> Result<Option<Server>, InstallError> {
    use crate::serve::connection::Limits;
    use crate::serve::http::{Listener, Protocol};

    let Some(setting) = &config.metrics_addr else {
        return Ok(None);
    };
    let socket = crate::runtime::binding::bind(setting, "metrics")?;
    let listener = Listener {
        name: "metrics",
        socket,
        router: crate::serve::metrics::router(scrape.clone()),
        limits: Limits {
            connections: config.limits.metrics_connections,
            ..Limits::OTHERS
        },
        protocol: Protocol::Http1,
    };
    Server::start("instrument-ops", vec![listener])
        .map(Some)
        .map_err(InstallError::System)
}

#[cfg(not(all(feature = "prometheus", feature = "http")))]
pub(crate) fn serve_metrics(
    config: &Config,
    _scrape: &Scrape,
) -> Result<Option<Server>, InstallError> {
    let Some(setting) = &config.metrics_addr else {
        return Ok(None);
    };
    Err(InstallError::Config(vec![crate::config::ConfigError {
        setting: setting.name,
        value: setting.value.clone(),
        reason: "serving metrics needs the features `prometheus` and `http`".to_owned(),
    }]))
}

/// Where a server listens.
#[cfg(all(feature = "prometheus", feature = "http"))]
pub(crate) fn address(server: &Server) -> Option<std::net::SocketAddr> {
    server.address("metrics")
}

#[cfg(not(all(feature = "prometheus", feature = "http")))]
pub(crate) fn address(server: &Server) -> Option<std::net::SocketAddr> {
    match server.0 {}
}
