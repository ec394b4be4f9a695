//! What a service says about its telemetry: in code, and in the environment, which wins.

use crate::vocab::duration;
use crate::vocab::level::Level;
use crate::vocab::serve_limits::ServeLimits;
use percent_encoding::percent_decode_str;
use std::fmt;
use std::net::{SocketAddr, ToSocketAddrs};
use std::time::Duration;

/// Where metrics are served when nothing else is said: the port that OpenTelemetry gives to Prometheus exporters.
pub(crate) const METRICS_ADDR: &str = "127.0.0.1:9464";

/// Where health is served when nothing else is said.
pub(crate) const HEALTH_ADDR: &str = "127.0.0.1:8081";

/// The same in Kubernetes, where probes come from another address.
const HEALTH_ADDR_IN_KUBERNETES: &str = "[::]:8081";

/// Where the control plane is served when nothing else is said.
pub(crate) const CONTROL_ADDR: &str = "127.0.0.1:8082";

/// How long a service that is told to end still takes requests: probes of the usual period and the way from them to
/// the last load balancer have to fit in.
pub(crate) const DRAIN_DELAY: Duration = Duration::from_secs(5);

/// The standard variables about exporters; what is about metrics alone comes before what is about all signals.
const EXPORTERS: [&str; 22] = [
    "OTEL_METRICS_EXPORTER",
    "OTEL_METRIC_EXPORT_INTERVAL",
    "OTEL_METRIC_EXPORT_TIMEOUT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
    "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
    "OTEL_EXPORTER_OTLP_METRICS_COMPRESSION",
    "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT",
    "OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE",
    "OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE",
    "OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY",
    "OTEL_EXPORTER_OTLP_METRICS_INSECURE",
    "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "OTEL_EXPORTER_OTLP_COMPRESSION",
    "OTEL_EXPORTER_OTLP_TIMEOUT",
    "OTEL_EXPORTER_OTLP_CERTIFICATE",
    "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
    "OTEL_EXPORTER_OTLP_CLIENT_KEY",
    "OTEL_EXPORTER_OTLP_INSECURE",
];

/// A setting that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    /// The environment variable or builder method.
    pub(crate) setting: &'static str,
    pub(crate) value: String,
    /// What is wrong with it and what would do.
    pub(crate) reason: String,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {:?}: {}", self.setting, self.value, self.reason)
    }
}

/// A value and what set it, for messages.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    pub(crate) name: &'static str,
    pub(crate) value: String,
}

/// Everything that can be set.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    pub(crate) service: String,
    pub(crate) service_version: Option<String>,
    pub(crate) metrics_addr: Option<Setting>,
    pub(crate) health_addr: Option<Setting>,
    pub(crate) control_addr: Option<Setting>,
    pub(crate) drain_delay: Duration,
    pub(crate) handle_signals: bool,
    pub(crate) limits: ServeLimits,
    pub(crate) disabled: bool,
    /// Metrics of GPUs, where they can be read.
    #[cfg_attr(not(feature = "nvml"), expect(dead_code, reason = "nobody reads GPUs"))]
    pub(crate) gpu_metrics: bool,
    pub(crate) level: Option<Level>,
    /// Lines of a scrape.
    pub(crate) line_budget: Option<usize>,
    /// What says which exporters there are and where they push to, as it was given; see `export/exporters.rs`.
    pub(crate) exporters: Vec<Setting>,
    /// What was said about the resource beside the service's name and version; an empty value takes one away.
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) errors: Vec<ConfigError>,
    /// What the environment says that nobody reads, though it was probably meant for us, one text each. No errors:
    /// others may use the prefix too, and a newer release may know more.
    pub(crate) unread: Vec<String>,
}

impl Config {
    pub(crate) fn new(service: &str) -> Config {
        Config {
            service: service.to_owned(),
            service_version: None,
            metrics_addr: None,
            health_addr: None,
            control_addr: None,
            drain_delay: DRAIN_DELAY,
            handle_signals: false,
            limits: ServeLimits::DEFAULT,
            disabled: false,
            gpu_metrics: true,
            level: None,
            line_budget: None,
            exporters: Vec::new(),
            attributes: Vec::new(),
            errors: Vec::new(),
            unread: Vec::new(),
        }
    }

