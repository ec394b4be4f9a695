//! What the collector has published: read by anybody, at any time, without waiting for a device.

use crate::gpu::device::{Device, STALE};
use crate::gpu::trouble::Trouble;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime};

/// How the collector is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Ok,
    /// It is not asked to look.
    Disabled,
    NoLibrary,
    NoDevice,
    DriverMismatch,
    Permission,
    /// A device is lost; the others may go on.
    Lost,
    Error,
}

impl State {
    pub(crate) const ALL: [State; 8] = [
        State::Ok,
        State::Disabled,
        State::NoLibrary,
        State::NoDevice,
        State::DriverMismatch,
        State::Permission,
        State::Lost,
        State::Error,
    ];

    /// The label `state`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Disabled => "disabled",
            State::NoLibrary => "no_library",
            State::NoDevice => "no_device",
            State::DriverMismatch => "driver_mismatch",
            State::Permission => "permission",
            State::Lost => "lost",
            State::Error => "error",
        }
    }
}

impl From<Trouble> for State {
    fn from(trouble: Trouble) -> State {
        match trouble {
            Trouble::NoLibrary => State::NoLibrary,
            Trouble::DriverNotLoaded => State::NoDevice,
            Trouble::DriverMismatch => State::DriverMismatch,
            Trouble::Permission => State::Permission,
            Trouble::Lost | Trouble::ResetRequired => State::Lost,
            _ => State::Error,
        }
    }
}

/// What is known at one time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Snapshot {
    /// `None` before the first look is over.
    pub(crate) state: Option<State>,
    pub(crate) driver: Option<String>,
    pub(crate) devices: Vec<Device>,
    /// Calls that failed, in the order of [`Trouble::ALL`].
    pub(crate) errors: [u64; Trouble::COUNT],
    /// When a device last answered.
    pub(crate) last_success: Option<SystemTime>,
    /// Since when the library has been busy with one look; `None` between two.
    pub(crate) busy: Option<Instant>,
}

impl Snapshot {
    /// A call does not return.
    pub(crate) fn is_hung(&self, now: Instant) -> bool {
        let busy = self.busy.map(|since| now.saturating_duration_since(since));
        busy.is_some_and(|busy| busy > STALE)
    }

    pub(crate) fn state(&self, now: Instant) -> Option<State> {
        if self.is_hung(now) {
            return Some(State::Error);
        }
        self.state
    }

    /// What has failed at least once; the call that hangs is among them before it returns.
    pub(crate) fn errors(&self, now: Instant) -> impl Iterator<Item = (Trouble, u64)> {
        let hung = u64::from(self.is_hung(now));
        let errors = Trouble::ALL.into_iter().zip(self.errors);
        errors
            .map(move |(trouble, times)| match trouble {
                Trouble::Hung => (trouble, times + hung),
                _ => (trouble, times),
            })
            .filter(|(_, times)| *times > 0)
    }
}

/// Where the newest one is. The lock is held for a pointer's copy, never over a call into the library.
#[derive(Debug, Clone, Default)]
pub(crate) struct Published(Arc<Mutex<Arc<Snapshot>>>);

impl Published {
    pub(crate) fn newest(&self) -> Arc<Snapshot> {
        let newest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&newest)
    }

    pub(crate) fn publish(&self, snapshot: Snapshot) {
        let snapshot = Arc::new(snapshot);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = snapshot;
    }
}
