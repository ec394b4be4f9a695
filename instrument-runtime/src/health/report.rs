//! The health of the service at one instant, as every protocol shows it.

use crate::slot::state::Phase;
use crate::vocab::group::{Group, Groups, HealthStatus};
use crate::vocab::reason::Reason;
use std::sync::Arc;
use std::time::Duration;

/// What a check currently says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Verdict {
    /// It has not run yet.
    Pending,
    /// All is well.
    Up,
    /// It works, and something is not as it should be.
    Degraded,
    /// It does not work.
    Down,
    /// What it last said is too old to be trusted.
    Expired,
}

impl Verdict {
    /// Every verdict, in the order of the documentation.
    pub const ALL: [Verdict; 5] = [
        Verdict::Pending,
        Verdict::Up,
        Verdict::Degraded,
        Verdict::Down,
        Verdict::Expired,
    ];

    /// Its name, as answers and label values have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Verdict::Pending => "pending",
            Verdict::Up => "up",
            Verdict::Degraded => "degraded",
            Verdict::Down => "down",
            Verdict::Expired => "expired",
        }
    }
}

/// Where the service is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Lifecycle {
    /// Not everything has been looked at, or the service holds itself back.
    Starting,
    Serving,
    /// Taken out of rotation by hand.
    Maintenance,
    /// On its way out; still serving.
    Draining,
    /// The time for clients to go elsewhere is over: streams are closed, nothing new is taken.
    Closing,
}

/// The health of the service at one instant. All that it says belongs together; take a new one for what is now.
#[derive(Debug, Clone)]
pub struct HealthReport {
    pub(crate) version: u64,
    pub(crate) lifecycle: Lifecycle,
    pub(crate) uptime: Duration,
    /// Since when it was made, in the time of `uptime`.
    pub(crate) rolls: [Roll; Group::ALL.len()],
    pub(crate) checks: Vec<CheckReport>,
    pub(crate) models: Vec<ModelReport>,
    /// Inputs that wait; `None` where nothing counts them.
    pub(crate) queue_depth: Option<usize>,
    /// Whether no device is broken; `None` where none is expected.
    pub(crate) gpu_health: Option<bool>,
}

/// What all checks of a group come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Roll {
    pub(crate) status: HealthStatus,
    /// `None` exactly when healthy.
    pub(crate) reason: Option<Reason>,
    /// The check whose reason it is.
    pub(crate) check: Option<&'static str>,
    /// In the time of `uptime`.
    pub(crate) since: Duration,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CheckReport {
    pub(crate) name: &'static str,
    pub(crate) groups: Groups,
    pub(crate) hard: bool,
    pub(crate) model: Option<&'static str>,
    pub(crate) verdict: Verdict,
    pub(crate) reason: Option<Reason>,
    /// The same as liveness sees it.
    pub(crate) live: (Verdict, Option<Reason>),
    /// Since the start of the run that said so; `None` before the first.
    pub(crate) age: Option<Duration>,
    /// Older than its `cache`.
    pub(crate) stale: bool,
    /// In the time of `uptime`.
    pub(crate) since: Duration,
}

/// One model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelReport {
    pub(crate) name: Arc<str>,
    pub(crate) version: Arc<str>,
    pub(crate) platform: Option<Arc<str>>,
    pub(crate) phase: Phase,
    pub(crate) optional: bool,
    pub(crate) ready: bool,
    pub(crate) reason: Option<Reason>,
}

impl HealthReport {
    /// Grows with every change of what is reported.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// Since the telemetry was installed.
    pub fn uptime(&self) -> Duration {
        self.uptime
    }

    /// How the checks of this group are, all together.
    pub fn status(&self, group: Group) -> HealthStatus {
        self.roll(group).status
    }

    /// Why it is not healthy; `None` when it is.
    pub fn reason(&self, group: Group) -> Option<Reason> {
        self.roll(group).reason
    }

    /// Whether all devices of this process work, as far as is known: none is lost, had an Xid event after which it cannot
    /// go on, memory errors that could not be corrected, or a fault that the engine reported. `None` where no device is
    /// expected.
    pub fn gpu_health(&self) -> Option<bool> {
        self.gpu_health
    }

    /// What a check currently says; `None` where there is none of that name.
    pub fn verdict(&self, check: &str) -> Option<Verdict> {
        self.check(check).map(|check| check.verdict)
    }

    /// Whether a model can be asked: this version, or any where none is given. `None` where it was never declared.
    pub fn is_model_ready(&self, name: &str, version: Option<&str>) -> Option<bool> {
        let mut found = self.models_named(name, version).peekable();
        found.peek()?;
        Some(found.any(|model| model.ready))
    }

    pub(crate) fn models_named<'a>(
        &'a self,
        name: &'a str,
        version: Option<&'a str>,
    ) -> impl Iterator<Item = &'a ModelReport> {
        self.models.iter().filter(move |model| {
            *model.name == *name && version.is_none_or(|version| *model.version == *version)
        })
    }

    pub(crate) fn roll(&self, group: Group) -> &Roll {
        &self.rolls[group.index()]
    }

    pub(crate) fn check(&self, name: &str) -> Option<&CheckReport> {
        self.checks.iter().find(|check| check.name == name)
    }

    /// The service is on its way out.
    pub(crate) fn is_draining(&self) -> bool {
        self.lifecycle >= Lifecycle::Draining
    }

    /// Streams are to be closed.
    pub(crate) fn is_closing(&self) -> bool {
        self.lifecycle == Lifecycle::Closing
    }
}

impl CheckReport {
    /// What it says to a group, and why.
    pub(crate) fn seen_by(&self, group: Group) -> (Verdict, Option<Reason>) {
        match group {
            Group::Liveness => self.live,
            _ => (self.verdict, self.reason),
        }
    }
}
