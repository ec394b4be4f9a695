//! What is taken in at the start, and what keeps a service from starting.

use instrument_inference::{InstallError, Telemetry, health_check};
use std::net::TcpListener;

#[health_check]
fn one() {}

#[health_check(name = "two")]
async fn another() {}

mod elsewhere {
    #[instrument_inference::health_check(name = "one", group = "startup")]
    pub fn same_name() {}

    #[instrument_inference::health_check(name = "models")]
    pub fn built_in() {}
}

pub mod told {
    use super::*;
    use crate::{builder, install, stop, threads};
    use instrument_inference::check;

    fn without_others() -> instrument_inference::TelemetryBuilder {
        builder().checks([check!(one), check!(another)])
    }

    pub fn checks_are_linked_given_and_left_out() {
        let (telemetry, _) = install(
            without_others()
                .checks([check!(one)])
                .without_check("two")
                .expect_checks(["one"]),
        );
        assert!(telemetry.health().verdict("one").is_some());
        assert!(telemetry.health().verdict("two").is_none());
        stop(&telemetry);
    }

    pub fn what_is_wrong_with_checks_is_named_at_once() {
        let error = builder()
            .checks([
                check!(one),
                check!(elsewhere::same_name),
                check!(elsewhere::built_in),
            ])
            .expect_checks(["redis"])
            .without_check("disk")
            .install()
            .expect_err("nothing of that is right");
        assert!(matches!(error, InstallError::Checks(_)));
        let text = error.to_string();
        for part in ["`one`, at ", "starts.rs:", "`redis`", "`disk`", "built-in"] {
            assert!(text.contains(part), "{part}:\n{text}");
        }
        // it was no installation
        let (telemetry, _) = install(without_others());
        stop(&telemetry);
    }

    pub fn taken_addresses_are_named_and_nothing_is_left_running() {
        let taken = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let taken = taken
            .local_addr()
            .map(|addr| (taken, addr.to_string()))
            .unwrap();
        let tries = [
            ("health", builder().health_addr(&taken.1)),
            ("control", builder().control_addr(&taken.1)),
            ("metrics", builder().metrics_addr(&taken.1)),
        ];
        for (listener, builder) in tries {
            let error = builder.install().expect_err("somebody else listens there");
            let text = error.to_string();
            assert!(
                text.contains(&format!("{} for {listener}", taken.1)),
                "{text}"
            );
            crate::story::until("nothing is left running", || threads("instrument-") == 0);
        }
        let wrong = builder()
            .health_addr("8081")
            .control_addr("nowhere")
            .install();
        let text = wrong.expect_err("both are no addresses").to_string();
        assert!(
            text.contains("health_addr = \"8081\"") && text.contains("control_addr"),
            "{text}"
        );
    }

    pub fn names_of_grpc_services_collide_at_the_start() {
        for name in ["liveness", "", "models/digits"] {
            let error = builder().grpc_services([name]).install();
            let text = error.expect_err("it means something else").to_string();
            assert!(text.contains("grpc_services"), "{text}");
        }
    }

    pub fn the_three_addresses_are_the_defaults() {
        let Ok(telemetry) = Telemetry::defaults("story").linked_checks(false).install() else {
            // somebody on this machine has one of the ports
            return;
        };
        let addresses = [
            telemetry.metrics_addr(),
            telemetry.health_addr(),
            telemetry.control_addr(),
        ];
        let ports = addresses.map(|addr| addr.expect("it is served").port());
        assert_eq!(ports, [9464, 8081, 8082]);
        stop(&telemetry);
    }
}
