//! What an engine says of its devices: events, counted, and its memory, asked once a second.

use crate::notice;
use crate::record::catalog_engine::{DEVICE_ALLOCATOR, DEVICE_EVENTS};
use crate::record::combo;
use crate::record::local;
use crate::record::observe;
use crate::record::recorder::Recorder;
use crate::record::series::Kind;
use crate::vocab::device::{DeviceEvent, DeviceReading, DeviceStats};
use crate::vocab::foreign::contained;
use opentelemetry::KeyValue;
use opentelemetry::metrics::Meter;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, Builder, Thread};
use std::time::{Duration, Instant};

/// How often an engine is asked.
const PERIOD: Duration = Duration::from_secs(1);

/// More than any engine counts. Only a mistake says so, such as a difference below 0, and a counter that adds it would
/// wrap around: go down.
const MOST: u64 = 1 << 52;

/// What was said longer ago is left out: memory at rest of an engine that hangs hides the fault.
const STALE: Duration = Duration::from_secs(10);

/// Something has happened on a device, so many times: to the model of the request that runs here, else to the only one.
pub(crate) fn count(recorder: &Arc<Recorder>, device: &str, event: DeviceEvent, times: u64) {
    let current = combo::get(local::with(local::Local::combo)).filter(|combo| {
        combo
            .recorder()
            .is_some_and(|own| Arc::ptr_eq(&own, recorder))
    });
    let model = current.map_or_else(|| recorder.only_model(), |combo| combo.labels.model);
    let labels = [("device", device), ("event", event.as_str())];
    let series = recorder.count(&DEVICE_EVENTS, Some(model), &labels);
    local::with(|local| local.push(series.event(Kind::COUNT, times)));
}

/// The engines that know their memory. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Engines(Arc<Mutex<Asked>>);

#[derive(Debug, Default)]
struct Asked {
    stopped: bool,
    by_device: BTreeMap<Arc<str>, Engine>,
}

#[derive(Debug)]
struct Engine {
    stop: Arc<AtomicBool>,
    thread: Thread,
    said: Arc<Mutex<Option<(Instant, DeviceReading)>>>,
    counts: Arc<Mutex<Counts>>,
}

impl Engine {
    fn stop(&self) {
        self.stop.store(true, Ordering::Release);
        self.thread.unpark();
    }
}

impl Engines {
    /// Shows what they say from now on.
    pub(crate) fn observe(&self, meter: &Meter) {
        let engines = self.clone();
        observe::whole(meter, &DEVICE_ALLOCATOR, move |point| {
            let now = Instant::now();
            for (device, reading) in engines.readings(now) {
                for (state, bytes) in reading.bytes() {
                    let labels = [
                        KeyValue::new("device", Arc::clone(&device)),
                        KeyValue::new("state", state),
                    ];
                    if let Some(bytes) = bytes {
                        point.observe(i64::try_from(bytes).unwrap_or(i64::MAX), &labels);
                    }
                }
            }
        });
    }

    /// Asks this engine about this device from now on, instead of who was asked about it before.
    pub(crate) fn ask(
        &self,
        recorder: &Arc<Recorder>,
        device: Arc<str>,
        mut engine: impl DeviceStats,
    ) {
        let counts = {
            let known = lock(&self.0);
            if known.stopped {
                return;
            }
            // it may be the same engine: what was counted is not to be counted again
            let before = known.by_device.get(&device);
            before.map_or_else(Arc::default, |before| {
                before.stop();
                Arc::clone(&before.counts)
            })
        };
        let (stop, said) = (Arc::<AtomicBool>::default(), Arc::<Mutex<_>>::default());
        let (stopped, says, counted) = (Arc::clone(&stop), Arc::clone(&said), Arc::clone(&counts));
        let (weak, asked) = (Arc::downgrade(recorder), Arc::clone(&device));
        // a thread for each: one that hangs is nobody else's trouble
        let started = Builder::new()
            .name("instrument-engine".to_owned())
            .spawn(move || {
                while !stopped.load(Ordering::Acquire) {
                    let Ok(reading) = contained(|| engine.read()) else {
                        notice::report(&format!(
                            "the `DeviceStats` of device {asked} panicked, and is not asked any more"
                        ));
                        return;
                    };
                    let now = Instant::now();
                    *lock(&says) = Some((now, reading));
                    {
                        let mut counted = lock(&counted);
                        // whoever is asked instead may have counted more by now
                        if !stopped.load(Ordering::Acquire) {
                            counted.grow(&weak, &asked, &reading);
                        }
                    }
                    wait(&stopped, now + PERIOD);
                }
            });
        let thread = match started {
            Ok(handle) => handle.thread().clone(),
            Err(error) => {
                notice::report(&format!("device {device} is not asked: {error}"));
                return;
            }
        };
        let engine = Engine {
            stop,
            thread,
            said,
            counts,
        };
        let mut known = lock(&self.0);
        if known.stopped {
            engine.stop();
        } else if let Some(before) = known.by_device.insert(device, engine) {
            before.stop();
        }
    }

