//! Where a declared model stands. Written by the service, read by health and by whoever shows models.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Told when anything about a model has changed.
pub(crate) type Changed = Arc<dyn Fn() + Send + Sync>;

/// Where a declared model stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Phase {
    /// Nothing was done about it yet: it may still become optional.
    Declared,
    /// On its way to be ready.
    Loading,
    Ready,
    Failed,
    Unloaded,
}

impl Phase {
    const ALL: [Phase; 5] = [
        Phase::Declared,
        Phase::Loading,
        Phase::Ready,
        Phase::Failed,
        Phase::Unloaded,
    ];
}

/// What is known of a declared model.
pub(crate) struct SlotState {
    pub(crate) name: Arc<str>,
    pub(crate) version: Arc<str>,
    phase: AtomicU8,
    /// The service can serve without it.
    optional: AtomicBool,
    platform: Mutex<Option<Arc<str>>>,
    changed: Arc<OnceLock<Changed>>,
}

impl SlotState {
    pub(crate) fn new(name: &str, version: &str, changed: &Arc<OnceLock<Changed>>) -> SlotState {
        SlotState {
            name: name.into(),
            version: version.into(),
            phase: AtomicU8::new(Phase::Declared as u8),
            optional: AtomicBool::new(false),
            platform: Mutex::new(None),
            changed: Arc::clone(changed),
        }
    }

    pub(crate) fn enter(&self, phase: Phase) {
        self.phase.store(phase as u8, Ordering::Release);
        self.tell();
    }

    pub(crate) fn phase(&self) -> Phase {
        Phase::ALL[usize::from(self.phase.load(Ordering::Acquire)) % Phase::ALL.len()]
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.phase() == Phase::Ready
    }

    pub(crate) fn set_optional(&self) {
        self.optional.store(true, Ordering::Release);
        self.tell();
    }

    pub(crate) fn is_optional(&self) -> bool {
        self.optional.load(Ordering::Acquire)
    }

    pub(crate) fn set_platform(&self, platform: &str) {
        *self.platform.lock().unwrap_or_else(PoisonError::into_inner) = Some(platform.into());
        self.tell();
    }

    pub(crate) fn platform(&self) -> Option<Arc<str>> {
        self.platform
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn tell(&self) {
        if let Some(changed) = self.changed.get() {
            changed();
        }
    }
}

impl std::fmt::Debug for SlotState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SlotState")
            .field("name", &self.name)
            .field("version", &self.version)
            .field("phase", &self.phase())
            .finish_non_exhaustive()
    }
}
