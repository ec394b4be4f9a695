//! The thread that drains rings nobody else drains: once a second, and when one is half full.

use crate::notice;
use crate::record::drain;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle, park_timeout};
use std::time::Duration;

const TICK: Duration = Duration::from_secs(1);

/// Ends when dropped.
#[derive(Debug)]
pub(crate) struct Ticker {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Ticker {
    /// # Errors
    /// When the system has no thread left.
    pub(crate) fn start() -> std::io::Result<Ticker> {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let thread = Builder::new()
            .name("instrument-drain".into())
            .spawn(move || {
                while !stopped.load(Ordering::Acquire) {
                    park_timeout(TICK);
                    // whatever happens in there, the next tick comes
                    if catch_unwind(drain::drain).is_err() {
                        notice::report("a panic while draining was contained; please report it");
                    }
                }
            })?;
        drain::set_drainer(Some(thread.thread().clone()));
        Ok(Ticker {
            stop,
            thread: Some(thread),
        })
    }
}

impl Drop for Ticker {
    fn drop(&mut self) {
        drain::set_drainer(None);
        self.stop.store(true, Ordering::Release);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            let _ = thread.join();
        }
    }
}
