//! Work that may block, with a bound on time, from any runtime flavour and from none.
//!
//! The SDK blocks the thread that flushes, some of its exporters need the runtime that this thread would have to
//! drive, and it has no bound of its own. So the work has a thread of its own, and another one watches the clock.

use crate::runtime::error::FlushError;
use futures_channel::oneshot;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread::Builder;
use std::time::Duration;

/// Something that may take long.
pub(crate) type Work = Box<dyn FnOnce() -> Result<(), String> + Send>;

/// How many flushes may be under way. Each has two threads, which stay when whoever asked for it has left.
const MOST_FLUSHES: usize = 128;

static FLUSHES: AtomicUsize = AtomicUsize::new(0);

/// A flush that is under way.
struct Flushing;

impl Flushing {
    fn begin() -> Result<Flushing, FlushError> {
        let room = |flushes| (flushes < MOST_FLUSHES).then_some(flushes + 1);
        FLUSHES
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, room)
            .map(|_| Flushing)
            .map_err(|flushes| FlushError::Failed(format!("{flushes} flushes are under way")))
    }
}

impl Drop for Flushing {
    fn drop(&mut self) {
        FLUSHES.fetch_sub(1, Ordering::AcqRel);
    }
}

/// As [`awaited`], for work that anybody may ask for again and again.
pub(crate) async fn flushed(limit: Duration, work: Work) -> Result<(), FlushError> {
    let flushing = Flushing::begin()?;
    let work = move || {
        let _flushing = flushing;
        work()
    };
    awaited(limit, Box::new(work)).await
}

/// Starts the work and does not wait for it.
fn start(work: Work) -> Result<mpsc::Receiver<Result<(), String>>, FlushError> {
    let (done, finished) = mpsc::channel();
    let run = move || {
        let _ = done.send(work());
    };
    let thread = Builder::new()
        .name("instrument-flush".to_owned())
        .spawn(run);
    thread
        .map(|_| finished)
        .map_err(|error| FlushError::Failed(error.to_string()))
}

fn wait(finished: &mpsc::Receiver<Result<(), String>>, limit: Duration) -> Result<(), FlushError> {
    match finished.recv_timeout(limit) {
        Ok(result) => result.map_err(FlushError::Failed),
        Err(mpsc::RecvTimeoutError::Timeout) => Err(FlushError::TimedOut(limit)),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            Err(FlushError::Failed("it panicked".to_owned()))
        }
    }
}

/// Blocks this thread until the work is done, `limit` at most.
pub(crate) fn blocking(limit: Duration, work: Work) -> Result<(), FlushError> {
    wait(&start(work)?, limit)
}

/// Waits for the work, `limit` at most, without a timer of anybody's runtime.
pub(crate) async fn awaited(limit: Duration, work: Work) -> Result<(), FlushError> {
    let finished = start(work)?;
    let (tell, told) = oneshot::channel();
    let watch = move || {
        let _ = tell.send(wait(&finished, limit));
    };
    let watcher = Builder::new()
        .name("instrument-watch".to_owned())
        .spawn(watch);
    watcher.map_err(|error| FlushError::Failed(error.to_string()))?;
    told.await
        .unwrap_or_else(|_| Err(FlushError::Failed("it panicked".to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_that_never_ends_is_left_behind() {
        let (_keep, never) = mpsc::channel::<()>();
        let limit = Duration::from_millis(20);
        let result = blocking(
            limit,
            Box::new(move || never.recv().map_err(|error| error.to_string())),
        );
        assert_eq!(result, Err(FlushError::TimedOut(limit)));
    }

    #[test]
    fn a_panic_and_a_failure_are_told_apart_from_success() {
        let limit = Duration::from_secs(60);
        assert_eq!(blocking(limit, Box::new(|| Ok(()))), Ok(()));
        let failed = blocking(limit, Box::new(|| Err("no".to_owned())));
        assert_eq!(failed, Err(FlushError::Failed("no".to_owned())));
    }
}
