//! What a service says about its health before it is installed.

use crate::config::Setting;
use crate::health::spec::CheckSpec;
use crate::runtime::builder::TelemetryBuilder;
use std::any::{Any, TypeId};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::runtime::Handle;

impl TelemetryBuilder {
    /// Serves `/health`, `/livez`, `/readyz` and `/startupz` there, on a thread that nothing else runs on: an address with
    /// a port, such as `127.0.0.1:8081`; port 0 takes any that is free. Without it, nothing listens.
    pub fn health_addr(mut self, address: impl Into<String>) -> TelemetryBuilder {
        self.config.health_addr = Some(Setting {
            name: "health_addr",
            value: address.into(),
        });
        self
    }

    /// Serves the gRPC health protocol and Triton's health and metadata calls there, on the thread of the health
    /// address. Without it, nothing listens.
    pub fn control_addr(mut self, address: impl Into<String>) -> TelemetryBuilder {
        self.config.control_addr = Some(Setting {
            name: "control_addr",
            value: address.into(),
        });
        self
    }

    /// How long the service still takes requests after it was told to end; 5 s when nothing is said. Whoever sends
    /// requests has to hear of it meanwhile: of a pod that is deleted a cluster tells at once; a balancer that goes by its
    /// own probe hears after its period times its failure threshold, and its timeout. A service that was never ready has
    /// no delay.
    pub fn drain_delay(mut self, delay: Duration) -> TelemetryBuilder {
        self.config.drain_delay = delay;
        self
    }

    /// Catches SIGTERM and SIGINT from `install` on: SIGTERM begins the drain, and a second one ends its delay; SIGINT
    /// drains without a delay, and a second one ends the process.
    pub fn handle_signals(mut self) -> TelemetryBuilder {
        self.config.handle_signals = true;
        self
    }

    /// Takes in these checks, each given by `check!(path::to::function)`. Those of all linked crates are there anyway; the
    /// same one again is the same one.
    pub fn checks(
        mut self,
        checks: impl IntoIterator<Item = &'static CheckSpec>,
    ) -> TelemetryBuilder {
        self.health.enrolment.given.extend(checks);
        self
    }

    /// Whether the checks of all linked crates are taken in; they are when nothing is said.
    pub fn linked_checks(mut self, linked: bool) -> TelemetryBuilder {
        self.health.enrolment.linked = linked;
        self
    }

    /// Does without the check of this name. `install` fails where there is none.
    pub fn without_check(mut self, name: impl Into<String>) -> TelemetryBuilder {
        self.health.enrolment.without.push(name.into());
        self
    }

    /// `install` fails where one of these checks is missing, for example because the crate that has it is not linked.
    pub fn expect_checks<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> TelemetryBuilder {
        let names = names.into_iter().map(Into::into);
        self.health.enrolment.expected.extend(names);
        self
    }

    /// Gives a state to the checks that want one of its type: those whose function takes a `&S`. A check whose state never
    /// comes is pending for ever, and a hard one keeps the service unready.
    pub fn provide<S: Any + Send + Sync>(mut self, state: S) -> TelemetryBuilder {
        self.health
            .provided
            .push((TypeId::of::<S>(), Arc::new(state)));
        self
    }

    /// The service serves no model, so its readiness does not wait for one.
    pub fn without_models(mut self) -> TelemetryBuilder {
        self.health.without_models = true;
        self
    }

    /// The service is not ready, whatever its checks say, until [`Telemetry::ready`](crate::Telemetry::ready).
    pub fn hold(mut self) -> TelemetryBuilder {
        self.health.held = true;
        self
    }

    /// Runs async checks on this runtime. When nothing is said, it is the one in which `install` is called, and outside
    /// of any a thread of their own.
    pub fn runtime(mut self, runtime: Handle) -> TelemetryBuilder {
        self.health.runtime = Some(runtime);
        self
    }

    /// Names of gRPC services whose health, in the gRPC health protocol, is the readiness of this service.
    pub fn grpc_services<N: Into<String>>(
        mut self,
        names: impl IntoIterator<Item = N>,
    ) -> TelemetryBuilder {
        let names = names.into_iter().map(Into::into);
        self.health.grpc_services.extend(names);
        self
    }

    /// Whether the control plane answers gRPC reflection, for tools such as grpcurl; it does not when nothing is said.
    pub fn reflection(mut self, on: bool) -> TelemetryBuilder {
        self.health.reflection = on;
        self
    }

    /// Where the last reason for not being ready is written, if the file is there; `/dev/termination-log` when nothing is
    /// said, which `kubectl describe pod` shows.
    pub fn termination_log(mut self, path: impl Into<PathBuf>) -> TelemetryBuilder {
        self.health.termination_log = Some(path.into());
        self
    }

    /// Whether `List` of the gRPC health protocol tells the names of everything; it does when nothing is said.
    pub fn grpc_list(mut self, on: bool) -> TelemetryBuilder {
        self.health.without_list = !on;
        self
    }

    /// Whether `/health` lists the checks without `?verbose`; it does not when nothing is said.
    pub fn verbose_health(mut self, on: bool) -> TelemetryBuilder {
        self.health.options.verbose = on;
        self
    }

    /// Whether `?exclude=name` leaves a check out of an answer; it does when nothing is said.
    pub fn exclude_checks(mut self, on: bool) -> TelemetryBuilder {
        self.health.options.exclude = on;
        self
    }

    /// Whether answers have the headers that Envoy understands: `x-envoy-degraded`, and
    /// `x-envoy-immediate-health-check-fail` while draining. They do not when nothing is said.
    pub fn envoy_headers(mut self, on: bool) -> TelemetryBuilder {
        self.health.options.envoy_headers = on;
        self
    }

    /// Whether what is not ready is 400 with an empty body under `/v2`, as Triton has it; it is 503 with a small body when
    /// nothing is said.
    pub fn triton_compat(mut self, on: bool) -> TelemetryBuilder {
        self.health.options.triton_compat = on;
        self
    }
}
