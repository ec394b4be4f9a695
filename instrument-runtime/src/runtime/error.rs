//! Why an installation or a stop did not work.

use crate::config::ConfigError;
use crate::vocab::check_error::CheckError;
use std::fmt;
use std::panic::Location;
use std::time::Duration;

/// Why [`install`](crate::TelemetryBuilder::install) refused. Nothing was started then.
#[non_exhaustive]
pub enum InstallError {
    /// A runtime was installed before, and there is one place for it in a process.
    AlreadyInstalled {
        /// Where it was installed.
        first: &'static Location<'static>,
        /// Where it was to be installed again.
        second: &'static Location<'static>,
    },
    /// Settings that cannot be used, all of them.
    Config(Vec<ConfigError>),
    /// An address that cannot be listened on.
    Bind {
        /// Who wanted to listen: `metrics`.
        listener: &'static str,
        /// The address, as it was set.
        address: String,
        /// What the system says.
        source: std::io::Error,
    },
    /// Two attributes for the same stage, or two for requests, that ask for different buckets or objectives.
    Disagreement {
        /// `buckets`, `objective` or `stall`.
        what: &'static str,
        /// The stage, or the handler.
        name: &'static str,
        /// Where the one attribute stands: `file:line`.
        one: String,
        /// Where the other one stands: `file:line`.
        other: String,
    },
    /// Checks that cannot be taken as they are, all of them.
    Checks(Vec<CheckError>),
    /// The system has no thread or file handle left.
    System(std::io::Error),
    /// An exporter cannot be set up.
    Exporter(String),
}

impl fmt::Display for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InstallError::AlreadyInstalled { first, second } => write!(
                f,
                "telemetry is installed already: first at {first}, again at {second}; a process installs it \
                 once, even after a shutdown: hand clones of the `Telemetry` to whoever needs it"
            ),
            InstallError::Config(errors) => {
                f.write_str("the telemetry is not set up right")?;
                errors.iter().try_for_each(|error| write!(f, "\n  {error}"))
            }
            InstallError::Bind {
                listener,
                address,
                source,
            } => write!(
                f,
                "cannot listen on {address} for {listener}: {source}; for another address, set `{listener}_addr`, or \
                 INSTRUMENT_{}_ADDR where the environment is read",
                listener.to_uppercase()
            ),
            InstallError::Disagreement {
                what,
                name,
                one,
                other,
            } => write!(
                f,
                "the attributes of `{name}` at {one} and at {other} give different `{what}`, and they share \
                 one: give both the same, or leave it out at one of them"
            ),
            InstallError::Checks(errors) => {
                f.write_str("the health checks are not set up right")?;
                errors.iter().try_for_each(|error| write!(f, "\n  {error}"))
            }
            InstallError::System(source) => write!(f, "the telemetry cannot be started: {source}"),
            InstallError::Exporter(reason) => write!(f, "an exporter cannot be set up: {reason}"),
        }
    }
}

/// As text: it is what a `main` that returns the error prints.
impl fmt::Debug for InstallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

// the text says everything, so there is no `source`: whoever prints a chain would print it twice
impl std::error::Error for InstallError {}

/// Why a flush or a shutdown did not do all of its work.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FlushError {
    /// It was not done in time. It goes on in the background.
    TimedOut(Duration),
    /// An exporter failed.
    Failed(String),
}

impl fmt::Display for FlushError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FlushError::TimedOut(limit) => {
                write!(f, "the telemetry was not flushed within {limit:?}")
            }
            FlushError::Failed(reason) => write!(f, "the telemetry was not flushed: {reason}"),
        }
    }
}

/// As text: it is what a `main` that returns the error prints.
impl fmt::Debug for FlushError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for FlushError {}
