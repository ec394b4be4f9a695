//! Where to push to and how: what was set, read as OpenTelemetry's specification has it, into one plain struct.

use crate::config::{Config, ConfigError, Setting};
use crate::export::exporters;
use crate::export::otlp_given::{Given, check_endpoint, without_user};
use http::{HeaderMap, Uri};
use opentelemetry_sdk::metrics::Temporality;
use std::path::PathBuf;
use std::time::Duration;

/// The path of metrics below an endpoint for all signals.
const METRICS_PATH: &str = "v1/metrics";

/// Where a collector listens when nothing is said.
const LOCAL_HTTP: &str = "http://localhost:4318";
const LOCAL_GRPC: &str = "http://localhost:4317";

/// As the specification has it.
const INTERVAL: Duration = Duration::from_secs(60);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    Grpc,
    Http,
}

/// Files in PEM, for `https`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Certificates {
    /// Whom to trust instead of the system's.
    pub(crate) authorities: Option<PathBuf>,
    /// Who we are: certificate and key.
    pub(crate) client: Option<(PathBuf, PathBuf)>,
}

/// How to push.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Pushing {
    pub(crate) protocol: Protocol,
    /// With the path, for HTTP.
    pub(crate) endpoint: String,
    pub(crate) headers: HeaderMap,
    pub(crate) gzip: bool,
    /// For one push, retries included.
    pub(crate) timeout: Duration,
    /// Between two pushes.
    pub(crate) interval: Duration,
    pub(crate) temporality: Temporality,
    pub(crate) certificates: Certificates,
}

impl Pushing {
    #[cfg(feature = "otlp-tls")]
    pub(crate) fn is_secure(&self) -> bool {
        self.endpoint.starts_with("https:")
    }
}

/// What was set; `None` where nothing is to be pushed.
///
/// # Errors
/// Everything that is wrong.
pub(crate) fn pushing(config: &Config) -> Result<Option<Pushing>, Vec<ConfigError>> {
    let mut given = Given {
        settings: &config.exporters,
        wrong: Vec::new(),
    };
    let asked = exporters::named(config).map(|mut names| names.any(|name| name == "otlp"));
    let endpoint = given.one(&[
        "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        "otlp_endpoint",
    ]);
    if asked == Some(false) || (asked.is_none() && endpoint.is_none()) {
        return Ok(None);
    }
    let protocol = given.protocol();
    let pushing = Pushing {
        protocol,
        endpoint: given.endpoint(endpoint, protocol),
        headers: given.headers(),
        gzip: given.gzip(),
        timeout: given.timeout(),
        interval: given.millis(&["OTEL_METRIC_EXPORT_INTERVAL"], INTERVAL),
        temporality: given.temporality(),
        certificates: given.certificates(),
    };
    if given.wrong.is_empty() {
        Ok(Some(pushing))
    } else {
        Err(given.wrong)
    }
}

/// What looks wrong, although it may be meant so.
pub(crate) fn hint(pushing: &Pushing) -> Option<String> {
    let port = pushing.endpoint.parse::<Uri>().ok()?.port_u16()?;
    let (speaks, usual, instead) = match (port, pushing.protocol) {
        (4317, Protocol::Http) => ("http/protobuf", "gRPC", "grpc"),
        (4318, Protocol::Grpc) => ("grpc", "HTTP", "http/protobuf"),
        _ => return None,
    };
    Some(format!(
        "metrics are pushed to {} by {speaks}, and port {port} is that of collectors for {usual}: if nothing arrives, set OTEL_EXPORTER_OTLP_PROTOCOL={instead}",
        pushing.endpoint
    ))
}

