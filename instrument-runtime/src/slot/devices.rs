//! What is known to be wrong with the devices of this process: what their driver says, and what the service says itself.

use crate::slot::state::Changed;
use crate::vocab::device_name::{MOST, OTHER, trimmed};
use crate::vocab::error_type::ErrorType;
use crate::vocab::outcome::Outcome;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A fault is sticky, as CUDA has it, when whatever is executed next fails as well: once may be a mistake.
const STICKY: u32 = 2;

/// How many executions have failed on their device and have not gone well since, in all runtimes.
static SUSPECTS: AtomicUsize = AtomicUsize::new(0);

/// Whether health wants to know of an execution that ended so.
#[inline]
pub(crate) fn may_matter(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Error(error) => error == ErrorType::DeviceFault,
        Outcome::Ok => SUSPECTS.load(Ordering::Relaxed) != 0,
        _ => false,
    }
}

/// What a device does not recover from by itself, the worst first.
#[cfg_attr(
    not(feature = "nvml"),
    allow(dead_code, reason = "what the driver says")
)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// It fell off the bus.
    Lost,
    /// Its driver says so, by the number of an Xid event.
    Xid(u64),
    /// Memory errors that could not be corrected.
    Uncorrectable,
    /// The engine says so.
    Reported,
    /// Executions fail on it, one after the other.
    Sticky,
}

/// How the devices are, all together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    /// None is expected.
    Absent,
    Well,
    /// The worst that is wrong with any of them.
    Broken(Fault),
}

/// The devices of this process. Cheap to clone.
#[derive(Clone, Default)]
pub(crate) struct Devices(Arc<Inner>);

#[derive(Default)]
struct Inner {
    known: Mutex<Known>,
    changed: OnceLock<Changed>,
}

#[derive(Debug, Default)]
struct Known {
    names: BTreeSet<Arc<str>>,
    /// Those that the service calls broken; `None` as long as it has said nothing of any. By the device's own name: where
    /// there are too many, the label of one is that of another.
    told: Option<BTreeSet<Box<str>>>,
    /// Executions that have failed on their device, and how often since one went well: by model and device.
    failed: BTreeMap<Box<str>, u32>,
    /// By the driver; `None` where it knows of no device, or cannot be asked.
    seen: Option<Vec<Fault>>,
}

impl Devices {
    /// The name of a device as a label: as it is given, as long as it is one and there are not too many.
    pub(crate) fn name(&self, device: &str) -> Arc<str> {
        let device = own_name(device);
        let mut known = self.known();
        if let Some(name) = known.names.get(device) {
            return Arc::clone(name);
        }
        let name: Arc<str> = if known.names.len() < MOST {
            device.into()
        } else {
            OTHER.into()
        };
        known.names.insert(Arc::clone(&name));
        name
    }

    /// The service says that a device is broken. Of so many at once it is enough to know that they are.
    pub(crate) fn breaks(&self, device: &str) {
        let device = own_name(device);
        self.change(|known| {
            let told = known.told.get_or_insert_default();
            if told.len() < MOST {
                told.insert(device.into());
            }
        });
    }

    /// The service says that a device works again.
    pub(crate) fn recovers(&self, device: &str) {
        let device = own_name(device);
        self.change(|known| {
            if let Some(told) = &mut known.told {
                told.remove(device);
            }
        });
    }

    /// An execution has failed on its device, by an error that says so by its type. Not told at once, as the others are:
    /// health looks anyway.
    pub(crate) fn failed(&self, execution: &str) {
        let mut known = self.known();
        let all = known.failed.len();
        let times = match known.failed.get_mut(execution) {
            Some(times) => times,
            None if all < MOST => {
                SUSPECTS.fetch_add(1, Ordering::AcqRel);
                known.failed.entry(execution.into()).or_default()
            }
            None => return,
        };
        *times = times.saturating_add(1);
        if *times >= STICKY {
            known.told.get_or_insert_default();
        }
    }

    /// An execution went well: what was wrong with its device was not for good.
    pub(crate) fn worked(&self, execution: &str) {
        if self.known().failed.remove(execution).is_some() {
            SUSPECTS.fetch_sub(1, Ordering::AcqRel);
        }
    }

