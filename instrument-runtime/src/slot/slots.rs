//! All models that a service has declared.

use crate::slot::state::{Changed, Phase, SlotState};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// How many a process may have at one time; what comes on top is known to its own code only.
const MOST: usize = 512;

/// All models that a service has declared, in the order of their declaration.
#[derive(Clone, Default)]
pub(crate) struct Slots {
    all: Arc<Mutex<Vec<Arc<SlotState>>>>,
    changed: Arc<OnceLock<Changed>>,
}

impl Slots {
    /// Declares a model; the same one again is the same one.
    pub(crate) fn declare(&self, name: &str, version: &str) -> Arc<SlotState> {
        let state = {
            let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
            let same = |one: &&Arc<SlotState>| *one.name == *name && *one.version == *version;
            if let Some(known) = all.iter().find(same) {
                return Arc::clone(known);
            }
            let state = Arc::new(SlotState::new(name, version, &self.changed));
            if all.len() >= MOST {
                // versions come and go: the oldest that is not served any more makes room
                let gone = all.iter().position(|one| one.phase() == Phase::Unloaded);
                gone.map(|gone| all.remove(gone));
            }
            if all.len() < MOST {
                all.push(Arc::clone(&state));
            }
            state
        };
        if let Some(changed) = self.changed.get() {
            changed();
        }
        state
    }

    pub(crate) fn all(&self) -> Vec<Arc<SlotState>> {
        self.all
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Whom to tell when anything about a model changes. The first one stays.
    pub(crate) fn on_change(&self, changed: Changed) {
        let _ = self.changed.set(changed);
    }
}

impl std::fmt::Debug for Slots {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Slots").finish_non_exhaustive()
    }
}
