//! What an attribute says about a check: one `static` in the user's code, and the link-time list of all of them.

use crate::health::verdict::{Report, ToHealth};
use crate::vocab::group::{Group, Groups};
use std::any::{Any, TypeId, type_name};
use std::fmt;
use std::panic::Location;
use std::pin::Pin;
use std::sync::Arc;

/// Every check that is linked into the program.
#[linkme::distributed_slice]
pub static CHECKS: [CheckSpec];

/// A run of an async check.
pub type CheckFuture = Pin<Box<dyn Future<Output = Report> + Send>>;

/// A state that the service provides.
pub type Provided = Arc<dyn Any + Send + Sync>;

/// How a check is run.
#[derive(Clone, Copy)]
pub enum CheckRun {
    /// It may block: a thread of its own runs it.
    Sync(fn() -> Report),
    /// The application's runtime runs it.
    Async(fn() -> CheckFuture),
    /// As `Sync`, with a state that the service provides.
    SyncWith(StateType, fn(&(dyn Any + Send + Sync)) -> Report),
    /// As `Async`, with a state that the service provides.
    AsyncWith(StateType, fn(Provided) -> CheckFuture),
}

/// The type of the state that a check wants.
#[derive(Clone, Copy)]
pub struct StateType {
    pub(crate) id: fn() -> TypeId,
    pub(crate) name: fn() -> &'static str,
}

impl StateType {
    /// The type `S`.
    #[must_use]
    pub const fn of<S: Any + Send + Sync>() -> StateType {
        StateType {
            id: TypeId::of::<S>,
            name: type_name::<S>,
        }
    }
}

/// The provided state as what it is.
///
/// # Panics
/// Never: a state is given to a check only where the types agree.
#[must_use]
pub fn state<S: Any>(provided: &(dyn Any + Send + Sync)) -> &S {
    provided
        .downcast_ref()
        .expect("a state is given to the checks that want its type")
}

/// What a value that a check has returned says.
pub fn report(returned: impl ToHealth) -> Report {
    returned.report()
}

/// What `#[health_check]` leaves in the user's code. Durations are in nanoseconds; what is not given is `None`.
#[derive(Clone, Copy)]
pub struct CheckSpec {
    pub(crate) name: &'static str,
    pub(crate) module: &'static str,
    at: &'static Location<'static>,
    pub(crate) run: CheckRun,
    pub(crate) groups: Groups,
    /// `soft` or `hard`, where one of them was given.
    pub(crate) hard: Option<bool>,
    pub(crate) remote: bool,
    pub(crate) reason: Option<&'static str>,
    pub(crate) model: Option<&'static str>,
    pub(crate) timing: Timing,
}

/// The numbers of a check, as far as they are given. Durations are in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Timing {
    /// How long a result is fresh.
    pub cache: Option<u64>,
    /// When the verdict falls at the latest.
    pub timeout: Option<u64>,
    /// From the start of a run to the start of the next.
    pub refresh: Option<u64>,
    /// From the end of a run that contradicts the verdict to the start of the next.
    pub confirm: Option<u64>,
    /// Failures in a row after which it is down.
    pub failures: Option<u32>,
    /// Successes in a row after which it is up again.
    pub successes: Option<u32>,
    /// How old a result may be before it is trusted no more.
    pub max_stale: Option<u64>,
    /// From the start of the service to the first run.
    pub initial_delay: Option<u64>,
}

impl Timing {
    /// Nothing is given.
    pub const NONE: Timing = Timing {
        cache: None,
        timeout: None,
        refresh: None,
        confirm: None,
        failures: None,
        successes: None,
        max_stale: None,
        initial_delay: None,
    };
}

macro_rules! numbers {
    ($($field:ident: $number:ty),*) => {
        impl Timing {
            $(
                #[doc = concat!("With the field `", stringify!($field), "`.")]
                #[must_use]
                pub const fn $field(mut self, $field: $number) -> Timing {
                    self.$field = Some($field);
                    self
                }
            )*
        }
    };
}

numbers!(
    cache: u64, timeout: u64, refresh: u64, confirm: u64, failures: u32, successes: u32, max_stale: u64,
    initial_delay: u64
);

impl CheckSpec {
    /// A check of this name.
    #[track_caller]
    #[must_use]
    pub const fn new(name: &'static str, module: &'static str, run: CheckRun) -> CheckSpec {
        CheckSpec {
            name,
            module,
            at: Location::caller(),
            run,
            groups: Groups::READINESS,
            hard: None,
            remote: false,
            reason: None,
            model: None,
            timing: Timing::NONE,
        }
    }

    /// `group = …`
    #[must_use]
    pub const fn groups(mut self, groups: &[Group]) -> CheckSpec {
        self.groups = Groups::NONE;
        let mut i = 0;
        while i < groups.len() {
            self.groups = self.groups.with(groups[i]);
            i += 1;
        }
        self
    }

    /// `hard`
    #[must_use]
    pub const fn hard(mut self) -> CheckSpec {
        self.hard = Some(true);
        self
    }

    /// `soft`
    #[must_use]
    pub const fn soft(mut self) -> CheckSpec {
        self.hard = Some(false);
        self
    }

    /// `remote`
    #[must_use]
    pub const fn remote(mut self) -> CheckSpec {
        self.remote = true;
        self
    }

    /// `reason = "…"`
    #[must_use]
    pub const fn reason(mut self, reason: &'static str) -> CheckSpec {
        self.reason = Some(reason);
        self
    }

    /// `model = "…"`
    #[must_use]
    pub const fn model(mut self, model: &'static str) -> CheckSpec {
        self.model = Some(model);
        self
    }

    /// `cache`, `timeout` and the other numbers.
    #[must_use]
    pub const fn timing(mut self, timing: Timing) -> CheckSpec {
        self.timing = timing;
        self
    }
}

/// Where the attribute stands, for messages: `src/main.rs:12 (in service::checks)`.
impl fmt::Display for CheckSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, line) = (self.at.file(), self.at.line());
        write!(f, "{file}:{line} (in {})", self.module)
    }
}

impl fmt::Debug for CheckSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CheckSpec")
            .field("name", &self.name)
            .field("at", &self.at)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for CheckRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CheckRun::Sync(_) => "Sync",
            CheckRun::Async(_) => "Async",
            CheckRun::SyncWith(..) => "SyncWith",
            CheckRun::AsyncWith(..) => "AsyncWith",
        })
    }
}

impl fmt::Debug for StateType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str((self.name)())
    }
}
