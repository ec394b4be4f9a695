//! Which of the machine's devices this process may use: what CUDA makes of `CUDA_VISIBLE_DEVICES`.

use crate::gpu::backend::{Found, Identity, Place};
use crate::gpu::trouble::Trouble;
use std::collections::BTreeSet;

/// What the environment says about it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Visible {
    /// `None` shows all.
    entries: Option<String>,
    /// Numbers count along the bus, as NVML does; else CUDA counts the fastest first.
    by_bus: bool,
    /// What the list came to: where a device is lost, numbers mean others.
    kept: Option<BTreeSet<String>>,
}

/// A device that is to be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) place: Place,
    /// `None` for one that does not say who it is.
    pub(crate) identity: Option<Identity>,
    /// The device that an instance is on.
    pub(crate) parent: Option<String>,
    /// It is an instance, or a device that is divided into some.
    pub(crate) mig: bool,
}

impl Visible {
    pub(crate) fn read(get: impl Fn(&str) -> Option<String>) -> Visible {
        Visible {
            entries: get("CUDA_VISIBLE_DEVICES"),
            by_bus: get("CUDA_DEVICE_ORDER").is_some_and(|order| order.trim() == "PCI_BUS_ID"),
            kept: None,
        }
    }

    /// From now on it is these, whatever their numbers become.
    pub(crate) fn keep(&mut self, targets: &[Target]) {
        let uuids = targets.iter().map(|target| {
            let identity = target.identity.as_ref()?;
            Some(identity.uuid.clone())
        });
        let uuids: Option<BTreeSet<_>> = uuids.collect();
        if self.entries.is_some() && self.kept.is_none() {
            self.kept = uuids.filter(|uuids| !uuids.is_empty());
        }
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.kept.is_some()
    }

    /// Those of them that are shown, in that order, each once.
    ///
    /// # Errors
    /// When numbers are used and only CUDA knows in which order it counts.
    pub(crate) fn choose(&self, found: &[Found]) -> Result<Vec<Target>, Trouble> {
        let Some(entries) = &self.entries else {
            return Ok((0..found.len()).flat_map(|at| whole(found, at)).collect());
        };
        if let Some(kept) = &self.kept {
            let all = (0..found.len()).flat_map(|at| whole(found, at));
            let uuid = |target: &Target| target.identity.as_ref().map(|one| one.uuid.clone());
            let is_kept = |target: &Target| {
                let mut uuids = uuid(target).into_iter().chain(target.parent.clone());
                // who does not say who it is may be one of them
                target.identity.is_none() || uuids.any(|uuid| kept.contains(&uuid))
            };
            return Ok(all.filter(is_kept).collect());
        }
        let mut shown: Vec<Target> = Vec::new();
        for entry in entries.split(',') {
            // the first that names nothing ends the list: also -1, and an empty one
            let Some(targets) = self.named(entry.trim(), found)? else {
                break;
            };
            for target in targets {
                if shown.iter().all(|known| known.place != target.place) {
                    shown.push(target);
                }
            }
        }
        Ok(shown)
    }

    fn named(&self, entry: &str, found: &[Found]) -> Result<Option<Vec<Target>>, Trouble> {
        if let Ok(number) = entry.parse::<usize>() {
            if number >= found.len() {
                return Ok(None);
            }
            if !self.by_bus && differ(found) {
                return Err(Trouble::AmbiguousOrder);
            }
            return Ok(Some(whole(found, number)));
        }
        let all = || (0..found.len()).flat_map(|at| whole(found, at));
        let is_it = |target: &Target| {
            let uuid = target.identity.as_ref().map(|identity| &identity.uuid);
            uuid.is_some_and(|uuid| uuid.starts_with(entry))
        };
        if entry.starts_with("MIG-") {
            return Ok(only(
                all().filter(|target| target.parent.is_some() && is_it(target)),
            ));
        }
        if entry.starts_with("GPU-") {
            let device = only(all().filter(|target| target.parent.is_none() && is_it(target)));
            let place = device.and_then(|mut device| device.pop());
            return Ok(place.map(|device| whole(found, device.place.index as usize)));
        }
        Ok(None)
    }
}

/// A beginning that is not of exactly one names nothing.
fn only(mut targets: impl Iterator<Item = Target>) -> Option<Vec<Target>> {
    let one = targets.next()?;
    targets.next().is_none().then(|| vec![one])
}

