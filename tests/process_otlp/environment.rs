//! What the standard variables do, and that they do nothing where nobody asked for them.

use crate::collector::{Collector, PROTOCOLS, Speaks};
use crate::story::{self, PATIENCE};
use crate::{block_on, builder, predict, pushers};

#[test]
fn the_standard_variables_are_honoured() {
    for (speaks, protocol) in PROTOCOLS {
        let collector = Collector::start(speaks);
        let text = story::tell(
            "pushed_by_the_environment",
            &[
                (
                    "OTEL_EXPORTER_OTLP_ENDPOINT",
                    &format!("{}/", collector.endpoint()),
                ),
                ("OTEL_EXPORTER_OTLP_METRICS_PROTOCOL", protocol),
                (
                    "OTEL_EXPORTER_OTLP_HEADERS",
                    "x-key=se%20cret,authorization=Bearer%20x",
                ),
                ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
                ("OTEL_METRIC_EXPORT_INTERVAL", "20"),
                ("OTEL_METRICS_EXPORTER", "otlp"),
                ("OTEL_SERVICE_NAME", "named"),
            ],
        );
        assert!(story::said(&text).is_empty(), "{text}");
        let push = &collector.received()[0];
        let header = |name: &str| push.headers.get(name).map_or("", |value| value);
        assert_eq!(
            (header("x-key"), header("authorization")),
            ("se cret", "Bearer x")
        );
        assert!(header("user-agent").contains("OTel"), "{push:?}");
        match speaks {
            Speaks::Grpc => assert_eq!(header("grpc-encoding"), "gzip"),
            Speaks::Http => {
                assert_eq!(push.path, "/v1/metrics");
                assert_eq!(header("content-encoding"), "gzip");
                assert_eq!(header("content-type"), "application/x-protobuf");
            }
        }
        let resource = push.request.resource_metrics[0].resource.as_ref().unwrap();
        assert!(
            format!("{resource:?}").contains("\"named\""),
            "{resource:?}"
        );
    }
}

#[test]
fn the_environment_counts_only_where_it_was_asked_for() {
    let nobody = Collector::start(Speaks::Http);
    let text = story::tell(
        "pushed_by_code_alone",
        &[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", &nobody.endpoint()),
            ("OTEL_EXPORTER_OTLP_HEADERS", "x-key=secret"),
            ("OTEL_EXPORTER_OTLP_METRICS_HEADERS", "x-key=secret"),
            ("OTEL_EXPORTER_OTLP_TIMEOUT", "nonsense"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "1"),
            ("OTEL_SDK_DISABLED", "true"),
        ],
    );
    assert!(story::said(&text).is_empty(), "{text}");
    assert_eq!(nobody.asked(), 0);
}

#[test]
fn disabled_by_the_standard_variable_nothing_is_recorded_or_pushed() {
    let nobody = Collector::start(Speaks::Http);
    let endpoint = nobody.endpoint();
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str());
    // nor does what is wrong about exporters keep anybody from switching them off
    let certificate = ("OTEL_EXPORTER_OTLP_CERTIFICATE", "/no/such/file");
    story::tell(
        "recorded_nowhere",
        &[endpoint, certificate, ("OTEL_SDK_DISABLED", "true")],
    );
    assert_eq!(nobody.asked(), 0);
}

#[test]
fn no_exporter_means_none() {
    let nobody = Collector::start(Speaks::Http);
    let endpoint = nobody.endpoint();
    let endpoint = ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str());
    story::tell(
        "recorded_and_kept",
        &[endpoint, ("OTEL_METRICS_EXPORTER", "none")],
    );
    assert_eq!(nobody.asked(), 0);
}

#[test]
fn wrong_variables_are_all_named_at_once_and_no_secret_is_told() {
    story::tell(
        "refused",
        &[
            ("OTEL_METRICS_EXPORTER", "otlp,console"),
            (
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "http://me:secret@127.0.0.1:4318",
            ),
            ("OTEL_EXPORTER_OTLP_HEADERS", "secret"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "1m"),
            ("OTEL_SDK_DISABLED", "perhaps"),
            ("INSTRUMENT_LEVEL", "much"),
        ],
    );
}

