//! Looking at all devices, again and again: what they said, what failed, what cannot be asked. Knows no time of its own.

use crate::gpu::backend::{Field, GpuSession, Place, Readings};
use crate::gpu::device::Device;
use crate::gpu::fatal;
use crate::gpu::snapshot::{Snapshot, State};
use crate::gpu::trouble::Trouble;
use crate::gpu::visible::{Target, Visible};
use std::collections::HashSet;
use std::time::{Instant, SystemTime};

/// All that is known, over all sessions.
#[derive(Debug)]
pub(crate) struct Rounds {
    visible: Visible,
    known: Snapshot,
    /// What is read in this session, and which of the devices it is.
    targets: Vec<(Target, usize)>,
    /// What was asked once and is not asked again in this session.
    unsupported: HashSet<(Place, Field)>,
}

/// How a round went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Went {
    /// All devices answered.
    Well,
    /// Some of them did.
    Partly,
    /// None did.
    Badly,
}

impl Rounds {
    pub(crate) fn new(visible: Visible) -> Rounds {
        Rounds {
            visible,
            known: Snapshot::default(),
            targets: Vec::new(),
            unsupported: HashSet::new(),
        }
    }

    pub(crate) fn snapshot(&self, busy: Option<Instant>) -> Snapshot {
        Snapshot {
            busy,
            ..self.known.clone()
        }
    }

    pub(crate) fn count(&mut self, trouble: Trouble) {
        self.known.errors[trouble as usize] += 1;
    }

    /// Nothing can be asked of any device.
    pub(crate) fn failed(&mut self, trouble: Trouble) {
        self.count(trouble);
        self.known.state = Some(trouble.into());
        for device in &mut self.known.devices {
            device.was_silent(trouble);
        }
    }

    /// Looks which devices there are. Says whether there is one to be read.
    pub(crate) fn open(&mut self, session: &mut dyn GpuSession, now: Instant) -> bool {
        self.unsupported.clear();
        self.targets.clear();
        self.known.driver = session.driver();
        let found = session.list();
        let targets = match found.and_then(|found| self.visible.choose(&found)) {
            Ok(targets) => targets,
            Err(trouble) => {
                self.failed(trouble);
                return false;
            }
        };
        self.visible.keep(&targets);
        self.forget(&targets, now);
        for target in targets {
            let devices = &mut self.known.devices;
            let at = devices.iter().position(|device| device.is(&target));
            if at.is_none() && target.identity.is_none() && self.visible.is_kept() {
                // it is none of those that were shown
                continue;
            }
            let at = at.unwrap_or_else(|| {
                devices.push(Device::new(&target));
                devices.len() - 1
            });
            devices[at].moved(&target);
            self.targets.push((target, at));
        }
        if self.targets.is_empty() {
            let lost = !self.known.devices.is_empty();
            self.known.state = Some(if lost { State::Lost } else { State::NoDevice });
        }
        !self.targets.is_empty()
    }

    /// What is not there any more: a device is lost, an instance was taken away by somebody.
    fn forget(&mut self, targets: &[Target], now: Instant) {
        let is_there = |device: &Device| targets.iter().any(|target| device.is(target));
        self.known
            .devices
            .retain(|device| device.is_kept() || is_there(device));
        let devices = self.known.devices.iter_mut();
        for device in devices.filter(|device| !is_there(device)) {
            device.is_lost(Trouble::Lost, now);
        }
    }

