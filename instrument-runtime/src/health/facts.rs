//! What is known at one instant: immutable, published whole. What it comes to is worked out by whoever reads it.

use crate::health::machine::Machine;
use crate::health::plan::Plan;
use crate::slot::devices::Fault;
use crate::slot::executions::Stall;
use crate::slot::state::Phase;
use std::sync::Arc;
use std::time::Duration;

/// What is known.
#[derive(Debug, Clone)]
pub(crate) struct Facts {
    /// Grows with each publication.
    pub(crate) version: u64,
    pub(crate) checks: Vec<CheckFacts>,
    pub(crate) models: Vec<ModelFacts>,
    /// When anything about a model last changed.
    pub(crate) models_since: Duration,
    /// `None` where no device is expected.
    pub(crate) devices: Option<DeviceFacts>,
    /// `None` where there are no executions to be seen.
    pub(crate) executions: Option<ExecutionFacts>,
    pub(crate) life: Life,
}

/// How the devices are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeviceFacts {
    /// The worst that is wrong with any of them.
    pub(crate) fault: Option<Fault>,
    pub(crate) since: Duration,
    /// It is no reason to be unready.
    pub(crate) ignored: bool,
}

/// How the executions get on.
#[derive(Debug, Clone)]
pub(crate) struct ExecutionFacts {
    pub(crate) stalls: Arc<[Stall]>,
    /// Of some stage the service says how long is too long.
    pub(crate) decisive: bool,
    pub(crate) since: Duration,
}

impl Facts {
    /// Nothing was looked at yet.
    pub(crate) fn new(now: Duration, plans: impl IntoIterator<Item = Plan>, life: Life) -> Facts {
        let check = |plan| CheckFacts {
            plan,
            machine: Machine::new(now),
        };
        Facts {
            version: 0,
            checks: plans.into_iter().map(check).collect(),
            models: Vec::new(),
            models_since: now,
            devices: None,
            executions: None,
            life,
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct CheckFacts {
    pub(crate) plan: Plan,
    pub(crate) machine: Machine,
}

#[derive(Debug, Clone)]
pub(crate) struct ModelFacts {
    pub(crate) name: Arc<str>,
    pub(crate) version: Arc<str>,
    pub(crate) platform: Option<Arc<str>>,
    pub(crate) phase: Phase,
    pub(crate) optional: bool,
}

/// The life of the service, apart from what its checks say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "any of them may go with any other"
)]
pub(crate) struct Life {
    /// The service needs no model.
    pub(crate) without_models: bool,
    /// The service says itself when it is ready, and has not done so yet.
    pub(crate) held: bool,
    pub(crate) maintenance: bool,
    pub(crate) draining: bool,
    /// The time for clients to go elsewhere is over.
    pub(crate) closing: bool,
    /// When that will be.
    pub(crate) closing_at: Option<Duration>,
    /// Startup has been well once, so it is for ever.
    pub(crate) started: bool,
    /// Readiness has been well once: somebody may send traffic.
    pub(crate) been_ready: bool,
    /// When this last changed.
    pub(crate) since: Duration,
}

impl Life {
    /// It has just begun.
    pub(crate) const fn new(now: Duration, without_models: bool, held: bool) -> Life {
        Life {
            without_models,
            held,
            maintenance: false,
            draining: false,
            closing: false,
            closing_at: None,
            started: false,
            been_ready: false,
            since: now,
        }
    }
}