#[test]
fn the_port_of_the_other_protocol_gets_one_hint() {
    for (port, protocol) in [(4317, "http/protobuf"), (4318, "grpc")] {
        let endpoint = format!("http://127.0.0.1:{port}");
        let variables = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
        ];
        let text = story::tell("hinted", &variables);
        let hints = story::said(&text);
        let hints: Vec<_> = hints
            .iter()
            .filter(|line| line.contains("is that of collectors"))
            .collect();
        assert_eq!(hints.len(), 1, "{text}");
    }
}

pub fn tell(story: &str) -> bool {
    match story {
        "pushed_by_the_environment" => told::pushed_by_the_environment(),
        "pushed_by_code_alone" => told::pushed_by_code_alone(),
        "pushed_in_deltas" => told::pushed_in_deltas(),
        "recorded_nowhere" => told::recorded_nowhere(),
        "recorded_and_kept" => told::recorded_and_kept(),
        "refused" => told::refused(),
        "hinted" => told::hinted(),
        _ => return false,
    }
    true
}

pub mod told {
    use super::*;

    pub fn pushed_by_the_environment() {
        let telemetry = builder().from_env().install().unwrap();
        assert_eq!(telemetry.metrics_addr(), None, "only what is named");
        block_on(predict());
        block_on(telemetry.flush()).unwrap();
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }

    pub fn pushed_by_code_alone() {
        let collector = Collector::start(Speaks::Http);
        let telemetry = builder()
            .otlp_endpoint(collector.endpoint())
            .install()
            .unwrap();
        block_on(telemetry.flush()).unwrap();
        let push = &collector.received()[0];
        assert!(!push.headers.contains_key("x-key"), "{push:?}");
        telemetry.shutdown_blocking(PATIENCE).unwrap();
        assert_eq!(collector.asked(), 2, "nothing but the flush and the stop");
    }

    pub fn pushed_in_deltas() {
        let telemetry = builder().from_env().install().unwrap();
        block_on(predict());
        block_on(predict());
        block_on(telemetry.flush()).unwrap();
        block_on(telemetry.flush()).unwrap();
        block_on(predict());
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }

    pub fn recorded_nowhere() {
        let telemetry = builder().from_env().install().unwrap();
        assert!(!telemetry.is_enabled());
        assert_eq!((telemetry.metrics_addr(), pushers()), (None, 0));
        block_on(predict());
        block_on(telemetry.flush()).unwrap();
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }

    pub fn recorded_and_kept() {
        let telemetry = builder().from_env().install().unwrap();
        assert!(telemetry.is_enabled());
        assert_eq!((telemetry.metrics_addr(), pushers()), (None, 0));
        block_on(telemetry.flush()).unwrap();
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }

    pub fn refused() {
        let error = builder().from_env().install().unwrap_err().to_string();
        for name in [
            "OTEL_METRICS_EXPORTER",
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "OTEL_EXPORTER_OTLP_HEADERS",
            "OTEL_METRIC_EXPORT_INTERVAL",
            "OTEL_SDK_DISABLED",
            "INSTRUMENT_LEVEL",
        ] {
            assert!(error.contains(name), "no {name} in\n{error}");
        }
        assert!(!error.contains("secret"), "{error}");
        assert_eq!(pushers(), 0);
    }

    pub fn hinted() {
        let telemetry = builder().from_env().install().unwrap();
        drop(telemetry);
    }

    pub fn nothing_is_pushed_where_nobody_asks() {
        let telemetry = builder().from_env().install().unwrap();
        assert_eq!(pushers(), 0);
        assert!(!telemetry.scrape().contains("inference_export_"));
        telemetry.shutdown_blocking(PATIENCE).unwrap();
    }

    pub fn an_installation_that_fails_leaves_no_thread() {
        let occupied = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = occupied.local_addr().unwrap().to_string();
        let collector = Collector::start(Speaks::Http);
        let pushing = || builder().otlp_endpoint(collector.endpoint());
        let error = pushing().metrics_addr(&address).install().unwrap_err();
        assert!(error.to_string().contains(&address), "{error}");
        story::until("its thread has ended", || pushers() == 0);
        let telemetry = pushing().install().unwrap();
        assert_eq!(pushers(), 1);
        telemetry.shutdown_blocking(PATIENCE).unwrap();
        story::until("the thread has ended", || pushers() == 0);
        assert_eq!(collector.asked(), 1);
    }
}
