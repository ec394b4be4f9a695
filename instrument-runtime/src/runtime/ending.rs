//! The end of a telemetry comes once: whoever asks for it again waits for it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The end of a telemetry.
#[derive(Debug, Default)]
pub(crate) struct Ending {
    begun: AtomicBool,
    over: Mutex<bool>,
    told: Condvar,
}

/// It is under way until this is dropped.
#[derive(Debug)]
pub(crate) struct UnderWay(Arc<Ending>);

impl Ending {
    /// For the first who asks.
    pub(crate) fn begin(self: &Arc<Ending>) -> Option<UnderWay> {
        let first = !self.begun.swap(true, Ordering::AcqRel);
        first.then(|| UnderWay(Arc::clone(self)))
    }

    /// Blocks until it is over, for `limit` at most. Says whether it is.
    pub(crate) fn wait(&self, limit: Duration) -> bool {
        let over = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.told.wait_timeout_while(over, limit, |over| !*over);
        *waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        *self.0.over.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.told.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_asks_again_waits_until_it_is_over() {
        let ending = Arc::new(Ending::default());
        let under_way = ending.begin().expect("the first");
        assert!(ending.begin().is_none());
        assert!(!ending.wait(Duration::from_millis(20)));
        let waiting = {
            let ending = Arc::clone(&ending);
            std::thread::spawn(move || ending.wait(Duration::MAX))
        };
        drop(under_way);
        assert!(waiting.join().expect("no panic"));
        assert!(ending.wait(Duration::ZERO) && ending.begin().is_none());
    }
}
