//! From settings to a running telemetry.

use crate::config::{Config, METRICS_ADDR, Setting};
use crate::export::exporters;
use crate::record::clock::Clock;
use crate::record::combo;
use crate::record::layout::Layouts;
use crate::record::local;
use crate::record::recorder::{Extent, Recorder};
use crate::record::tick::Ticker;
use crate::runtime::error::InstallError;
use crate::runtime::place;
use crate::runtime::pushing;
use crate::runtime::telemetry::Telemetry;
use crate::runtime::wiring;
use crate::vocab::level::Level;
use opentelemetry_sdk::metrics::SdkMeterProvider;
use std::panic::Location;
use std::sync::Arc;

/// What a service says about its telemetry before it is [installed](TelemetryBuilder::install).
#[derive(Debug, Clone)]
#[must_use = "nothing is recorded before `install`"]
pub struct TelemetryBuilder(pub(crate) Config);

impl Telemetry {
    /// Settings for a service of this name; nothing is served unless it is asked for.
    pub fn builder(service: impl AsRef<str>) -> TelemetryBuilder {
        TelemetryBuilder(Config::new(service.as_ref()))
    }

    /// Settings for a service of this name that serves `/metrics` on `127.0.0.1:9464`, or where the environment
    /// says (see [`from_env`](TelemetryBuilder::from_env)).
    pub fn defaults(service: impl AsRef<str>) -> TelemetryBuilder {
        Telemetry::builder(service)
            .metrics_addr(METRICS_ADDR)
            .from_env()
    }
}

impl TelemetryBuilder {
    /// The version of the service: `service.version` of the resource.
    pub fn service_version(mut self, version: impl Into<String>) -> TelemetryBuilder {
        self.0.service_version = Some(version.into());
        self
    }

    /// Serves `/metrics` there: an address with a port, such as `127.0.0.1:9464`; port 0 takes any that is free.
    /// Without it, nothing listens.
    pub fn metrics_addr(mut self, address: impl Into<String>) -> TelemetryBuilder {
        self.0.metrics_addr = Some(Setting {
            name: "metrics_addr",
            value: address.into(),
        });
        self
    }

    /// Records and serves nothing: annotated functions behave exactly as written.
    pub fn disabled(mut self, disabled: bool) -> TelemetryBuilder {
        self.0.disabled = disabled;
        self
    }

    /// How much is recorded; [`Level::Dimensions`] when nothing is said.
    pub fn level(mut self, level: Level) -> TelemetryBuilder {
        self.0.level = Some(level);
        self
    }

    /// How many lines a scrape may have, which is what Prometheus bills; 50,000 when nothing is said. What is new
    /// beyond it is counted as `other`: tenants first, then ingress, tier and error type. Models, versions and stages
    /// never are.
    pub fn line_budget(mut self, lines: usize) -> TelemetryBuilder {
        self.0.line_budget = Some(lines);
        self
    }

    /// Reads the environment, which wins over what was said so far: `INSTRUMENT_METRICS_ADDR`, `INSTRUMENT_LEVEL`,
    /// `INSTRUMENT_LINE_BUDGET`, `INSTRUMENT_DISABLED`, `OTEL_SDK_DISABLED`, `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`,
    /// `OTEL_METRICS_EXPORTER`, and what is about pushing (see `otlp_endpoint`). An empty variable counts as not
    /// set; a wrong one makes [`install`](TelemetryBuilder::install) fail.
    pub fn from_env(mut self) -> TelemetryBuilder {
        self.0.read(|name| std::env::var_os(name));
        exporters::decide(&mut self.0);
        self
    }

    /// Starts recording and serving. Works inside and outside of any async runtime, and blocks on nothing but the
    /// system.
    ///
    /// # Errors
    /// When a setting is wrong, an address cannot be listened on, two attributes disagree about a histogram's
    /// buckets, or a telemetry was installed before. Nothing is left running then.
    #[track_caller]
    pub fn install(self) -> Result<Telemetry, InstallError> {
        let here = Location::caller();
        place::take(here).map_err(|first| InstallError::AlreadyInstalled {
            first,
            second: here,
        })?;
        let started = start(&self.0);
        match &started {
            Ok(telemetry) => place::keep(telemetry),
            Err(_) => place::give_back(),
        }
        started
    }
}

fn extent(config: &Config) -> Extent {
    let default = Extent::default();
    Extent {
        level: config.level.unwrap_or(default.level),
        lines: config.line_budget.unwrap_or(default.lines),
    }
}

fn start(config: &Config) -> Result<Telemetry, InstallError> {
    let mut errors = config.errors.clone();
    if config.service.trim().is_empty() {
        errors.push(crate::config::ConfigError {
            setting: "service",
            value: config.service.clone(),
            reason: "a service needs a name".to_owned(),
        });
    }
    errors.extend(
        config
            .metrics_addr
            .as_ref()
            .and_then(|setting| setting.addresses().err()),
    );
    let pushing = pushing::pushing(config);
    errors.extend(pushing.as_ref().err().cloned().unwrap_or_default());
    if !errors.is_empty() {
        return Err(InstallError::Config(errors));
    }
    // even where nothing is recorded: what is wrong in the code should be seen in every environment
    let layouts = Layouts::linked().map_err(|wrong| InstallError::Disagreement {
        what: wrong.what,
        name: wrong.one.name,
        one: wrong.one.to_string(),
        other: wrong.other.to_string(),
    })?;
    if config.disabled {
        return Ok(Telemetry::disabled());
    }
    let builder = SdkMeterProvider::builder().with_resource(wiring::resource(config));
    let (scrape, builder) = wiring::scrape(builder)?;
    let (push, builder) = pushing::push(pushing.ok().flatten(), builder)?;
    let server = wiring::serve_metrics(config, &scrape)?;
    let ticker = Ticker::start().map_err(InstallError::System)?;
    let recorder = Arc::new(Recorder::new(
        Clock::Real,
        builder,
        layouts,
        extent(config),
        config.service_version.as_deref(),
    ));
    wiring::retire(&scrape, &recorder);
    push.show(&recorder);
    // last: from here on guards record
    combo::refresh_outside(&recorder, true);
    local::runtime_started();
    Ok(Telemetry::started(recorder, scrape, ticker, server, push))
}
