//! Single settings about pushing, each as OpenTelemetry's specification has it.

use crate::config::{ConfigError, Setting};
use http::{HeaderMap, HeaderName, HeaderValue, Uri};
use std::time::Duration;

/// As the specification has them.
const COLLECT_AND_EXPORT: Duration = Duration::from_secs(30);
const EXPORT: Duration = Duration::from_secs(10);

/// What was set, and what of it is wrong.
pub(crate) struct Given<'a> {
    pub(crate) settings: &'a [Setting],
    pub(crate) wrong: Vec<ConfigError>,
}

impl<'a> Given<'a> {
    /// The first of these that is set.
    pub(crate) fn one(&self, names: &[&str]) -> Option<&'a Setting> {
        let find = |name: &&str| self.settings.iter().find(|setting| setting.name == *name);
        names.iter().find_map(find)
    }

    pub(crate) fn refuse(&mut self, setting: &Setting, reason: impl Into<String>) {
        self.wrong.push(ConfigError {
            setting: setting.name,
            value: setting.value.clone(),
            reason: reason.into(),
        });
    }

    pub(crate) fn headers(&mut self) -> HeaderMap {
        let given = self.one(&[
            "OTEL_EXPORTER_OTLP_METRICS_HEADERS",
            "OTEL_EXPORTER_OTLP_HEADERS",
        ]);
        let mut headers = HeaderMap::new();
        let Some(setting) = given else { return headers };
        for (at, pair) in setting.value.split(',').enumerate() {
            if pair.trim().is_empty() {
                continue;
            }
            if let Some((name, value)) = header(pair) {
                headers.insert(name, value);
            } else {
                // what stands there is a secret more often than not
                let shown = Setting {
                    name: setting.name,
                    value: "…".to_owned(),
                };
                let reason = format!(
                    "entry {} is no header; expected `name=value,name=value`, values percent-encoded",
                    at + 1
                );
                self.refuse(&shown, reason);
            }
        }
        headers
    }

    pub(crate) fn gzip(&mut self) -> bool {
        let given = self.one(&[
            "OTEL_EXPORTER_OTLP_METRICS_COMPRESSION",
            "OTEL_EXPORTER_OTLP_COMPRESSION",
        ]);
        let Some(setting) = given else { return false };
        match setting.value.to_ascii_lowercase().as_str() {
            "gzip" => return true,
            "none" => {}
            _ => self.refuse(setting, "expected `gzip` or `none`"),
        }
        false
    }

    /// Two variables bound the same thing for us: a collection takes next to nothing.
    pub(crate) fn timeout(&mut self) -> Duration {
        let export = [
            "OTEL_EXPORTER_OTLP_METRICS_TIMEOUT",
            "OTEL_EXPORTER_OTLP_TIMEOUT",
        ];
        let export = self.millis(&export, EXPORT);
        export.min(self.millis(&["OTEL_METRIC_EXPORT_TIMEOUT"], COLLECT_AND_EXPORT))
    }

    pub(crate) fn millis(&mut self, names: &[&str], default: Duration) -> Duration {
        let Some(setting) = self.one(names) else {
            return default;
        };
        match setting.value.parse() {
            // longer than a year is as good as for ever, and sums of it would not fit
            Ok(millis) if (1..31_536_000_000).contains(&millis) => Duration::from_millis(millis),
            _ => {
                self.refuse(setting, "expected milliseconds, such as `10000`");
                default
            }
        }
    }
}

#[cfg(feature = "otlp-tls")]
pub(crate) const TLS: bool = true;
#[cfg(not(feature = "otlp-tls"))]
pub(crate) const TLS: bool = false;

/// # Errors
/// What is wrong with it, and what would do.
pub(crate) fn check_endpoint(value: &str) -> Result<(), String> {
    let expected = "expected an address such as `http://localhost:4318`";
    let address: Uri = value
        .parse()
        .map_err(|error| format!("{error}; {expected}"))?;
    let authority = address
        .authority()
        .map_or("", |authority| authority.as_str());
    match address.scheme_str() {
        Some("http" | "https") if authority.contains('@') => Err(
            "a name and password do not belong into an address; put them into OTEL_EXPORTER_OTLP_HEADERS"
                .to_owned(),
        ),
        Some("https") if !TLS => Err("`https` needs the feature `otlp-tls`".to_owned()),
        Some("http" | "https") if !authority.is_empty() => Ok(()),
        _ => Err(expected.to_owned()),
    }
}

/// An address as it may be shown.
pub(crate) fn without_user(address: &str) -> String {
    match (address.split_once("://"), address.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, rest))) => format!("{scheme}://…@{rest}"),
        (None, Some((_, rest))) => format!("…@{rest}"),
        _ => address.to_owned(),
    }
}

fn header(pair: &str) -> Option<(HeaderName, HeaderValue)> {
    let (name, value) = pair.split_once('=')?;
    let name = name.trim().parse().ok()?;
    let value = percent_encoding::percent_decode_str(value.trim()).collect::<Vec<_>>();
    let mut value = HeaderValue::from_bytes(&value).ok()?;
    value.set_sensitive(true);
    Some((name, value))
}