    /// Asks each device everything that it can say.
    pub(crate) fn round(&mut self, session: &mut dyn GpuSession, now: Instant) -> Went {
        let targets = std::mem::take(&mut self.targets);
        let mut answered = 0;
        let mut worst = None;
        let mut asked = HashSet::new();
        for (target, at) in &targets {
            // events are of a device, whatever of it is shown; who asks takes them
            let is_first = asked.insert(target.place.index);
            let mut readings = Readings::default();
            let said = self.ask(session, target, is_first, &mut readings);
            self.happened(&targets, *at, &readings.xids, now);
            match said {
                Ok(()) => {
                    answered += 1;
                    self.known.devices[*at].said(readings, now);
                }
                Err(trouble) => {
                    let device = &mut self.known.devices[*at];
                    if trouble.is_loss() {
                        device.is_lost(trouble, now);
                    } else {
                        device.was_silent(trouble);
                    }
                    if worst.is_none() || trouble == Trouble::Permission {
                        worst = Some(trouble);
                    }
                }
            }
        }
        let lost = self
            .known
            .devices
            .iter()
            .any(|one| one.faults.lost.is_some());
        self.known.state = Some(match worst {
            _ if lost => State::Lost,
            Some(trouble) => trouble.into(),
            None => State::Ok,
        });
        let all = targets.len() == answered && !lost;
        self.targets = targets;
        if answered > 0 {
            self.known.last_success = Some(SystemTime::now());
        }
        match answered {
            0 => Went::Badly,
            _ if all => Went::Well,
            _ => Went::Partly,
        }
    }

    /// What it says.
    ///
    /// # Errors
    /// When it says nothing of itself, or is lost; what happened to it may be there all the same.
    fn ask(
        &mut self,
        session: &mut dyn GpuSession,
        target: &Target,
        is_first: bool,
        readings: &mut Readings,
    ) -> Result<(), Trouble> {
        let place = target.place;
        let (mut answered, mut first) = (false, None);
        for field in Field::ALL {
            let is_of_it = match field {
                Field::Xids => is_first,
                _ => place.instance.is_none() || field.is_of_instances(),
            };
            // a divided device says nothing of use, or 0
            let divided = target.mig && field == Field::Utilization;
            let unsupported = self.unsupported.contains(&(place, field));
            if !is_of_it || divided || unsupported {
                continue;
            }
            match session.read(place, field, readings) {
                // events are the driver's word, not the device's
                Ok(()) => answered |= field != Field::Xids,
                Err(Trouble::NotSupported) => {
                    self.count(Trouble::NotSupported);
                    self.unsupported.insert((place, field));
                }
                Err(trouble) => {
                    self.count(trouble);
                    if answered && trouble == Trouble::Permission {
                        // of one field, as of the processes on a divided device: that does not change
                        self.unsupported.insert((place, field));
                    }
                    first.get_or_insert(trouble);
                    if trouble.is_loss() {
                        return Err(trouble);
                    }
                }
            }
        }
        match first {
            Some(trouble) if !answered => Err(trouble),
            _ => Ok(()),
        }
    }

