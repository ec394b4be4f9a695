//! What a service says about its health before it is installed.

use crate::config::{CONTROL_ADDR, Config, Setting, default_health_addr};
use crate::health::enrolled::Enrolment;
use crate::health::options::HealthOptions;
use crate::health::spec::Provided;
use std::any::TypeId;
use std::path::PathBuf;
use tokio::runtime::Handle;

/// What a service says about its health before it is installed.
#[derive(Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub(crate) struct HealthSetup {
    pub(crate) enrolment: Enrolment,
    pub(crate) provided: Vec<(TypeId, Provided)>,
    pub(crate) without_models: bool,
    pub(crate) held: bool,
    pub(crate) runtime: Option<Handle>,
    pub(crate) termination_log: Option<PathBuf>,
    /// Names of the gRPC health protocol that stand for readiness.
    pub(crate) grpc_services: Vec<String>,
    pub(crate) reflection: bool,
    /// `List` of the gRPC health protocol is refused.
    pub(crate) without_list: bool,
    pub(crate) options: HealthOptions,
}

impl HealthSetup {
    /// The addresses that `defaults` asks for, as far as something can be served there.
    pub(crate) fn ask_for_addresses(config: &mut Config) {
        let set = |name, value: &str| {
            let value = value.to_owned();
            Some(Setting { name, value })
        };
        if cfg!(feature = "http") {
            config.health_addr = set("health_addr", default_health_addr());
        }
        if cfg!(feature = "grpc") {
            config.control_addr = set("control_addr", CONTROL_ADDR);
        }
    }
}

impl std::fmt::Debug for HealthSetup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HealthSetup")
            .field("enrolment", &self.enrolment)
            .field("without_models", &self.without_models)
            .finish_non_exhaustive()
    }
}