/// A device and the instances on it.
fn whole(found: &[Found], at: usize) -> Vec<Target> {
    let device = &found[at];
    let index = u32::try_from(at).unwrap_or(u32::MAX);
    let identity = device.identity.as_ref().ok();
    let parent = Target {
        place: Place {
            index,
            instance: None,
        },
        identity: identity.cloned(),
        parent: None,
        mig: device.divided == Some(true),
    };
    let instances = device.instances.iter().map(|(number, instance)| Target {
        place: Place {
            index,
            instance: Some(*number),
        },
        identity: Some(instance.clone()),
        parent: identity.map(|identity| identity.uuid.clone()),
        mig: true,
    });
    std::iter::once(parent).chain(instances).collect()
}

/// They are not all the same: then the fastest may be any of them.
fn differ(found: &[Found]) -> bool {
    let identities = found
        .iter()
        .filter_map(|device| device.identity.as_ref().ok());
    let names: BTreeSet<_> = identities.map(|identity| &identity.name).collect();
    names.len() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(uuid: &str, name: &str) -> Identity {
        Identity {
            uuid: uuid.to_owned(),
            name: name.to_owned(),
        }
    }

    fn device(uuid: &str) -> Found {
        Found {
            identity: Ok(identity(uuid, "H200")),
            divided: Some(false),
            instances: Vec::new(),
        }
    }

    fn machine() -> Vec<Found> {
        let mut divided = device("GPU-bb01");
        divided.divided = Some(true);
        divided.instances = vec![
            (0, identity("MIG-1111", "H200 MIG 1g.18gb")),
            (2, identity("MIG-2222", "H200 MIG 1g.18gb")),
        ];
        vec![device("GPU-aa01"), divided, device("GPU-bb02")]
    }

    fn shown(entries: &str) -> Vec<String> {
        let visible = Visible {
            entries: Some(entries.to_owned()),
            ..Visible::default()
        };
        let targets = visible.choose(&machine()).unwrap().into_iter();
        targets
            .map(|target| target.identity.unwrap().uuid)
            .collect()
    }

    #[test]
    fn the_list_shows_what_cuda_would_show() {
        let divided = ["GPU-bb01", "MIG-1111", "MIG-2222"];
        assert_eq!(shown("2,0"), ["GPU-bb02", "GPU-aa01"]);
        assert_eq!(shown(" 0 , 0"), ["GPU-aa01"]);
        assert_eq!(shown("1"), divided);
        assert_eq!(shown("GPU-aa01"), ["GPU-aa01"]);
        assert_eq!(shown("GPU-a,MIG-2"), ["GPU-aa01", "MIG-2222"]);
        assert_eq!(shown("GPU-bb01"), divided);
    }

    #[test]
    fn the_first_entry_that_names_nothing_ends_the_list() {
        for none in [
            "",
            "-1",
            "-1,0",
            "9",
            "GPU-b",
            "GPU-ff",
            "MIG-",
            "NoDevFiles",
            "gpu-aa01",
        ] {
            assert!(shown(none).is_empty(), "{none:?}");
        }
        assert_eq!(shown("0,-1,2"), ["GPU-aa01"]);
        assert_eq!(shown("2,7,0"), ["GPU-bb02"]);
        assert_eq!(shown("0,,2"), ["GPU-aa01"]);
    }

    #[test]
    fn without_a_list_all_are_shown_with_their_instances() {
        let all = Visible::default().choose(&machine()).unwrap();
        assert_eq!(all.len(), 5);
        let parent = Some("GPU-bb01".to_owned());
        assert_eq!(all[2].parent, parent);
        assert!(all[1].mig && all[2].mig && !all[0].mig);
    }

    #[test]
    fn numbers_among_different_devices_need_the_order_of_the_bus() {
        let mut found = machine();
        found[2].identity = Ok(identity("GPU-bb02", "T400"));
        let mut visible = Visible {
            entries: Some("0".to_owned()),
            ..Visible::default()
        };
        assert_eq!(visible.choose(&found), Err(Trouble::AmbiguousOrder));
        visible.by_bus = true;
        assert_eq!(visible.choose(&found).unwrap().len(), 1);
        let by_name = Visible {
            entries: Some("GPU-aa".to_owned()),
            ..Visible::default()
        };
        assert_eq!(by_name.choose(&found).unwrap().len(), 1);
    }

    #[test]
    fn a_lost_device_keeps_its_number() {
        let mut found = machine();
        found[0].identity = Err(Trouble::Lost);
        let visible = Visible {
            entries: Some("0,2".to_owned()),
            ..Visible::default()
        };
        let targets = visible.choose(&found).unwrap();
        assert_eq!(targets[0].identity, None);
        assert_eq!(targets[1].place.index, 2);
    }
}
