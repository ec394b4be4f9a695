//! What a check says of what it has looked at, and what functions that are checks may return.

use crate::vocab::reason::Reason;
use std::fmt::Display;

/// What a check says.
///
/// ```
/// # use instrument_runtime as instrument_inference;
/// use instrument_inference::{Health, reason};
///
/// fn disk(free: u64) -> Health {
///     match free {
///         0 => Health::down(reason!("disk_full")),
///         1..1_000_000 => Health::degraded(reason!("disk_nearly_full")),
///         _ => Health::up(),
///     }
/// }
/// # assert_eq!(disk(0).reason(), Some(reason!("disk_full")));
/// # assert_eq!(disk(u64::MAX), Health::up());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a check returns it"]
pub struct Health(Said);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Said {
    Up,
    Degraded(Reason),
    /// Without a reason of its own it is the check's.
    Down(Option<Reason>),
    Fatal(Reason),
}

impl Health {
    /// All is well.
    pub const fn up() -> Health {
        Health(Said::Up)
    }

    /// It works, and something is not as it should be: the answer to probes stays 200.
    pub const fn degraded(reason: Reason) -> Health {
        Health(Said::Degraded(reason))
    }

    /// It does not work. After as many times in a row as `failures` says, the check is down.
    pub const fn down(reason: Reason) -> Health {
        Health(Said::Down(Some(reason)))
    }

    /// It does not work, and there is no doubt: the check is down at once, and up again as soon as it says so.
    pub const fn fatal(reason: Reason) -> Health {
        Health(Said::Fatal(reason))
    }

    /// Why, where it is not well and says so.
    pub const fn reason(self) -> Option<Reason> {
        match self.0 {
            Said::Up => None,
            Said::Degraded(reason) | Said::Fatal(reason) => Some(reason),
            Said::Down(reason) => reason,
        }
    }

    pub(crate) const fn said(self) -> Said {
        self.0
    }
}

/// What a function that is a check has returned: what it says, and for the log what went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
#[doc(hidden)]
pub struct Report {
    pub(crate) health: Health,
    pub(crate) error: Option<String>,
}

impl Report {
    const fn of(health: Health) -> Report {
        Report {
            health,
            error: None,
        }
    }

    /// The error's text is for the log: what it says may have come from anywhere.
    fn failed(error: &impl Display) -> Report {
        Report {
            health: Health(Said::Down(None)),
            error: Some(error.to_string()),
        }
    }
}

/// What a function under `#[health_check]` may return: `bool`, `()`, [`Health`], or a `Result` of `()` or [`Health`]
/// whose error can be displayed.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no answer of a health check",
    label = "a check returns `bool`, `()`, `Health`, `Result<(), E>` or `Result<Health, E>`",
    note = "the error `E` needs `Display`: its text goes into the log"
)]
pub trait ToHealth {
    /// What it says.
    #[doc(hidden)]
    fn report(self) -> Report;
}

impl ToHealth for Health {
    fn report(self) -> Report {
        Report::of(self)
    }
}

impl ToHealth for () {
    fn report(self) -> Report {
        Report::of(Health::up())
    }
}

impl ToHealth for bool {
    fn report(self) -> Report {
        Report::of(if self {
            Health::up()
        } else {
            Health(Said::Down(None))
        })
    }
}

#[diagnostic::do_not_recommend]
impl<E: Display> ToHealth for Result<(), E> {
    fn report(self) -> Report {
        match self {
            Ok(()) => Report::of(Health::up()),
            Err(error) => Report::failed(&error),
        }
    }
}

#[diagnostic::do_not_recommend]
impl<E: Display> ToHealth for Result<Health, E> {
    fn report(self) -> Report {
        match self {
            Ok(health) => Report::of(health),
            Err(error) => Report::failed(&error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_answer_is_understood() {
        assert_eq!(true.report().health, Health::up());
        assert_eq!(false.report().health.said(), Said::Down(None));
        assert_eq!(().report().health, Health::up());
        let failed = Err::<(), _>("no route to 10.1.2.3").report();
        assert_eq!(failed.health.reason(), None);
        assert_eq!(failed.error.as_deref(), Some("no route to 10.1.2.3"));
        let degraded = Health::degraded(Reason::QUEUE_FULL);
        assert_eq!(Ok::<_, String>(degraded).report().health, degraded);
    }
}