impl Given<'_> {
    fn protocol(&mut self) -> Protocol {
        let given = self.one(&[
            "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
            "OTEL_EXPORTER_OTLP_PROTOCOL",
            "otlp_protocol",
        ]);
        let Some(setting) = given else {
            return Protocol::Http;
        };
        match setting.value.to_ascii_lowercase().as_str() {
            "http/protobuf" => Protocol::Http,
            "grpc" => Protocol::Grpc,
            _ => {
                self.refuse(setting, "expected `grpc` or `http/protobuf`");
                Protocol::Http
            }
        }
    }

    fn endpoint(&mut self, given: Option<&Setting>, protocol: Protocol) -> String {
        let local = match protocol {
            Protocol::Grpc => LOCAL_GRPC,
            Protocol::Http => LOCAL_HTTP,
        };
        let mut value = given.map_or(local, |setting| &setting.value).to_owned();
        if protocol == Protocol::Grpc && !value.contains("://") {
            // allowed for gRPC only, where another variable says what is meant
            let insecure = self.one(&[
                "OTEL_EXPORTER_OTLP_METRICS_INSECURE",
                "OTEL_EXPORTER_OTLP_INSECURE",
            ]);
            let plain = insecure.is_some_and(|setting| setting.value.eq_ignore_ascii_case("true"));
            value.insert_str(0, if plain { "http://" } else { "https://" });
        }
        if let Some(setting) = given
            && let Err(reason) = check_endpoint(&value)
        {
            // a password may stand in it
            let shown = Setting {
                name: setting.name,
                value: without_user(&setting.value),
            };
            self.refuse(&shown, reason);
        }
        if let Some(scheme) = value.find("://") {
            // any case will do, but not for those who look whether it is to be secure
            value[..scheme].make_ascii_lowercase();
        }
        let is_base = given.is_none_or(|setting| !setting.name.ends_with("_METRICS_ENDPOINT"));
        if protocol == Protocol::Http && is_base {
            let query = value.split_off(value.find(['?', '#']).unwrap_or(value.len()));
            value = format!("{}/{METRICS_PATH}{query}", value.trim_end_matches('/'));
        }
        value
    }

    fn temporality(&mut self) -> Temporality {
        let given = self.one(&["OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"]);
        let Some(setting) = given else {
            return Temporality::Cumulative;
        };
        match setting.value.to_ascii_lowercase().as_str() {
            "cumulative" => Temporality::Cumulative,
            "delta" => Temporality::Delta,
            "lowmemory" => Temporality::LowMemory,
            _ => {
                self.refuse(setting, "expected `cumulative`, `delta` or `lowmemory`");
                Temporality::Cumulative
            }
        }
    }

    fn certificates(&mut self) -> Certificates {
        let authorities = self.one(&[
            "OTEL_EXPORTER_OTLP_METRICS_CERTIFICATE",
            "OTEL_EXPORTER_OTLP_CERTIFICATE",
        ]);
        let certificate = self.one(&[
            "OTEL_EXPORTER_OTLP_METRICS_CLIENT_CERTIFICATE",
            "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE",
        ]);
        let key = self.one(&[
            "OTEL_EXPORTER_OTLP_METRICS_CLIENT_KEY",
            "OTEL_EXPORTER_OTLP_CLIENT_KEY",
        ]);
        for setting in [authorities, certificate, key].into_iter().flatten() {
            if let Err(error) = std::fs::File::open(&setting.value) {
                self.refuse(setting, format!("{error}; expected a file in PEM"));
            }
        }
        if let (Some(alone), None) | (None, Some(alone)) = (certificate, key) {
            let both = "a client needs both, OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY";
            self.refuse(alone, both);
        }
        let path = |setting: &Setting| PathBuf::from(&setting.value);
        Certificates {
            authorities: authorities.map(path),
            client: certificate.map(path).zip(key.map(path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::export::otlp_given::TLS;
    use http::HeaderValue;
    use std::ffi::OsString;

    fn read(variables: &[(&str, &str)]) -> Result<Option<Pushing>, Vec<ConfigError>> {
        let mut config = Config::new("service");
        config.read(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| OsString::from(value))
        });
        pushing(&config)
    }

    fn pushed(variables: &[(&str, &str)]) -> Pushing {
        read(variables).unwrap().expect("something is pushed")
    }

    #[test]
    fn nothing_is_pushed_unless_somebody_asks_for_it() {
        assert_eq!(read(&[]).unwrap(), None);
        assert_eq!(
            read(&[("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]).unwrap(),
            None
        );
        let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318");
        for exporters in ["none", "prometheus"] {
            let variables = [endpoint, ("OTEL_METRICS_EXPORTER", exporters)];
            assert_eq!(read(&variables).unwrap(), None);
        }
        let local = pushed(&[("OTEL_METRICS_EXPORTER", "prometheus,otlp")]);
        assert_eq!(local.endpoint, "http://localhost:4318/v1/metrics");
        let grpc = ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
        let local = pushed(&[("OTEL_METRICS_EXPORTER", "otlp"), grpc]);
        assert_eq!(local.endpoint, "http://localhost:4317");
    }

    #[test]
    fn an_endpoint_for_all_signals_gets_the_path_and_one_for_metrics_is_used_as_it_is() {
        let of = |name, value| pushed(&[(name, value)]).endpoint;
        let all = "OTEL_EXPORTER_OTLP_ENDPOINT";
        assert_eq!(of(all, "http://c:4318"), "http://c:4318/v1/metrics");
        assert_eq!(of(all, "http://c:4318/"), "http://c:4318/v1/metrics");
        assert_eq!(of(all, "http://c/otlp/"), "http://c/otlp/v1/metrics");
        assert_eq!(of(all, "HTTP://C"), "http://C/v1/metrics");
        assert_eq!(of(all, "http://c/?key=a/b"), "http://c/v1/metrics?key=a/b");
        let own = "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT";
        assert_eq!(of(own, "http://c/push"), "http://c/push");
        let both = pushed(&[(all, "http://a"), (own, "http://b/x")]);
        assert_eq!(both.endpoint, "http://b/x");
        let grpc = ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "grpc");
        assert_eq!(
            pushed(&[(all, "http://c:4317"), grpc]).endpoint,
            "http://c:4317"
        );
        let insecure = ("OTEL_EXPORTER_OTLP_INSECURE", "true");
        let bare = pushed(&[(all, "c:4317"), grpc, insecure]);
        assert_eq!(bare.endpoint, "http://c:4317");
    }

    #[test]
    fn what_is_about_metrics_wins_over_what_is_about_all_signals() {
        let pushing = pushed(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"),
            ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "a=1"),
            ("OTEL_EXPORTER_OTLP_METRICS_HEADERS", "b=x%20y%3D,c = 3 ,"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "none"),
            ("OTEL_EXPORTER_OTLP_METRICS_COMPRESSION", "gzip"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "1000"),
            ("OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", "2000"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "500"),
            ("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "DELTA"),
        ]);
        assert_eq!(pushing.protocol, Protocol::Grpc);
        assert!(pushing.gzip && !pushing.headers.contains_key("a"));
        assert_eq!(
            (&pushing.headers["b"], &pushing.headers["c"]),
            (
                &HeaderValue::from_static("x y="),
                &HeaderValue::from_static("3")
            )
        );
        assert_eq!(pushing.timeout, Duration::from_secs(2));
        assert_eq!(pushing.interval, Duration::from_millis(500));
        assert_eq!(pushing.temporality, Temporality::Delta);
        assert!(
            !format!("{pushing:?}").contains("x y="),
            "secrets are not shown"
        );
    }

    #[test]
    fn everything_wrong_is_named_at_once_and_no_secret_is_shown() {
        let wrong = read(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://me:secret@c"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "ok=1,secret token"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "zstd"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "10s"),
            ("OTEL_METRIC_EXPORT_TIMEOUT", "0"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "-1"),
            ("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "both"),
            ("OTEL_EXPORTER_OTLP_CERTIFICATE", "/no/such/file.pem"),
            ("OTEL_EXPORTER_OTLP_CLIENT_KEY", "/dev/null"),
        ]);
        let wrong = wrong.unwrap_err();
        let text: Vec<_> = wrong.iter().map(ToString::to_string).collect();
        assert_eq!(text.len(), 10, "{text:#?}");
        assert!(
            text.iter().all(|line| !line.contains("secret")),
            "{text:#?}"
        );
        assert_eq!(
            text[3],
            "OTEL_EXPORTER_OTLP_COMPRESSION = \"zstd\": expected `gzip` or `none`"
        );
        assert!(text[2].contains("entry 2"), "{}", text[2]);
    }

    #[test]
    fn endpoints_that_cannot_be_pushed_to_are_refused() {
        for endpoint in [
            "c:4318",
            "ftp://c",
            "http://",
            "4318",
            "unix:///run/c",
            "http://a b",
        ] {
            let wrong = read(&[("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)]).unwrap_err();
            let text = wrong[0].to_string();
            assert!(
                text.contains("`http://localhost:4318`"),
                "{endpoint}: {text}"
            );
        }
        let secured = read(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "https://c")]);
        assert_eq!(secured.is_ok(), TLS);
    }

    #[test]
    fn a_port_of_the_other_protocol_gets_a_hint() {
        let hinted = |endpoint, protocol| {
            let variables = [
                ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint),
                ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
            ];
            hint(&pushed(&variables)).is_some()
        };
        assert!(hinted("http://c:4317", "http/protobuf") && hinted("http://c:4318", "grpc"));
        assert!(!hinted("http://c:4318", "http/protobuf") && !hinted("http://c:4317", "grpc"));
        assert!(!hinted("http://c", "grpc"));
    }
}
