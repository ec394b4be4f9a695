//! The three questions that a cluster asks, and the three answers.

/// What a check is for: which of the three questions of a cluster it helps to answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Group {
    /// Should this process be restarted? Nothing but a restart can help when it fails.
    Liveness,
    /// Should it get traffic?
    Readiness,
    /// Has it started? Once it has, that never changes.
    Startup,
}

impl Group {
    /// Every group, in the order of the documentation.
    pub const ALL: [Group; 3] = [Group::Liveness, Group::Readiness, Group::Startup];

    /// Its name: a label value, and a service name of the gRPC health protocol.
    pub const fn as_str(self) -> &'static str {
        match self {
            Group::Liveness => "liveness",
            Group::Readiness => "readiness",
            Group::Startup => "startup",
        }
    }

    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

/// The groups of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Groups(u8);

impl Groups {
    /// None yet.
    pub(crate) const NONE: Groups = Groups(0);
    /// What a check is for when nothing is said.
    pub(crate) const READINESS: Groups = Groups::NONE.with(Group::Readiness);

    /// With one more.
    pub(crate) const fn with(self, group: Group) -> Groups {
        Groups(self.0 | 1 << group as u8)
    }

    pub(crate) const fn has(self, group: Group) -> bool {
        self.0 & (1 << group as u8) != 0
    }
}

/// How the whole is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum HealthStatus {
    /// All is well.
    Healthy,
    /// It serves, and something is not as it should be.
    Degraded,
    /// It is not to be asked.
    Unhealthy,
}

impl HealthStatus {
    /// Every status, best first.
    pub const ALL: [HealthStatus; 3] = [
        HealthStatus::Healthy,
        HealthStatus::Degraded,
        HealthStatus::Unhealthy,
    ];

    /// Its name, as answers and label values have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            HealthStatus::Healthy => "healthy",
            HealthStatus::Degraded => "degraded",
            HealthStatus::Unhealthy => "unhealthy",
        }
    }

    /// Healthy or degraded: the answer is 200, `SERVING`, `true`.
    pub const fn serves(self) -> bool {
        !matches!(self, HealthStatus::Unhealthy)
    }
}