    /// The driver says what is wrong with the devices of this process; `None` where there is none, or nothing is known.
    #[cfg_attr(
        not(feature = "nvml"),
        allow(dead_code, reason = "what the driver says")
    )]
    pub(crate) fn see(&self, faults: Option<Vec<Fault>>) {
        self.change(|known| known.seen = faults);
    }

    pub(crate) fn condition(&self) -> Condition {
        self.known().condition()
    }

    /// Whom to tell when their condition changes. The first one stays.
    pub(crate) fn on_change(&self, changed: Changed) {
        let _ = self.0.changed.set(changed);
    }

    fn change(&self, change: impl FnOnce(&mut Known)) {
        let is_news = {
            let mut known = self.known();
            let before = known.condition();
            change(&mut known);
            known.condition() != before
        };
        // whoever is told asks again
        if let Some(changed) = self.0.changed.get().filter(|_| is_news) {
            changed();
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As the service means it.
fn own_name(device: &str) -> &str {
    trimmed(device).unwrap_or(OTHER)
}

impl Known {
    fn condition(&self) -> Condition {
        if self.seen.is_none() && self.told.is_none() {
            return Condition::Absent;
        }
        let told = self.told.iter().flatten().map(|_| Fault::Reported);
        let sticky = self.failed.values().filter(|times| **times >= STICKY);
        let sticky = sticky.map(|_| Fault::Sticky);
        let seen = self.seen.iter().flatten().copied();
        let worst = seen.chain(told).chain(sticky).min();
        worst.map_or(Condition::Well, Condition::Broken)
    }
}

impl std::fmt::Debug for Devices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Devices")
            .field("known", &*self.known())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU32;

    #[test]
    fn what_is_wrong_is_the_worst_of_both_sides() {
        let devices = Devices::default();
        let told = Arc::new(AtomicU32::new(0));
        let counts = Arc::clone(&told);
        devices.on_change(Arc::new(move || {
            counts.fetch_add(1, Ordering::Relaxed);
        }));
        assert_eq!(devices.condition(), Condition::Absent);
        devices.see(Some(vec![]));
        assert_eq!(devices.condition(), Condition::Well);
        devices.see(Some(vec![Fault::Xid(79), Fault::Lost]));
        assert_eq!(devices.condition(), Condition::Broken(Fault::Lost));
        devices.see(Some(vec![Fault::Lost]));
        devices.breaks("0");
        devices.see(None);
        assert_eq!(devices.condition(), Condition::Broken(Fault::Reported));
        devices.recovers("0");
        assert_eq!(devices.condition(), Condition::Well);
        assert_eq!(told.load(Ordering::Relaxed), 4, "changes, not calls");
    }

    #[test]
    fn the_recovery_of_one_is_not_that_of_another() {
        let devices = Devices::default();
        devices.recovers("0");
        assert_eq!(devices.condition(), Condition::Absent, "nobody spoke of it");
        for number in 0..MOST {
            devices.name(&number.to_string());
        }
        devices.breaks(" one more\n");
        devices.recovers("another");
        devices.recovers(OTHER);
        assert_eq!(devices.condition(), Condition::Broken(Fault::Reported));
        devices.recovers("one more");
        assert_eq!(devices.condition(), Condition::Well);
        for number in 0..2 * MOST {
            devices.breaks(&number.to_string());
        }
        assert_eq!(devices.known().told.as_ref().map(BTreeSet::len), Some(MOST));
        for number in 0..2 * MOST {
            devices.recovers(&number.to_string());
        }
        assert_eq!(devices.condition(), Condition::Well);
    }

    #[test]
    fn what_fails_again_and_again_is_broken_until_it_works() {
        let devices = Devices::default();
        devices.failed("a");
        devices.failed("b");
        assert_eq!(devices.condition(), Condition::Absent, "each once");
        assert!(may_matter(Outcome::Ok));
        devices.failed("a");
        assert_eq!(devices.condition(), Condition::Broken(Fault::Sticky));
        devices.worked("b");
        assert_eq!(devices.condition(), Condition::Broken(Fault::Sticky));
        devices.worked("a");
        assert_eq!(devices.condition(), Condition::Well);
        for number in 0..2 * MOST {
            devices.failed(&number.to_string());
        }
        assert_eq!(devices.known().failed.len(), MOST);
        for number in 0..2 * MOST {
            devices.worked(&number.to_string());
        }
    }

    #[test]
    fn names_are_bounded() {
        let devices = Devices::default();
        for number in 0..MOST {
            assert_eq!(*devices.name(&number.to_string()), *number.to_string());
        }
        assert_eq!(&*devices.name("one more"), OTHER);
        assert_eq!(&*devices.name(" "), OTHER);
        assert_eq!(&*devices.name(" 0\n"), "0");
        assert_eq!(&*devices.name("0"), "0");
        assert_eq!(devices.known().names.len(), MOST + 1);
    }

    #[test]
    fn a_name_is_always_a_label() {
        let devices = Devices::default();
        assert_eq!(
            &*devices.name(""),
            OTHER,
            "to Prometheus it would be no label"
        );
        let long = format!("x{}", "é".repeat(10 * 1024));
        assert_eq!(devices.name(&long).len(), 127);
        assert_eq!(devices.known().names.len(), 2);
    }
}
