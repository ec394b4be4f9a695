//! The thread that looks at the devices: a call that hangs keeps nobody waiting but this thread.

use crate::gpu::backend::{GpuBackend, GpuSession};
use crate::gpu::device::STALE;
use crate::gpu::rounds::{Rounds, Went};
use crate::gpu::snapshot::{Published, Snapshot, State};
use crate::gpu::trouble::Trouble;
use crate::gpu::visible::Visible;
use crate::notice;
use std::hash::{BuildHasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Thread, park_timeout};
use std::time::{Duration, Instant};

/// From one look to the next: several between two scrapes, and few enough that eight devices, which take up to some
/// milliseconds for each call, cost next to nothing.
const INTERVAL: Duration = Duration::from_secs(2);

/// How long nothing is tried after the first failure; twice as long after each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// Where that ends. Also how long a session goes on in which a device does not answer: only a new one finds a device
/// that was reset.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// How long a stop waits for the library to be closed: a process that ends within a call may crash in the library's own
/// end. A call that hangs is left behind.
const PARTING: Duration = Duration::from_millis(200);

/// Looks until it is dropped.
#[derive(Debug)]
pub(crate) struct Collector {
    stop: Arc<AtomicBool>,
    /// Disconnected when the thread has ended.
    running: Receiver<()>,
    thread: Thread,
    published: Published,
}

impl Collector {
    /// # Errors
    /// When the system has no thread left.
    pub(crate) fn start(
        backend: impl GpuBackend + 'static,
        visible: Visible,
        tell: impl Fn(&Snapshot) + Send + 'static,
    ) -> std::io::Result<Collector> {
        let (stop, published) = (Arc::<AtomicBool>::default(), Published::default());
        let mut looking = Looking {
            rounds: Rounds::new(visible),
            stop: Arc::clone(&stop),
            published: published.clone(),
            told: Vec::new(),
            tell: Box::new(tell),
        };
        let (runs, running) = channel();
        let thread = Builder::new()
            .name("instrument-gpu".into())
            .spawn(move || {
                let _runs: Sender<()> = runs;
                looking.run(&backend);
            })?;
        Ok(Collector {
            stop,
            running,
            thread: thread.thread().clone(),
            published,
        })
    }

    pub(crate) fn published(&self) -> &Published {
        &self.published
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
        self.thread.unpark();
        // not joined: it may never return
        let _ = self.running.recv_timeout(PARTING);
    }
}

struct Looking {
    rounds: Rounds,
    stop: Arc<AtomicBool>,
    published: Published,
    /// States that were told to people: each once.
    told: Vec<State>,
    /// Told of each look.
    tell: Box<dyn Fn(&Snapshot) + Send>,
}

impl Looking {
    fn run(&mut self, backend: &dyn GpuBackend) {
        let mut pause = FIRST_PAUSE;
        while !self.stopped() {
            let begun = self.begin();
            let mut worked = false;
            let session = catch_unwind(AssertUnwindSafe(|| {
                backend.session(&mut |session| worked = self.watch(session, begun))
            }));
            match session {
                Ok(Ok(())) => {}
                Ok(Err(trouble)) => {
                    self.rounds.failed(trouble);
                    self.end(begun);
                }
                Err(_) => {
                    notice::report("a panic while reading GPUs was contained; please report it");
                    self.rounds.failed(Trouble::Panic);
                    self.end(begun);
                }
            }
            pause = if worked { FIRST_PAUSE } else { pause };
            self.wait(jittered(pause, random()));
            pause = (2 * pause).min(LONGEST_PAUSE);
        }
    }

    /// Looks at the devices of a session until a new one is needed. Says whether any of them ever answered.
    fn watch(&mut self, session: &mut dyn GpuSession, mut begun: Instant) -> bool {
        let opened = begun;
        if !self.rounds.open(session, begun) {
            self.end(begun);
            return false;
        }
        let mut worked = false;
        loop {
            let went = self.rounds.round(session, Instant::now());
            self.end(begun);
            worked |= went != Went::Badly;
            let is_over = match went {
                Went::Well => false,
                Went::Partly => opened.elapsed() > LONGEST_PAUSE,
                Went::Badly => true,
            };
            if is_over {
                return worked;
            }
            self.wait(INTERVAL);
            if self.stopped() {
                return worked;
            }
            begun = self.begin();
        }
    }

