//! How late the application's runtime is: the scheduler asks, a task of that runtime answers as soon as it is run.
//! Without timers, since a runtime need not have any.

use crate::health::clock::nanos;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::Notify;

/// Asks, and reads the answers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heartbeat(Arc<Beats>);

#[derive(Debug, Default)]
struct Beats {
    asking: Notify,
    /// Nanoseconds.
    asked: AtomicU64,
    /// Counts questions; an answer repeats the number.
    question: AtomicU64,
    answered: AtomicU64,
    /// How long the last answer took, in nanoseconds.
    took: AtomicU64,
    stopped: AtomicBool,
}

impl Heartbeat {
    /// A task of `runtime` answers from now on.
    pub(crate) fn listen(&self, runtime: &Handle, now: impl Fn() -> Duration + Send + 'static) {
        let beats = Arc::clone(&self.0);
        runtime.spawn(async move {
            while !beats.stopped.load(Ordering::Acquire) {
                beats.asking.notified().await;
                let took = nanos(now()).saturating_sub(beats.asked.load(Ordering::Acquire));
                beats.took.store(took, Ordering::Release);
                let question = beats.question.load(Ordering::Acquire);
                beats.answered.store(question, Ordering::Release);
            }
        });
    }

    /// Nobody asks any more.
    pub(crate) fn stop(&self) {
        self.0.stopped.store(true, Ordering::Release);
        self.0.asking.notify_one();
    }

    /// Asks, unless the last question has no answer yet.
    pub(crate) fn ask(&self, now: Duration) {
        let beats = &self.0;
        let question = beats.question.load(Ordering::Acquire);
        if beats.answered.load(Ordering::Acquire) == question {
            beats.asked.store(nanos(now), Ordering::Release);
            beats.question.store(question + 1, Ordering::Release);
            beats.asking.notify_one();
        }
    }

    /// How late the runtime is: as long as the open question waits, or as the last one did.
    pub(crate) fn lag(&self, now: Duration) -> Duration {
        let beats = &self.0;
        let last = Duration::from_nanos(beats.took.load(Ordering::Acquire));
        let open = beats.answered.load(Ordering::Acquire) != beats.question.load(Ordering::Acquire);
        if open {
            let asked = Duration::from_nanos(beats.asked.load(Ordering::Acquire));
            last.max(now.saturating_sub(asked))
        } else {
            last
        }
    }
}
