//! From settings to a running telemetry.

use crate::config::{Config, METRICS_ADDR, Setting};
use crate::runtime::error::InstallError;
use crate::runtime::health_setup::HealthSetup;
use crate::runtime::install;
use crate::runtime::near_variables;
use crate::runtime::place;
use crate::runtime::recording::Recording;
use crate::runtime::telemetry::Telemetry;
use crate::vocab::level::Level;
use crate::vocab::serve_limits::ServeLimits;
use std::panic::Location;

/// What a service says about its telemetry before it is [installed](TelemetryBuilder::install).
#[derive(Debug, Clone)]
#[must_use = "nothing is recorded before `install`"]
pub struct TelemetryBuilder {
    pub(crate) config: Config,
    pub(crate) health: HealthSetup,
}

impl Telemetry {
    /// Settings for a service of this name; nothing is served unless it is asked for.
    pub fn builder(service: impl AsRef<str>) -> TelemetryBuilder {
        TelemetryBuilder {
            config: Config::new(service.as_ref()),
            health: HealthSetup::default(),
        }
    }

    /// Settings for a service of this name that serves its three addresses, or where the environment says (see
    /// [`from_env`](TelemetryBuilder::from_env)): `/metrics` on `127.0.0.1:9464`, health on `127.0.0.1:8081` (in
    /// Kubernetes on `[::]:8081`: probes come from another address there), and the gRPC control plane on
    /// `127.0.0.1:8082`. Those of them for which it has the features.
    pub fn defaults(service: impl AsRef<str>) -> TelemetryBuilder {
        let mut builder = Telemetry::builder(service);
        if cfg!(all(feature = "prometheus", feature = "http")) {
            builder = builder.metrics_addr(METRICS_ADDR);
        }
        HealthSetup::ask_for_addresses(&mut builder.config);
        builder.from_env()
    }
}

impl TelemetryBuilder {
    /// The version of the service: `service.version` of the resource.
    pub fn service_version(mut self, version: impl Into<String>) -> TelemetryBuilder {
        self.config.service_version = Some(version.into());
        self
    }

    /// An attribute of the resource, which says who this process is: in `target_info` of the scrape, and with each push.
    /// Over what is found by itself: `service.instance.id` (of a pod its UID, else random), `host.name`, `host.arch`,
    /// `os.type`, `process.pid`, `process.runtime.name`, and in Kubernetes `k8s.…` from the usual variables (`POD_NAME`,
    /// `POD_NAMESPACE`, `POD_UID`, `POD_IP`, `NODE_NAME`). An empty value leaves one of them out.
    /// `OTEL_RESOURCE_ATTRIBUTES` wins.
    pub fn resource_attribute(
        mut self,
        key: impl Into<String>,
        value: impl Into<String>,
    ) -> TelemetryBuilder {
        self.config.describe([(key.into(), value.into())]);
        self
    }

    /// Serves `/metrics` there: an address with a port, such as `127.0.0.1:9464`; port 0 takes any that is free.
    /// Without it, nothing listens.
    pub fn metrics_addr(mut self, address: impl Into<String>) -> TelemetryBuilder {
        self.config.metrics_addr = Some(Setting {
            name: "metrics_addr",
            value: address.into(),
        });
        self
    }

    /// Changes what the addresses of ours may hold, whatever clients do:
    /// `.limits(|limits| limits.health_connections(16))`.
    pub fn limits(mut self, change: impl FnOnce(ServeLimits) -> ServeLimits) -> TelemetryBuilder {
        self.config.limits = change(self.config.limits);
        self
    }

    /// Records and exports nothing, and serves no metrics: annotated functions behave exactly as written. Health and the
    /// life cycle go on.
    pub fn disabled(mut self, disabled: bool) -> TelemetryBuilder {
        self.config.disabled = disabled;
        self
    }

    /// How much is recorded; [`Level::Dimensions`] when nothing is said.
    pub fn level(mut self, level: Level) -> TelemetryBuilder {
        self.config.level = Some(level);
        self
    }

    /// How many lines a scrape may have, which is what Prometheus bills; 50,000 when nothing is said. What is new
    /// beyond it is counted as `other`: tenants first, then ingress, tier and error type. Models, versions and stages
    /// never are.
    pub fn line_budget(mut self, lines: usize) -> TelemetryBuilder {
        self.config.line_budget = Some(lines);
        self
    }

    /// Reads the environment, which wins over what was said so far: `INSTRUMENT_METRICS_ADDR`, `INSTRUMENT_HEALTH_ADDR`,
    /// `INSTRUMENT_CONTROL_ADDR`, `INSTRUMENT_DRAIN_DELAY`, `INSTRUMENT_LEVEL`, `INSTRUMENT_LINE_BUDGET`, `INSTRUMENT_DISABLED`,
    /// `OTEL_SDK_DISABLED`, `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_METRICS_EXPORTER`, and what is about
    /// pushing (see `otlp_endpoint`). An empty variable counts as not set; a wrong one makes
    /// [`install`](TelemetryBuilder::install) fail. A variable that is nearly one of ours, such as
    /// `INSTRUMENT_METRIC_ADDR`, is named on standard error with the one that was meant.
    pub fn from_env(mut self) -> TelemetryBuilder {
        self.config.read(|name| std::env::var_os(name));
        let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
        self.config.unread = near_variables::near(names);
        Recording::decide(&mut self.config);
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
        let started = install::start(&self.config, self.health);
        match &started {
            Ok(telemetry) => place::keep(telemetry),
            Err(_) => place::give_back(),
        }
        started
    }
}
