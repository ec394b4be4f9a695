//! How late the application's runtime is: the scheduler asks, a task of that runtime answers as soon as it is run.
//! Without timers, since a runtime need not have any.

use crate::health::clock::nanos;
use crate::peak::Peak;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
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
    /// Of the last minute, in seconds.
    longest: Mutex<Peak>,
    /// Somebody answers; not after the runtime has ended.
    listening: AtomicBool,
    stopped: AtomicBool,
}

/// The task that answers.
struct Listener(Arc<Beats>);

impl Listener {
    fn answer(&self, now: Duration) {
        let beats = &self.0;
        let took = nanos(now).saturating_sub(beats.asked.load(Ordering::Acquire));
        beats.took.store(took, Ordering::Release);
        let mut longest = beats.longest.lock().unwrap_or_else(PoisonError::into_inner);
        longest.record(now, Duration::from_nanos(took).as_secs_f64());
        let question = beats.question.load(Ordering::Acquire);
        beats.answered.store(question, Ordering::Release);
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.0.listening.store(false, Ordering::Release);
    }
}

impl Heartbeat {
    /// A task of `runtime` answers from now on.
    pub(crate) fn listen(&self, runtime: &Handle, now: impl Fn() -> Duration + Send + 'static) {
        self.0.listening.store(true, Ordering::Release);
        let listener = Listener(Arc::clone(&self.0));
        runtime.spawn(async move {
            while !listener.0.stopped.load(Ordering::Acquire) {
                listener.0.asking.notified().await;
                listener.answer(now());
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

    /// How late the runtime was at most in the last minute, or is now, in seconds. `None` where nobody answers: there is no
    /// runtime, it has ended, or it was not asked yet.
    pub(crate) fn longest(&self, now: Duration) -> Option<f64> {
        let beats = &self.0;
        if !beats.listening.load(Ordering::Acquire) || beats.question.load(Ordering::Acquire) == 0 {
            return None;
        }
        let mut longest = beats.longest.lock().unwrap_or_else(PoisonError::into_inner);
        let longest = longest.largest(now).unwrap_or_default();
        Some(self.lag(now).as_secs_f64().max(longest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;
    use tokio::runtime::Builder;
    use tokio::task::yield_now;

    /// A runtime that runs when the test lets it, and a clock that the test moves.
    #[test]
    fn the_longest_lag_is_remembered_and_an_open_one_grows() {
        let runtime = Builder::new_current_thread().build().expect("a runtime");
        let turn = || {
            runtime.block_on(async {
                for _ in 0..3 {
                    yield_now().await;
                }
            });
        };
        let at = Arc::<AtomicU64>::default();
        let now = Arc::clone(&at);
        let now = move || Duration::from_secs(now.load(Ordering::Acquire));
        let heartbeat = Heartbeat::default();
        assert_eq!(heartbeat.longest(now()), None, "no runtime");
        heartbeat.listen(runtime.handle(), now.clone());
        turn();
        assert_eq!(heartbeat.longest(now()), None, "nobody has asked");
        at.store(10, Ordering::Release);
        heartbeat.ask(now());
        at.store(13, Ordering::Release);
        assert_eq!(heartbeat.longest(now()), Some(3.0), "it is overdue");
        turn();
        assert_eq!(heartbeat.longest(now()), Some(3.0));
        heartbeat.ask(now());
        turn();
        assert_eq!(heartbeat.longest(now()), Some(3.0), "within the minute");
        at.store(100, Ordering::Release);
        assert_eq!(heartbeat.longest(now()), Some(0.0), "forgotten");
        heartbeat.ask(now());
        at.store(104, Ordering::Release);
        assert_eq!(heartbeat.longest(now()), Some(4.0));
        drop(runtime);
        assert_eq!(heartbeat.longest(now()), None, "the runtime has ended");
    }
}
