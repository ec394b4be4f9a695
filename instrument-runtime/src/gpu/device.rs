//! What is known of one device: what it said last, and what it cannot recover from.

use crate::gpu::backend::{Identity, Readings};
use crate::gpu::trouble::Trouble;
use crate::gpu::visible::Target;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// What was said longer ago is left out: a dashboard that shows a device at rest which hangs hides the fault. Five rounds.
pub(crate) const STALE: Duration = Duration::from_secs(10);

/// Different events of one device that are counted by their number.
const MOST_XIDS: usize = 64;

/// How a device is, in the words of OpenTelemetry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Status {
    Ok,
    Degraded,
    Failed,
}

impl Status {
    pub(crate) const ALL: [Status; 3] = [Status::Ok, Status::Degraded, Status::Failed];

    /// The label `hw_state`.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Degraded => "degraded",
            Status::Failed => "failed",
        }
    }
}

/// What does not go away by itself, and since when it is known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Faults {
    /// Until it answers again.
    pub(crate) lost: Option<Instant>,
    /// The last event after which it cannot go on, with its number.
    pub(crate) fatal_xid: Option<(u64, Instant)>,
    /// Memory errors that came since this process first looked.
    pub(crate) uncorrectable: Option<Instant>,
}

#[derive(Debug, Clone)]
pub(crate) struct Device {
    /// Its UUID; of one that never said it, its number on the bus.
    pub(crate) id: String,
    pub(crate) name: Option<String>,
    /// The UUID of the device that an instance is on.
    pub(crate) parent: Option<String>,
    /// It is a MIG instance, or divided into some.
    pub(crate) mig: bool,
    pub(crate) faults: Faults,
    /// Why it did not answer when it was last asked.
    pub(crate) trouble: Option<Trouble>,
    /// How often each event came.
    pub(crate) xids: BTreeMap<u64, u64>,
    index: u32,
    identified: bool,
    readings: Readings,
    answered: Option<Instant>,
    /// What it had when this process first looked.
    uncorrected_before: Option<u64>,
}

impl Device {
    pub(crate) fn new(target: &Target) -> Device {
        let place = target.place;
        let (id, name) = match &target.identity {
            Some(Identity { uuid, name }) => (uuid.clone(), Some(name.clone())),
            None => (format!("index-{}", place.index), None),
        };
        Device {
            id,
            name,
            parent: target.parent.clone(),
            mig: target.mig,
            faults: Faults::default(),
            trouble: None,
            xids: BTreeMap::new(),
            index: place.index,
            identified: target.identity.is_some(),
            readings: Readings::default(),
            answered: None,
            uncorrected_before: None,
        }
    }

    /// It is the one that is meant.
    pub(crate) fn is(&self, target: &Target) -> bool {
        match &target.identity {
            Some(identity) => self.id == identity.uuid,
            None => self.parent.is_none() && self.index == target.place.index,
        }
    }

    /// Its number on the bus.
    pub(crate) fn index(&self) -> u32 {
        self.index
    }

    pub(crate) fn moved(&mut self, target: &Target) {
        self.index = target.place.index;
        self.mig = target.mig;
    }

    /// A device of its own that has said who it is; what is not, is forgotten when it is not there any more.
    pub(crate) fn is_kept(&self) -> bool {
        self.identified && self.parent.is_none()
    }

    /// It answered a round, with what it could say.
    pub(crate) fn said(&mut self, readings: Readings, now: Instant) {
        if let Some(errors) = readings.uncorrected {
            let before = self.uncorrected_before.get_or_insert(errors);
            // a driver that is loaded again counts from 0
            *before = errors.min(*before);
            if errors > *before {
                self.faults.uncorrectable.get_or_insert(now);
            }
        }
        self.faults.lost = None;
        self.trouble = None;
        self.readings = readings;
        self.answered = Some(now);
    }

    /// It did not answer: what it said before is not true any more, or not known to be.
    pub(crate) fn was_silent(&mut self, trouble: Trouble) {
        self.trouble = Some(trouble);
        self.readings = Readings::default();
        self.answered = None;
    }

    /// It said itself that it cannot be asked any more, or is not there.
    pub(crate) fn is_lost(&mut self, trouble: Trouble, now: Instant) {
        self.faults.lost.get_or_insert(now);
        self.was_silent(trouble);
    }

    pub(crate) fn count_xid(&mut self, xid: u64) {
        if self.xids.len() < MOST_XIDS || self.xids.contains_key(&xid) {
            *self.xids.entry(xid).or_default() += 1;
        }
    }

    /// What it says now; `None` where that is not known.
    pub(crate) fn readings(&self, now: Instant) -> Option<&Readings> {
        let answered = self.answered?;
        (now.saturating_duration_since(answered) <= STALE).then_some(&self.readings)
    }

    /// `None` where it is not known.
    pub(crate) fn status(&self, now: Instant) -> Option<Status> {
        if self.faults.lost.is_some() || self.faults.fatal_xid.is_some() {
            return Some(Status::Failed);
        }
        let readings = self.readings(now)?;
        let errors = readings.uncorrected.is_some_and(|errors| errors > 0);
        Some(if errors { Status::Degraded } else { Status::Ok })
    }
}
