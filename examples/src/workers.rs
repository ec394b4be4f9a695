//! Room for work that blocks, never on the threads that serve connections: as many short jobs at a time as there are
//! turns, and a thread for a job that lasts.

use std::convert::Infallible;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::thread::{self, available_parallelism};

use instrument_inference::inference_stage;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::task::spawn_blocking;

/// Hands out turns to block a thread. Cheap to clone.
///
/// How many requests wait for one is not bounded here: a service that is open to the world should refuse some.
#[derive(Clone, Debug)]
pub struct Workers(Arc<Semaphore>);

/// The right to block one thread for one job.
#[derive(Debug)]
#[must_use = "others wait for it"]
pub struct Turn(#[expect(dead_code, reason = "held for its destructor")] OwnedSemaphorePermit);

impl Workers {
    /// A turn for each processor: more would only take time from each other.
    #[must_use]
    pub fn one_per_processor() -> Workers {
        let processors = available_parallelism().map_or(1, usize::from);
        Workers(Arc::new(Semaphore::new(processors)))
    }

    /// Waits for a turn. A stage of its own, told apart from `queue`, which is in front of the model.
    ///
    /// # Panics
    ///
    /// Never: nobody closes the semaphore.
    #[inference_stage("turn")]
    pub async fn turn(&self) -> Turn {
        let turn = Arc::clone(&self.0).acquire_owned().await;
        Turn(turn.expect("nobody closes the semaphore"))
    }

    /// Waits until a turn could be had, and takes none. Of no request, so it is no stage either.
    pub async fn free(&self) {
        drop(self.0.acquire().await);
    }
}

impl Turn {
    /// Runs `work` on a thread that may block, and panics where it panics.
    ///
    /// A job cannot be stopped. When nobody waits for it any more it goes on, and keeps its turn until it is done.
    pub async fn run<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let job = spawn_blocking(move || {
            let _turn = self;
            work()
        });
        match job.await {
            Ok(value) => value,
            Err(error) => match error.try_into_panic() {
                Ok(panic) => resume_unwind(panic),
                // The runtime is shutting down, and this task goes with it.
                Err(_) => std::future::pending().await,
            },
        }
    }
}

/// A thread for one job that lasts, such as running a model.
#[derive(Debug)]
pub struct Thread {
    /// Its other end is gone when the thread is.
    runs: oneshot::Receiver<Infallible>,
}

impl Thread {
    /// Runs `work` until it returns. When it panics it is begun again: what it was at is lost, and nothing else.
    ///
    /// # Errors
    ///
    /// If the system has no thread left.
    pub fn spawn(name: &str, work: impl Fn() + Send + 'static) -> io::Result<Thread> {
        let (tell, runs) = oneshot::channel();
        thread::Builder::new().name(name.into()).spawn(move || {
            // Before the value that tells: whoever waits for the end finds what `work` held gone.
            let (_tell, work) = (tell, work);
            while catch_unwind(AssertUnwindSafe(&work)).is_err() {}
        })?;
        Ok(Thread { runs })
    }

    /// Waits until `work` has returned.
    pub async fn ended(self) {
        let _ = self.runs.await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[tokio::test]
    async fn an_abandoned_job_keeps_its_turn_until_it_is_done() {
        let workers = Workers(Arc::new(Semaphore::new(1)));
        let (release, held) = mpsc::channel::<()>();
        let (tell, told) = tokio::sync::oneshot::channel();
        let turn = workers.turn().await;
        tokio::select! {
            _ = turn.run(move || { let _ = tell.send(()); held.recv() }) => unreachable!("it is held"),
            _ = told => {}
        }
        assert_eq!(workers.0.available_permits(), 0);
        release.send(()).expect("the job waits for it");
        drop(workers.turn().await);
    }

    #[tokio::test]
    async fn a_panic_of_the_job_is_one_of_whoever_waits() {
        let workers = Workers::one_per_processor();
        let waiting = tokio::spawn(async move {
            let turn = workers.turn().await;
            turn.run(|| panic!("boom")).await
        });
        assert!(waiting.await.is_err_and(|error| error.is_panic()));
    }

    #[tokio::test]
    async fn a_panic_does_not_end_a_thread() {
        let (send, jobs) = mpsc::channel();
        let (tell, done) = mpsc::channel();
        let thread = Thread::spawn("jobs", move || {
            while let Ok(job) = jobs.recv() {
                assert_ne!(job, 0, "boom");
                tell.send(job).expect("the test listens");
            }
        });
        let thread = thread.expect("a thread");
        for job in [1, 0, 2] {
            send.send(job).expect("the thread listens");
        }
        drop(send);
        thread.ended().await;
        assert_eq!(done.iter().collect::<Vec<_>>(), [1, 2]);
    }
}