    /// Counts it once; what happened to a device happened to the instances on it.
    fn happened(&mut self, targets: &[(Target, usize)], at: usize, xids: &[u64], now: Instant) {
        let devices = &mut self.known.devices;
        let index = devices[at].index();
        for xid in xids {
            devices[at].count_xid(*xid);
            if !fatal::is_fatal(*xid) {
                continue;
            }
            for (_, on) in targets.iter().filter(|(one, _)| one.place.index == index) {
                devices[*on].faults.fatal_xid = Some((*xid, now));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gpu::backend::Found;
    use crate::gpu::device::{STALE, Status};
    use crate::gpu::scripted::{Scripted, named};
    use std::time::Duration;

    const FIRST: Place = Place {
        index: 0,
        instance: None,
    };

    fn visible(list: &str) -> Visible {
        Visible::read(|name| (name == "CUDA_VISIBLE_DEVICES").then(|| list.to_owned()))
    }

    fn opened(script: &mut Scripted, visible: Visible) -> (Rounds, Instant) {
        let (mut rounds, now) = (Rounds::new(visible), Instant::now());
        assert!(rounds.open(script, now));
        assert_eq!(rounds.round(script, now), Went::Well);
        assert_eq!(rounds.known.state, Some(State::Ok));
        (rounds, now)
    }

    #[test]
    fn what_a_device_does_not_have_is_asked_once_in_a_session() {
        let mut script = Scripted::of(&["GPU-a"]);
        script
            .fails
            .insert((FIRST, Field::Energy), Trouble::NotSupported);
        let (mut rounds, now) = opened(&mut script, Visible::default());
        assert_eq!(rounds.round(&mut script, now), Went::Well);
        assert_eq!(script.asked(FIRST, Field::Energy), 1);
        assert_eq!(script.asked(FIRST, Field::Power), 2);
        assert!(rounds.open(&mut script, now));
        rounds.round(&mut script, now);
        assert_eq!(script.asked(FIRST, Field::Energy), 2);
        assert_eq!(rounds.known.errors[Trouble::NotSupported as usize], 2);
    }

    #[test]
    fn a_field_that_may_not_be_asked_is_asked_once_and_a_device_again() {
        let mut script = Scripted::of(&["GPU-a", "GPU-b"]);
        let own = (FIRST, Field::OwnMemory);
        script.fails.insert(own, Trouble::Permission);
        let (mut rounds, now) = opened(&mut script, Visible::default());
        script.silent.insert(1, Trouble::Permission);
        assert_eq!(rounds.round(&mut script, now), Went::Partly);
        assert_eq!(script.asked(own.0, own.1), 1);
        assert_eq!(rounds.known.state, Some(State::Permission));
        script.silent.clear();
        assert_eq!(rounds.round(&mut script, now), Went::Well);
    }

    #[test]
    fn one_field_that_fails_is_absent_and_the_others_are_not() {
        let mut script = Scripted::of(&["GPU-a"]);
        script.fails.insert((FIRST, Field::Power), Trouble::Unknown);
        let (rounds, now) = opened(&mut script, Visible::default());
        let readings = rounds.known.devices[0].readings(now).unwrap();
        assert_eq!((readings.watts, readings.celsius), (None, Some(40.0)));
    }

    #[test]
    fn one_of_several_is_lost_and_comes_back() {
        let mut script = Scripted::of(&["GPU-a", "GPU-b"]);
        let (mut rounds, now) = opened(&mut script, Visible::default());
        script.silent.insert(0, Trouble::Lost);
        assert_eq!(rounds.round(&mut script, now), Went::Partly);
        assert_eq!(rounds.known.state, Some(State::Lost));
        let status = |rounds: &Rounds| {
            let devices = rounds.known.devices.iter();
            devices.map(|one| one.status(now)).collect::<Vec<_>>()
        };
        assert_eq!(status(&rounds), [Some(Status::Failed), Some(Status::Ok)]);
        assert_eq!(rounds.known.devices[0].readings(now), None);
        // a new session does not even learn who it is
        script.found[0].identity = Err(Trouble::Lost);
        assert!(rounds.open(&mut script, now));
        assert_eq!(rounds.round(&mut script, now), Went::Partly);
        assert_eq!(rounds.known.devices.len(), 2);
        assert_eq!(rounds.known.devices[0].id, "GPU-a");
        // it was reset
        script.found[0].identity = Ok(named("GPU-a"));
        script.silent.clear();
        assert!(rounds.open(&mut script, now));
        assert_eq!(rounds.round(&mut script, now), Went::Well);
        assert_eq!(status(&rounds), [Some(Status::Ok), Some(Status::Ok)]);
    }

    #[test]
    fn a_device_that_left_the_bus_is_lost_and_its_number_means_no_other() {
        let mut script = Scripted::of(&["GPU-a", "GPU-b", "GPU-c"]);
        let (mut rounds, now) = opened(&mut script, visible("0,1"));
        script.found.remove(0);
        assert!(rounds.open(&mut script, now));
        rounds.round(&mut script, now);
        let devices = &rounds.known.devices;
        let ids: Vec<_> = devices.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids, ["GPU-a", "GPU-b"]);
        assert_eq!(devices[0].faults.lost, Some(now));
        assert_eq!(devices[0].trouble, Some(Trouble::Lost));
        assert_eq!(rounds.known.state, Some(State::Lost));
    }

    #[test]
    fn a_lost_device_that_never_said_who_it_is_shows_by_its_number() {
        let mut script = Scripted::of(&["GPU-a", "GPU-b"]);
        script.found[1].identity = Err(Trouble::Lost);
        script.silent.insert(1, Trouble::Lost);
        let (mut rounds, now) = (Rounds::new(Visible::default()), Instant::now());
        assert!(rounds.open(&mut script, now));
        assert_eq!(rounds.round(&mut script, now), Went::Partly);
        assert_eq!(rounds.known.devices[1].id, "index-1");
        assert_eq!(rounds.known.devices[1].status(now), Some(Status::Failed));
        script.found[1].identity = Ok(named("GPU-b"));
        script.silent.clear();
        assert!(rounds.open(&mut script, now));
        rounds.round(&mut script, now);
        assert_eq!(rounds.known.devices[1].id, "GPU-b");
        assert_eq!(rounds.known.devices.len(), 2);
    }

    #[test]
    fn values_that_are_too_old_are_left_out() {
        let mut script = Scripted::of(&["GPU-a"]);
        let (rounds, now) = opened(&mut script, Visible::default());
        let device = &rounds.known.devices[0];
        assert!(device.readings(now + STALE).is_some());
        let later = now + STALE + Duration::from_millis(1);
        assert_eq!((device.readings(later), device.status(later)), (None, None));
        // a call that hangs shows before it returns
        let busy = rounds.snapshot(Some(now));
        assert_eq!(busy.state(now), Some(State::Ok));
        assert_eq!(busy.state(later), Some(State::Error));
        assert_eq!(busy.errors(later).collect::<Vec<_>>(), [(Trouble::Hung, 1)]);
    }

    #[test]
    fn a_session_that_fails_condemns_no_device() {
        let mut script = Scripted::of(&["GPU-a"]);
        let (mut rounds, _) = opened(&mut script, Visible::default());
        rounds.failed(Trouble::Lost);
        assert_eq!(rounds.known.state, Some(State::Lost));
        assert_eq!(rounds.known.devices[0].faults.lost, None);
    }

    #[test]
    fn a_session_that_fails_leaves_nothing_to_show() {
        let mut script = Scripted::of(&["GPU-a"]);
        let (mut rounds, now) = opened(&mut script, Visible::default());
        rounds.failed(Trouble::Unknown);
        assert_eq!(rounds.known.state, Some(State::Error));
        assert_eq!(rounds.known.devices[0].readings(now), None);
        assert_eq!(rounds.known.devices[0].status(now), None);
    }

    #[test]
    fn a_fatal_event_stays_and_is_of_all_instances_on_the_device() {
        let mut script = Scripted::of(&["GPU-a"]);
        script.found[0] = Found {
            divided: Some(true),
            instances: vec![(0, named("MIG-1")), (3, named("MIG-2"))],
            ..script.found[0].clone()
        };
        let (mut rounds, now) = opened(&mut script, visible("MIG-2"));
        script.xids = vec![13, 79];
        rounds.round(&mut script, now);
        rounds.round(&mut script, now);
        let device = &rounds.known.devices[0];
        assert_eq!(device.id, "MIG-2");
        assert_eq!(device.faults.fatal_xid, Some((79, now)));
        assert_eq!(device.status(now), Some(Status::Failed));
        assert_eq!(
            device.xids.iter().collect::<Vec<_>>(),
            [(&13, &1), (&79, &1)]
        );
        // an instance says what it has and is asked for nothing else
        assert_eq!(device.readings(now).unwrap().watts, None);
    }

    #[test]
    fn a_device_that_is_lost_still_says_why() {
        let mut script = Scripted::of(&["GPU-a"]);
        let (mut rounds, now) = opened(&mut script, Visible::default());
        script.xids = vec![79];
        script.fails.insert((FIRST, Field::Memory), Trouble::Lost);
        assert_eq!(rounds.round(&mut script, now), Went::Badly);
        let faults = &rounds.known.devices[0].faults;
        assert_eq!(
            (faults.lost, faults.fatal_xid),
            (Some(now), Some((79, now)))
        );
    }

    #[test]
    fn memory_errors_from_before_degrade_and_only_new_ones_are_a_fault() {
        let mut script = Scripted::of(&["GPU-a"]);
        script.uncorrected = 3;
        let (mut rounds, now) = opened(&mut script, Visible::default());
        assert_eq!(rounds.known.devices[0].status(now), Some(Status::Degraded));
        assert_eq!(rounds.known.devices[0].faults.uncorrectable, None);
        script.uncorrected = 4;
        rounds.round(&mut script, now);
        assert_eq!(rounds.known.devices[0].faults.uncorrectable, Some(now));
    }
}