    /// Asks nobody any more, and waits for nobody.
    pub(crate) fn stop(&self) {
        let mut known = lock(&self.0);
        known.stopped = true;
        for (_, engine) in std::mem::take(&mut known.by_device) {
            engine.stop();
        }
    }

    fn readings(&self, now: Instant) -> Vec<(Arc<str>, DeviceReading)> {
        let known = lock(&self.0);
        let fresh = |engine: &Engine| {
            let (at, reading) = (*lock(&engine.said))?;
            (now.saturating_duration_since(at) <= STALE).then_some(reading)
        };
        let all = known.by_device.iter();
        all.filter_map(|(device, engine)| Some((Arc::clone(device), fresh(engine)?)))
            .collect()
    }
}

/// Until then, or until it is stopped: whatever the engine waits for may leave a wake-up behind.
fn wait(stopped: &AtomicBool, until: Instant) {
    while !stopped.load(Ordering::Acquire) {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        thread::park_timeout(left);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts of an engine, which begins at 0 again when it is started again.
#[derive(Debug, Default)]
struct Counts {
    alloc_retries: u64,
    ooms: u64,
}

impl Counts {
    fn grow(&mut self, recorder: &Weak<Recorder>, device: &str, reading: &DeviceReading) {
        let Some(recorder) = recorder.upgrade() else {
            return;
        };
        let events = [
            (
                &mut self.alloc_retries,
                reading.alloc_retries,
                DeviceEvent::AllocRetry,
            ),
            (&mut self.ooms, reading.ooms, DeviceEvent::Oom),
        ];
        for (before, now, event) in events {
            let grown = now.map_or(0, |now| grown(before, now));
            if (1..MOST).contains(&grown) {
                count(&recorder, device, event, grown);
            }
        }
    }
}

/// By how much a count has grown.
fn grown(before: &mut u64, now: u64) -> u64 {
    let was = std::mem::replace(before, now);
    now.checked_sub(was).unwrap_or(now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_that_starts_again_counts_from_0() {
        let mut before = 0;
        let steps = [(3, 3), (3, 0), (5, 2), (1, 1), (0, 0), (4, 4)];
        for (now, by) in steps {
            assert_eq!(grown(&mut before, now), by);
        }
    }

    #[test]
    fn a_wake_up_that_is_left_behind_ends_no_pause() {
        let until = Instant::now() + Duration::from_millis(20);
        thread::current().unpark();
        wait(&AtomicBool::default(), until);
        assert!(Instant::now() >= until);
        wait(&AtomicBool::new(true), until + Duration::from_secs(3_600));
    }

    #[test]
    fn what_was_said_long_ago_is_left_out() {
        let engines = Engines::default();
        let at = Instant::now();
        let reading = DeviceReading::new().allocated(7);
        let engine = Engine {
            stop: Arc::default(),
            thread: thread::current(),
            said: Arc::new(Mutex::new(Some((at, reading)))),
            counts: Arc::default(),
        };
        lock(&engines.0).by_device.insert("0".into(), engine);
        assert_eq!(engines.readings(at + STALE), [("0".into(), reading)]);
        let late = at + STALE + Duration::from_millis(1);
        assert_eq!(engines.readings(late), []);
    }
}