    /// From here on the library is busy.
    fn begin(&self) -> Instant {
        let now = Instant::now();
        self.published.publish(self.rounds.snapshot(Some(now)));
        now
    }

    fn end(&mut self, begun: Instant) {
        if begun.elapsed() > STALE {
            self.rounds.count(Trouble::Hung);
        }
        let snapshot = self.rounds.snapshot(None);
        self.report(&snapshot);
        (self.tell)(&snapshot);
        self.published.publish(snapshot);
    }

    fn report(&mut self, snapshot: &Snapshot) {
        let Some(state) = snapshot.state else { return };
        // a machine without GPUs is nothing to tell: builds for both kinds are run on both
        let is_trouble = !matches!(state, State::Ok | State::NoLibrary | State::NoDevice);
        if is_trouble && !self.told.contains(&state) {
            self.told.push(state);
            let silent = snapshot.devices.iter().filter_map(|device| {
                let trouble = device.trouble?.as_str();
                Some(format!(", {}: {trouble}", device.id))
            });
            let (state, silent) = (state.as_str(), silent.collect::<String>());
            notice::report(&format!(
                "the GPUs cannot all be read: {state}{silent}; see inference_gpu_collector_state"
            ));
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Acquire)
    }

    /// A wake-up before the time is a stop, or nothing that would do harm.
    fn wait(&self, time: Duration) {
        if !self.stopped() {
            park_timeout(time);
        }
    }
}

/// Replicas that failed together are not to try again together: from half of it to all.
fn jittered(pause: Duration, random: f64) -> Duration {
    pause.mul_f64(0.5 + 0.5 * random)
}

/// From 0 to 1; nobody depends on how good it is.
fn random() -> f64 {
    let number = RandomState::new().hash_one(0);
    f64::from(u32::try_from(number >> 32).unwrap_or_default()) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::scripted::Scripted;

    #[test]
    fn replicas_do_not_try_again_together() {
        let pause = Duration::from_secs(8);
        assert_eq!(jittered(pause, 0.0), pause / 2);
        assert_eq!(jittered(pause, 1.0), pause);
        assert!((0.0..=1.0).contains(&random()));
    }

    /// Panics once, hangs once, then works.
    struct Bad(Sender<()>, std::sync::Mutex<Receiver<()>>, AtomicBool);

    impl GpuBackend for Bad {
        fn session(&self, work: &mut dyn FnMut(&mut dyn GpuSession)) -> Result<(), Trouble> {
            assert!(self.2.swap(true, Ordering::Relaxed), "the first time");
            let _ = self.0.send(());
            let _ = self.1.lock().unwrap().recv();
            work(&mut Scripted::of(&["GPU-a"]));
            Ok(())
        }
    }

    #[test]
    fn a_library_that_panics_and_hangs_keeps_nobody_waiting() {
        let ((hangs, is_hung), (go_on, may_go_on)) = (channel(), channel());
        let bad = Bad(
            hangs,
            std::sync::Mutex::new(may_go_on),
            AtomicBool::new(false),
        );
        let collector = Collector::start(bad, Visible::default(), |_: &Snapshot| {}).unwrap();
        is_hung.recv_timeout(Duration::from_secs(60)).unwrap();
        let newest = collector.published().newest();
        assert!(newest.busy.is_some());
        assert_eq!(newest.errors[Trouble::Panic as usize], 1);
        let published = collector.published().clone();
        // returns, though the call does not
        drop(collector);
        drop(go_on);
        let deadline = Instant::now() + Duration::from_secs(60);
        while published.newest().state != Some(State::Ok) {
            assert!(Instant::now() < deadline);
            std::thread::yield_now();
        }
    }
}