    /// Reads the environment through `get`. What is set there wins; what is empty counts as not set.
    pub(crate) fn read(&mut self, get: impl Fn(&str) -> Option<std::ffi::OsString>) {
        if let Some(value) = self.variable(&get, "OTEL_RESOURCE_ATTRIBUTES") {
            match attributes(&value) {
                Ok(given) => self.describe(given),
                Err(pair) => {
                    let reason =
                        format!("`{pair}` is no attribute; expected `key=value,key=value`");
                    self.wrong("OTEL_RESOURCE_ATTRIBUTES", value.clone(), &reason);
                }
            }
        }
        // of two that name the service, this one counts
        if let Some(service) = self.variable(&get, "OTEL_SERVICE_NAME") {
            self.service = service;
        }
        let mut address = |name| {
            let value = self.variable(&get, name)?;
            Some(Setting { name, value })
        };
        let metrics = address("INSTRUMENT_METRICS_ADDR");
        let health = address("INSTRUMENT_HEALTH_ADDR");
        let control = address("INSTRUMENT_CONTROL_ADDR");
        self.metrics_addr = metrics.or(self.metrics_addr.take());
        self.health_addr = health.or(self.health_addr.take());
        self.control_addr = control.or(self.control_addr.take());
        if let Some(value) = self.variable(&get, "INSTRUMENT_DRAIN_DELAY") {
            match duration::parse_or_zero(&value) {
                Ok(delay) => self.drain_delay = delay,
                Err(reason) => self.wrong("INSTRUMENT_DRAIN_DELAY", value, &reason),
            }
        }
        for name in EXPORTERS {
            let value = self.variable(&get, name);
            self.exporters
                .extend(value.map(|value| Setting { name, value }));
        }
        // ours comes second: it knows better
        for disabled in ["OTEL_SDK_DISABLED", "INSTRUMENT_DISABLED"] {
            let Some(value) = self.variable(&get, disabled) else {
                continue;
            };
            match value.to_ascii_lowercase().as_str() {
                "1" | "true" => self.disabled = true,
                "0" | "false" => self.disabled = false,
                _ => self.wrong(disabled, value, "expected `1` or `true`, `0` or `false`"),
            }
        }
        if let Some(value) = self.variable(&get, "INSTRUMENT_LEVEL") {
            match Level::read(&value) {
                Some(level) => self.level = Some(level),
                None => self.wrong(
                    "INSTRUMENT_LEVEL",
                    value,
                    "expected `core`, `dimensions` or `quality`",
                ),
            }
        }
        if let Some(value) = self.variable(&get, "INSTRUMENT_LINE_BUDGET") {
            match value.parse() {
                Ok(lines) if lines > 0 => self.line_budget = Some(lines),
                _ => self.wrong(
                    "INSTRUMENT_LINE_BUDGET",
                    value,
                    "expected a number of lines, such as `50000`",
                ),
            }
        }
    }

    /// Attributes of the resource, over those that were given before.
    pub(crate) fn describe(&mut self, given: impl IntoIterator<Item = (String, String)>) {
        for (key, value) in given {
            match key.as_str() {
                "service.name" if value.is_empty() => {}
                "service.name" => self.service = value,
                "service.version" => self.service_version = Some(value),
                _ => {
                    self.attributes.retain(|(known, _)| *known != key);
                    self.attributes.push((key, value));
                }
            }
        }
    }

    /// Somebody may want to know how the service is.
    #[cfg(feature = "health")]
    pub(crate) fn asks_for_health(&self) -> bool {
        self.health_addr.is_some() || self.control_addr.is_some() || self.handle_signals
    }

    fn wrong(&mut self, setting: &'static str, value: String, reason: &str) {
        let reason = reason.to_owned();
        self.errors.push(ConfigError {
            setting,
            value,
            reason,
        });
    }

    fn variable(
        &mut self,
        get: impl Fn(&str) -> Option<std::ffi::OsString>,
        setting: &'static str,
    ) -> Option<String> {
        match get(setting)?.into_string() {
            Ok(value) => Some(value.trim().to_owned()).filter(|value| !value.is_empty()),
            Err(raw) => {
                let value = raw.to_string_lossy().into_owned();
                self.errors.push(ConfigError {
                    setting,
                    value,
                    reason: "it is not valid UTF-8".to_owned(),
                });
                None
            }
        }
    }
}

/// Where health is served when nothing else is said.
pub(crate) fn default_health_addr() -> &'static str {
    if std::env::var_os("KUBERNETES_SERVICE_HOST").is_some() {
        HEALTH_ADDR_IN_KUBERNETES
    } else {
        HEALTH_ADDR
    }
}

