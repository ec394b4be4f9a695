//! How the ways out are doing: what a scrape takes, and whether what is pushed arrives.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// The bits of an `f64` that does not exist yet.
const NONE: u64 = f64::NAN.to_bits();

#[derive(Debug)]
struct Known(AtomicU64);

impl Default for Known {
    fn default() -> Known {
        Known(AtomicU64::new(NONE))
    }
}

impl Known {
    #[cfg(any(feature = "otlp", feature = "prometheus"))]
    fn set(&self, value: f64) {
        self.0.store(value.to_bits(), Ordering::Release);
    }

    fn get(&self) -> Option<f64> {
        Some(f64::from_bits(self.0.load(Ordering::Acquire))).filter(|value| !value.is_nan())
    }
}

/// What became of the pushes of one exporter.
#[derive(Debug)]
pub(crate) struct Pushes {
    /// The label `exporter`.
    pub(crate) exporter: &'static str,
    failures: AtomicU64,
    last_success: Known,
}

impl Pushes {
    #[cfg(feature = "otlp")]
    pub(crate) fn new(exporter: &'static str) -> Pushes {
        Pushes {
            exporter,
            failures: AtomicU64::new(0),
            last_success: Known::default(),
        }
    }

    #[cfg(feature = "otlp")]
    pub(crate) fn failed(&self) {
        self.failures.fetch_add(1, Ordering::Relaxed);
    }

    #[cfg(feature = "otlp")]
    pub(crate) fn arrived(&self, unix_seconds: f64) {
        self.last_success.set(unix_seconds);
    }

    pub(crate) fn failures(&self) -> u64 {
        self.failures.load(Ordering::Relaxed)
    }

    /// In Unix seconds.
    pub(crate) fn last_success(&self) -> Option<f64> {
        self.last_success.get()
    }
}

/// All ways out of one runtime.
#[derive(Debug, Default)]
pub(crate) struct Exports {
    scrape: Known,
    pushes: Mutex<Vec<Arc<Pushes>>>,
}

impl Exports {
    /// How long the last scrape took to make, in seconds.
    pub(crate) fn scrape_seconds(&self) -> Option<f64> {
        self.scrape.get()
    }

    #[cfg(feature = "prometheus")]
    pub(crate) fn scrape_took(&self, seconds: f64) {
        self.scrape.set(seconds);
    }

    #[cfg(feature = "otlp")]
    pub(crate) fn show(&self, pushes: &Arc<Pushes>) {
        let mut all = self.pushes.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(Arc::clone(pushes));
    }

    pub(crate) fn each_pushes(&self, look: impl Fn(&Pushes)) {
        let all = self
            .pushes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        for pushes in all {
            look(&pushes);
        }
    }
}
