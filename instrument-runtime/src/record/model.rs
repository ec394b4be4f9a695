//! A model and version that the service has declared, and what is known of it.

use crate::record::attributes::Attributes;
use crate::slot::state::Phase;
use crate::vocab::label::cut;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// Where a label needs a model and there is none.
pub(crate) const NONE: &str = "none";

/// The labels `model` and `version`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Model {
    pub(crate) name: Box<str>,
    pub(crate) version: Box<str>,
}

/// The place of the model that stands for "none", in the recorder's list.
pub(crate) const NO_MODEL: usize = 0;

impl Model {
    pub(crate) fn new(name: &str, version: &str) -> Model {
        let or_none = |text: &str| {
            if text.is_empty() {
                NONE.into()
            } else {
                cut(text).into()
            }
        };
        Model {
            name: or_none(name),
            version: or_none(version),
        }
    }

    pub(crate) fn none() -> Model {
        Model::new(NONE, NONE)
    }
}

/// The bits of no number.
const NEVER: u64 = u64::MAX;

fn known(bits: &AtomicU64) -> Option<f64> {
    Some(bits.load(Ordering::Acquire))
        .filter(|bits| *bits != NEVER)
        .map(f64::from_bits)
}

/// What is shown of a declared model.
#[derive(Debug)]
pub(crate) struct ModelState {
    /// Without `platform`.
    pub(crate) attributes: Attributes,
    platform: Mutex<Option<Box<str>>>,
    ready: AtomicBool,
    /// The bits of an `f64`, in seconds, or [`NEVER`].
    load_seconds: AtomicU64,
    /// How full its KV cache is: the bits of an `f64` from 0 to 1, or [`NEVER`].
    kv_usage: AtomicU64,
    /// How many tokens a block of that cache holds, and how many blocks there are.
    kv_cache: Mutex<Option<(u64, u64)>>,
    /// When it was unloaded: the bits of a monotonic time in seconds, or [`NEVER`].
    unloaded_at: AtomicU64,
}

impl ModelState {
    pub(crate) fn new(attributes: Attributes) -> ModelState {
        ModelState {
            attributes,
            platform: Mutex::new(None),
            ready: AtomicBool::new(false),
            load_seconds: AtomicU64::new(NEVER),
            kv_usage: AtomicU64::new(NEVER),
            kv_cache: Mutex::new(None),
            unloaded_at: AtomicU64::new(NEVER),
        }
    }

    /// `now` is a monotonic time in seconds.
    pub(crate) fn enter(&self, phase: Phase, now: f64) {
        self.ready.store(phase == Phase::Ready, Ordering::Release);
        if phase == Phase::Unloaded || self.is_unloaded() {
            // its cache is gone with it, whatever its engine said on its way out
            self.kv_usage.store(NEVER, Ordering::Release);
        }
        let unloaded = if phase == Phase::Unloaded {
            now.to_bits()
        } else {
            NEVER
        };
        self.unloaded_at.store(unloaded, Ordering::Release);
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.ready.load(Ordering::Acquire)
    }

    fn is_unloaded(&self) -> bool {
        known(&self.unloaded_at).is_some()
    }

    #[cfg(feature = "prometheus")]
    /// Since when it is unloaded, as a monotonic time in seconds.
    pub(crate) fn unloaded_at(&self) -> Option<f64> {
        known(&self.unloaded_at)
    }

    pub(crate) fn loaded_in(&self, seconds: f64) {
        self.load_seconds
            .store(seconds.to_bits(), Ordering::Release);
    }

    pub(crate) fn load_seconds(&self) -> Option<f64> {
        known(&self.load_seconds)
    }

    /// What is no share is no reading: then nothing is known, also of what was said before.
    pub(crate) fn set_kv_usage(&self, ratio: f64) {
        let bits = if (0.0..=1.0).contains(&ratio) {
            // a 0 may have a sign
            ratio.abs().to_bits()
        } else {
            NEVER
        };
        self.kv_usage.store(bits, Ordering::Release);
    }

    pub(crate) fn kv_usage(&self) -> Option<f64> {
        known(&self.kv_usage).filter(|_| !self.is_unloaded())
    }

    /// A cache without blocks, or of blocks that hold nothing, is one of which nothing is known.
    pub(crate) fn set_kv_cache(&self, block_size: u64, blocks: u64) {
        *self.kv_cache.lock().unwrap_or_else(PoisonError::into_inner) =
            (block_size > 0 && blocks > 0).then_some((block_size, blocks));
    }

    pub(crate) fn kv_cache(&self) -> Option<(u64, u64)> {
        *self.kv_cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_platform(&self, platform: &str) {
        *self.platform.lock().unwrap_or_else(PoisonError::into_inner) = Some(cut(platform).into());
    }

    pub(crate) fn platform(&self) -> Option<Box<str>> {
        self.platform
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}
