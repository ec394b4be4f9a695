//! Which exporters there are: `OTEL_METRICS_EXPORTER` decides over what the code says.

use crate::config::{Config, ConfigError, METRICS_ADDR, Setting};

const VARIABLE: &str = "OTEL_METRICS_EXPORTER";

#[cfg(feature = "otlp")]
const PUSHES: bool = true;
#[cfg(not(feature = "otlp"))]
const PUSHES: bool = false;

/// The exporters that the environment names; `None` where it names none.
pub(crate) fn named(config: &Config) -> Option<impl Iterator<Item = &str>> {
    let setting = config
        .exporters
        .iter()
        .find(|setting| setting.name == VARIABLE)?;
    Some(setting.value.split(',').map(str::trim))
}

/// Serves or does not serve metrics, as the environment has just said. An address in the environment is served
/// whatever the exporters are: who set it meant this very endpoint.
pub(crate) fn decide(config: &mut Config) {
    let settings = config.exporters.iter_mut();
    for setting in settings.filter(|setting| setting.name == VARIABLE) {
        setting.value.make_ascii_lowercase();
    }
    let Some(names) = named(config) else { return };
    let names: Vec<_> = names.map(str::to_owned).collect();
    let wrong = names.iter().find_map(|name| match name.as_str() {
        "otlp" if PUSHES => None,
        "otlp" => Some("`otlp` needs the feature `otlp`".to_owned()),
        "none" if names.len() == 1 => None,
        "prometheus" => None,
        _ => Some(format!(
            "`{name}` is not known here; expected `otlp`, `prometheus`, `otlp,prometheus` or `none`"
        )),
    });
    if let Some(reason) = wrong {
        config.errors.push(ConfigError {
            setting: VARIABLE,
            value: names.join(","),
            reason,
        });
        return;
    }
    let served = names.iter().any(|name| name == "prometheus");
    let by_environment = |address: &Setting| address.name == "INSTRUMENT_METRICS_ADDR";
    match (&config.metrics_addr, served) {
        (None, true) => {
            config.metrics_addr = Some(Setting {
                name: VARIABLE,
                value: METRICS_ADDR.to_owned(),
            });
        }
        (Some(address), false) if !by_environment(address) => config.metrics_addr = None,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    /// The address that is served, and what is wrong.
    fn served(exporters: &str, code: Option<&str>, env: &str) -> (Option<String>, String) {
        let mut config = Config::new("service");
        config.metrics_addr = code.map(|value| Setting {
            name: "metrics_addr",
            value: value.to_owned(),
        });
        config.read(|name| match name {
            VARIABLE => Some(OsString::from(exporters)),
            "INSTRUMENT_METRICS_ADDR" => Some(OsString::from(env)),
            _ => None,
        });
        decide(&mut config);
        let errors = config.errors.iter().map(ToString::to_string).collect();
        (config.metrics_addr.map(|setting| setting.value), errors)
    }

    #[test]
    fn what_is_named_is_what_there_is() {
        let quiet = |address: Option<&str>| (address.map(str::to_owned), String::new());
        assert_eq!(served("", Some("a:1"), ""), quiet(Some("a:1")));
        assert_eq!(served("none", Some("a:1"), ""), quiet(None));
        assert_eq!(served("none", None, "b:2"), quiet(Some("b:2")));
        assert_eq!(served("prometheus", Some("a:1"), ""), quiet(Some("a:1")));
        assert_eq!(served("Prometheus", None, ""), quiet(Some(METRICS_ADDR)));
        if PUSHES {
            assert_eq!(served("otlp", Some("a:1"), ""), quiet(None));
            let both = served("otlp, prometheus", Some("a:1"), "");
            assert_eq!(both, quiet(Some("a:1")));
        }
    }

    #[test]
    fn what_is_not_known_is_named_with_what_would_do() {
        for wrong in ["console", "none,prometheus", "prometheus,"] {
            let (_, error) = served(wrong, None, "");
            assert!(
                error.starts_with("OTEL_METRICS_EXPORTER = ") && error.contains("`prometheus`"),
                "{error}"
            );
        }
    }
}
