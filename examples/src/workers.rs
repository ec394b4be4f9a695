//! Room for work that blocks: as many jobs at a time as there are turns, never on the threads that serve connections.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::available_parallelism;

use instrument_inference::inference_stage;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::spawn_blocking;

/// Hands out turns to block a thread. Cheap to clone.
///
/// How many requests wait for one is not bounded here: a service that is open to the world should refuse some.
#[derive(Clone, Debug)]
pub struct Workers(Arc<Semaphore>);

/// The right to block one thread at a time.
#[derive(Debug)]
pub struct Turn(Arc<OwnedSemaphorePermit>);

impl Workers {
    /// A turn for each processor: more would only take time from each other.
    #[must_use]
    pub fn one_per_processor() -> Workers {
        let processors = available_parallelism().map_or(1, usize::from);
        Workers(Arc::new(Semaphore::new(processors)))
    }

    /// Waits for a turn.
    ///
    /// # Panics
    ///
    /// Never: nobody closes the semaphore.
    #[inference_stage("queue")]
    pub async fn turn(&self) -> Turn {
        let turn = Arc::clone(&self.0).acquire_owned().await;
        Turn(Arc::new(turn.expect("nobody closes the semaphore")))
    }
}

impl Turn {
    /// Runs `work` on a thread that may block, and panics where it panics.
    ///
    /// A job cannot be stopped. When nobody waits for it any more it goes on, and keeps its turn until it is done.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let turn = Arc::clone(&self.0);
        let job = spawn_blocking(move || {
            let _turn = turn;
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
        drop(turn);
        assert_eq!(workers.0.available_permits(), 0);
        release.send(()).expect("the job waits for it");
        workers.turn().await;
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
}
