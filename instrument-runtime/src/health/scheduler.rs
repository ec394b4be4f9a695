//! The scheduler's thread: outside of any runtime, so that no application can starve it.

use crate::health::board::Board;
use crate::health::engine::{Engine, Message};
use crate::health::spec::Provided;
use crate::notice;
use std::any::TypeId;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{Builder, JoinHandle, sleep};
use std::time::Duration;

/// After a panic, and at most.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Messages between two steps.
const MOST_TOLD: usize = 256;

/// States that the scheduler has not fetched yet: of each type the last, however often it was given.
type Waiting = Mutex<HashMap<TypeId, Provided>>;

/// The scheduler's thread. Ends when told to.
#[derive(Debug)]
pub(crate) struct Scheduler {
    tell: Sender<Message>,
    provided: Arc<Waiting>,
    thread: Option<JoinHandle<()>>,
}

impl Scheduler {
    /// # Errors
    /// When the system has no thread left.
    pub(crate) fn start(
        board: Board,
        mut engine: Engine,
        (tell, told): (Sender<Message>, Receiver<Message>),
        restarts: Arc<AtomicU64>,
    ) -> std::io::Result<Scheduler> {
        let provided = Arc::<Waiting>::default();
        let waiting = Arc::clone(&provided);
        let thread = Builder::new()
            .name("instrument-check-scheduler".to_owned())
            .spawn(move || {
                let mut pause = FIRST_PAUSE;
                loop {
                    let ran = catch_unwind(AssertUnwindSafe(|| {
                        run(&board, &mut engine, &told, &waiting);
                    }));
                    if ran.is_ok() {
                        return;
                    }
                    restarts.fetch_add(1, Ordering::Relaxed);
                    notice::report(
                        "a panic in the scheduler of checks was contained; please report it",
                    );
                    // not to be woken: this is the pause
                    sleep(pause);
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            })?;
        Ok(Scheduler {
            tell,
            provided,
            thread: Some(thread),
        })
    }

    /// A state for the checks that want its type. Gives back the one that nobody needs any more, to be dropped where no
    /// lock is held.
    pub(crate) fn provide(&self, id: TypeId, state: Provided) -> Option<Provided> {
        let (first, replaced) = {
            let mut waiting = self.provided.lock().unwrap_or_else(PoisonError::into_inner);
            (waiting.is_empty(), waiting.insert(id, state))
        };
        if first {
            self.tell(Message::Deliver);
        }
        replaced
    }

    /// Never waits.
    pub(crate) fn tell(&self, message: Message) {
        // after the end nobody listens
        let _ = self.tell.send(message);
    }
}

impl Drop for Scheduler {
    fn drop(&mut self) {
        self.tell(Message::Stop);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn run(board: &Board, engine: &mut Engine, told: &Receiver<Message>, waiting: &Waiting) {
    loop {
        let again = engine.step();
        let mut wait = again.saturating_sub(board.now());
        // what is there, then one step: whoever tells without end is not to keep it from its work
        for _ in 0..MOST_TOLD {
            match told.recv_timeout(wait) {
                Ok(Message::Deliver) => {
                    let mut waiting = waiting.lock().unwrap_or_else(PoisonError::into_inner);
                    let provided = std::mem::take(&mut *waiting);
                    drop(waiting);
                    for (id, state) in provided {
                        engine.tell(Message::Provide(id, state));
                    }
                }
                Ok(message) => {
                    if !engine.tell(message) {
                        return;
                    }
                }
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => return,
            }
            wait = Duration::ZERO;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::health::job::Job;
    use crate::health::rig::{HealthRig, spec};
    use crate::health::runner::{Run, RunId, Runner};
    use crate::health::spec::CheckSpec;
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc::channel;

    const CHECK: CheckSpec = spec("tokenizer");

    /// A fault of ours, once.
    struct Faulty(Arc<AtomicBool>);

    impl Runner for Faulty {
        fn start(&mut self, _: RunId, _: &Job) -> Option<Box<dyn Run>> {
            assert!(self.0.swap(true, Ordering::AcqRel), "a fault of ours");
            None
        }
    }

    #[test]
    fn a_scheduler_that_panics_is_started_again() {
        let rig = HealthRig::new(&[CHECK]);
        let began = Arc::<AtomicBool>::default();
        let engine = rig.engine_with(Box::new(Faulty(Arc::clone(&began))));
        let restarts = Arc::<AtomicU64>::default();
        let counted = Arc::clone(&restarts);
        let scheduler =
            Scheduler::start(rig.board.clone(), engine, channel(), counted).expect("a thread");
        let end = std::time::Instant::now() + Duration::from_secs(60);
        // what could not be started is counted by the scheduler that came after
        while rig.stats[0].runs()[7] == 0 {
            assert!(std::time::Instant::now() < end, "it does not come back");
            std::thread::park_timeout(Duration::from_millis(5));
        }
        assert_eq!(restarts.load(Ordering::Acquire), 1);
        drop(scheduler);
    }
}