/// Keys and values, which are percent-encoded.
///
/// # Errors
/// The first that is none.
fn attributes(text: &str) -> Result<Vec<(String, String)>, &str> {
    let pairs = text.split(',').filter(|pair| !pair.trim().is_empty());
    pairs.map(|pair| attribute(pair).ok_or(pair)).collect()
}

/// A key, not empty, and a value.
fn attribute(pair: &str) -> Option<(String, String)> {
    let (key, value) = pair.split_once('=')?;
    let decoded = |text: &str| {
        let text = percent_decode_str(text.trim()).decode_utf8();
        text.ok().map(String::from)
    };
    Some((decoded(key)?, decoded(value)?)).filter(|(key, _)| !key.is_empty())
}

impl Setting {
    /// The addresses that the value stands for.
    ///
    /// # Errors
    /// When it is no address, or its name does not resolve.
    pub(crate) fn addresses(&self) -> Result<Vec<SocketAddr>, ConfigError> {
        let wrong = |reason: String| ConfigError {
            setting: self.name,
            value: self.value.clone(),
            reason,
        };
        let expected = "expected an address with a port, such as `127.0.0.1:9464` or `[::]:9464`";
        let has_port = self
            .value
            .rsplit_once(':')
            .is_some_and(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
        if !has_port {
            return Err(wrong(expected.to_owned()));
        }
        match self.value.to_socket_addrs() {
            Ok(found) => Ok(found.collect()),
            Err(error) => Err(wrong(format!("{error}; {expected}"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn read(variables: &[(&str, &str)]) -> Config {
        let mut config = Config::new("service");
        config.metrics_addr = Some(Setting {
            name: "metrics_addr",
            value: "127.0.0.1:1".to_owned(),
        });
        config.read(|name| {
            variables
                .iter()
                .find(|(known, _)| *known == name)
                .map(|(_, value)| OsString::from(value))
        });
        config
    }

    #[test]
    fn the_environment_wins_where_it_says_something() {
        let config = read(&[
            ("OTEL_SERVICE_NAME", "other"),
            ("INSTRUMENT_METRICS_ADDR", " "),
            ("INSTRUMENT_DISABLED", "TRUE"),
        ]);
        assert_eq!(config.service, "other");
        assert_eq!(config.metrics_addr.unwrap().value, "127.0.0.1:1");
        assert!(config.disabled && config.errors.is_empty());
    }

    #[test]
    fn attributes_of_the_environment_win_and_are_decoded() {
        let name = ("OTEL_SERVICE_NAME", "other");
        let attributes = |text| ("OTEL_RESOURCE_ATTRIBUTES", text);
        let all = attributes("service.name=env, service.version=2,team=a%20b%2Cc,load=50%,");
        let config = read(&[all]);
        assert_eq!(config.service, "env");
        assert_eq!(config.service_version.as_deref(), Some("2"));
        let rest = [("team", "a b,c"), ("load", "50%")];
        let rest = rest.map(|(key, value)| (key.to_owned(), value.to_owned()));
        assert_eq!(config.attributes, rest);
        assert_eq!(read(&[all, name]).service, "other");
        assert_eq!(read(&[attributes("service.name=")]).service, "service");
        for wrong in ["a=b,garbage", "=x", "a=%FF"] {
            assert_eq!(read(&[attributes(wrong)]).errors.len(), 1, "{wrong}");
        }
    }

    #[test]
    fn a_wrong_value_is_named_with_what_would_do() {
        let config = read(&[("INSTRUMENT_DISABLED", "yes please")]);
        let text = config.errors[0].to_string();
        assert_eq!(
            text,
            "INSTRUMENT_DISABLED = \"yes please\": expected `1` or `true`, `0` or `false`"
        );
        for value in [
            "9464",
            "localhost",
            ":9464",
            "127.0.0.1:99999",
            "127.0.0.1:x",
            "",
        ] {
            let error = Setting {
                name: "INSTRUMENT_METRICS_ADDR",
                value: value.to_owned(),
            }
            .addresses()
            .unwrap_err();
            assert!(
                error.to_string().contains("such as `127.0.0.1:9464`"),
                "{error}"
            );
        }
        let good = Setting {
            name: "metrics_addr",
            value: "[::1]:0".to_owned(),
        };
        assert_eq!(good.addresses().unwrap().len(), 1);
    }
}
