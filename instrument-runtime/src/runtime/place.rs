//! The one place for an installed runtime, and who took it.

use crate::runtime::telemetry::Telemetry;
use std::panic::Location;
use std::sync::{Mutex, OnceLock, PoisonError};

static TAKEN: Mutex<Option<&'static Location<'static>>> = Mutex::new(None);

/// What is installed runs until it is shut down, whatever becomes of the handles.
static KEPT: OnceLock<Telemetry> = OnceLock::new();

/// Takes the place. It is never free again: what an earlier runtime has shown must not start from 0.
///
/// # Errors
/// Who has it.
pub(crate) fn take(by: &'static Location<'static>) -> Result<(), &'static Location<'static>> {
    let mut taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(first) = *taken {
        return Err(first);
    }
    *taken = Some(by);
    Ok(())
}

/// The installation that took the place has failed: nothing was shown yet, and it may be tried again.
pub(crate) fn give_back() {
    *TAKEN.lock().unwrap_or_else(PoisonError::into_inner) = None;
}

/// The installation has worked.
pub(crate) fn keep(telemetry: &Telemetry) {
    let _ = KEPT.set(telemetry.clone());
}
